// RUN: split-file %s %t
// RUN: comm-opt %t/one.mlir -graph-select-function | FileCheck %s --check-prefix=ONE
// RUN: comm-opt %t/two.mlir -graph-select-function=function=g | FileCheck %s --check-prefix=TWO
// RUN: not comm-opt %t/two.mlir -graph-select-function 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not comm-opt %t/two.mlir -graph-select-function=function=h 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not comm-opt %t/recursive.mlir -graph-select-function=function=f 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: comm-opt %t/recursive.mlir -graph-select-function=function=apart | FileCheck %s --check-prefix=APART
// ONE: func.func private @helper
// ONE: func.func @f
// TWO: func.func private @f
// TWO: func.func @g
// SEVERAL: error: the program has 2 functions that no other calls: choose one by name
// NONE: error: the program has no function 'h'
// RECURSIVE: recursive.mlir:7:3: error: 'even' calls itself by this call: write a loop, since graph programs have no recursive functions
// RECURSIVE: recursive.mlir:2:1: note: the function is here
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
