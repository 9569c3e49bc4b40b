// Motion in func, memref and scf: region operations move as one.
// RUN: comm-opt -comm-split-blocking -comm-move-slices %s | FileCheck %s
// RUN: comm-opt -comm-split-blocking -comm-move-slices -comm-merge-useless-splits %s | FileCheck %s --check-prefix=MERGED

// CHECK-LABEL: func.func @halo
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
// CHECK-NEXT: memref.load
func.func @halo(%n: index, %rank: i32, %c: !comm.comm) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  comm.recv buf(%a : memref<16xf32>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %zero to %n step %one {
    memref.store %x, %b[%i] : memref<16xf32>
  }
  %v = memref.load %a[%zero] : memref<16xf32>
  return %v : f32
}

// Operations that overlap nothing are blocking again.
// MERGED-LABEL: func.func @useless
// MERGED-NOT: async
// MERGED: comm.recv buf
// MERGED-NEXT: memref.load
// MERGED: comm.sendrecv
// MERGED: return
func.func @useless(%a: memref<16xf32>, %b: memref<16xf32>, %rank: i32, %c: !comm.comm) -> f32 {
  %zero = arith.constant 0 : index
  comm.recv buf(%a : memref<16xf32>) source(%rank) tag(%rank) comm(%c)
  %v = memref.load %a[%zero] : memref<16xf32>
  comm.sendrecv sendbuf(%a : memref<16xf32>) dest(%rank) sendtag(%rank) recvbuf(%b : memref<16xf32>) source(%rank) recvtag(%rank) comm(%c)
  return %v : f32
}
