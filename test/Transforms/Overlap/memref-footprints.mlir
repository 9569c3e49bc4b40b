// Units that access one memref are distinguished by the accessed parts: a message received into one part, and a loop
// over another. Units that must wait, wait.
// RUN: comm-opt -comm-split-blocking -comm-move-slices=cost=none --remark-format=emitRemark --remarks-filter='comm-move-slices' \
// RUN:   -verify-diagnostics %s | FileCheck %s

// The first row comes, the loop computes the others.
// CHECK-LABEL: func.func @rows
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
func.func @rows(%a: memref<?x8xf32>, %n: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %one to %n step %one {
    scf.for %j = %zero to %eight step %one {
      memref.store %x, %a[%i, %j] : memref<?x8xf32>
    }
  }
  return
}

// From row 0 on it must wait.
// CHECK-LABEL: func.func @rows_from_zero
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @rows_from_zero(%a: memref<?x8xf32>, %n: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %eight step %one {
      memref.store %x, %a[%i, %j] : memref<?x8xf32>
    }
  }
  return
}

// A loop from 1 that looks at the row before.
// CHECK-LABEL: func.func @row_before
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @row_before(%a: memref<?x8xf32>, %b: memref<?x8xf32> {llvm.noalias}, %n: index, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %one to %n step %one {
    %before = arith.subi %i, %one : index
    %v = memref.load %a[%before, %zero] : memref<?x8xf32>
    memref.store %v, %b[%i, %zero] : memref<?x8xf32>
  }
  return
}

// The same from 2 on: row 1 and later ones.
// CHECK-LABEL: func.func @row_before_that
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
func.func @row_before_that(%a: memref<?x8xf32>, %b: memref<?x8xf32> {llvm.noalias}, %n: index, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %two to %n step %one {
    %before = arith.subi %i, %one : index
    %v = memref.load %a[%before, %zero] : memref<?x8xf32>
    memref.store %v, %b[%i, %zero] : memref<?x8xf32>
  }
  return
}

// A sum that may wrap: i + far may be row 0.
// CHECK-LABEL: func.func @wraps
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @wraps(%a: memref<?x8xf32>, %n: index, %far: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %big = arith.constant 0x7fffffffffffffff : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %one to %n step %one {
    %far1 = arith.addi %i, %big : index
    %far2 = arith.addi %far1, %big : index
    memref.store %x, %a[%far2, %zero] : memref<?x8xf32>
  }
  return
}

// A loop over unsigned numbers.
// CHECK-LABEL: func.func @unsigned
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @unsigned(%a: memref<?x8xf32>, %n: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for unsigned %i = %one to %n step %one {
    memref.store %x, %a[%i, %zero] : memref<?x8xf32>
  }
  return
}

// A layout in which two indices may be one place.
// CHECK-LABEL: func.func @strided
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @strided(%a: memref<?x8xf32, strided<[?, 1], offset: ?>>, %n: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32, strided<[?, 1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1], offset: ?>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %one to %n step %one {
    memref.store %x, %a[%i, %zero] : memref<?x8xf32, strided<[?, 1], offset: ?>>
  }
  return
}

// Another view of the same memory, with different indices.
// CHECK-LABEL: func.func @flat
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @flat(%a: memref<4x8xf32>, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %one to %eight step %one {
    memref.store %x, %flat[%i] : memref<32xf32>
  }
  return
}

