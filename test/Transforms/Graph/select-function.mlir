// RUN: split-file %s %t
// RUN: comm-opt %t/one.mlir -graph-select-function | FileCheck %s --check-prefix=ONE
// RUN: comm-opt %t/two.mlir -graph-select-function=function=g | FileCheck %s --check-prefix=TWO
// RUN: not comm-opt %t/two.mlir -graph-select-function 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not comm-opt %t/two.mlir -graph-select-function=function=h 2>&1 | FileCheck %s --check-prefix=NONE
// ONE: func.func private @helper
// ONE: func.func @f
// TWO: func.func private @f
// TWO: func.func @g
// SEVERAL: error: the program has 2 functions that no other calls: choose one by name
// NONE: error: the program has no function 'h'
//--- one.mlir
func.func @helper() { return }
func.func @f() {
  call @helper() : () -> ()
  return
}
//--- two.mlir
func.func @f() { return }
func.func @g() { return }
