// The starts that a wait for requests in memory completes: all whose requests may be active there.
// RUN: comm-opt -test-comm-requests -o /dev/null %s | FileCheck %s
module attributes {comm.abi = "openmpi4"} {
llvm.func @use(!llvm.ptr)
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @_Znwm(i64) -> !llvm.ptr
llvm.func @_ZdlPv(!llvm.ptr)
llvm.func @MPI_Start(!llvm.ptr)
llvm.func @MPI_Get_address(!llvm.ptr, !llvm.ptr)
llvm.func @MPI_Get_count(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.mlir.global internal @requests() : !llvm.array<8 x ptr>

// One after another in one block: each wait completes its own start.
// CHECK-LABEL: function constants
// CHECK-NEXT: first completes A
// CHECK-NEXT: second completes B
// CHECK-NEXT: twice completes nothing
llvm.func @constants(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %s = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "B"}
  comm.wait request(%r : !llvm.ptr) {tag = "first"}
  comm.wait request(%s : !llvm.ptr) {tag = "second"}
  comm.wait request(%r : !llvm.ptr) {tag = "twice"}
  llvm.return
}

// All, and some of them.
// CHECK-LABEL: function waitall
// CHECK-NEXT: two completes A B
// CHECK-NEXT: rest completes C
llvm.func @waitall(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %two = llvm.mlir.constant(2 : i32) : i32
  %s = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %u = llvm.getelementptr %r[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "B"}
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%u : !llvm.ptr) {tag = "C"}
  comm.waitall count(%two) array_of_requests(%r : !llvm.ptr) {tag = "two"}
  comm.wait request(%u : !llvm.ptr) {tag = "rest"}
  llvm.return
}

// The request is unknown: all of them are possible.
// CHECK-LABEL: function variable
// CHECK-NEXT: one completes A B
// CHECK-NEXT: all completes A
llvm.func @variable(%a: !llvm.ptr, %b: !llvm.ptr, %i: i64, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "B"}
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  llvm.return
}

// A loop of starts and one call for all. Each iteration has its own buffer, which the wait no longer has. Nothing is
// left for the next iteration of the outer loop, whose pointer has not changed.
// CHECK-LABEL: function counted
// CHECK-NEXT: all completes A again same
llvm.func @counted(%a: !llvm.ptr, %n: i32, %m: i64, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %none = llvm.mlir.constant(0 : i32) : i32
  %wide = llvm.sext %n : i32 to i64
  llvm.br ^outer(%a, %zero : !llvm.ptr, i64)
^outer(%u: !llvm.ptr, %turn: i64):
  %any = llvm.icmp "sgt" %n, %none : i32
  llvm.cond_br %any, ^starts(%zero : i64), ^after
^starts(%i: i64):
  %x = llvm.getelementptr %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%x : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "same"}
  %j = llvm.add %i, %one64 overflow<nsw, nuw> : i64
  %done = llvm.icmp "eq" %j, %wide : i64
  llvm.cond_br %done, ^after, ^starts(%j : i64)
^after:
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[%turn] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v, %one64 : !llvm.ptr, i64), ^end
^end:
  llvm.return
}

// A counter of the requests for existing neighbors, which an optimizer has turned into selects (`used = up ? 2 : 0`).
// Each wait completes all: nothing is left for the next iteration.
// CHECK-LABEL: function chosen
// CHECK-NEXT: all completes A B C D
llvm.func @chosen(%a: !llvm.ptr, %up: i1, %down: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %none = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %zero64 = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<4 x ptr> : (i32) -> !llvm.ptr
  %r1 = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  %used = llvm.select %up, %two, %none : i1, i32
  llvm.cond_br %up, ^up, ^next
^up:
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r1 : !llvm.ptr) {tag = "B"}
  llvm.br ^next
^next:
  %sum = llvm.add %used, %two overflow<nsw, nuw> : i32
  %count = llvm.select %down, %sum, %used : i1, i32
  llvm.cond_br %down, ^down, ^wait
^down:
  %place = llvm.zext nneg %used : i32 to i64
  %s = llvm.getelementptr %r[%place] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %s1 = llvm.getelementptr %s[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "C"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s1 : !llvm.ptr) {tag = "D"}
  llvm.br ^wait
