// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a loop from one place equal an earlier load if nothing writes it.
// RUN: comm-opt -comm-split-iterations %s | FileCheck %s

module attributes {comm.abi = "openmpi"} {

// CHECK-LABEL: llvm.func @kept
// CHECK: llvm.load {{.*}} -> i32
// CHECK: comm.wait
// CHECK-NOT: llvm.load {{.*}} -> i32
// CHECK: llvm.return
llvm.func @kept(%g: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i64, %from: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %before = llvm.load %g : !llvm.ptr -> i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%before : i32) datatype(%type) source(%from : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.br ^rows(%zero : i64)
^rows(%i: i64):
  %asked = llvm.icmp "slt" %i, %one : i64
  llvm.cond_br %asked, ^next, ^row
^row:
  %m = llvm.load %g : !llvm.ptr -> i32
  %p = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %m, %p : i32, !llvm.ptr
  llvm.br ^next
^next:
  %j = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %more, ^rows(%j : i64), ^end
^end:
  llvm.return
}

// The message may be received there.
// CHECK-LABEL: llvm.func @received
// CHECK: comm.wait
// CHECK: llvm.load {{.*}} -> i32
// CHECK: llvm.return
llvm.func @received(%g: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i64, %from: i32) {
  %type = comm.constant "MPI_INT" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %before = llvm.load %g : !llvm.ptr -> i32
  %r = comm.recv async buf(%g : !llvm.ptr) count(%before : i32) datatype(%type) source(%from : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.br ^rows(%zero : i64)
^rows(%i: i64):
  %asked = llvm.icmp "slt" %i, %one : i64
  llvm.cond_br %asked, ^next, ^row
^row:
  %m = llvm.load %g : !llvm.ptr -> i32
  %p = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %m, %p : i32, !llvm.ptr
  llvm.br ^next
^next:
  %j = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %more, ^rows(%j : i64), ^end
^end:
  llvm.return
}

// The loop writes it, after it has loaded it.
// CHECK-LABEL: llvm.func @written
// CHECK: comm.wait
// CHECK: llvm.load {{.*}} -> i32
// CHECK: llvm.return
llvm.func @written(%g: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i64, %from: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %before = llvm.load %g : !llvm.ptr -> i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%before : i32) datatype(%type) source(%from : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.br ^rows(%zero : i64)
^rows(%i: i64):
  %asked = llvm.icmp "slt" %i, %one : i64
  llvm.cond_br %asked, ^next, ^row
^row:
  %m = llvm.load %g : !llvm.ptr -> i32
  %p = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %m, %p : i32, !llvm.ptr
  llvm.store %tag, %g : i32, !llvm.ptr
  llvm.br ^next
^next:
  %j = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %more, ^rows(%j : i64), ^end
^end:
  llvm.return
}
}
