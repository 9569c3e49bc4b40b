// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of MLIR's upstream mpi dialect: each rank sends its value to the next and receives that of the one before,
// then sums up an array of its own, which needs no communication, and adds what it received. comm-opt starts both before
// the loops and waits for them after (README.md in this folder has the commands). main.c calls the function.

func.func @exchange(%value: i64, %terms: index) -> i64 attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %tag = arith.constant 5 : i32
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %next = arith.addi %rank, %one : i32
  %right = arith.remsi %next, %size : i32
  %before = arith.addi %rank, %size : i32
  %previous = arith.subi %before, %one : i32
  %left = arith.remsi %previous, %size : i32

  %out = memref.alloc() : memref<1xi64>
  %in = memref.alloc() : memref<1xi64>
  %own = memref.alloc(%terms) : memref<?xi64>
  memref.store %value, %out[%c0] : memref<1xi64>
  scf.for %i = %c0 to %terms step %c1 {
    %number = arith.index_cast %i : index to i64
    %term = arith.addi %number, %value : i64
    memref.store %term, %own[%i] : memref<?xi64>
  }

  // The receive is posted first: the ring has no end at which somebody only receives.
  %request = mpi.irecv(%in, %tag, %left, %world) : memref<1xi64>, i32, i32 -> !mpi.request
  mpi.send(%out, %tag, %right, %world) : memref<1xi64>, i32, i32
  mpi.wait(%request) : !mpi.request

  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %terms step %c1 iter_args(%partial = %zero) -> (i64) {
    %term = memref.load %own[%i] : memref<?xi64>
    %square = arith.muli %term, %term : i64
    %more = arith.addi %partial, %square : i64
    scf.yield %more : i64
  }
  %received = memref.load %in[%c0] : memref<1xi64>
  %result = arith.addi %sum, %received : i64
  memref.dealloc %out : memref<1xi64>
  memref.dealloc %in : memref<1xi64>
  memref.dealloc %own : memref<?xi64>
  return %result : i64
}