^wait:
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[%one64] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// One request is left if there is a neighbor below.
// CHECK-LABEL: function one_left
// CHECK-NEXT: all completes A again B again C again D again
llvm.func @one_left(%a: !llvm.ptr, %up: i1, %down: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %none = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %zero64 = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<4 x ptr> : (i32) -> !llvm.ptr
  %r1 = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  %used = llvm.select %up, %two, %none : i1, i32
  llvm.cond_br %up, ^up, ^next
^up:
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r1 : !llvm.ptr) {tag = "B"}
  llvm.br ^next
^next:
  %sum = llvm.add %used, %one overflow<nsw, nuw> : i32
  %count = llvm.select %down, %sum, %used : i1, i32
  llvm.cond_br %down, ^down, ^wait
^down:
  %place = llvm.zext nneg %used : i32 to i64
  %s = llvm.getelementptr %r[%place] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %s1 = llvm.getelementptr %s[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "C"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s1 : !llvm.ptr) {tag = "D"}
  llvm.br ^wait
^wait:
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[%one64] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// The number does not depend on the starts.
// CHECK-LABEL: function otherwise
// CHECK-NEXT: all completes A again B again C again D again
llvm.func @otherwise(%a: !llvm.ptr, %up: i1, %down: i1, %more: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %none = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %zero64 = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<4 x ptr> : (i32) -> !llvm.ptr
  %r1 = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  %used = llvm.select %up, %two, %none : i1, i32
  llvm.cond_br %up, ^up, ^next
^up:
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r1 : !llvm.ptr) {tag = "B"}
  llvm.br ^next
^next:
  %sum = llvm.add %used, %two overflow<nsw, nuw> : i32
  %count = llvm.select %other, %sum, %used : i1, i32
  llvm.cond_br %down, ^down, ^wait
^down:
  %place = llvm.zext nneg %used : i32 to i64
  %s = llvm.getelementptr %r[%place] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %s1 = llvm.getelementptr %s[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "C"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s1 : !llvm.ptr) {tag = "D"}
  llvm.br ^wait
