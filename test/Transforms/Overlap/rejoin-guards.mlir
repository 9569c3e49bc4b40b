// Ways past a loop that optimizers have cut short lead through its guard again, next to intervals: a branch then ends
// before the loop.
// RUN: comm-opt --allow-unregistered-dialect -comm-isolate-loops %s | FileCheck %s

// The arm leads to the end where n < 1, as the test after it does.
// CHECK-LABEL: llvm.func @threaded(
// CHECK:         llvm.cond_br %arg1, ^[[ARM:bb[0-9]+]], ^[[TEST:bb[0-9]+]]
// CHECK:       ^[[ARM]]:
// CHECK:         llvm.cond_br %{{.*}}, ^[[UNPACK:bb[0-9]+]], ^[[TEST]]
// CHECK:       ^[[TEST]]:
// CHECK-NEXT:    %[[EMPTY:.*]] = llvm.icmp "slt" %arg2
// CHECK:         llvm.cond_br %[[EMPTY]]
llvm.func @threaded(%r: !llvm.ptr, %left: i1, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %left, ^arm, ^test
^arm:
  %some = llvm.icmp "sgt" %n, %zero : i32
  llvm.cond_br %some, ^unpack, ^end(%n : i32)
^unpack:
  "unpack"() : () -> ()
  llvm.br ^test
^test:
  %empty = llvm.icmp "slt" %n, %one : i32
  llvm.cond_br %empty, ^end(%n : i32), ^stencil
^stencil:
  "stencil"() : () -> ()
  llvm.br ^end(%n : i32)
^end(%x: i32):
  llvm.return
}

// The end of the arm leads to the stencil, since not one of two conditions holds.
// CHECK-LABEL: llvm.func @either(
// CHECK:         llvm.cond_br %{{.*}}, ^[[TEST:bb[0-9]+]], ^[[UNPACK:bb[0-9]+]]
// CHECK:       ^[[UNPACK]]:
// CHECK-NEXT:    "unpack"
// CHECK-NEXT:    llvm.br ^[[TEST]]
// CHECK:       ^[[TEST]]:
// CHECK-NEXT:    llvm.cond_br %arg2
llvm.func @either(%r: !llvm.ptr, %alone: i1, %empty: i1) {
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  %skips = llvm.or %alone, %empty : i1
  llvm.cond_br %skips, ^test, ^unpack
^unpack:
  "unpack"() : () -> ()
  llvm.br ^stencil
^test:
  llvm.cond_br %empty, ^end, ^stencil
^stencil:
  "stencil"() : () -> ()
  llvm.br ^end
^end:
  llvm.return
}

// n < 2 does not say that n < 1.
// CHECK-LABEL: llvm.func @unsaid(
// CHECK:         llvm.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[END:bb[0-9]+]]
// CHECK:         llvm.icmp "slt"
// CHECK-NEXT:    llvm.cond_br %{{.*}}, ^[[END]]
llvm.func @unsaid(%r: !llvm.ptr, %left: i1, %n: i32) {
  %two = llvm.mlir.constant(2 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.switch %n : i32, ^arm [7: ^test]
^arm:
  %some = llvm.icmp "sge" %n, %two : i32
  llvm.cond_br %some, ^unpack, ^end
^unpack:
  "unpack"() : () -> ()
  llvm.br ^test
^test:
  %empty = llvm.icmp "slt" %n, %one : i32
  llvm.cond_br %empty, ^end, ^stencil
^stencil:
  "stencil"() : () -> ()
  llvm.br ^end
^end:
  llvm.return
}

// The test does something else, too; it hands over another value; or the way to it would make a loop.
// CHECK-LABEL: llvm.func @more(
// CHECK:         "first"
// CHECK-NEXT:    llvm.cond_br %arg2, ^[[END:bb[0-9]+]](%arg3 : i32), ^{{bb[0-9]+}}
// CHECK:         "second"
// CHECK-NEXT:    llvm.cond_br %arg2, ^[[END]](%arg3 : i32), ^{{bb[0-9]+}}
llvm.func @more(%r: !llvm.ptr, %left: i1, %empty: i1, %n: i32) {
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %left, ^arm, ^test
^arm:
  "first"() : () -> ()
  llvm.cond_br %empty, ^end(%n : i32), ^test
^test:
  "second"() : () -> ()
  llvm.cond_br %empty, ^end(%n : i32), ^stencil
^stencil:
  "stencil"() : () -> ()
  llvm.br ^end(%n : i32)
^end(%x: i32):
  llvm.return
}

// CHECK-LABEL: llvm.func @other(
// CHECK:         "first"
// CHECK-NEXT:    llvm.cond_br %arg2, ^[[END:bb[0-9]+]](%arg3 : i32), ^{{bb[0-9]+}}
// CHECK:         llvm.cond_br %arg2, ^[[END]](%arg4 : i32), ^{{bb[0-9]+}}
llvm.func @other(%r: !llvm.ptr, %left: i1, %empty: i1, %n: i32, %m: i32) -> i32 {
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.cond_br %left, ^arm, ^test
^arm:
  "first"() : () -> ()
  llvm.cond_br %empty, ^end(%n : i32), ^test
^test:
  llvm.cond_br %empty, ^end(%m : i32), ^stencil
^stencil:
  "stencil"() : () -> ()
  llvm.br ^end(%n : i32)
^end(%x: i32):
  llvm.return %x : i32
}

// CHECK-LABEL: llvm.func @around(
// CHECK:         "body"
// CHECK-NEXT:    llvm.cond_br %arg2, ^[[END:bb[0-9]+]], ^{{bb[0-9]+}}
// CHECK:       ^[[END]]:
// CHECK:         "after"
llvm.func @around(%r: !llvm.ptr, %again: i1, %done: i1) {
  comm.wait request(%r : !llvm.ptr) {comm.followed}
  llvm.br ^head
^head:
  llvm.cond_br %done, ^after, ^body
^body:
  "body"() : () -> ()
  llvm.cond_br %done, ^after, ^latch
^latch:
  llvm.cond_br %again, ^head, ^after
^after:
  "after"() : () -> ()
  llvm.return
}
