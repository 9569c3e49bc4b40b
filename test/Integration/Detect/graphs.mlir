// Graphs with explicit dependencies, and graphs in single-transfer form, lowered to the runtime and run: a message that
// is forwarded from process to process, and a gather. A loop compiles its graph once.
// REQUIRES: openmpi
// RUN: comm-opt %s -comm-cdag-to-runtime=abi=openmpi4 -convert-comm-to-llvm=abi=openmpi4 -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: %mpicc -O1 %t.ll -o %t.exe %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: env COMM_CDAG_MODE=1 COMM_CDAG_REPORT=%t.report %mpirun -n 3 %t.exe | FileCheck %s
// RUN: env COMM_CDAG_MODE=0 %mpirun -n 1 %t.exe | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.report
// REPORT-DAG: "ranks": 3{{.*}} "detected": "bcast(3 ranks, 4 bytes)"
// REPORT-DAG: "ranks": 3{{.*}} "detected": "gather(3 ranks, 4 bytes)"
// RUN: comm-opt %s -comm-cdag-to-sst="ranks=3 abi=openmpi4" -comm-cdag-to-runtime=abi=openmpi4 -convert-comm-to-llvm=abi=openmpi4 -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o %t.sst.ll
// RUN: FileCheck %s --check-prefix=TRANSFERS < %t.sst.ll
// TRANSFERS: call {{.*}} @comm_cdag_add_transfers
// RUN: %mpicc -O1 %t.sst.ll -o %t.sst.exe %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 3 %t.sst.exe | FileCheck %s
// RUN: not %mpirun -n 2 %t.sst.exe 2>&1 | FileCheck %s --check-prefix=FEW
// CHECK: 0 errors
// FEW: comm: error: the communication graph at graphs.mlir:{{.*}} but the communicator has 2
llvm.mlir.global constant @format("%d errors\0A\00")
llvm.func @printf(!llvm.ptr, ...) -> i32

// data of process 0 to all, each from its neighbor.
llvm.func @chain(%data: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %nobody = comm.constant "MPI_PROC_NULL" : i32
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.cdag comm(%c) {
    %before = llvm.sub %rank, %one : i32
    %after = llvm.add %rank, %one : i32
    %first = llvm.icmp "eq" %rank, %zero : i32
    %last = llvm.icmp "eq" %after, %size : i32
    %from = llvm.select %first, %nobody, %before : i1, i32
    %to = llvm.select %last, %nobody, %after : i1, i32
    %r = comm.recv async buf(%data : !llvm.ptr) count(%one) datatype(%int) source(%from) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%data : !llvm.ptr) count(%one) datatype(%int) dest(%to) tag(%zero) comm(%c) -> request
    comm.after %s on(%r)
    comm.yield
  }
  llvm.return
}

// One number of each process to process 0; no dependencies.
llvm.func @gather(%mine: !llvm.ptr, %all: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.cdag comm(%c) {
    %s = comm.send async buf(%mine : !llvm.ptr) count(%one) datatype(%int) dest(%zero) tag(%zero) comm(%c) -> request
    %first = llvm.icmp "eq" %rank, %zero : i32
    llvm.cond_br %first, ^loop(%zero : i32), ^done
  ^loop(%p: i32):
    %to = llvm.getelementptr %all[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%int) source(%p) tag(%zero) comm(%c) -> request
    %next = llvm.add %p, %one : i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    comm.yield
  }
  llvm.return
}

llvm.func @main() -> i32 {
  comm.init
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %ten = llvm.mlir.constant(10 : i32) : i32
  %sixteen = llvm.mlir.constant(16 : i32) : i32
  %data = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %all = llvm.alloca %sixteen x i32 : (i32) -> !llvm.ptr
  %first = llvm.icmp "eq" %rank, %zero : i32
  llvm.br ^loop(%zero, %zero : i32, i32)
^loop(%i: i32, %errors: i32):
  // Process 0 sends i * 10 to all.
  %value = llvm.mul %i, %ten : i32
  %start = llvm.select %first, %value, %rank : i1, i32
  llvm.store %start, %data : i32, !llvm.ptr
  llvm.call @chain(%data) : (!llvm.ptr) -> ()
  %got = llvm.load %data : !llvm.ptr -> i32
  %bad = llvm.icmp "ne" %got, %value : i32
  %wrong = llvm.zext %bad : i1 to i32
  %errors1 = llvm.add %errors, %wrong : i32
  // Each sends i * 10 + rank to process 0.
  %mine = llvm.add %got, %rank : i32
  llvm.store %mine, %data : i32, !llvm.ptr
  llvm.call @gather(%data, %all) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.cond_br %first, ^check(%zero, %errors1 : i32, i32), ^next(%errors1 : i32)
^check(%p: i32, %errors2: i32):
  %from = llvm.getelementptr %all[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %theirs = llvm.load %from : !llvm.ptr -> i32
  %wanted = llvm.add %value, %p : i32
  %bad3 = llvm.icmp "ne" %theirs, %wanted : i32
  %wrong3 = llvm.zext %bad3 : i1 to i32
  %errors3 = llvm.add %errors2, %wrong3 : i32
  %q = llvm.add %p, %one : i32
  %more3 = llvm.icmp "slt" %q, %size : i32
  llvm.cond_br %more3, ^check(%q, %errors3 : i32, i32), ^next(%errors3 : i32)
^next(%errors4: i32):
  %j = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %j, %ten : i32
  llvm.cond_br %more, ^loop(%j, %errors4 : i32, i32), ^done
^done:
  %total = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %mem = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.store %errors4, %mem : i32, !llvm.ptr
  %int = comm.constant "MPI_INT" : !comm.datatype
  %sum = comm.constant "MPI_SUM" : !comm.op
  comm.reduce sendbuf(%mem : !llvm.ptr) recvbuf(%total : !llvm.ptr) count(%one) datatype(%int) op(%sum) root(%zero) comm(%c)
  llvm.cond_br %first, ^print, ^end
^print:
  %format = llvm.mlir.addressof @format : !llvm.ptr
  %sumOfErrors = llvm.load %total : !llvm.ptr -> i32
  llvm.call @printf(%format, %sumOfErrors) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  llvm.br ^end
^end:
  comm.finalize
  llvm.return %zero : i32
}
