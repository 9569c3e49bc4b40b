// RUN: comm-opt -comm-derive-strides %s | FileCheck %s
// RUN: comm-opt -comm-derive-strides -expand-strided-metadata -finalize-memref-to-llvm -convert-arith-to-llvm \
// RUN:   -convert-index-to-llvm -convert-func-to-llvm -reconcile-unrealized-casts %s | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @three
// CHECK-SAME: (%[[U:.*]]: memref<?x?x?xf64>,
// CHECK-DAG: %[[X:.*]] = memref.dim %[[U]], %c0
// CHECK-DAG: %[[Y:.*]] = memref.dim %[[U]], %c1
// CHECK-DAG: %[[Z:.*]] = memref.dim %[[U]], %c2
// CHECK: %[[PLANE:.*]] = arith.muli %[[Z]], %[[Y]]
// CHECK: %[[STRIDED:.*]] = memref.reinterpret_cast %[[U]] to offset: [0], sizes: [%[[X]], %[[Y]], %[[Z]]], strides: [%[[PLANE]], %[[Z]], 1]
// CHECK: %[[V:.*]] = memref.cast %[[STRIDED]] : memref<?x?x?xf64, strided<[?, ?, 1]>> to memref<?x?x?xf64>
// CHECK: memref.load %[[V]]
// The strides of the descriptor, arguments 5 to 7, are not used.
// LLVM-LABEL: llvm.func @three
// LLVM-SAME: %{{.*}}: !llvm.ptr, %[[ALIGNED:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %[[ROWS:.*]]: i64, %[[COLUMNS:.*]]: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %[[I:.*]]: i64)
// LLVM: llvm.getelementptr
func.func @three(%u: memref<?x?x?xf64>, %i: index) -> f64 {
  %v = memref.load %u[%i, %i, %i] : memref<?x?x?xf64>
  return %v : f64
}

// CHECK-LABEL: func.func @mixed
// CHECK-SAME: (%[[U:.*]]: memref<4x?x8xf64>,
// CHECK: %[[Y:.*]] = memref.dim %[[U]], %c1
// CHECK: %[[PLANE:.*]] = arith.muli %c8{{.*}}, %[[Y]]
// CHECK: memref.reinterpret_cast %[[U]] to offset: [0], sizes: [4, %[[Y]], 8], strides: [%[[PLANE]], 8, 1]
func.func @mixed(%u: memref<4x?x8xf64>, %i: index) -> f64 {
  %v = memref.load %u[%i, %i, %i] : memref<4x?x8xf64>
  return %v : f64
}

// Strides that are known, or that the caller provides.
// CHECK-LABEL: func.func @others
// CHECK-NOT: reinterpret_cast
// CHECK: return
func.func @others(%a: memref<?xf64>, %b: memref<?x8xf64>, %c: memref<?x?xf64, strided<[?, ?]>>, %d: memref<?x?xf64>, %i: index) {
  %x = memref.load %a[%i] : memref<?xf64>
  memref.store %x, %b[%i, %i] : memref<?x8xf64>
  memref.store %x, %c[%i, %i] : memref<?x?xf64, strided<[?, ?]>>
  return
}