^wait:
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[%one64] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// The same with single waits. The pointers in flight in the wait's own loop come from outside of it.
// CHECK-LABEL: function one_by_one
// CHECK-NEXT: each completes A
llvm.func @one_by_one(%a: !llvm.ptr, %n: i64, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  %any = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %any, ^starts(%zero : i64), ^guard
^starts(%i: i64):
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^guard, ^starts(%j : i64)
^guard:
  llvm.cond_br %any, ^waits(%zero : i64), ^next
^waits(%k: i64):
  %w = llvm.getelementptr %r[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr) {tag = "each"}
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^next, ^waits(%l : i64)
^next:
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// One wait too few: the remaining request is in flight in the next iteration, with another pointer.
// CHECK-LABEL: function one_too_few
// CHECK-NEXT: all completes A again
llvm.func @one_too_few(%a: !llvm.ptr, %n: i64, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %less = llvm.sub %n, %one64 overflow<nsw> : i64
  %count = llvm.trunc %less overflow<nsw> : i64 to i32
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^after, ^starts(%j : i64)
^after:
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// The second slot of each pair is skipped, so the first slots, as many as were counted, are not all of them.
// CHECK-LABEL: function gaps
// CHECK-NEXT: all completes A again
llvm.func @gaps(%a: !llvm.ptr, %n: i64, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  llvm.br ^starts(%zero, %zero : i64, i64)
^starts(%i: i64, %at: i64):
  %s = llvm.getelementptr %r[%at] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %further = llvm.add %at, %two overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^after, ^starts(%j, %further : i64, i64)
^after:
  %count = llvm.trunc %n overflow<nsw> : i64 to i32
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// A counter that is advanced in branches: processes with a neighbor start and count.
// CHECK-LABEL: function counter
// CHECK-NEXT: all completes A B
llvm.func @counter(%a: !llvm.ptr, %b: !llvm.ptr, %left: i1, %right: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %none = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  llvm.cond_br %left, ^first, ^second(%none : i32)
^first:
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.br ^second(%one : i32)
^second(%n: i32):
  llvm.cond_br %right, ^third, ^after(%n : i32)
^third:
  %at = llvm.zext nneg %n : i32 to i64
  %s = llvm.getelementptr %r[%at] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "B"}
  %m = llvm.add %n, %one overflow<nsw, nuw> : i32
  llvm.br ^after(%m : i32)
^after(%count: i32):
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// No wait on one of the paths: the request may be active in the next iteration, with another pointer.
// CHECK-LABEL: function branch
// CHECK-NEXT: before completes A again
// CHECK-NEXT: now completes A
llvm.func @branch(%a: !llvm.ptr, %maybe: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  comm.wait request(%r : !llvm.ptr) {tag = "before"}
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.cond_br %maybe, ^wait, ^after
^wait:
  comm.wait request(%r : !llvm.ptr) {tag = "now"}
  llvm.br ^after
^after:
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// On the heap. New memory has nothing in flight.
// CHECK-LABEL: function heap
// CHECK-NEXT: all completes A
llvm.func @heap(%a: !llvm.ptr, %n: i32, %i: i64, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  %r = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  llvm.call @free(%r) : (!llvm.ptr) -> ()
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// A cleanup gets the array, or null where there is none yet: null is in use everywhere, but is no pointer to the array.
// CHECK-LABEL: function cleaned_up
// CHECK-NEXT: all completes A
// CHECK-LABEL: function kept
// CHECK-NEXT: all completes A again
llvm.func @cleaned_up(%a: !llvm.ptr, %n: i32, %i: i64, %early: i1, %fails: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %null = llvm.mlir.zero : !llvm.ptr
  %one = llvm.mlir.constant(1 : i32) : i32
  %size = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  llvm.cond_br %early, ^cleanup(%null : !llvm.ptr), ^body
^body:
  %r = llvm.call @_Znwm(%size) : (i64) -> (!llvm.ptr {llvm.noalias})
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  llvm.cond_br %fails, ^cleanup(%r : !llvm.ptr), ^start
^start:
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  llvm.call @_ZdlPv(%r) : (!llvm.ptr) -> ()
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^cleanup(%old: !llvm.ptr):
  llvm.call @_ZdlPv(%old) : (!llvm.ptr) -> ()
  llvm.br ^end
^end:
  llvm.return
}

// The array of the step before stays, or there is none at first.
llvm.func @kept(%a: !llvm.ptr, %n: i32, %i: i64, %is_new: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %null = llvm.mlir.zero : !llvm.ptr
  %one = llvm.mlir.constant(1 : i32) : i32
  %size = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^outer(%a, %null : !llvm.ptr, !llvm.ptr)
^outer(%u: !llvm.ptr, %old: !llvm.ptr):
  llvm.cond_br %is_new, ^make, ^start(%old : !llvm.ptr)
^make:
  %r = llvm.call @_Znwm(%size) : (i64) -> (!llvm.ptr {llvm.noalias})
  llvm.br ^start(%r : !llvm.ptr)
^start(%array: !llvm.ptr):
  %s = llvm.getelementptr %array[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  comm.waitall count(%n) array_of_requests(%array : !llvm.ptr) {tag = "all"}
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v, %array : !llvm.ptr, !llvm.ptr), ^end
^end:
  llvm.return
}

// A vector that grows: its requests move to new memory.
// CHECK-LABEL: function vector
// CHECK-NEXT: all completes A
llvm.func @vector(%a: !llvm.ptr, %n: i32, %i: i64, %grow: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^outer(%a : !llvm.ptr)
^outer(%u: !llvm.ptr):
  %r = llvm.call @_Znwm(%size) : (i64) -> (!llvm.ptr {llvm.noalias})
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "A"}
  llvm.cond_br %grow, ^grow, ^after(%r : !llvm.ptr)
^grow:
  %new = llvm.call @_Znwm(%size) : (i64) -> (!llvm.ptr {llvm.noalias})
  "llvm.intr.memmove"(%new, %r, %i) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @_ZdlPv(%r) : (!llvm.ptr) -> ()
  llvm.br ^after(%new : !llvm.ptr)
^after(%data: !llvm.ptr):
  comm.waitall count(%n) array_of_requests(%data : !llvm.ptr) {tag = "all"}
  llvm.call @_ZdlPv(%data) : (!llvm.ptr) -> ()
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v : !llvm.ptr), ^end
^end:
  llvm.return
}

// Two arrays that are swapped keep their requests in flight.
// CHECK-LABEL: function swapped
// CHECK-NEXT: old completes A again
llvm.func @swapped(%a: !llvm.ptr, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %p = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %q = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  llvm.br ^outer(%a, %p, %q : !llvm.ptr, !llvm.ptr, !llvm.ptr)
^outer(%u: !llvm.ptr, %now: !llvm.ptr, %then: !llvm.ptr):
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%now : !llvm.ptr) {tag = "A"}
  comm.wait request(%then : !llvm.ptr) {tag = "old"}
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %more, ^outer(%v, %then, %now : !llvm.ptr, !llvm.ptr, !llvm.ptr), ^end
^end:
  llvm.return
}

// A request that is put back into the array later is still active, whatever is waited for in between.
// CHECK-LABEL: function copied
// CHECK-NEXT: first completes A
// CHECK-NEXT: second completes A
llvm.func @copied(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %s = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %copy = llvm.load %r : !llvm.ptr -> !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.store %null, %r : !llvm.ptr, !llvm.ptr
  comm.wait request(%r : !llvm.ptr) {tag = "first"}
  llvm.store %copy, %s : !llvm.ptr, !llvm.ptr
  comm.wait request(%s : !llvm.ptr) {tag = "second"}
  llvm.return
}

// A structure: its other members are not requests.
// CHECK-LABEL: function structure
// CHECK-NEXT: one completes A
llvm.func @structure(%a: !llvm.ptr, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %o = llvm.alloca %one x !llvm.struct<(ptr, i32, array<2 x ptr>, i32)> : (i32) -> !llvm.ptr
  llvm.store %p, %o : !llvm.ptr, !llvm.ptr
  %r = llvm.getelementptr %o[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %rank = llvm.getelementptr %o[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %kept = llvm.load %o : !llvm.ptr -> !llvm.ptr
  llvm.store %kept, %p : !llvm.ptr, !llvm.ptr
  llvm.call @MPI_Get_count(%p, %p, %rank) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// Others may learn the request and wait for it, without a slot to store one.
// CHECK-LABEL: function shown
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes A
llvm.func @shown(%a: !llvm.ptr, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %copy = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %copy, %p : !llvm.ptr, !llvm.ptr
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// A caller may have started it.
// CHECK-LABEL: function caller
// CHECK-NEXT: one completes anything: its request is in memory that a caller passed
llvm.func @caller(%a: !llvm.ptr, %r: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// A function may store another request in its slot.
// CHECK-LABEL: function passed
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: the call of use at {{.*}} may start or complete it, because it gets a pointer to its memory
llvm.func @passed(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.call @use(%r) : (!llvm.ptr) -> ()
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// So may any code that finds its address.
// CHECK-LABEL: function stored
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: a statement at {{.*}} stores a pointer to its request, through which other code may access it
llvm.func @stored(%a: !llvm.ptr, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.store %r, %p : !llvm.ptr, !llvm.ptr
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// A request from elsewhere is stored there.
// CHECK-LABEL: function elsewhere
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: all completes anything: a statement at {{.*}} stores a value that may be a request from elsewhere: let its start write it there
llvm.func @elsewhere(%a: !llvm.ptr, %q: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %s = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %q, %s : !llvm.ptr, !llvm.ptr
  %two = llvm.mlir.constant(2 : i32) : i32
  comm.waitall count(%two) array_of_requests(%r : !llvm.ptr) {tag = "all"}
  llvm.return
}

// Or many are copied.
// CHECK-LABEL: function filled
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: a statement at {{.*}} copies values that may be requests from elsewhere
llvm.func @filled(%a: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  "llvm.intr.memcpy"(%r, %q, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// A persistent request is in memory that was not started here.
// CHECK-LABEL: function persistent
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: the call of MPI_Start at {{.*}} starts, tests, frees or cancels it: requests of MPI_Isend, MPI_Irecv and other nonblocking functions may only be waited for
llvm.func @persistent(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.call @MPI_Start(%r) : (!llvm.ptr) -> ()
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// A number may be converted back to the address.
// CHECK-LABEL: function number
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: a statement at {{.*}} converts a pointer to its request to an integer
llvm.func @number(%a: !llvm.ptr, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %number = llvm.ptrtoint %r : !llvm.ptr to i64
  llvm.store %number, %p : i64, !llvm.ptr
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// So may an address that MPI returns.
// CHECK-LABEL: function address
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: the call of MPI_Get_address at {{.*}} keeps a pointer to the memory of its request
llvm.func @address(%a: !llvm.ptr, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.call @MPI_Get_address(%r, %p) : (!llvm.ptr, !llvm.ptr) -> ()
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// It may be in other memory.
// CHECK-LABEL: function picked
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: its request is in memory that a caller passed
llvm.func @picked(%a: !llvm.ptr, %p: !llvm.ptr, %c1: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %either = llvm.select %c1, %r, %p : i1, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.wait request(%either : !llvm.ptr) {tag = "one"}
  llvm.return
}

// Or anywhere.
// CHECK-LABEL: function loaded
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: its request is in memory whose address a statement at {{.*}} provides, where other code may have put requests: keep it in memory of the function that starts it and waits for it
llvm.func @loaded(%a: !llvm.ptr, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.load %p : !llvm.ptr -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// Other functions reach it.
// CHECK-LABEL: function global
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: one completes anything: its request is in a global variable, where other functions may start and complete requests: keep it in memory of the function that starts it and waits for it
llvm.func @global(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %r = llvm.mlir.addressof @requests : !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  comm.wait request(%r : !llvm.ptr) {tag = "one"}
  llvm.return
}

// A start and its wait have one condition, which is the same in all steps: nothing is left after the wait.
// CHECK-LABEL: function same_condition
// CHECK-NEXT: wait completes A
// CHECK-NEXT: after completes nothing
llvm.func @same_condition(%a: !llvm.ptr, %up: i1, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.br ^step
^step:
  llvm.cond_br %up, ^start, ^started
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.br ^started
^started:
  llvm.cond_br %up, ^wait, ^waited
^wait:
  comm.wait request(%r : !llvm.ptr) {tag = "wait"}
  llvm.br ^waited
^waited:
  comm.wait request(%r : !llvm.ptr) {tag = "after"}
  llvm.cond_br %more, ^step, ^end
^end:
  llvm.return
}

// A negated condition is equivalent.
// CHECK-LABEL: function negated_condition
// CHECK-NEXT: wait completes A
// CHECK-NEXT: after completes nothing
llvm.func @negated_condition(%a: !llvm.ptr, %up: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %true = llvm.mlir.constant(true) : i1
  %not = llvm.xor %up, %true : i1
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.cond_br %up, ^start, ^started
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.br ^started
^started:
  llvm.cond_br %not, ^waited, ^wait
^wait:
  comm.wait request(%r : !llvm.ptr) {tag = "wait"}
  llvm.br ^waited
^waited:
  comm.wait request(%r : !llvm.ptr) {tag = "after"}
  llvm.return
}

// Another condition proves nothing.
// CHECK-LABEL: function other_condition
// CHECK-NEXT: wait completes A
// CHECK-NEXT: after completes A
llvm.func @other_condition(%a: !llvm.ptr, %up: i1, %down: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.cond_br %up, ^start, ^started
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.br ^started
^started:
  llvm.cond_br %down, ^wait, ^waited
^wait:
  comm.wait request(%r : !llvm.ptr) {tag = "wait"}
  llvm.br ^waited
^waited:
  comm.wait request(%r : !llvm.ptr) {tag = "after"}
  llvm.return
}

// A condition of this step says nothing about starts of an earlier one.
// CHECK-LABEL: function computed_again
// CHECK-NEXT: wait completes A
llvm.func @computed_again(%a: !llvm.ptr, %flags: !llvm.ptr, %n: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %next = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.br ^step(%zero : i64)
^step(%i: i64):
  %place = llvm.getelementptr %flags[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %flag = llvm.load %place : !llvm.ptr -> i8
  %odd = llvm.trunc %flag : i8 to i1
  llvm.cond_br %odd, ^start, ^wait
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  llvm.br ^last
^wait:
  comm.wait request(%r : !llvm.ptr) {tag = "wait"}
  llvm.br ^last
^last:
  %j = llvm.add %i, %next : i64
  %more = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %more, ^step(%j : i64), ^end
^end:
  llvm.return
}
}
