// Programs of func, memref, affine and scf, run with and without overlap. Messages are large, so they do not arrive
// before a wait. A row that arrives while a loop works on others, one that the loop needs, two memrefs that are one
// buffer, and rows known only at run time.
// REQUIRES: openmpi
// RUN: comm-opt %s -mlir-print-debuginfo -comm-overlap="lower=false cost=none" --remark-format=emitRemark \
// RUN:   --remarks-filter=comm-move-slices -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS --input-file=%t.remarks
// REMARKS-DAG: [Passed] Overlap | {{.*}}Function=rows
// REMARKS-DAG: NoOverlap | {{.*}}Function=row_before
// REMARKS-DAG: NoOverlap | {{.*}}Function=one_buffer
// REMARKS-DAG: [Passed] Overlap | {{.*}}Function=promised
// REMARKS-DAG: [Passed] Overlap | {{.*}}Function=asked
// RUN: comm-opt %t.mlir -convert-comm-to-llvm \
// RUN:   -expand-strided-metadata -lower-affine -convert-scf-to-cf -finalize-memref-to-llvm -convert-arith-to-llvm -convert-func-to-llvm \
// RUN:   -convert-cf-to-llvm -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 \
// RUN:   -expand-strided-metadata -lower-affine -convert-scf-to-cf -finalize-memref-to-llvm -convert-arith-to-llvm -convert-func-to-llvm \
// RUN:   -convert-cf-to-llvm -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o %t.plain.ll
// RUN: %mpicc -O1 %t.ll -o %t.exe
// RUN: %mpicc -O1 %t.plain.ll -o %t.plain.exe
// RUN: %mpirun -n 2 %t.plain.exe | sort > %t.plain.txt
// RUN: %mpirun -n 2 %t.exe | sort > %t.txt
// RUN: cmp %t.plain.txt %t.txt
// RUN: FileCheck %s --input-file=%t.txt
// CHECK: rank 0, program 1: 131072 131072 131072
// CHECK: rank 0, program 2: 131072 196608 262144
// CHECK: rank 0, program 3: 131072 65536 196608
// CHECK: rank 0, program 4: 131072 65536 65536
// CHECK: rank 0, program 5: 131072 131072 131072
// CHECK: rank 0, program 6: 262144 131072 131072
// CHECK: rank 1, program 1: 131072 131072 131072
// CHECK: rank 1, program 2: 131072 196608 262144
// CHECK: rank 1, program 3: 131072 65536 196608
// CHECK: rank 1, program 4: 131072 65536 65536
// CHECK: rank 1, program 5: 131072 131072 131072
// CHECK: rank 1, program 6: 262144 131072 131072

// The first of three rows comes, the others are doubled.
func.func private @rows(%a: memref<3x65536xi64>, %peer: i32, %c: !comm.comm) {
  %row = memref.subview %a[0, 0] [1, 65536] [1, 1] : memref<3x65536xi64> to memref<65536xi64, strided<[1]>>
  comm.recv buf(%row : memref<65536xi64, strided<[1]>>) source(%peer) tag(%peer) comm(%c)
  affine.for %i = 1 to 3 {
    affine.for %j = 0 to 65536 {
      %v = affine.load %a[%i, %j] : memref<3x65536xi64>
      %w = arith.addi %v, %v : i64
      affine.store %w, %a[%i, %j] : memref<3x65536xi64>
    }
  }
  return
}

// Each row needs the one before it.
func.func private @row_before(%a: memref<3x65536xi64>, %peer: i32, %c: !comm.comm) {
  %row = memref.subview %a[0, 0] [1, 65536] [1, 1] : memref<3x65536xi64> to memref<65536xi64, strided<[1]>>
  comm.recv buf(%row : memref<65536xi64, strided<[1]>>) source(%peer) tag(%peer) comm(%c)
  affine.for %i = 1 to 3 {
    affine.for %j = 0 to 65536 {
      %u = affine.load %a[%i - 1, %j] : memref<3x65536xi64>
      %v = affine.load %a[%i, %j] : memref<3x65536xi64>
      %w = arith.addi %u, %v : i64
      affine.store %w, %a[%i, %j] : memref<3x65536xi64>
    }
  }
  return
}

