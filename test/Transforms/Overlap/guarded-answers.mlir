// Starts that may move before an earlier completion: those that reveal nothing new to others. If two numbers are
// processes, a test at the original wait compares them.
// RUN: comm-opt %s --comm-move-slices=observers=elsewhere | FileCheck %s
// RUN: comm-opt %s --comm-move-slices=observers=here | FileCheck %s --check-prefix=HERE
// RUN: comm-opt %s --comm-move-slices="observers=elsewhere side-channels=ignored" | FileCheck %s --check-prefix=UNSEEN
// RUN: comm-opt %s --comm-move-slices="observers=elsewhere side-channels=none" | FileCheck %s --check-prefix=ALONE
// RUN: comm-opt %s --comm-move-slices="observers=elsewhere mode=basic" | FileCheck %s --check-prefix=BASIC

// HERE-NOT: observes_starts
// HERE-NOT: comm.wait_if

module attributes {comm.abi = "openmpi4"} {
llvm.func @work(!llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"], memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}

// One process by its value: the only question is whether there are observers.
// CHECK-LABEL: llvm.func @answer
// CHECK: comm.recv async
// CHECK-NOT: llvm.icmp "ne" %arg3
// CHECK: llvm.call @comm.ask_observes_starts()
// CHECK: llvm.call @comm.ask_world_meets_others() : () -> i32
// CHECK: comm.wait_if
// CHECK: comm.send async
// CHECK: llvm.call @work
// CHECK: comm.wait request
// HERE-LABEL: llvm.func @answer
// HERE: comm.recv async
// HERE: comm.wait request
// HERE: comm.send async
// BASIC-LABEL: llvm.func @answer
// BASIC: comm.recv async
// BASIC: comm.wait_if
// BASIC: comm.send async
// BASIC: comm.wait request
llvm.func @answer(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %peer: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// Two values: `if (to != from && neither is MPI_PROC_NULL) wait`. The computation of one of them stays before the
// guard, or is repeated.
// CHECK-LABEL: llvm.func @two_values
// CHECK-SAME: %[[IN:[^:]*]]: !llvm.ptr {llvm.noalias}, %{{.*}}, %{{.*}}, %[[FROM:[^:]*]]: i32, %[[TO:[^:]*]]: !llvm.ptr
// CHECK: comm.recv async
// CHECK: %[[NEXT:.*]] = llvm.load %[[TO]]
// CHECK: %[[DEST:.*]] = llvm.add %[[NEXT]]
// CHECK-DAG: %[[NOBODY:.*]] = comm.constant "MPI_PROC_NULL" : i32
// CHECK-DAG: %[[A:.*]] = llvm.icmp "ne" %{{.*}}, %[[NOBODY]] : i32
// CHECK-DAG: %[[B:.*]] = llvm.icmp "ne" %[[FROM]], %[[NOBODY]] : i32
// CHECK: comm.wait_if
// CHECK: comm.send async
// CHECK: llvm.call @work
// CHECK: comm.wait request
llvm.func @two_values(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %from: i32, %to: !llvm.ptr {llvm.noalias, llvm.readonly}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%from) tag(%n) comm(%w) -> request
  %next = llvm.load %to : !llvm.ptr -> i32
  comm.wait request(%r)
  %dest = llvm.add %next, %n : i32
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%dest) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// A number that is read after the wait is not known before it.
// CHECK-LABEL: llvm.func @known_too_late
// CHECK-NOT: comm.wait_if
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.send async
llvm.func @known_too_late(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %from: i32, %to: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%from) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %dest = llvm.load %to : !llvm.ptr -> i32
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%dest) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// Two processes, or one number in two communicators: the order stays, unless the program promises no observers.
// CHECK-LABEL: llvm.func @third
// CHECK-NOT: comm.wait_if
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.send async
// Without side channels, processes that run this program alone hear of nothing too early.
// ALONE-LABEL: llvm.func @third
// ALONE: comm.recv async
// ALONE-NOT: llvm.icmp "ne" %arg3
// ALONE: llvm.call @comm.ask_world_meets_others
// ALONE: comm.wait_if
// ALONE: comm.send async
// ALONE: comm.wait request
// UNSEEN-LABEL: llvm.func @third
// UNSEEN: comm.recv async
// UNSEEN-NOT: llvm.call @comm.ask_world_meets_others
// UNSEEN: comm.wait_if
// UNSEEN: comm.send async
// UNSEEN: comm.wait request
llvm.func @third(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %m = llvm.mlir.constant(5 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%m) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @communicators
// CHECK-NOT: comm.wait_if
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.send async
llvm.func @communicators(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: !llvm.ptr, %peer: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %c = comm.cast %p : !llvm.ptr to !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%n) comm(%c) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// For another communicator the test uses its processes.
// CHECK-LABEL: llvm.func @own_communicator
// CHECK-SAME: %[[P:[^:]*]]: !llvm.ptr, %{{[^:]*}}: i32)
// CHECK: comm.recv async
// CHECK: llvm.call @comm.ask_meets_others(%[[P]]) : (!llvm.ptr) -> i32
// CHECK: comm.wait_if
// CHECK: comm.send async
// CHECK: comm.wait request
llvm.func @own_communicator(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: !llvm.ptr, %peer: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %c = comm.cast %p : !llvm.ptr to !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  %d = comm.cast %p : !llvm.ptr to !comm.comm
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%n) comm(%d) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// The start of a receive, and any after a send in standard mode, not after one in synchronous mode.
// CHECK-LABEL: llvm.func @receives
// CHECK: comm.recv async
// CHECK: comm.wait_if
// CHECK: comm.recv async
// CHECK: llvm.call @work
// CHECK: comm.wait request
llvm.func @receives(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32, %q: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.recv async buf(%out : !llvm.ptr) count(%n) datatype(%t) source(%q) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @sends
// CHECK: comm.send async
// CHECK: comm.wait_if
// CHECK: comm.send async
// CHECK: llvm.call @work
// CHECK: comm.wait request
llvm.func @sends(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32, %q: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.send async buf(%in : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%q) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @synchronous
// CHECK-NOT: comm.wait_if
// CHECK: comm.ssend async
// CHECK: comm.wait request
// CHECK: comm.send async
llvm.func @synchronous(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.ssend async buf(%in : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// Collectives that all start before they are over anywhere need no guard; others keep their order.
// CHECK-LABEL: llvm.func @reductions
// CHECK-NOT: comm.wait_if
// CHECK: comm.allreduce async
// CHECK: comm.allreduce async
// CHECK: llvm.call @work
// CHECK: comm.wait request
// CHECK: comm.wait request
llvm.func @reductions(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%a : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.allreduce async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @scan
// CHECK: comm.allreduce async
// CHECK: comm.wait request
// CHECK: comm.scan async
llvm.func @scan(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%a : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.scan async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// The communicator may have two groups: a contribution does not reach the sender's own group.
// CHECK-LABEL: llvm.func @two_groups
// CHECK: comm.allreduce async
// CHECK: comm.wait request
// CHECK: comm.allreduce async
llvm.func @two_groups(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: !llvm.ptr) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %c = comm.cast %p : !llvm.ptr to !comm.comm
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%a : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) -> request
  comm.wait request(%r)
  %s = comm.allreduce async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// A collective after a message: the sender takes part in the collective, and has started it after the message, so a
// process that observes the collective also knows about the message. Not if another thread may send.
// CHECK-LABEL: llvm.func @mixed
// CHECK: comm.recv async
// CHECK-DAG: llvm.call @comm.ask_talking_threads()
// CHECK-DAG: llvm.call @comm.ask_observes_starts()
// CHECK-DAG: llvm.call @comm.ask_world_meets_others() : () -> i32
// CHECK: comm.wait_if
// CHECK: comm.allreduce async
// CHECK: llvm.call @work
// CHECK-DAG: comm.wait request(%request_result)
// CHECK-DAG: comm.wait request(%request_result_0)
llvm.func @mixed(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.allreduce async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// The message may come from a process outside of MPI_COMM_WORLD, which is tested.
// CHECK-LABEL: llvm.func @by_another
// CHECK: comm.recv async
// CHECK: llvm.call @comm.ask_meets_others(
// CHECK: comm.wait_if
// CHECK: comm.allreduce async
llvm.func @by_another(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32, %c: !llvm.ptr) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %other = comm.cast %c : !llvm.ptr to !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%other) -> request
  comm.wait request(%r)
  %s = comm.allreduce async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// The sender may not be among the processes of another communicator.
// CHECK-LABEL: llvm.func @of_others
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.allreduce async
llvm.func @of_others(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32, %c: !llvm.ptr) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %other = comm.cast %c : !llvm.ptr to !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.allreduce async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%other) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// A scan does not wait for all, and the sender may start the program's own starts before it sends.
// CHECK-LABEL: llvm.func @scanned
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.scan async
llvm.func @scanned(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.scan async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @own_start
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.allreduce async
llvm.func @own_start(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.allreduce async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) {comm.programs_interval} -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}
// CHECK-LABEL: llvm.func @own_start_in_memory
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.allreduce async
llvm.func @own_start_in_memory(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %p: i32, %request: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_INT" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  comm.allreduce async sendbuf(%out : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%w) request(%request : !llvm.ptr)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  comm.wait request(%request : !llvm.ptr)
  llvm.return
}
}
