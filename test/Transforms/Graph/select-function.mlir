// RUN: split-file %s %t
// RUN: comm-opt %t/one.mlir -graph-select-function | FileCheck %s --check-prefix=ONE
// RUN: comm-opt %t/two.mlir -graph-select-function=function=g | FileCheck %s --check-prefix=TWO
// RUN: not comm-opt %t/two.mlir -graph-select-function 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not comm-opt %t/two.mlir -graph-select-function=function=h 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: comm-opt %t/recursive.mlir -graph-select-function=function=f | FileCheck %s --check-prefix=RECURSIVE
// RUN: comm-opt %t/recursive.mlir -graph-select-function=function=even | FileCheck %s --check-prefix=ITSELF
// RUN: comm-opt %t/recursive.mlir -graph-select-function=function=f -inline -symbol-dce | FileCheck %s --check-prefix=INLINED
// RUN: comm-opt %t/recursive.mlir -graph-select-function=function=apart | FileCheck %s --check-prefix=APART
// ONE: func.func private @helper
// ONE: func.func @f
// TWO: func.func private @f
// TWO: func.func @g
// SEVERAL: error: the program has 2 functions that no other calls: choose one by name (function=f or g)
// NONE: error: the program has no function 'h'
// Recursive functions, including indirect ones, are not inlined.
// RECURSIVE: func.func private @leaf() {
// RECURSIVE: func.func private @even() attributes {no_inline}
// RECURSIVE: func.func private @odd() attributes {no_inline}
// RECURSIVE: func.func @f() {
// INLINED-NOT: @leaf
// INLINED: func.func private @even() attributes {no_inline}
// INLINED: func.func private @odd() attributes {no_inline}
// INLINED: func.func @f() {
// INLINED-NEXT: call @even
// The program itself is called from outside alone.
// ITSELF: func.func @even() {
// ITSELF-NEXT: call @odd()
// ITSELF: func.func private @[[COPY:even_0]]() attributes {no_inline}
// ITSELF: func.func private @odd() attributes {no_inline}
// ITSELF-NEXT: call @[[COPY]]()
// APART: func.func @apart
//--- one.mlir
func.func @helper() { return }
func.func @f() {
  call @helper() : () -> ()
  return
}
//--- two.mlir
func.func @f() { return }
func.func @g() { return }
//--- recursive.mlir
func.func @leaf() { return }
func.func @even() {
  call @odd() : () -> ()
  return
}
func.func @odd() {
  call @even() : () -> ()
  return
}
func.func @f() {
  call @leaf() : () -> ()
  call @leaf() : () -> ()
  call @even() : () -> ()
  return
}
func.func @apart() {
  call @leaf() : () -> ()
  return
}
