// A chain that is too long to be put into order as a whole is cut, but not between a start and its wait.
// RUN: comm-opt -comm-split-blocking "-comm-move-slices=max-units=8 min-weight=1" %s | FileCheck %s
// RUN: comm-opt -comm-split-blocking "-comm-move-slices=min-weight=1" %s | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func @far
// CHECK: %[[A:.*]] = comm.recv async
// CHECK: memref.store
// CHECK: comm.wait request(%[[A]])
// CHECK: %[[B:.*]] = comm.recv async
// CHECK: memref.store
// CHECK: comm.wait request(%[[B]])
// WHOLE-LABEL: func.func @far
// The buffers may be one: together, one of the two overlaps all the work.
// WHOLE: comm.recv async
// WHOLE: memref.store
// WHOLE: comm.wait
// WHOLE-NEXT: comm.recv async
// WHOLE-NEXT: comm.wait
func.func @far(%a: memref<16xf32>, %b: memref<16xf32>, %i: index, %x: f32, %rank: i32, %c: !comm.comm) -> f32 {
  %w = memref.alloc() : memref<16xf32>
  comm.recv buf(%a : memref<16xf32>) source(%rank) tag(%rank) comm(%c)
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  comm.recv buf(%b : memref<16xf32>) source(%rank) tag(%rank) comm(%c)
  %v = memref.load %w[%i] : memref<16xf32>
  return %v : f32
}
