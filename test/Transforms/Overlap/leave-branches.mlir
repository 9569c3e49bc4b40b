// Waits leave the branches that their starts are in.
// RUN: comm-opt -comm-leave-branches=abi=openmpi4 --split-input-file %s | FileCheck %s
// Waits that overlap nothing return.
// RUN: comm-opt -comm-leave-branches=abi=openmpi4 -comm-return-waits --split-input-file %s | FileCheck %s --check-prefix=BACK
// Operations that may be observed stay.
// RUN: comm-opt -comm-leave-branches="abi=openmpi4 keeps-own=true" --split-input-file %s | FileCheck %s --check-prefix=OWN
// It is not known how large a request is.
// RUN: comm-opt -comm-leave-branches --split-input-file %s | FileCheck %s --check-prefix=UNKNOWN
// RUN: not comm-opt -comm-leave-branches=abi=none --split-input-file %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: no MPI implementation is called 'none'
// UNKNOWN-NOT: comm.left

// CHECK-LABEL: llvm.func @leaves
// CHECK: %[[SLOT:.*]] = llvm.alloca {{.*}} x !llvm.ptr
// CHECK: comm.recv async {{.*}} request(%[[SLOT]] : !llvm.ptr)
// CHECK-NEXT: llvm.br ^[[JOIN:.*]]
// CHECK: ^[[JOIN]]:
// CHECK-NEXT: comm.wait request(%[[SLOT]] : !llvm.ptr) status({{.*}}) {comm.followed, comm.left}
// CHECK-NEXT: llvm.store {{.*}} {tag = "after"}
// BACK-LABEL: llvm.func @leaves
// BACK-NOT: llvm.alloca
// BACK: %[[R:.*]] = comm.recv async {{.*}} -> request
// BACK-NEXT: comm.wait request(%[[R]]) status(
// BACK-NEXT: llvm.br
// BACK-NOT: comm.wait
// BACK: llvm.return
llvm.func @leaves(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %status: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r) status(%status : !llvm.ptr)
  llvm.br ^join
^join:
  llvm.store %n, %x {tag = "after"} : i32, !llvm.ptr
  llvm.return
}

// -----

// Both arms, and nested branches: the inner wait leaves both. A wait comes before a start that it may have caused: here
// a message to another process.
// CHECK-LABEL: llvm.func @nested
// CHECK: comm.send async {{.*}} tag(%{{.*}}) {{.*}} request(
// CHECK-NEXT: llvm.br ^[[INNER:.*]]
// CHECK: ^[[INNER]]:
// CHECK-NEXT: llvm.br ^[[JOIN:.*]]
// CHECK: %[[R:.*]] = comm.recv async {{.*}} -> request
// CHECK-NEXT: comm.wait request(%[[R]])
// CHECK-NEXT: comm.send async {{.*}} request(
// CHECK-NEXT: llvm.br ^[[JOIN]]
// CHECK: ^[[JOIN]]:
// CHECK-NEXT: comm.wait {{.*}} {comm.followed, comm.left}
// CHECK-NEXT: comm.wait {{.*}} {comm.followed, comm.left}
// CHECK-NEXT: llvm.return
// BACK-LABEL: llvm.func @nested
// BACK-NOT: comm.left
// BACK: llvm.return
llvm.func @nested(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %p: i1, %q: i1, %n: i32, %m: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^one, ^two
^one:
  llvm.cond_br %q, ^arm, ^inner
^arm:
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%m) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^inner
^inner:
  llvm.br ^join
^two:
  %s = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%s)
  %u = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%m) tag(%n) comm(%c) -> request
  comm.wait request(%u)
  llvm.br ^join
^join:
  llvm.return
}

// -----

