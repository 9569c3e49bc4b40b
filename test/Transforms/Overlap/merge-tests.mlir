// Branches on one condition that an optimizer has made of one become one again, next to waits for requests in memory.
// RUN: comm-opt --allow-unregistered-dialect -comm-isolate-loops %s | FileCheck %s

llvm.func @use()

// If the first branch has waited and n > 0 is known, %left is tested with another target.
// CHECK-LABEL: llvm.func @threaded(
// CHECK:         llvm.cond_br %arg2, ^[[RIGHT:bb[0-9]+]], ^[[NONE:bb[0-9]+]]
// CHECK:       ^[[RIGHT]]:
// CHECK-NEXT:    comm.wait
// CHECK-NEXT:    llvm.cond_br %arg1, ^[[UNPACK:bb[0-9]+]], ^[[EMPTY:bb[0-9]+]]
// CHECK:       ^[[UNPACK]]:
// CHECK-NEXT:    "unpack"
// CHECK-NEXT:    llvm.br ^[[JOIN:bb[0-9]+]]
// CHECK:       ^[[EMPTY]]:
// CHECK-NEXT:    llvm.br ^[[JOIN]]
// CHECK:       ^[[JOIN]]:
// CHECK-NEXT:    llvm.cond_br %arg3, ^[[LEFT:bb[0-9]+]], ^[[DECIDE:bb[0-9]+]]
// CHECK:       ^[[DECIDE]]:
// CHECK-NEXT:    llvm.cond_br %arg1, ^[[STENCIL:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK:       ^[[NONE]]:
// CHECK-NEXT:    llvm.br ^[[JOIN]]
// CHECK:       ^[[LEFT]]:
// CHECK:         llvm.cond_br %arg1, ^[[STENCIL]], ^[[END]]
llvm.func @threaded(%r: !llvm.ptr, %some: i1, %right: i1, %left: i1) {
  llvm.cond_br %right, ^right, ^none
^right:
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %some, ^unpack, ^empty
^unpack:
  "unpack"() : () -> ()
  llvm.cond_br %left, ^left, ^stencil
^empty:
  llvm.cond_br %left, ^left, ^end
^none:
  llvm.cond_br %left, ^left, ^decide
^decide:
  llvm.cond_br %some, ^stencil, ^end
^left:
  llvm.call @use() : () -> ()
  llvm.cond_br %some, ^stencil, ^end
^stencil:
  "stencil"() : () -> ()
  llvm.br ^end
^end:
  llvm.return
}

// Nothing decides between the two ways on.
// CHECK-LABEL: llvm.func @undecided(
// CHECK-COUNT-2: llvm.cond_br %arg2
llvm.func @undecided(%r: !llvm.ptr, %way: i32, %left: i1) {
  llvm.switch %way : i32, ^none [1: ^right]
^right:
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %left, ^left, ^stencil
^none:
  llvm.cond_br %left, ^left, ^end
^left:
  llvm.call @use() : () -> ()
  llvm.br ^stencil
^stencil:
  "stencil"() : () -> ()
  llvm.br ^end
^end:
  llvm.return
}

// A value of one of the paths is used afterwards.
// CHECK-LABEL: llvm.func @used(
// CHECK-COUNT-2: llvm.cond_br %arg3
llvm.func @used(%r: !llvm.ptr, %some: i1, %right: i1, %left: i1) {
  llvm.cond_br %right, ^right, ^end
^right:
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %some, ^computes, ^empty
^computes:
  %v = "compute"() : () -> i32
  llvm.cond_br %left, ^left, ^after
^empty:
  llvm.cond_br %left, ^left, ^end
^after:
  "stencil"(%v) : (i32) -> ()
  llvm.br ^end
^left:
  llvm.call @use() : () -> ()
  llvm.br ^end
^end:
  llvm.return
}

// Two consecutive tests.
// CHECK-LABEL: llvm.func @inTurn(
// CHECK-COUNT-2: llvm.cond_br %arg3
llvm.func @inTurn(%r: !llvm.ptr, %some: i1, %right: i1, %left: i1) {
  llvm.cond_br %right, ^right, ^end
^right:
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %left, ^left, ^again
^again:
  llvm.call @use() : () -> ()
  llvm.cond_br %left, ^left, ^end
^left:
  llvm.call @use() : () -> ()
  llvm.br ^end
^end:
  llvm.return
}

// Values that are handed over go through the join.
// CHECK-LABEL: llvm.func @handed(
// CHECK:         llvm.br ^[[JOIN:bb[0-9]+]](%{{.*}} : i32)
// CHECK:         llvm.br ^[[JOIN]](%{{.*}} : i32)
// CHECK:       ^[[JOIN]](%{{.*}}: i32):
// CHECK-NEXT:    llvm.cond_br %arg3, ^[[LEFT:bb[0-9]+]](%{{.*}} : i32), ^{{bb[0-9]+}}
// CHECK:       ^[[LEFT]](%[[VALUE:.*]]: i32):
// CHECK-NEXT:    "left"(%[[VALUE]])
llvm.func @handed(%r: !llvm.ptr, %some: i1, %right: i1, %left: i1) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  llvm.cond_br %right, ^right, ^none
^right:
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %left, ^left(%one : i32), ^end
^none:
  llvm.cond_br %left, ^left(%two : i32), ^end
^left(%v: i32):
  "left"(%v) : (i32) -> ()
  llvm.br ^end
^end:
  llvm.return
}