// Both arguments are one buffer.
func.func private @one_buffer(%a: memref<3x65536xi64>, %b: memref<3x65536xi64>, %peer: i32, %c: !comm.comm) {
  %row = memref.subview %a[0, 0] [1, 65536] [1, 1] : memref<3x65536xi64> to memref<65536xi64, strided<[1]>>
  comm.recv buf(%row : memref<65536xi64, strided<[1]>>) source(%peer) tag(%peer) comm(%c)
  affine.for %j = 0 to 65536 {
    %u = affine.load %b[0, %j] : memref<3x65536xi64>
    %v = affine.load %b[2, %j] : memref<3x65536xi64>
    %w = arith.addi %u, %v : i64
    affine.store %w, %b[2, %j] : memref<3x65536xi64>
  }
  return
}

// They are two, and it is said.
func.func private @promised(%a: memref<3x65536xi64> {llvm.noalias}, %b: memref<3x65536xi64>, %peer: i32, %c: !comm.comm) {
  %row = memref.subview %a[0, 0] [1, 65536] [1, 1] : memref<3x65536xi64> to memref<65536xi64, strided<[1]>>
  comm.recv buf(%row : memref<65536xi64, strided<[1]>>) source(%peer) tag(%peer) comm(%c)
  affine.for %j = 0 to 65536 {
    %u = affine.load %b[0, %j] : memref<3x65536xi64>
    %v = affine.load %b[2, %j] : memref<3x65536xi64>
    %w = arith.addi %u, %v : i64
    affine.store %w, %b[2, %j] : memref<3x65536xi64>
  }
  return
}

// Which rows they are is known at run time.
func.func private @asked(%a: memref<3x65536xi64>, %which: index, %from: index, %peer: i32, %c: !comm.comm) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %n = arith.constant 65536 : index
  %row = memref.subview %a[%which, 0] [1, 65536] [1, 1] : memref<3x65536xi64> to memref<65536xi64, strided<[1], offset: ?>>
  comm.recv buf(%row : memref<65536xi64, strided<[1], offset: ?>>) source(%peer) tag(%peer) comm(%c)
  scf.for %i = %from to %three step %one {
    scf.for %j = %zero to %n step %one {
      %v = memref.load %a[%i, %j] : memref<3x65536xi64>
      %w = arith.addi %v, %v : i64
      memref.store %w, %a[%i, %j] : memref<3x65536xi64>
    }
  }
  return
}

llvm.mlir.global constant @format("rank %d, program %d: %ld %ld %ld\0A\00")
llvm.func @printf(!llvm.ptr, ...) -> i32

// Row 0 is 0, the others 1.
func.func private @fill(%a: memref<3x65536xi64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  affine.for %j = 0 to 65536 {
    affine.store %zero, %a[0, %j] : memref<3x65536xi64>
    affine.store %one, %a[1, %j] : memref<3x65536xi64>
    affine.store %one, %a[2, %j] : memref<3x65536xi64>
  }
  return
}

func.func private @sum(%a: memref<3x65536xi64>, %i: index) -> i64 {
  %zero = arith.constant 0 : i64
  %sum = affine.for %j = 0 to 65536 iter_args(%so_far = %zero) -> i64 {
    %v = memref.load %a[%i, %j] : memref<3x65536xi64>
    %w = arith.addi %so_far, %v : i64
    affine.yield %w : i64
  }
  return %sum : i64
}

