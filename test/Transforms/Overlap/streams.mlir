// Consecutive collectives in one direction: the first message takes its latency, the others have arrived when they are
// needed, and a nonblocking form gains nothing.
// RUN: comm-opt -split-input-file -comm-move-slices="cost=measured abi=openmpi4" %s | FileCheck %s --check-prefixes=CHECK,MEASURED
// RUN: comm-opt -split-input-file -comm-move-slices="cost=none abi=openmpi4" %s | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: comm-opt -split-input-file -comm-move-slices="cost=measured abi=openmpi4" --remark-format=emitRemark --remarks-filter=comm-move.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

llvm.func @unknown()

// From one process to the others.
// CHECK-LABEL: llvm.func @from_root
// CHECK: comm.bcast async
// MEASURED-NEXT: comm.wait
// NONE-NEXT: llvm.br
// REMARK-DAG: Function=from_root{{.*}}stays blocking: its interval is part of a stream: all communication of its loop goes one way
llvm.func @from_root(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.bcast async buffer(%out : !llvm.ptr) count(%n) datatype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// From all to one, whose number is known before the loop.
// CHECK-LABEL: llvm.func @to_root
// CHECK: comm.reduce async
// MEASURED-NEXT: comm.wait
// NONE-NEXT: llvm.br
// REMARK-DAG: Function=to_root{{.*}}stays blocking: its interval is part of a stream: all communication of its loop goes one way
llvm.func @to_root(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.reduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) root(%peer) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// Likewise, block by block.
// CHECK-LABEL: llvm.func @gathered
// CHECK: comm.gather async
// MEASURED-NEXT: comm.wait
// NONE-NEXT: llvm.br
llvm.func @gathered(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.gather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%int) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// Two that go the same way.
// CHECK-LABEL: llvm.func @both_from_root
// CHECK: comm.scatter async
// MEASURED-NEXT: comm.wait
// NONE-NEXT: llvm.br
llvm.func @both_from_root(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.scatter async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%int) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  comm.bcast buffer(%a : !llvm.ptr) count(%n) datatype(%int) root(%zero) comm(%c)
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// Each process is the root in turn: the next sender has received before.
// CHECK-LABEL: llvm.func @turns
// CHECK: comm.bcast async
// CHECK-NEXT: llvm.br
llvm.func @turns(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.bcast async buffer(%out : !llvm.ptr) count(%n) datatype(%int) root(%i) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// Another root answers.
// CHECK-LABEL: llvm.func @other_root
// CHECK: comm.bcast async
// CHECK-NEXT: llvm.br
llvm.func @other_root(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.bcast async buffer(%out : !llvm.ptr) count(%n) datatype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  comm.bcast buffer(%a : !llvm.ptr) count(%n) datatype(%int) root(%n) comm(%c)
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// The data that the root collects is sent back to all.
// CHECK-LABEL: llvm.func @there_and_back
// CHECK: comm.gather async
// CHECK-NEXT: llvm.br
llvm.func @there_and_back(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.gather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%int) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  comm.bcast buffer(%a : !llvm.ptr) count(%n) datatype(%int) root(%zero) comm(%c)
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// All wait for all in each iteration.
// CHECK-LABEL: llvm.func @joined
// CHECK: comm.bcast async
// CHECK-NEXT: llvm.br
llvm.func @joined(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.bcast async buffer(%out : !llvm.ptr) count(%n) datatype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  comm.barrier comm(%c)
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// A message may be an answer.
// CHECK-LABEL: llvm.func @answered
// CHECK: comm.bcast async
// CHECK-NEXT: llvm.br
llvm.func @answered(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.bcast async buffer(%out : !llvm.ptr) count(%n) datatype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%peer) tag(%n) comm(%c)
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// So may an unknown function.
// CHECK-LABEL: llvm.func @called
// CHECK: comm.bcast async
// CHECK-NEXT: llvm.br
llvm.func @called(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32, %peer: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %zero = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(1 : i32) : i32
  %length = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %r = comm.bcast async buffer(%out : !llvm.ptr) count(%n) datatype(%int) root(%zero) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%j: i32):
  llvm.store %j, %a : i32, !llvm.ptr
  %j1 = llvm.add %j, %n : i32
  %more = llvm.icmp "slt" %j1, %length : i32
  llvm.cond_br %more, ^loop(%j1 : i32), ^after
^after:
  llvm.call @unknown() : () -> ()
  %got = llvm.load %out : !llvm.ptr -> i32
  llvm.store %got, %a : i32, !llvm.ptr
  %i1 = llvm.add %i, %n : i32
  %again = llvm.icmp "slt" %i1, %times : i32
  llvm.cond_br %again, ^turn(%i1 : i32), ^end
^end:
  llvm.return
}

// -----

// Loops of MLIR alike.
// CHECK-LABEL: func.func @structured
// CHECK: comm.bcast async
// MEASURED-NEXT: comm.wait
// NONE-NEXT: scf.for
func.func @structured(%out: memref<1xi32> {llvm.noalias}, %a: memref<64xi32> {llvm.noalias}, %times: index, %length: index, %root: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1 : i32
  scf.for %i = %zero to %times step %one {
    %r = comm.bcast async buffer(%out : memref<1xi32>) root(%root) comm(%c) -> request
    comm.wait request(%r)
    scf.for %j = %zero to %length step %one {
      memref.store %x, %a[%j] : memref<64xi32>
    }
    %got = memref.load %out[%zero] : memref<1xi32>
    memref.store %got, %a[%zero] : memref<64xi32>
  }
  return
}
