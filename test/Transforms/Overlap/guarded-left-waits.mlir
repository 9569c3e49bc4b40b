// A wait that left its branch passes later starts as other waits do: tests at its original place compare buffers,
// processes that a branch computes, and check for observers.
// RUN: comm-opt %s --comm-move-slices=observers=elsewhere --split-input-file | FileCheck %s

module attributes {comm.abi = "openmpi4"} {
llvm.func @work(!llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"], memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}

// Rows 1 and %m: the early wait is for an %m of 1, or less.
// CHECK-LABEL: llvm.func @rows
// CHECK: comm.send async {{.*}} request(%[[SLOT:.*]] : !llvm.ptr)
// CHECK: llvm.freeze
// CHECK: comm.wait_if %{{.*}} request(%[[SLOT]] : !llvm.ptr) {comm.followed, comm.left}
// CHECK: comm.recv async {{.*}} request(%[[OTHER:.*]] : !llvm.ptr)
// CHECK: llvm.call @work
// CHECK-DAG: comm.wait request(%[[SLOT]] : !llvm.ptr)
// CHECK-DAG: comm.wait request(%[[OTHER]] : !llvm.ptr)
llvm.func @rows(%u: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %m: i64, %p: i1, %q: i1) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %second = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.mlir.constant(100 : i32) : i32
  %sent = llvm.getelementptr %u[800] : (!llvm.ptr) -> !llvm.ptr, i8
  %bytes = llvm.mlir.constant(800 : i64) : i64
  %offset = llvm.mul %m, %bytes overflow<nsw> : i64
  %received = llvm.getelementptr %u[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.cond_br %p, ^send, ^between
^send:
  comm.send async buf(%sent : !llvm.ptr) count(%n) datatype(%t) dest(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  llvm.br ^between
^between:
  comm.wait request(%first : !llvm.ptr) {comm.followed, comm.left}
  llvm.cond_br %q, ^receive, ^join
^receive:
  comm.recv async buf(%received : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait request(%second : !llvm.ptr) {comm.followed, comm.left}
  llvm.call @work(%x) : (!llvm.ptr) -> ()
  llvm.return
}
}

// -----

module attributes {comm.abi = "openmpi4"} {
llvm.func @work(!llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"], memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}

// The neighbors are computed in the branches; a division is not executed where it may be invalid.
// CHECK-LABEL: llvm.func @neighbors
// CHECK: comm.recv async {{.*}} request(%[[SLOT:.*]] : !llvm.ptr)
// CHECK: llvm.sub %arg4
// CHECK: comm.wait_if %{{.*}} request(%[[SLOT]] : !llvm.ptr)
// CHECK: comm.send async
// CHECK: llvm.call @work
// CHECK: comm.wait request(%[[SLOT]] : !llvm.ptr)
// CHECK-LABEL: llvm.func @divides
// CHECK-NOT: comm.wait_if
// CHECK: comm.recv async {{.*}} request(%[[OTHER:.*]] : !llvm.ptr)
// CHECK-NOT: llvm.sdiv
// CHECK: comm.wait request(%[[OTHER]] : !llvm.ptr)
// CHECK: llvm.sdiv
// CHECK: comm.send async
llvm.func @neighbors(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %rank: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %second = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.cond_br %p, ^receive, ^between
^receive:
  %from = llvm.sub %rank, %one overflow<nsw> : i32
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%from) tag(%one) comm(%c) request(%first : !llvm.ptr)
  llvm.br ^between
^between:
  comm.wait request(%first : !llvm.ptr) {comm.followed, comm.left}
  llvm.cond_br %p, ^send, ^join
^send:
  %to = llvm.add %rank, %one : i32
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%to) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait request(%second : !llvm.ptr) {comm.followed, comm.left}
  llvm.call @work(%x) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @divides(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %q: i1, %rank: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %second = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.cond_br %p, ^receive, ^between
^receive:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  llvm.br ^between
^between:
  comm.wait request(%first : !llvm.ptr) {comm.followed, comm.left}
  llvm.cond_br %q, ^send, ^join
^send:
  %to = llvm.sdiv %one, %rank : i32
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%to) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait request(%second : !llvm.ptr) {comm.followed, comm.left}
  llvm.call @work(%x) : (!llvm.ptr) -> ()
  llvm.return
}
}

// -----

module attributes {comm.abi = "openmpi4"} {
llvm.func @work(!llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"], memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}

// A message to another process is not revealed if its branch is not entered.
// CHECK-LABEL: llvm.func @entered
// CHECK: comm.recv async {{.*}} request(%[[SLOT:.*]] : !llvm.ptr)
// CHECK: llvm.and %{{.*}}, %arg4 : i1
// CHECK: comm.wait_if %{{.*}} request(%[[SLOT]] : !llvm.ptr)
// CHECK: comm.send async
// CHECK: llvm.call @work
// CHECK: comm.wait request(%[[SLOT]] : !llvm.ptr)
llvm.func @entered(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %q: i1, %to: i32, %from: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %second = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.cond_br %p, ^receive, ^between
^receive:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%from) tag(%one) comm(%c) request(%first : !llvm.ptr)
  llvm.br ^between
^between:
  comm.wait request(%first : !llvm.ptr) {comm.followed, comm.left}
  llvm.cond_br %q, ^send, ^join
^send:
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%to) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait request(%second : !llvm.ptr) {comm.followed, comm.left}
  llvm.call @work(%x) : (!llvm.ptr) -> ()
  llvm.return
}
}
