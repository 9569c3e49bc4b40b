// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches of the llvm dialect only take values of its types: if a loop or a guard gets a separate path, handles are
// recreated from the passed values, and handles that cannot be recreated (a request) keep the code unchanged.
// RUN: comm-opt -comm-isolate-loops -verify-each %s | FileCheck %s
// RUN: comm-opt -comm-split-iterations -verify-each -split-input-file %s | FileCheck %s --check-prefix=COPY

// CHECK-LABEL: llvm.func @guarded
// CHECK: %[[POISON:.*]] = llvm.mlir.poison : !llvm.ptr
// CHECK-NEXT: llvm.cond_br %[[C:.*]], ^{{.*}}, ^[[MIDDLE:bb[0-9]+]](%[[POISON]] : !llvm.ptr)
// CHECK: %[[HANDLE:.*]] = llvm.load
// CHECK: comm.cast %[[HANDLE]]
// CHECK: llvm.br ^[[MIDDLE]](%[[HANDLE]] : !llvm.ptr)
// CHECK: ^[[MIDDLE]](%[[AGAIN:.*]]: !llvm.ptr):
// CHECK-NEXT: %[[COMM:.*]] = comm.cast %[[AGAIN]] : !llvm.ptr to !comm.comm
// CHECK-NEXT: llvm.cond_br %[[C]]
// CHECK: comm.barrier comm(%[[COMM]])
llvm.func @guarded(%n: i64, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %handles: !llvm.ptr, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %r = comm.recv async buf(%out : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%world) -> request
  comm.wait request(%r)
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^enter, ^join
^enter:
  %handle = llvm.load %handles : !llvm.ptr -> !llvm.ptr
  %comm = comm.cast %handle : !llvm.ptr to !comm.comm
  comm.barrier comm(%comm)
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^use
^use:
  comm.barrier comm(%comm)
  %x = llvm.load %out : !llvm.ptr -> f64
  llvm.store %x, %other : f64, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// If the branch decides, the parts stay together: the second one waits for the start of the first one.
// CHECK-LABEL: llvm.func @request
// CHECK: comm.wait
// CHECK: llvm.cond_br %{{.*}}, ^[[ENTER:bb[0-9]+]], ^[[JOIN:bb[0-9]+]]
// CHECK-NEXT: ^[[ENTER]]:
// CHECK: %[[R:.*]] = comm.send async
// CHECK: llvm.store
// CHECK: comm.wait request(%[[R]])
// CHECK: llvm.br ^[[JOIN]]
// CHECK-NEXT: ^[[JOIN]]:
// CHECK-NEXT: llvm.return
llvm.func @request(%n: i64, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %r = comm.recv async buf(%out : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%world) -> request
  comm.wait request(%r)
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^enter, ^join
^enter:
  %s = comm.send async buf(%out : !llvm.ptr) count(%m) datatype(%type) dest(%m) tag(%m) comm(%world) -> request
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^use
^use:
  comm.wait request(%s) {comm.followed}
  llvm.br ^join
^join:
  llvm.return
}

// One exit instead of two: it gets the handle of one of them.
// CHECK-LABEL: llvm.func @two_exits
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[MERGED:bb[0-9]+]](%{{.*}} : !llvm.ptr)
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[MERGED]](%{{.*}} : !llvm.ptr)
// CHECK: comm.barrier comm(%[[COMM:.*]])
// CHECK: ^[[MERGED]](%[[AGAIN:.*]]: !llvm.ptr):
// CHECK-NEXT: %[[COMM]] = comm.cast %[[AGAIN]] : !llvm.ptr to !comm.comm
// CHECK-NEXT: llvm.cond_br
llvm.func @two_exits(%c: i1, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %handles: !llvm.ptr, %n: i64,
                     %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %r = comm.recv async buf(%out : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%world) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %c, ^work, ^skip
^work:
  %p = llvm.getelementptr %handles[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %handle = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %comm = comm.cast %handle : !llvm.ptr to !comm.comm
  comm.barrier comm(%comm)
  llvm.cond_br %more, ^loop(%next : i64), ^use
^skip:
  llvm.cond_br %more, ^loop(%next : i64), ^end
^use:
  comm.barrier comm(%comm)
  llvm.br ^end
^end:
  llvm.return
}

// One branch at the end of both arms, and then two guards: the query of one arm gets its communicator from a handle.
// CHECK-LABEL: llvm.func @tails
// CHECK: %[[HANDLE:.*]] = llvm.load
// CHECK: llvm.br ^[[MIDDLE:bb[0-9]+]](%[[HANDLE]], %{{.*}} : !llvm.ptr, i1, !llvm.ptr)
// CHECK: ^[[MIDDLE]](%[[ONE:.*]]: !llvm.ptr, %{{.*}}: i1, %[[OTHER:.*]]: !llvm.ptr):
// CHECK: %[[AGAIN:.*]] = llvm.select %{{.*}}, %[[ONE]], %[[OTHER]] : i1, !llvm.ptr
// CHECK: %[[COMM:.*]] = comm.cast %[[AGAIN]] : !llvm.ptr to !comm.comm
// CHECK: comm.barrier comm(%[[COMM]])
llvm.func @tails(%n: i64, %buffer: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %handles: !llvm.ptr, %x: f64) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %ten = llvm.mlir.constant(10 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%count) datatype(%type) source(%count) tag(%count) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %some, ^pre, ^none
^pre:
  %handle = llvm.load %handles : !llvm.ptr -> !llvm.ptr
  %comm = comm.cast %handle : !llvm.ptr to !comm.comm
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^swept
^swept:
  %m = llvm.urem %t, %ten : i64
  %isTime = llvm.icmp "eq" %m, %zero : i64
  llvm.cond_br %isTime, ^residual, ^end
^none:
  %m2 = llvm.urem %t, %ten : i64
  %isTime2 = llvm.icmp "eq" %m2, %zero : i64
  llvm.cond_br %isTime2, ^idle, ^end
^residual:
  comm.barrier comm(%comm)
  llvm.br ^end
^idle:
  comm.barrier comm(%world)
  llvm.br ^end
^end:
  %tnext = llvm.add %t, %one : i64
  %again = llvm.icmp "slt" %tnext, %n : i64
  llvm.cond_br %again, ^turn(%tnext : i64), ^leave
^leave:
  llvm.return
}

