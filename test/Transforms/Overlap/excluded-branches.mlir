// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that does nothing where a branch is entered may pass it, whatever the branch does.
// RUN: comm-opt -comm-move-slices %s | FileCheck %s

llvm.func @report(!llvm.ptr)

// CHECK-LABEL: llvm.func @excluded
// CHECK: comm.recv async
// CHECK: comm.interior
// CHECK: comm.wait
// CHECK-NEXT: llvm.cond_br %{{.*}} {comm.label = 2 : i64}
llvm.func @excluded(%in: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32,
                    %reports: i1, %runs: i1) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) {comm.label = 1 : i64} -> request
  comm.wait request(%r)
  llvm.cond_br %reports, ^report, ^after {comm.label = 2 : i64}
^report:
  llvm.call @report(%in) : (!llvm.ptr) -> ()
  llvm.br ^after
^after:
  llvm.cond_br %runs, ^loop(%zero : i64), ^end {comm.excludes = array<i64: 2>, comm.interior = array<i64: 1, 2>}
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^end
^end:
  llvm.return
}

// Without it, the function that may exit keeps its place.
// CHECK-LABEL: llvm.func @kept
// CHECK: comm.wait
// CHECK-NEXT: llvm.cond_br %{{.*}} {comm.label = 2 : i64}
// CHECK: comm.interior
llvm.func @kept(%in: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32,
                %reports: i1, %runs: i1) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) {comm.label = 1 : i64} -> request
  comm.wait request(%r)
  llvm.cond_br %reports, ^report, ^after {comm.label = 2 : i64}
^report:
  llvm.call @report(%in) : (!llvm.ptr) -> ()
  llvm.br ^after
^after:
  llvm.cond_br %runs, ^loop(%zero : i64), ^end {comm.interior = array<i64: 1, 2>}
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^end
^end:
  llvm.return
}