// A view in a loop, whose offset is the loop's variable; freeing affects more than the view.
// CHECK-LABEL: func.func @views
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
// CHECK: memref.dealloc
func.func @views(%n: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?x8xf32>
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %one to %n step %one {
    %one_row = memref.subview %a[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.fill ins(%x : f32) outs(%one_row : memref<8xf32, strided<[1], offset: ?>>)
  }
  memref.dealloc %a : memref<?x8xf32>
  return
}

// Affine loops and triangular ones: above the diagonal, column 0 is not accessed.
// CHECK-LABEL: func.func @triangle
// CHECK: comm.recv async
// CHECK: affine.for
// CHECK: comm.wait
func.func @triangle(%a: memref<8x8xf32>, %x: f32, %rank: i32, %c: !comm.comm) {
  %corner = memref.subview %a[0, 0] [1, 1] [1, 1] : memref<8x8xf32> to memref<1xf32, strided<[1]>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%corner : memref<1xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  affine.for %i = 0 to 8 {
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to 8 {
      affine.store %x, %a[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// On and below it, it is.
// CHECK-LABEL: func.func @lower_triangle
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @lower_triangle(%a: memref<8x8xf32>, %x: f32, %rank: i32, %c: !comm.comm) {
  %corner = memref.subview %a[0, 0] [1, 1] [1, 1] : memref<8x8xf32> to memref<1xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%corner : memref<1xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.store %x, %a[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// Backwards, with a descending index: 8 - i is at least 1.
// CHECK-LABEL: func.func @down
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
func.func @down(%a: memref<9xf32>, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %cell = memref.subview %a[0] [1] [1] : memref<9xf32> to memref<1xf32, strided<[1]>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%cell : memref<1xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %zero to %eight step %one {
    %j = arith.subi %eight, %i : index
    memref.store %x, %a[%j] : memref<9xf32>
  }
  return
}

// To 9 it is 0 in the end.
// CHECK-LABEL: func.func @down_to_zero
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @down_to_zero(%a: memref<9xf32>, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %nine = arith.constant 9 : index
  %cell = memref.subview %a[0] [1] [1] : memref<9xf32> to memref<1xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%cell : memref<1xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %zero to %nine step %one {
    %j = arith.subi %eight, %i : index
    memref.store %x, %a[%j] : memref<9xf32>
  }
  return
}

// An index that is looked up, or that a loop carries, may be any.
// CHECK-LABEL: func.func @looked_up
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @looked_up(%a: memref<9xf32>, %where: memref<9xindex>, %x: f32, %rank: i32, %c: !comm.comm) {
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %cell = memref.subview %a[0] [1] [1] : memref<9xf32> to memref<1xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%cell : memref<1xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  %last = scf.for %i = %one to %nine step %one iter_args(%j = %one) -> index {
    memref.store %x, %a[%j] : memref<9xf32>
    %next = memref.load %where[%i] : memref<9xindex>
    scf.yield %next : index
  }
  return
}

// The row after the last one, with numbers that both know: 0 < ... <= n < n + 1.
// CHECK-LABEL: func.func @after_the_last
// CHECK: comm.recv async
// CHECK-NOT: comm.wait_if
// CHECK: scf.for
// CHECK: comm.wait
func.func @after_the_last(%a: memref<?x8xf32>, %n: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %after = arith.addi %n, %one : index
  %row = memref.subview %a[%after, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%row : memref<8xf32, strided<[1], offset: ?>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %zero to %n step %one {
    %next = arith.addi %i, %one : index
    memref.store %x, %a[%next, %zero] : memref<?x8xf32>
  }
  return
}

// A bound that may wrap, so that the loop may start at row 0.
// CHECK-LABEL: func.func @wrapping_bound
// CHECK: comm.recv async
// CHECK: comm.wait
// CHECK: scf.for
func.func @wrapping_bound(%a: memref<?x8xf32>, %m: index, %n: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %big = arith.constant 0x7fffffffffffffff : index
  %row = memref.subview %a[%m, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  %from = arith.addi %m, %big : index
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1], offset: ?>>) source(%rank) tag(%rank) comm(%c)
  scf.for %j = %from to %n step %one {
    %low = arith.subi %j, %big : index
    memref.store %x, %a[%low, %zero] : memref<?x8xf32>
  }
  return
}

// A run-time test compares the received row, and the start of the loop.
// CHECK-LABEL: func.func @asked
// CHECK: comm.recv async
// CHECK: comm.wait_if
// CHECK: scf.for
// CHECK: comm.wait
func.func @asked(%a: memref<?x8xf32>, %from: index, %n: index, %which: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %row = memref.subview %a[%which, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%row : memref<8xf32, strided<[1], offset: ?>>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %from to %n step %one {
    memref.store %x, %a[%i, %zero] : memref<?x8xf32>
  }
  return
}

// Loops in several dimensions at once, in steps.
// CHECK-LABEL: func.func @parallel
// CHECK: comm.recv async
// CHECK-NOT: comm.wait_if
// CHECK: scf.parallel
// CHECK: comm.wait
func.func @parallel(%a: memref<?x8xf32>, %n: index, %step: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.parallel (%i, %j) = (%one, %zero) to (%n, %eight) step (%step, %one) {
    memref.store %x, %a[%i, %j] : memref<?x8xf32>
    scf.reduce
  }
  return
}

// From row 0 on.
// CHECK-LABEL: func.func @parallel_from_zero
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @parallel_from_zero(%a: memref<?x8xf32>, %n: index, %step: index, %x: f32, %rank: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %row = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1]>>) source(%rank) tag(%rank) comm(%c)
  scf.parallel (%i, %j) = (%zero, %zero) to (%n, %eight) step (%step, %one) {
    memref.store %x, %a[%i, %j] : memref<?x8xf32>
    scf.reduce
  }
  return
}

// Rows that a constant step leaves out still count: it is a range.
// CHECK-LABEL: func.func @every_second
// CHECK: comm.recv async
// CHECK-NEXT: comm.wait
func.func @every_second(%a: memref<8x8xf32>, %x: f32, %rank: i32, %c: !comm.comm) {
  %row = memref.subview %a[1, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  // expected-remark@+1 {{overlaps nothing}}
  comm.recv buf(%row : memref<8xf32, strided<[1], offset: 8>>) source(%rank) tag(%rank) comm(%c)
  affine.for %i = 0 to 8 step 2 {
    affine.store %x, %a[%i, 0] : memref<8x8xf32>
  }
  return
}

// The last row, which a step of 3 does not reach: 0, 3, 6.
// CHECK-LABEL: func.func @last_of_step
// CHECK: comm.recv async
// CHECK: affine.for
// CHECK: comm.wait
func.func @last_of_step(%a: memref<8x8xf32>, %x: f32, %rank: i32, %c: !comm.comm) {
  %row = memref.subview %a[7, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: 56>>
  // expected-remark@+1 {{[Passed] Overlap}}
  comm.recv buf(%row : memref<8xf32, strided<[1], offset: 56>>) source(%rank) tag(%rank) comm(%c)
  affine.for %i = 0 to 8 step 3 {
    affine.store %x, %a[%i, 0] : memref<8x8xf32>
  }
  return
}
