// No lowering calls a recalled start, even if comm-erase-recalled did not run.
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 | FileCheck %s
// RUN: comm-opt %s -convert-comm-to-mpi | FileCheck %s

// CHECK-LABEL: @again
// CHECK-NOT: Irecv
// CHECK-NOT: mpi.irecv
// CHECK: return
func.func @again(%a: memref<4xf64>, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%a : memref<4xf64>) source(%n) tag(%n) comm(%c) {comm.recalled} -> request
  return
}
