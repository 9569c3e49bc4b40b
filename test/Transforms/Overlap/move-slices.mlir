// The modes of motion, in the llvm dialect.
// RUN: comm-opt -comm-move-slices=mode=extended %s | FileCheck %s --check-prefixes=CHECK,EXTENDED
// RUN: comm-opt -comm-move-slices=mode=basic %s | FileCheck %s --check-prefixes=CHECK,BASIC
// RUN: comm-opt -comm-move-slices=mode=off %s | FileCheck %s --check-prefixes=OFF
// RUN: comm-opt -comm-move-slices=min-weight=1000 %s | FileCheck %s --check-prefixes=OFF
// RUN: comm-opt -comm-move-slices --remark-format=emitRemark --remarks-filter=comm-move.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not comm-opt -comm-move-slices=mode=far %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: comm-opt -comm-move-slices=relax-timers=true %s | FileCheck %s --check-prefix=RELAXED
// BAD: Cannot find option named 'far'

llvm.func @work() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
llvm.func @MPI_Wtime() -> f64

// The wait moves down over independent units, to the load of the buffer: in basic mode up to the load's position; in
// extended mode the load and its store come last.
// CHECK-LABEL: llvm.func @down
// CHECK-SAME: comm.changed
// OFF-LABEL: llvm.func @down
// OFF-NOT: comm.changed
// OFF: comm.recv async
// OFF-NEXT: comm.wait
// REMARK-DAG: Function=down{{.*}}" overlaps ", Remark="0 loops, 2 statements"
llvm.func @down(%out: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  // CHECK: comm.recv async
  // BASIC-NEXT: llvm.call @work
  // BASIC-NEXT: comm.wait
  // BASIC-NEXT: llvm.load
  // BASIC: llvm.store
  // BASIC-NEXT: llvm.call @work
  // EXTENDED-NEXT: llvm.call @work
  // EXTENDED-NEXT: llvm.call @work
  // EXTENDED-NEXT: comm.wait
  // EXTENDED-NEXT: llvm.load
  // EXTENDED-NEXT: llvm.store
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  %v = llvm.load %a : !llvm.ptr -> i32
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  llvm.store %v, %o : i32, !llvm.ptr
  llvm.call @work() : () -> ()
  llvm.return
}

// A loop moves as one, with its blocks.
// CHECK-LABEL: llvm.func @loop
// CHECK: comm.recv async
// CHECK: llvm.br
// CHECK: llvm.cond_br
// CHECK: comm.wait
// CHECK-NEXT: llvm.return
// REMARK-DAG: Function=loop{{.*}}" overlaps ", Remark="1 loop, 1 statement"
llvm.func @loop(%k: i1, %x: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^body
^body:
  llvm.store %x, %b : i32, !llvm.ptr
  llvm.cond_br %k, ^body, ^exit
^exit:
  llvm.return
}

// A clock.
// CHECK-LABEL: llvm.func @clock
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.call @MPI_Wtime
// RELAXED-LABEL: llvm.func @clock
// RELAXED: comm.recv async
// RELAXED-NEXT: llvm.call @MPI_Wtime
// RELAXED-NEXT: llvm.call @work
// RELAXED-NEXT: comm.wait
// REMARK-DAG: Function=clock{{.*}}overlaps nothing{{.*}}; after it, the call of MPI_Wtime{{.*}} reads a clock
llvm.func @clock() -> f64 {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  %t = llvm.call @MPI_Wtime() : () -> f64
  llvm.call @work() : () -> ()
  llvm.return %t : f64
}

llvm.func @nothing() {
  llvm.return
}

// A variable that moves as a unit stays in the frame of its function.
// EXTENDED-LABEL: llvm.func @frame
// EXTENDED: llvm.alloca
// EXTENDED-NOT: ^bb1
// EXTENDED: llvm.br ^bb1
// EXTENDED-NOT: llvm.alloca
// EXTENDED: comm.send async
// EXTENDED: llvm.call @work
// EXTENDED: llvm.store {{.*}}, %[[#]]
// EXTENDED: comm.wait
llvm.func @frame(%buffer: !llvm.ptr {llvm.noalias}, %k: i1, %x: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %variable = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.br ^loop
^loop:
  llvm.store %x, %buffer : i32, !llvm.ptr
  llvm.cond_br %k, ^loop, ^next
^next:
  %r = comm.send async buf(%buffer : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.store %x, %variable : i32, !llvm.ptr
  llvm.return
}

llvm.func @MPI_Cart_shift(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Cart_map(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32

// Queries of neighbors are local to this process; queries of the best placement involve all.
// EXTENDED-LABEL: llvm.func @asks
// EXTENDED: comm.send async
// EXTENDED: llvm.call @MPI_Cart_shift
// EXTENDED: llvm.call @work
// EXTENDED: comm.wait
// EXTENDED: llvm.call @MPI_Cart_map
llvm.func @asks(%buffer: !llvm.ptr {llvm.noalias}, %grid: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %lower = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %upper = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %r = comm.send async buf(%buffer : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  %e = llvm.call @MPI_Cart_shift(%grid, %one, %one, %lower, %upper) : (!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.call @work() : () -> ()
  %f = llvm.call @MPI_Cart_map(%grid, %one, %lower, %lower, %upper) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.return
}
