// A program of func, memref and scf, lowered to LLVM IR with its blocking calls, and compiled by commcc like C: loops
// are split by iterations, and two memrefs that may be one are compared at run time. The first row comes from the other
// process; row i of the result needs rows i - 1 and i + 1. With two buffers the inner rows are computed before the row
// arrives, with one buffer every row needs the previous one.
// REQUIRES: openmpi
// RUN: comm-opt %s -mlir-print-debuginfo -convert-comm-to-llvm=abi=openmpi4 \
// RUN:   -expand-strided-metadata -lower-affine -convert-scf-to-cf -finalize-memref-to-llvm -convert-arith-to-llvm -convert-func-to-llvm \
// RUN:   -convert-cf-to-llvm -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: commcc -fcomm-mode=off -O2 %t.ll -o %t.plain.exe
// RUN: commcc -fcomm-cost=none -O2 -Rcomm %t.ll -o %t.exe 2>%t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS --input-file=%t.remarks
// REMARKS: splits the loop at {{.*}}: iterations that touch nothing in flight need not wait
// REMARKS: MPI_Recv at {{.*}} overlaps 1 loop
// RUN: %mpirun -n 2 %t.plain.exe | sort > %t.plain.txt
// RUN: %mpirun -n 2 %t.exe | sort > %t.txt
// RUN: cmp %t.plain.txt %t.txt
// RUN: FileCheck %s --input-file=%t.txt
// CHECK: rank 0, program 1: 917504 262144 262144
// CHECK: rank 0, program 2: 917504 1048576 1179648
// CHECK: rank 1, program 1: 917504 262144 262144
// CHECK: rank 1, program 2: 917504 1048576 1179648

// Neither argument is promised to be distinct.
func.func private @step(%u: memref<?x131072xi64>, %v: memref<?x131072xi64>, %last: index, %peer: i32, %c: !comm.comm) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c131072 = arith.constant 131072 : index
  %row = memref.subview %u[0, 0] [1, 131072] [1, 1] : memref<?x131072xi64> to memref<131072xi64, strided<[1]>>
  comm.recv buf(%row : memref<131072xi64, strided<[1]>>) source(%peer) tag(%peer) comm(%c)
  scf.for %i = %c1 to %last step %c1 {
    scf.for %j = %c0 to %c131072 step %c1 {
      %up = arith.subi %i, %c1 : index
      %down = arith.addi %i, %c1 : index
      %a = memref.load %u[%up, %j] : memref<?x131072xi64>
      %b = memref.load %u[%down, %j] : memref<?x131072xi64>
      %s = arith.addi %a, %b : i64
      memref.store %s, %v[%i, %j] : memref<?x131072xi64>
    }
  }
  return
}

llvm.mlir.global constant @format("rank %d, program %d: %ld %ld %ld\0A\00")
llvm.func @printf(!llvm.ptr, ...) -> i32

func.func private @fill(%a: memref<?x131072xi64>) {
  %one = arith.constant 1 : i64
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 131072 {
      affine.store %one, %a[%i, %j] : memref<?x131072xi64>
    }
  }
  return
}

func.func private @sum(%a: memref<?x131072xi64>, %i: index) -> i64 {
  %zero = arith.constant 0 : i64
  %sum = affine.for %j = 0 to 131072 iter_args(%so_far = %zero) -> i64 {
    %v = memref.load %a[%i, %j] : memref<?x131072xi64>
    %w = arith.addi %so_far, %v : i64
    affine.yield %w : i64
  }
  return %sum : i64
}

func.func private @tell(%a: memref<?x131072xi64>, %rank: i32, %program: i32) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %x = func.call @sum(%a, %one) : (memref<?x131072xi64>, index) -> i64
  %y = func.call @sum(%a, %two) : (memref<?x131072xi64>, index) -> i64
  %z = func.call @sum(%a, %three) : (memref<?x131072xi64>, index) -> i64
  %format = llvm.mlir.addressof @format : !llvm.ptr
  %printed = llvm.call @printf(%format, %rank, %program, %x, %y, %z) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32, i32, i64, i64, i64) -> i32
  return
}

func.func @main() -> i32 {
  comm.init
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %rank = comm.comm_rank comm(%c) -> rank
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %peer = arith.subi %one, %rank : i32
  %last = arith.constant 7 : index
  %rows = arith.constant 8 : index
  %six = arith.constant 6 : i64
  %out = memref.alloc() : memref<131072xi64>
  %a = memref.alloc(%rows) : memref<?x131072xi64>
  %b = memref.alloc(%rows) : memref<?x131072xi64>
  affine.for %j = 0 to 131072 {
    affine.store %six, %out[%j] : memref<131072xi64>
  }
  func.call @fill(%a) : (memref<?x131072xi64>) -> ()
  func.call @fill(%b) : (memref<?x131072xi64>) -> ()
  %s1 = comm.send async buf(%out : memref<131072xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @step(%a, %b, %last, %peer, %c) : (memref<?x131072xi64>, memref<?x131072xi64>, index, i32, !comm.comm) -> ()
  comm.wait request(%s1)
  func.call @tell(%b, %rank, %one) : (memref<?x131072xi64>, i32, i32) -> ()
  func.call @fill(%a) : (memref<?x131072xi64>) -> ()
  %s2 = comm.send async buf(%out : memref<131072xi64>) dest(%peer) tag(%rank) comm(%c) -> request
  func.call @step(%a, %a, %last, %peer, %c) : (memref<?x131072xi64>, memref<?x131072xi64>, index, i32, !comm.comm) -> ()
  comm.wait request(%s2)
  func.call @tell(%a, %rank, %two) : (memref<?x131072xi64>, i32, i32) -> ()
  %e = comm.finalize -> error
  return %e : i32
}
