// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a team will run a former worksharing loop: no message progresses there.
//
// RUN: comm-opt --comm-insert-progress %s | FileCheck %s

#group = #llvm.access_group<id = distinct[0]<>>
#shared = #llvm.loop_annotation<parallelAccesses = #group>

module attributes {comm.abi = "openmpi4"} {
  // CHECK-LABEL: llvm.func @shared(
  // CHECK-NOT: llvm.call @comm_
  llvm.func @shared(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^header(%zero : i64)
  ^header(%i: i64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %next = llvm.add %i, %one : i64
    %over = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %over, ^exit, ^header(%next : i64) {loop_annotation = #shared}
  ^exit:
    comm.wait request(%r)
    llvm.return
  }

  // CHECK-LABEL: llvm.func @alone(
  // CHECK: llvm.call @comm.call_begin_progress
  llvm.func @alone(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^header(%zero : i64)
  ^header(%i: i64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %next = llvm.add %i, %one : i64
    %over = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %over, ^exit, ^header(%next : i64)
  ^exit:
    comm.wait request(%r)
    llvm.return
  }
}