func.func private @tell(%a: memref<3x65536xi64>, %rank: i32, %program: i32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %x = func.call @sum(%a, %zero) : (memref<3x65536xi64>, index) -> i64
  %y = func.call @sum(%a, %one) : (memref<3x65536xi64>, index) -> i64
  %z = func.call @sum(%a, %two) : (memref<3x65536xi64>, index) -> i64
  %format = llvm.mlir.addressof @format : !llvm.ptr
  %printed = llvm.call @printf(%format, %rank, %program, %x, %y, %z) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32, i32, i64, i64, i64) -> i32
  return
}

// Each process sends its row to the other one, under the tag that is its own rank.
func.func @main() -> i32 {
  comm.init
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %rank = comm.comm_rank comm(%c) -> rank
  %i1 = arith.constant 1 : i32
  %peer = arith.subi %i1, %rank : i32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %out = memref.alloc() : memref<65536xi64>
  %a = memref.alloc() : memref<3x65536xi64>
  %b = memref.alloc() : memref<3x65536xi64>
  affine.for %j = 0 to 65536 {
    affine.store %two, %out[%j] : memref<65536xi64>
  }
  func.call @fill(%b) : (memref<3x65536xi64>) -> ()
  func.call @fill(%a) : (memref<3x65536xi64>) -> ()
  %p1 = arith.constant 1 : i32
  %s1 = comm.send async buf(%out : memref<65536xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @rows(%a, %peer, %c) : (memref<3x65536xi64>, i32, !comm.comm) -> ()
  comm.wait request(%s1)
  func.call @tell(%a, %rank, %p1) : (memref<3x65536xi64>, i32, i32) -> ()
  func.call @fill(%a) : (memref<3x65536xi64>) -> ()
  %p2 = arith.constant 2 : i32
  %s2 = comm.send async buf(%out : memref<65536xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @row_before(%a, %peer, %c) : (memref<3x65536xi64>, i32, !comm.comm) -> ()
  comm.wait request(%s2)
  func.call @tell(%a, %rank, %p2) : (memref<3x65536xi64>, i32, i32) -> ()
  func.call @fill(%a) : (memref<3x65536xi64>) -> ()
  %p3 = arith.constant 3 : i32
  %s3 = comm.send async buf(%out : memref<65536xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @one_buffer(%a, %a, %peer, %c) : (memref<3x65536xi64>, memref<3x65536xi64>, i32, !comm.comm) -> ()
  comm.wait request(%s3)
  func.call @tell(%a, %rank, %p3) : (memref<3x65536xi64>, i32, i32) -> ()
  func.call @fill(%a) : (memref<3x65536xi64>) -> ()
  %p4 = arith.constant 4 : i32
  %s4 = comm.send async buf(%out : memref<65536xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @promised(%a, %b, %peer, %c) : (memref<3x65536xi64>, memref<3x65536xi64>, i32, !comm.comm) -> ()
  comm.wait request(%s4)
  func.call @tell(%a, %rank, %p4) : (memref<3x65536xi64>, i32, i32) -> ()
  func.call @fill(%a) : (memref<3x65536xi64>) -> ()
  %p5 = arith.constant 5 : i32
  %s5 = comm.send async buf(%out : memref<65536xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @asked(%a, %zero, %one, %peer, %c) : (memref<3x65536xi64>, index, index, i32, !comm.comm) -> ()
  comm.wait request(%s5)
  func.call @tell(%a, %rank, %p5) : (memref<3x65536xi64>, i32, i32) -> ()
  func.call @fill(%a) : (memref<3x65536xi64>) -> ()
  %p6 = arith.constant 6 : i32
  %s6 = comm.send async buf(%out : memref<65536xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @asked(%a, %zero, %zero, %peer, %c) : (memref<3x65536xi64>, index, index, i32, !comm.comm) -> ()
  comm.wait request(%s6)
  func.call @tell(%a, %rank, %p6) : (memref<3x65536xi64>, i32, i32) -> ()
  %e = comm.finalize -> error
  return %e : i32
}
