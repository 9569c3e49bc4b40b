// RUN: not comm-opt %s -convert-comm-to-llvm 2>&1 | FileCheck %s
// CHECK: error: 'comm.finalize' op is to be lowered for an MPI implementation, but none is named: set the option abi
func.func @f() {
  comm.finalize
  return
}
