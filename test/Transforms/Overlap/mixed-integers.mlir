// Ranks and roots are integers of any type, and constants of two types are compared by their values.
// RUN: comm-opt -comm-split-blocking -comm-move-slices %s | FileCheck %s

// A send after a receive: are they of one process?
// CHECK-LABEL: func.func @exchange
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
// CHECK: comm.send async
func.func @exchange(%n: index, %tag: i32, %c: !comm.comm) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %from = arith.constant 2 : i64
  %to = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %w = memref.alloc() : memref<16xf32>
  comm.recv buf(%a : memref<16xf32>) source(%from : i64) tag(%tag) comm(%c)
  comm.send buf(%b : memref<16xf32>) dest(%to) tag(%tag) comm(%c)
  scf.for %i = %zero to %n step %one {
    memref.store %x, %w[%i] : memref<16xf32>
  }
  %v = memref.load %a[%zero] : memref<16xf32>
  return %v : f32
}

// Two broadcasts in a loop with one root are a stream: overlap gains nothing.
// CHECK-LABEL: func.func @stream
// CHECK: scf.for
// CHECK: comm.bcast async
// CHECK-NEXT: comm.wait
// CHECK: comm.bcast async
// CHECK-NEXT: comm.wait
func.func @stream(%n: index, %a: memref<16xf32>, %b: memref<16xf32>, %w: memref<16xf32>, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %first = arith.constant 0 : i32
  %x = arith.constant 1.0 : f32
  scf.for %i = %zero to %n step %one {
    comm.bcast buffer(%a : memref<16xf32>) root(%first) comm(%c)
    memref.store %x, %w[%i] : memref<16xf32>
    comm.bcast buffer(%b : memref<16xf32>) root(%zero : index) comm(%c)
    memref.store %x, %w[%i] : memref<16xf32>
  }
  return
}
