// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that no pass may produce: a call that accesses the buffers precedes the waits. The checker reports it,
// with the line of the access and the line of the operation.
//
// REQUIRES: openmpi
// RUN: comm-opt --comm-instrument-checks --convert-comm-to-llvm %s | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: %clang -O1 -fsanitize=address -Wno-override-module -c %t.ll -o %t.o
// RUN: %commcc -O1 -g -fcomm-check %S/Inputs/illegal.c %t.o -o %t
// RUN: %mpirun -n 2 %t none | FileCheck %s --check-prefix=NONE
// RUN: not %mpirun -n 2 %t read > %t.read 2>&1
// RUN: FileCheck %s --check-prefix=READ < %t.read
// RUN: not %mpirun -n 2 %t write > %t.write 2>&1
// RUN: FileCheck %s --check-prefix=WRITE < %t.write
// RUN: not %mpirun -n 2 %t counts > %t.counts 2>&1
// RUN: FileCheck %s --check-prefix=COUNTS < %t.counts
// RUN: %mpirun -n 2 %t root | FileCheck %s --check-prefix=NONE
// RUN: not %mpirun -n 2 %t bcast > %t.bcast 2>&1
// RUN: FileCheck %s --check-prefix=BCAST < %t.bcast
//
// NONE: received 1
// READ: ERROR: AddressSanitizer: use-after-poison
// READ: READ of size 4
// READ: in touch {{.*}}illegal.c:15
// READ: comm: this memory is in flight: receive buffer of MPI_Recv at exchange.c:11, in function exchange
// WRITE: comm: error: rank {{[01]}}: the program wrote to memory in flight: send buffer of MPI_Send at exchange.c:12, in function exchange
// COUNTS: comm: error: rank {{[01]}}: the program wrote to memory in flight: send buffer of MPI_Alltoallv at exchange.c:31, in function vary
// BCAST: comm: this memory is in flight: receive buffer of MPI_Bcast at exchange.c:41, in function spread

module attributes {comm.abi = "openmpi4"} {
  llvm.func @touch(!llvm.ptr, !llvm.ptr)

  llvm.func @exchange(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32, %peer: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %tag = llvm.mlir.constant(7 : i32) : i32
    %r = comm.recv async buf(%out : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request loc("exchange.c":11:3)
    %s = comm.send async buf(%in : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%tag) comm(%c) -> request loc("exchange.c":12:3)
    llvm.call @touch(%in, %out) : (!llvm.ptr, !llvm.ptr) -> ()
    comm.wait request(%s)
    comm.wait request(%r)
    llvm.return
  }

  llvm.func @vary(%in: !llvm.ptr, %out: !llvm.ptr, %counts: !llvm.ptr, %displs: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.alltoallv async sendbuf(%in : !llvm.ptr) sendcounts(%counts : !llvm.ptr) sdispls(%displs : !llvm.ptr) sendtype(%t) recvbuf(%out : !llvm.ptr) recvcounts(%counts : !llvm.ptr) rdispls(%displs : !llvm.ptr) recvtype(%t) comm(%c) -> request loc("exchange.c":31:3)
    llvm.call @touch(%counts, %displs) : (!llvm.ptr, !llvm.ptr) -> ()
    comm.wait request(%r)
    llvm.return
  }

  llvm.func @spread(%buf: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %root = llvm.mlir.constant(0 : i32) : i32
    %r = comm.bcast async buffer(%buf : !llvm.ptr) count(%n) datatype(%t) root(%root) comm(%c) -> request loc("exchange.c":41:3)
    llvm.call @touch(%buf, %buf) : (!llvm.ptr, !llvm.ptr) -> ()
    comm.wait request(%r)
    llvm.return
  }
}