// Code after the wait in its branch that needs it keeps it there.
// CHECK-LABEL: llvm.func @needed
// CHECK: comm.wait request
// CHECK-NEXT: llvm.store {{.*}} {tag = "writes the buffer"}
// CHECK-NOT: comm.left
// CHECK: llvm.return
llvm.func @needed(%a: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.store %n, %a {tag = "writes the buffer"} : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// -----

// No wait leaves a loop, with the branch around it or without.
// CHECK-LABEL: llvm.func @loop
// CHECK: comm.send async {{.*}} -> request
// CHECK-NEXT: comm.wait
// CHECK-NOT: comm.left
// CHECK: llvm.return
llvm.func @loop(%a: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.cond_br %p, ^body(%zero : i32), ^join
^body(%i: i32):
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  %j = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %j, %n : i32
  llvm.cond_br %more, ^body(%j : i32), ^join
^join:
  llvm.return
}

// -----

// Nor a branch from which the function returns, or exits otherwise.
// CHECK-LABEL: llvm.func @returns
// CHECK-NOT: comm.left
// CHECK-LABEL: llvm.func @aborts
// CHECK-NOT: comm.left
llvm.func @returns(%a: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.return
^join:
  llvm.return
}
llvm.func @exit(i32)
llvm.func @aborts(%a: !llvm.ptr {llvm.noalias}, %p: i1, %q: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %q, ^join, ^end
^end:
  llvm.call @exit(%n) : (i32) -> ()
  llvm.unreachable
^join:
  llvm.return
}

// -----

// If the branch has other work to overlap, the wait is better there. Waits for the program's own starts leave as well,
// past the end of the request array's lifetime, and do not return: the program may wait after other starts.
// CHECK-LABEL: llvm.func @work
// CHECK-NOT: comm.left
// CHECK-LABEL: llvm.func @own
// CHECK: comm.send async
// CHECK-NEXT: llvm.intr.lifetime.end
// CHECK-NEXT: llvm.br ^[[JOIN:bb[0-9]+]]
// CHECK: ^[[JOIN]]:
// CHECK-NEXT: comm.wait {{.*}} {comm.followed, comm.left}
// OWN-LABEL: llvm.func @own
// OWN: comm.wait request(
// OWN-NOT: comm.left
// OWN: llvm.return
// BACK-LABEL: llvm.func @own
// BACK: comm.wait {{.*}} {comm.followed, comm.left}
llvm.func @work(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.store %n, %x : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}
llvm.func @own(%a: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %array = llvm.alloca %one x !llvm.array<2 x ptr> : (i32) -> !llvm.ptr
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) {comm.from = "MPI_Isend", comm.programs_interval} -> request
  comm.wait request(%r)
  llvm.intr.lifetime.end %array : !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// -----

// A status that is a value, or an error code, that is used.
// CHECK-LABEL: llvm.func @code
// CHECK-NOT: comm.left
llvm.func @code(%a: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) -> i32 {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join(%n : i32)
^arm:
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  %e = comm.wait request(%r) -> error
  llvm.br ^join(%e : i32)
^join(%code: i32):
  llvm.return %code : i32
}

// -----

// The halves of an MPI_Sendrecv return together, so that they can be merged again.
// CHECK-LABEL: llvm.func @halves
// CHECK: comm.recv async
// CHECK-NEXT: comm.send async
// CHECK: ^[[JOIN:bb[0-9]+]]:
// CHECK-NEXT: comm.wait {{.*}} {comm.followed, comm.left}
// CHECK-NEXT: comm.wait {{.*}} {comm.followed, comm.left}
// BACK-LABEL: llvm.func @halves
// BACK: %[[R:.*]] = comm.recv async
// BACK-NEXT: %[[S:.*]] = comm.send async
// BACK-DAG: comm.wait request(%[[R]])
// BACK-DAG: comm.wait request(%[[S]])
// BACK: llvm.br
// BACK-NOT: comm.wait
llvm.func @halves(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) {comm.from = "MPI_Sendrecv"} -> request loc("call")
  %s = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) {comm.from = "MPI_Sendrecv"} -> request loc("call")
  comm.wait request(%s)
  comm.wait request(%r)
  llvm.br ^join
^join:
  llvm.return
}

// -----

// A wait that stays in the branch tests whether the answer may start before the message has arrived; its condition is
// computed there. If nothing is overlapped it is removed as well.
// CHECK-LABEL: llvm.func @answers
// CHECK: comm.recv async {{.*}} request(%[[SLOT:.*]] : !llvm.ptr)
// CHECK: llvm.call @comm.ask_observes_starts
// CHECK: llvm.freeze
// CHECK: comm.wait_if %{{.*}} request(%[[SLOT]] : !llvm.ptr) status(%[[STATUS:.*]] : !llvm.ptr) {comm.followed, comm.left}
// CHECK-NEXT: comm.send async
// CHECK: ^[[JOIN:bb[0-9]+]]:
// CHECK-NEXT: comm.wait request(%[[SLOT]] : !llvm.ptr) status(%[[STATUS]] : !llvm.ptr) {comm.followed, comm.left}
// CHECK-NEXT: comm.wait {{.*}} {comm.followed, comm.left}
// BACK-LABEL: llvm.func @answers
// BACK-NOT: llvm.alloca
// BACK-NOT: comm.wait_if
// BACK: %[[R:.*]] = comm.recv async {{.*}} -> request
// BACK-NEXT: comm.wait request(%[[R]])
// BACK-NOT: comm.wait_if
// BACK: comm.send async
// BACK: llvm.return
llvm.func @answers(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %status: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %peer = llvm.mlir.constant(1 : i32) : i32
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%n) comm(%c) -> request
  comm.wait request(%r) status(%status : !llvm.ptr)
  %s = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%n) comm(%c) -> request
  comm.wait request(%s)
  llvm.br ^join
^join:
  llvm.return
}

// -----

// Another process may learn something too early: there is nothing to test.
// CHECK-LABEL: llvm.func @tells
// CHECK-NOT: comm.wait_if
// CHECK: %[[R:.*]] = comm.recv async {{.*}} -> request
// CHECK-NEXT: comm.wait request(%[[R]])
llvm.func @tells(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%two) tag(%n) comm(%c) -> request
  comm.wait request(%s)
  llvm.br ^join
^join:
  llvm.return
}

// -----

// A status whose place is computed in the branch.
// CHECK-LABEL: llvm.func @place
// CHECK: comm.wait request(%{{.*}}) status(
// CHECK-NOT: comm.left
llvm.func @place(%a: !llvm.ptr {llvm.noalias}, %statuses: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  %status = llvm.getelementptr %statuses[%n] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<24 x i8>
  comm.wait request(%r) status(%status : !llvm.ptr)
  llvm.br ^join
^join:
  llvm.return
}
