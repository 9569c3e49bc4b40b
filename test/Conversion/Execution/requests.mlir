// Requests through a loop and results as values, lowered and run: each rank sends to itself, and receives one iteration
// later.
// REQUIRES: openmpi
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 -convert-func-to-llvm -finalize-memref-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: %mpicc -O1 %t.ll -o %t.exe
// RUN: %mpirun -n 2 %t.exe | FileCheck %s
// CHECK-COUNT-2: received 6 on 2 ranks
llvm.mlir.global constant @format("received %ld on %d ranks\0A\00")
llvm.func @printf(!llvm.ptr, ...) -> i32
func.func @main() -> i32 {
  comm.init
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %null = comm.constant "MPI_REQUEST_NULL" : !comm.request
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %tag = arith.constant 9 : i32
  %in = memref.alloc() : memref<4xi64>
  %out = memref.alloc() : memref<4xi64>
  cf.br ^loop(%zero, %null, %null : index, !comm.request, !comm.request)
^loop(%i: index, %sent: !comm.request, %received: !comm.request):
  %value = arith.index_cast %i : index to i64
  memref.store %value, %out[%i] : memref<4xi64>
  %to = memref.reinterpret_cast %in to offset: [%i], sizes: [1], strides: [1] : memref<4xi64> to memref<1xi64, strided<[1], offset: ?>>
  %from = memref.reinterpret_cast %out to offset: [%i], sizes: [1], strides: [1] : memref<4xi64> to memref<1xi64, strided<[1], offset: ?>>
  %r = comm.recv async buf(%to : memref<1xi64, strided<[1], offset: ?>>) source(%rank) tag(%tag) comm(%c) -> request
  %s = comm.send async buf(%from : memref<1xi64, strided<[1], offset: ?>>) dest(%rank) tag(%tag) comm(%c) -> request
  %done = comm.test request(%r) -> flag
  comm.waitall array_of_requests(%sent, %received)
  %next = arith.addi %i, %one : index
  %more = arith.cmpi ult, %next, %four : index
  cf.cond_br %more, ^loop(%next, %s, %r : index, !comm.request, !comm.request), ^exit
^exit:
  comm.waitall array_of_requests(%s, %r)
  %none = arith.constant 0 : i64
  cf.br ^sum(%zero, %none : index, i64)
^sum(%j: index, %so_far: i64):
  %element = memref.load %in[%j] : memref<4xi64>
  %sum = arith.addi %so_far, %element : i64
  %k = arith.addi %j, %one : index
  %again = arith.cmpi ult, %k, %four : index
  cf.cond_br %again, ^sum(%k, %sum : index, i64), ^print
^print:
  %format = llvm.mlir.addressof @format : !llvm.ptr
  %printed = llvm.call @printf(%format, %sum, %size) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64, i32) -> i32
  comm.barrier comm(%c)
  %e = comm.finalize -> error
  return %e : i32
}
