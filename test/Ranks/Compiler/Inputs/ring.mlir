// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ring of ranks in the comm dialect, as a front end for a language of its own would write it: each rank adds its number
// to a variable of the module, hands it on, and prints both. The variable is each rank's own only because of
// comm-privatize-globals.
module {
  memref.global "private" @sum : memref<1xi32> = dense<100>
  llvm.mlir.global internal constant @format("rank %d of %d: own %d, from the left %d\0A\00")
  llvm.func @printf(!llvm.ptr, ...) -> i32

  func.func @main() -> i32 {
    comm.init
    %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %rank = comm.comm_rank comm(%world) -> rank
    %size = comm.comm_size comm(%world) -> size
    %sum = memref.get_global @sum : memref<1xi32>
    %from_left = memref.alloca() : memref<1xi32>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %tag = arith.constant 7 : i32
    %old = memref.load %sum[%zero] : memref<1xi32>
    %new = arith.addi %old, %rank : i32
    memref.store %new, %sum[%zero] : memref<1xi32>
    %up = arith.addi %rank, %one : i32
    %right = arith.remsi %up, %size : i32
    %down = arith.addi %rank, %size : i32
    %below = arith.subi %down, %one : i32
    %left = arith.remsi %below, %size : i32
    %request = comm.recv async buf(%from_left : memref<1xi32>) source(%left) tag(%tag) comm(%world) -> request
    comm.send buf(%sum : memref<1xi32>) dest(%right) tag(%tag) comm(%world)
    comm.wait request(%request)
    %own = memref.load %sum[%zero] : memref<1xi32>
    %got = memref.load %from_left[%zero] : memref<1xi32>
    %text = llvm.mlir.addressof @format : !llvm.ptr
    llvm.call @printf(%text, %rank, %size, %own, %got) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32, i32, i32, i32) -> i32
    comm.finalize
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
