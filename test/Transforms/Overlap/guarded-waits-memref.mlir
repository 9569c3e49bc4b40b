// RUN: comm-opt %s --comm-move-slices=observers=elsewhere | FileCheck %s

// Functions of other dialects as well: the guard is one operation, even in a loop's body.
// CHECK-LABEL: func.func @memrefs
// CHECK: scf.for
// CHECK: comm.recv async
// CHECK: comm.wait_if
// CHECK: comm.send async
// CHECK: comm.wait
module attributes {comm.abi = "openmpi4"} {
func.func @memrefs(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  %peer = arith.constant 1 : i32
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  scf.for %i = %zero to %n step %one {
    %in = memref.alloc() : memref<8xf64>
    %out = memref.alloc() : memref<8xf64>
    %own = memref.alloc() : memref<8xf64>
    %r = comm.recv async buf(%in : memref<8xf64>) source(%peer) tag(%peer) comm(%w) -> request
    comm.wait request(%r)
    %s = comm.send async buf(%out : memref<8xf64>) dest(%peer) tag(%peer) comm(%w) -> request
    comm.wait request(%s)
    scf.for %j = %zero to %n step %one {
      memref.store %x, %own[%j] : memref<8xf64>
    }
  }
  return
}
}
