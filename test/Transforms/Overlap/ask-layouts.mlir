// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries the runtime before a start about a datatype that is unknown in the function. Not about a predefined one, nor
// one that this function makes, and once for both buffers that have it.
// RUN: comm-opt -comm-ask-layouts -verify-each %s | FileCheck %s
// RUN: comm-opt -comm-ask-layouts -comm-split-iterations -comm-move-slices -verify-each %s | FileCheck %s --check-prefix=SPLIT

// CHECK-DAG: llvm.func @comm.ask_type_layout(!llvm.ptr) -> !llvm.ptr attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = read, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, passthrough = [{{.*}}], will_return}

llvm.mlir.global external @column_type() : !llvm.ptr
llvm.func @MPI_Type_vector(i32, i32, i32, !llvm.ptr, !llvm.ptr) -> i32

// CHECK-LABEL: llvm.func @column
// CHECK: %[[HANDLE:.*]] = llvm.load
// CHECK-NOT: comm.recv
// CHECK: %[[LAYOUT:.*]] = llvm.call @comm.ask_type_layout(%[[HANDLE]])
// CHECK-DAG: llvm.call @comm.ask_type_begin(%[[LAYOUT]])
// CHECK-DAG: llvm.call @comm.ask_type_size(%[[LAYOUT]])
// CHECK-DAG: llvm.call @comm.ask_type_stride(%[[LAYOUT]])
// CHECK-DAG: llvm.call @comm.ask_type_count(%[[LAYOUT]])
// CHECK-DAG: llvm.call @comm.ask_type_extent(%[[LAYOUT]])
// CHECK-DAG: llvm.call @comm.ask_type_column(%[[LAYOUT]])
// CHECK: comm.recv async
// CHECK-NOT: comm.ask_type_layout
// CHECK: comm.send async

// The loop over the columns of rows of %s cells runs in two parts, one of them before the wait.
// SPLIT-LABEL: llvm.func @column
// SPLIT: comm.recv async
// SPLIT: comm.interior
// SPLIT: llvm.store
// SPLIT: comm.wait request
llvm.func @column(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %s: i64, %peer: i32) {
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  %address = llvm.mlir.addressof @column_type : !llvm.ptr
  %handle = llvm.load %address : !llvm.ptr -> !llvm.ptr
  %type = comm.cast %handle : !llvm.ptr to !comm.datatype
  %first = llvm.getelementptr inbounds %u[1] : (!llvm.ptr) -> !llvm.ptr, f64
  %second = llvm.getelementptr inbounds %v[%m] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %r = comm.recv async buf(%first : !llvm.ptr) count(%count) datatype(%type) source(%peer) tag(%count) comm(%world) -> request
  %q = comm.send async buf(%second : !llvm.ptr) count(%count) datatype(%type) dest(%peer) tag(%count) comm(%world) -> request
  comm.wait request(%q)
  comm.wait request(%r)
  llvm.br ^rows(%zero : i64)
^rows(%i: i64):
  %row = llvm.mul %i, %s : i64
  llvm.br ^columns(%zero : i64)
^columns(%j: i64):
  %at = llvm.add %row, %j : i64
  %from = llvm.getelementptr inbounds %u[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %from : !llvm.ptr -> f64
  %to = llvm.getelementptr inbounds %v[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %to : f64, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  %moreColumns = llvm.icmp "slt" %j1, %s : i64
  llvm.cond_br %moreColumns, ^columns(%j1 : i64), ^next
^next:
  %i1 = llvm.add %i, %one : i64
  %moreRows = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %moreRows, ^rows(%i1 : i64), ^end
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @known
// CHECK-NOT: comm.ask_type
// CHECK: llvm.return
llvm.func @known(%u: !llvm.ptr, %n: i32, %peer: i32) {
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%peer) tag(%one) comm(%world) -> request
  comm.wait request(%r)
  llvm.return
}

// The question is answered on all paths to the second message, but on one path only to the third.
// CHECK-LABEL: llvm.func @earlier
// CHECK: comm.ask_type_layout
// CHECK: comm.recv async
// CHECK-NOT: comm.ask_type_layout
// CHECK: comm.recv async
// CHECK-LABEL: llvm.func @oneArm
// CHECK-COUNT-2: comm.ask_type_layout
llvm.func @earlier(%u: !llvm.ptr, %handle: !llvm.ptr, %peer: i32, %c: i1) {
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %type = comm.cast %handle : !llvm.ptr to !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%type) source(%peer) tag(%one) comm(%world) -> request
  comm.wait request(%r)
  llvm.cond_br %c, ^one, ^two
^one:
  llvm.br ^two
^two:
  %q = comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%type) source(%peer) tag(%one) comm(%world) -> request
  comm.wait request(%q)
  llvm.return
}

llvm.func @oneArm(%u: !llvm.ptr, %handle: !llvm.ptr, %peer: i32, %c: i1) {
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %type = comm.cast %handle : !llvm.ptr to !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.cond_br %c, ^one, ^two
^one:
  %r = comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%type) source(%peer) tag(%one) comm(%world) -> request
  comm.wait request(%r)
  llvm.br ^two
^two:
  %q = comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%type) source(%peer) tag(%one) comm(%world) -> request
  comm.wait request(%q)
  llvm.return
}