// An arm with an exchange gets a copy of the loop after it. The barrier after both has the communicator of either.
// COPY-LABEL: llvm.func @copied
// COPY: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[AFTER:bb[0-9]+]](%{{[0-9]+}} : !llvm.ptr)
// COPY: ^[[AFTER]](%[[AGAIN:.*]]: !llvm.ptr):
// COPY-NEXT: %[[COMM:.*]] = comm.cast %[[AGAIN]] : !llvm.ptr to !comm.comm
// COPY-NEXT: comm.barrier comm(%[[COMM]])
llvm.func @copied(%c: i1, %n: i64, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %handles: !llvm.ptr, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  llvm.cond_br %c, ^exchange, ^alone
^exchange:
  %r = comm.recv async buf(%out : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%world) -> request
  comm.wait request(%r)
  %x = llvm.load %out : !llvm.ptr -> f64
  llvm.store %x, %other : f64, !llvm.ptr
  llvm.br ^join
^alone:
  comm.barrier comm(%world)
  llvm.br ^join
^join:
  %handle = llvm.load %handles : !llvm.ptr -> !llvm.ptr
  %comm = comm.cast %handle : !llvm.ptr to !comm.comm
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^after
^after:
  comm.barrier comm(%comm)
  llvm.return
}

// The last value of a split loop, and other values that a branch does not take: the loop stays whole there.
// COPY-LABEL: llvm.func @split
// COPY: comm.cast
// COPY: comm.cast
// COPY: ^{{bb[0-9]+}}(%[[AGAIN:[0-9]+]]: !llvm.ptr):{{.*}}// pred:
// COPY-NEXT: %[[COMM:.*]] = comm.cast %[[AGAIN]] : !llvm.ptr to !comm.comm
// COPY-NEXT: comm.barrier comm(%[[COMM]])
llvm.func @split(%n: i64, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %handles: !llvm.ptr {llvm.noalias}, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %r = comm.recv async buf(%out : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%world) -> request
  comm.wait request(%r)
  %x = llvm.load %out : !llvm.ptr -> f64
  llvm.store %x, %other : f64, !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %handle = llvm.getelementptr %handles[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %comm = comm.cast %handle : !llvm.ptr to !comm.comm
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^use
^use:
  comm.barrier comm(%comm)
  llvm.return
}

// -----

// COPY-LABEL: llvm.func @whole
// COPY: ^[[LOOP:.*]](%{{.*}}: i64):
// COPY: memref.load
// COPY: llvm.cond_br %{{.*}}, ^[[LOOP]](%{{.*}} : i64), ^
// COPY-NOT: llvm.cond_br
llvm.func @whole(%n: i64, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %numbers: !llvm.ptr {llvm.noalias}, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %memory = builtin.unrealized_conversion_cast %numbers : !llvm.ptr to memref<index>
  %r = comm.recv async buf(%out : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%world) -> request
  comm.wait request(%r)
  %x = llvm.load %out : !llvm.ptr -> f64
  llvm.store %x, %other : f64, !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %number = memref.load %memory[] : memref<index>
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^use
^use:
  memref.store %number, %memory[] : memref<index>
  llvm.return
}
