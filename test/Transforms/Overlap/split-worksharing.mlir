// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that will be the body of a parallel region again: interior and rest are marked as it was, and it takes more
// work to be worth several regions.
//
// RUN: comm-opt %s --comm-split-iterations=cost=measured | FileCheck %s

#group = #llvm.access_group<id = distinct[0]<>>
#shared = #llvm.loop_annotation<parallelAccesses = #group>

module attributes {comm.abi = "openmpi4"} {
// CHECK-LABEL: llvm.func @alone(
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(4000 : i64)
// CHECK: llvm.icmp "uge" %{{.*}}, %[[LEAST]] : i64
// CHECK: comm.interior
// CHECK-NOT: loop_annotation
llvm.func @alone(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%one : i64)
^loop(%i: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.return
}

// CHECK-LABEL: llvm.func @shared(
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(40000 : i64)
// CHECK: llvm.icmp "uge" %{{.*}}, %[[LEAST]] : i64
// CHECK: comm.interior
// CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[SHARED:.*]]}
// CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[SHARED]]}
// CHECK-NOT: loop_annotation
llvm.func @shared(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%one : i64)
^loop(%i: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64) {loop_annotation = #shared}
^after:
  llvm.br ^join
^join:
  llvm.return
}
}
