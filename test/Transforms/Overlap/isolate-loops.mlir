// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places for a wait between loops that an optimizer has run together.
// RUN: comm-opt -comm-isolate-loops -verify-each %s | FileCheck %s
// RUN: comm-opt -comm-isolate-loops -comm-move-slices %s | FileCheck %s --check-prefix=MOVED
// RUN: comm-opt -comm-isolate-loops=max-splits=0 %s | FileCheck %s --check-prefix=NONE

// The exit of one loop is the header of the next.
// CHECK-LABEL: llvm.func @adjacent
// CHECK: comm.wait
// CHECK-NEXT: llvm.br ^[[ONE:bb[0-9]+]](%{{.*}} : i64)
// CHECK: ^[[ONE]](%{{.*}}: i64):
// CHECK: llvm.cond_br %{{.*}}, ^[[ONE]](%{{.*}} : i64), ^[[PRE:bb[0-9]+]]
// CHECK-NEXT: ^[[PRE]]:
// CHECK-NEXT: llvm.br ^[[TWO:bb[0-9]+]](%{{.*}} : i64)
// CHECK-NEXT: ^[[TWO]](%{{.*}}: i64):
// CHECK-NOT: comm.changed
// MOVED-LABEL: llvm.func @adjacent
// MOVED: comm.allreduce async
// MOVED: llvm.store
// MOVED: comm.wait
// MOVED: llvm.load
llvm.func @adjacent(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %n: i64,
                    %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%m : i32) datatype(%type) op(%op) comm(%comm) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^use(%zero : i64)
^use(%j: i64):
  %q = llvm.getelementptr %out[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %q : !llvm.ptr -> f64
  llvm.store %x, %q : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^use(%jnext : i64), ^end
^end:
  llvm.return
}

// One guard around two loops becomes a guard for each. Values that the first part computes and the second uses (%step,
// %sum) are poison if neither runs.
// CHECK-LABEL: llvm.func @guarded
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK: comm.wait
// CHECK: %[[C:.*]] = llvm.icmp "sgt" %[[N]]
// CHECK: %[[P:.*]] = llvm.mlir.poison : i64
// CHECK-NEXT: %[[Q:.*]] = llvm.mlir.poison : f64
// CHECK-NEXT: llvm.cond_br %[[C]], ^[[FIRST:bb[0-9]+]], ^[[MIDDLE:bb[0-9]+]](%[[P]], %[[Q]] : i64, f64)
// CHECK-NEXT: ^[[FIRST]]:
// CHECK-NEXT: %[[STEP:.*]] = llvm.udiv %[[N]],
// CHECK: %[[SUM:.*]] = llvm.fadd
// CHECK: llvm.br ^[[MIDDLE]](%[[STEP]], %[[SUM]] : i64, f64)
// CHECK-NEXT: ^[[MIDDLE]](%[[STEP2:.*]]: i64, %[[SUM2:.*]]: f64):
// CHECK-NEXT: llvm.cond_br %[[C]], ^[[SECOND:bb[0-9]+]], ^[[JOIN:bb[0-9]+]](%[[N]] : i64)
// CHECK-NEXT: ^[[SECOND]]:
// CHECK: llvm.fadd %{{.*}}, %[[SUM2]]
// CHECK: llvm.icmp "slt" %{{.*}}, %[[STEP2]]
// CHECK: ^[[JOIN]](%[[RESULT:.*]]: i64):
// CHECK-NEXT: llvm.return %[[RESULT]]
// MOVED-LABEL: llvm.func @guarded
// MOVED: comm.allreduce async
// MOVED: llvm.fadd
// MOVED: comm.wait
// MOVED: llvm.load %{{.*}}
// MOVED: llvm.return
// NONE-LABEL: llvm.func @guarded
// NONE-NOT: llvm.mlir.poison
// NONE: llvm.return
llvm.func @guarded(%n: i64, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias},
                   %m: i32) -> i64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%m : i32) datatype(%type) op(%op) comm(%comm) -> request
  comm.wait request(%r)
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^enter, ^join(%n : i64)
^enter:
  %step = llvm.udiv %n, %one : i64
  llvm.br ^loop(%zero, %f : i64, f64)
^loop(%i: i64, %acc: f64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %v = llvm.load %p : !llvm.ptr -> f64
  %sum = llvm.fadd %v, %acc : f64
  llvm.store %sum, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next, %sum : i64, f64), ^use(%zero : i64)
^use(%j: i64):
  %q = llvm.getelementptr %out[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %q : !llvm.ptr -> f64
  %y = llvm.fadd %x, %sum : f64
  llvm.store %y, %q : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %step : i64
  llvm.cond_br %jmore, ^use(%jnext : i64), ^join(%jnext : i64)
^join(%result: i64):
  llvm.return %result : i64
}

// Nothing to isolate for: no interval, or a guard that has nothing after its loop.
// CHECK-LABEL: llvm.func @no_interval
// CHECK: llvm.cond_br %{{.*}}, ^[[L:bb[0-9]+]](%{{.*}} : i64), ^[[L2:bb[0-9]+]](%{{.*}} : i64)
// CHECK-NEXT: ^[[L2]](
// CHECK-NEXT: llvm.getelementptr
llvm.func @no_interval(%n: i64, %other: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^use(%zero : i64)
^use(%j: i64):
  %q = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^use(%jnext : i64), ^end
^end:
  llvm.return
}

// Both arms have code: the other one stays in place, and its results continue next to the second part. %first is known
// before the second loop, so that nothing has to wait for that loop: a select.
// CHECK-LABEL: llvm.func @arms
// CHECK: llvm.cond_br %[[C:.*]], ^[[ARM:bb[0-9]+]], ^[[OTHER:bb[0-9]+]]
// CHECK: ^[[OTHER]]:
// CHECK-NEXT: llvm.store
// CHECK-NEXT: %[[P:.*]] = llvm.mlir.poison : f64
// CHECK-NEXT: llvm.br ^[[MIDDLE:bb[0-9]+]](%[[P]] : f64)
// CHECK: %[[SUM:.*]] = llvm.fadd
// CHECK: llvm.br ^[[MIDDLE]](%[[SUM]] : f64)
// CHECK-NEXT: ^[[MIDDLE]](%[[A:.*]]: f64):
// CHECK-NEXT: %[[S:.*]] = llvm.select %[[C]], %[[A]], %[[X:.*]] : i1, f64
// CHECK-NEXT: llvm.cond_br %[[C]], ^[[SECOND:bb[0-9]+]], ^[[JOIN:bb[0-9]+]](%[[X]], %{{.*}} : f64, i64)
// CHECK: ^[[JOIN]](%{{.*}}: f64, %[[LAST:.*]]: i64):
// CHECK: llvm.store %[[S]]
// CHECK: llvm.return %[[LAST]]
llvm.func @arms(%n: i64, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias},
                %m: i32) -> i64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^enter, ^else
^else:
  llvm.store %f, %other : f64, !llvm.ptr
  llvm.br ^join(%f, %n : f64, i64)
^enter:
  llvm.br ^loop(%zero, %f : i64, f64)
^loop(%i: i64, %acc: f64):
  %p = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %v = llvm.load %p : !llvm.ptr -> f64
  %sum = llvm.fadd %v, %acc : f64
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next, %sum : i64, f64), ^use(%zero : i64)
^use(%j: i64):
  %q = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %q : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^use(%jnext : i64), ^join(%sum, %jnext : f64, i64)
^join(%first: f64, %last: i64):
  llvm.store %first, %in : f64, !llvm.ptr
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%m : i32) datatype(%type) op(%op) comm(%comm) -> request
  comm.wait request(%r)
  llvm.return %last : i64
}

// An optimizer that knows the guard of the next loop in the last iteration bypasses it with one of the exits: there is
// a single exit again, and it tests the guard.
// CHECK-LABEL: llvm.func @two_exits
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1
// CHECK: comm.wait
// CHECK: llvm.store
// CHECK-NEXT: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[MERGED:bb[0-9]+]]{{$}}
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[MERGED]]{{$}}
// CHECK: ^[[MERGED]]:
// CHECK-NEXT: llvm.cond_br %[[C]], ^{{bb[0-9]+}}, ^{{bb[0-9]+}}
llvm.func @two_exits(%c: i1, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %n: i64,
                     %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%m : i32) datatype(%type) op(%op) comm(%comm) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %c, ^work, ^skip
^work:
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  llvm.cond_br %more, ^loop(%next : i64), ^use
^skip:
  llvm.cond_br %more, ^loop(%next : i64), ^end
^use:
  %x = llvm.load %out : !llvm.ptr -> f64
  llvm.store %x, %other : f64, !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}

// Numbers that the arms of a branch pass on, but that depend on nothing in them: one is computed in both arms, one in
// the arm with the loop, and one by the loop.
// CHECK-LABEL: llvm.func @numbers
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK: %[[C:.*]] = llvm.icmp "sgt" %[[N]]
// CHECK-DAG: %[[BOTH:[0-9]+]] = llvm.add %[[N]], %{{[0-9]+}} : i64
// CHECK-DAG: %[[TWICE:[0-9]+]] = llvm.mul %[[N]],
// CHECK: %[[ONE:.*]] = llvm.select %[[C]], %[[TWICE]], %[[N]]
// CHECK: llvm.cond_br %[[C]]
// CHECK: %[[SUM:.*]] = llvm.fadd
// CHECK: llvm.getelementptr %{{.*}}[%[[BOTH]]]
// CHECK: llvm.getelementptr %{{.*}}[%[[ONE]]]
// CHECK: llvm.return %{{.*}} : f64
// MOVED-LABEL: llvm.func @numbers
llvm.func @numbers(%n: i64, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %m: i32) -> f64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^enter, ^else
^else:
  %a = llvm.add %n, %one overflow<nsw> : i64
  llvm.br ^join(%a, %n, %f : i64, i64, f64)
^enter:
  %b = llvm.add %n, %one overflow<nuw> : i64
  %twice = llvm.mul %n, %two : i64
  llvm.br ^loop(%zero, %f : i64, f64)
^loop(%i: i64, %acc: f64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %v = llvm.load %p : !llvm.ptr -> f64
  %sum = llvm.fadd %v, %acc : f64
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next, %sum : i64, f64), ^leave
^leave:
  llvm.br ^join(%b, %twice, %sum : i64, i64, f64)
^join(%x: i64, %y: i64, %z: f64):
  %from = llvm.getelementptr %in[%x] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %to = llvm.getelementptr %out[%y] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = comm.send async buf(%from : !llvm.ptr) count(%m : i32) datatype(%type) dest(%m) tag(%m) comm(%comm) -> request
  %r = comm.recv async buf(%to : !llvm.ptr) count(%m : i32) datatype(%type) source(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%s)
  comm.wait request(%r)
  llvm.return %z : f64
}

// A trip count that LLVM computes in the guard of the first loop, for the next one as well.
// CHECK-LABEL: llvm.func @trips
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK: %[[TRIPS:.*]] = llvm.intr.smax(%[[N]],
// CHECK: llvm.cond_br
// CHECK: comm.send async {{.*}} count(%[[TRIPS]] : i64)
llvm.func @trips(%n: i64, %in: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %none = llvm.mlir.poison : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^enter, ^join(%none : i64)
^enter:
  %trips = llvm.intr.smax(%n, %one) : (i64, i64) -> i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %trips : i64
  llvm.cond_br %more, ^loop(%next : i64), ^leave
^leave:
  llvm.br ^join(%trips : i64)
^join(%x: i64):
  %s = comm.send async buf(%in : !llvm.ptr) count(%x : i64) datatype(%type) dest(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%s)
  llvm.return
}

// `c && d`: the first condition alone does not determine the passed values, since one arm leads to the other.
// CHECK-LABEL: llvm.func @and
// CHECK-NOT: llvm.select
// CHECK: llvm.return
llvm.func @and(%n: i64, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %m: i32) -> i64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^loop(%zero : i64), ^else
^else:
  llvm.br ^join(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^second
^second:
  %d = llvm.icmp "sgt" %n, %one : i64
  llvm.cond_br %d, ^then, ^else
^then:
  llvm.br ^join(%one : i64)
^join(%x: i64):
  %from = llvm.getelementptr %in[%x] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = comm.send async buf(%from : !llvm.ptr) count(%m : i32) datatype(%type) dest(%m) tag(%m) comm(%comm) -> request
  %r = comm.recv async buf(%out : !llvm.ptr) count(%m : i32) datatype(%type) source(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%s)
  comm.wait request(%r)
  llvm.return %x : i64
}

// Two guards around two loops: each loop has both guards of its own.
// CHECK-LABEL: llvm.func @nested
// CHECK-SAME: %[[N:.*]]: i64, %[[M:.*]]: i64,
// CHECK: comm.wait
// CHECK: %[[C:.*]] = llvm.icmp "sgt" %[[N]]
// CHECK: llvm.cond_br %[[C]]
// CHECK: llvm.store
// CHECK: llvm.cond_br %[[C]]
// CHECK: llvm.load
// CHECK: llvm.return
llvm.func @nested(%n: i64, %m: i64, %in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %number: i32) -> f64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %s = comm.send async buf(%in : !llvm.ptr) count(%number : i32) datatype(%type) dest(%number) tag(%number) comm(%comm) -> request
  comm.wait request(%s)
  %c = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %c, ^inner, ^join(%f : f64)
^inner:
  %d = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %d, ^first(%zero : i64), ^join(%f : f64)
^first(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^first(%next : i64), ^second(%zero, %f : i64, f64)
^second(%j: i64, %sum: f64):
  %q = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %v = llvm.load %q : !llvm.ptr -> f64
  %added = llvm.fadd %sum, %v : f64
  %after = llvm.add %j, %one : i64
  %again = llvm.icmp "slt" %after, %n : i64
  llvm.cond_br %again, ^second(%after, %added : i64, f64), ^join(%added : f64)
^join(%x: f64):
  llvm.return %x : f64
}

// A variable that a message sends later is a value while a loop computes it, a store under a condition a select.
// CHECK-LABEL: llvm.func @carried
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(1.000000e+00 : f64)
// CHECK: %[[SUM:.*]] = llvm.alloca
// CHECK: llvm.store %[[FIRST]], %[[SUM]]
// CHECK-NEXT: llvm.br ^{{.*}}(%{{.*}}, %[[FIRST]] : i64, f64)
// CHECK: ^{{.*}}(%{{.*}}: i64, %[[OLD:.*]]: f64):
// CHECK: %[[GREATER:.*]] = llvm.fcmp "ogt" %[[X:.*]], %[[OLD]]
// CHECK: %[[NEXT:.*]] = llvm.select %[[GREATER]], %[[X]], %[[OLD]]
// CHECK: llvm.store %{{.*}}, %[[SUM]]
// CHECK: comm.send async buf(%[[SUM]]
llvm.func @carried(%u: !llvm.ptr, %n: i64, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %number = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %sum = llvm.alloca %number x f64 : (i32) -> !llvm.ptr
  llvm.store %f, %sum : f64, !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  llvm.store %f, %p : f64, !llvm.ptr
  %old = llvm.load %sum : !llvm.ptr -> f64
  %greater = llvm.fcmp "ogt" %x, %old : f64
  llvm.cond_br %greater, ^larger, ^next
^larger:
  llvm.store %x, %sum : f64, !llvm.ptr
  llvm.br ^next
^next:
  %i1 = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %i1, %n : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^after
^after:
  %r = comm.send async buf(%sum : !llvm.ptr) count(%number : i32) datatype(%type) dest(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%r)
  llvm.return
}

// A value that a message has changed since it was stored is loaded.
// CHECK-LABEL: llvm.func @carried_from_message
// CHECK: %[[SUM:.*]] = llvm.alloca
// CHECK: comm.wait
// CHECK: %[[FIRST:.*]] = llvm.load %[[SUM]]
// CHECK: llvm.br ^{{.*}}(%{{.*}}, %[[FIRST]] : i64, f64)
llvm.func @carried_from_message(%u: !llvm.ptr, %n: i64, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %number = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %sum = llvm.alloca %number x f64 : (i32) -> !llvm.ptr
  llvm.store %f, %sum : f64, !llvm.ptr
  %r = comm.recv async buf(%sum : !llvm.ptr) count(%number : i32) datatype(%type) source(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %old = llvm.load %sum : !llvm.ptr -> f64
  %new = llvm.fadd %x, %old : f64
  llvm.store %new, %sum : f64, !llvm.ptr
  %i1 = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %i1, %n : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^after
^after:
  llvm.return
}

// A value and a variable that begin alike and go alike are one.
// CHECK-LABEL: llvm.func @carried_twice
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0.000000e+00 : f64)
// CHECK: llvm.br ^{{.*}}(%{{.*}}, %[[FIRST]] : i64, f64)
// CHECK-NEXT: ^{{.*}}(%{{.*}}: i64, %[[OLD:.*]]: f64):
// CHECK: llvm.intr.maxnum(%[[OLD]], %{{.*}})
llvm.func @carried_twice(%u: !llvm.ptr, %n: i64, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %number = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %sum = llvm.alloca %number x f64 : (i32) -> !llvm.ptr
  llvm.store %f, %sum : f64, !llvm.ptr
  llvm.br ^loop(%zero, %f : i64, f64)
^loop(%i: i64, %old: f64):
  %p = llvm.getelementptr %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %new = llvm.intr.maxnum(%old, %x) : (f64, f64) -> f64
  llvm.store %new, %sum : f64, !llvm.ptr
  %i1 = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %i1, %n : i64
  llvm.cond_br %more, ^loop(%i1, %new : i64, f64), ^after
^after:
  %r = comm.send async buf(%sum : !llvm.ptr) count(%number : i32) datatype(%type) dest(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%r)
  llvm.return
}

// Values that may be received in the meantime stay, even if the loop would only write back the loaded ones.
// CHECK-LABEL: llvm.func @inflight
// CHECK: %[[SUM:.*]] = llvm.alloca
// CHECK: comm.recv async buf(%[[SUM]]
// CHECK: llvm.load %[[SUM]]
// CHECK-NEXT: llvm.fcmp
// CHECK: llvm.store %{{.*}}, %[[SUM]]
// CHECK: comm.wait
llvm.func @inflight(%u: !llvm.ptr, %n: i64, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %number = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %sum = llvm.alloca %number x f64 : (i32) -> !llvm.ptr
  llvm.store %f, %sum : f64, !llvm.ptr
  %r = comm.recv async buf(%sum : !llvm.ptr) count(%number : i32) datatype(%type) source(%m) tag(%m) comm(%comm) -> request
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  llvm.store %f, %p : f64, !llvm.ptr
  %old = llvm.load %sum : !llvm.ptr -> f64
  %greater = llvm.fcmp "ogt" %x, %old : f64
  llvm.cond_br %greater, ^larger, ^next
^larger:
  llvm.store %x, %sum : f64, !llvm.ptr
  llvm.br ^next
^next:
  %i1 = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %i1, %n : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^after
^after:
  comm.wait request(%r)
  llvm.return
}

// A small variable of a message is alive for the whole function if its lifetime starts in the arms of threaded guards:
// a loop there is unrelated to the message. If its lifetime starts next to the message it stays unchanged.
// CHECK-LABEL: llvm.func @threaded
// CHECK: %[[SUM:.*]] = llvm.alloca
// CHECK: %[[ALL:.*]] = llvm.alloca
// CHECK-NOT: lifetime.start %[[SUM]]
// CHECK: lifetime.start %[[ALL]]
// CHECK-NEXT: comm.allreduce
// CHECK-NOT: lifetime.end %[[SUM]]
// CHECK: lifetime.end %[[ALL]]
// CHECK: llvm.return
// MOVED-LABEL: llvm.func @threaded
// MOVED: comm.allreduce
// MOVED: llvm.store %{{.*}} : f64
// MOVED: comm.wait
llvm.func @threaded(%v: !llvm.ptr {llvm.noalias}, %n: i64, %x: f64) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  %sum = llvm.alloca %one x f64 : (i64) -> !llvm.ptr
  %all = llvm.alloca %one x f64 : (i64) -> !llvm.ptr
  %some = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %some, ^pre, ^none
^pre:
  llvm.intr.lifetime.start %sum : !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^send
^none:
  llvm.intr.lifetime.start %sum : !llvm.ptr
  llvm.br ^send
^send:
  llvm.store %x, %sum : f64, !llvm.ptr
  llvm.intr.lifetime.start %all : !llvm.ptr
  %r = comm.allreduce async sendbuf(%sum : !llvm.ptr) recvbuf(%all : !llvm.ptr) count(%count : i32) datatype(%type) op(%op) comm(%comm) -> request
  comm.wait request(%r)
  llvm.intr.lifetime.end %all : !llvm.ptr
  llvm.intr.lifetime.end %sum : !llvm.ptr
  llvm.return
}

// The address of a vector's elements is determined before the loop if the vector is private to this function.
// CHECK-LABEL: llvm.func @vector
// CHECK: %[[VECTOR:.*]] = llvm.alloca
// CHECK: llvm.call @fill(%[[VECTOR]])
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[VECTOR]][8]
// CHECK-NEXT: %[[ELEMENTS:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.br ^[[TURN:bb[0-9]+]]
// CHECK: ^[[TURN]]({{.*}}):
// CHECK: comm.wait
// CHECK-NOT: llvm.load
// CHECK: llvm.getelementptr %[[ELEMENTS]]
// The first word changes in the loop.
// CHECK: llvm.load %[[VECTOR]] : !llvm.ptr -> i64
// CHECK: llvm.call @destroy
llvm.func @fill(!llvm.ptr {llvm.nocapture})
llvm.func @destroy(!llvm.ptr)
llvm.func @vector(%buffer: !llvm.ptr, %n: i64, %x: f64) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  %v = llvm.alloca %one x !llvm.struct<(i64, ptr)> : (i64) -> !llvm.ptr
  llvm.call @fill(%v) : (!llvm.ptr) -> ()
  llvm.br ^turn(%zero : i64)
^turn(%i: i64):
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%count) datatype(%type) source(%count) tag(%count) comm(%comm) -> request
  comm.wait request(%r)
  %field = llvm.getelementptr %v[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %elements = llvm.load %field : !llvm.ptr -> !llvm.ptr
  %p = llvm.getelementptr %elements[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %p : f64, !llvm.ptr
  %number = llvm.load %v : !llvm.ptr -> i64
  llvm.store %i, %v : i64, !llvm.ptr
  %next = llvm.add %i, %number : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^turn(%next : i64), ^end
^end:
  llvm.call @destroy(%v) : (!llvm.ptr) -> ()
  llvm.return
}

// The address has escaped before the loop: any call may change the variable.
// CHECK-LABEL: llvm.func @known_vector
// CHECK: llvm.call @destroy
// CHECK: comm.wait
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
llvm.func @known_vector(%buffer: !llvm.ptr, %n: i64, %x: f64) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  %v = llvm.alloca %one x !llvm.struct<(i64, ptr)> : (i64) -> !llvm.ptr
  llvm.call @destroy(%v) : (!llvm.ptr) -> ()
  llvm.br ^turn(%zero : i64)
^turn(%i: i64):
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%count) datatype(%type) source(%count) tag(%count) comm(%comm) -> request
  comm.wait request(%r)
  %field = llvm.getelementptr %v[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %elements = llvm.load %field : !llvm.ptr -> !llvm.ptr
  %p = llvm.getelementptr %elements[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^turn(%next : i64), ^end
^end:
  llvm.return
}

// Both paths of the guard test for the residual: they join before a single test, and the sweep becomes a separate unit.
// Values that the sweep computes and the residual uses are passed on.
// CHECK-LABEL: llvm.func @tails
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK: comm.wait
// CHECK: %[[GUARD:.*]] = llvm.icmp "sgt" %[[N]]
// CHECK: llvm.cond_br %[[GUARD]], ^[[SWEEP:bb[0-9]+]], ^[[IDLE:bb[0-9]+]]
// CHECK: ^[[IDLE]]:
// CHECK: %[[POISON:.*]] = llvm.mlir.poison : f64
// CHECK-NEXT: llvm.br ^[[JOIN:bb[0-9]+]](%{{.*}}, %[[POISON]] : i1, f64)
// CHECK: ^[[JOIN]](%[[TIME:[a-z0-9]+]]: i1, %[[LAST:[a-z0-9]+]]: f64):
// CHECK-NEXT: llvm.cond_br %[[TIME]], ^[[RESIDUAL:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[RESIDUAL]]:
// CHECK-NEXT: llvm.cond_br %[[GUARD]], ^{{.*}}, ^{{.*}}
// CHECK: llvm.call @use(%[[LAST]])
llvm.func @use(f64)
llvm.func @tails(%n: i64, %buffer: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %x: f64) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %ten = llvm.mlir.constant(10 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%count) datatype(%type) source(%count) tag(%count) comm(%comm) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %some, ^pre, ^none
^pre:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %p : f64, !llvm.ptr
  %y = llvm.fadd %x, %x : f64
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
  llvm.call @use(%y) : (f64) -> ()
  llvm.br ^end
^idle:
  llvm.call @use(%x) : (f64) -> ()
  llvm.br ^end
^end:
  %tnext = llvm.add %t, %one : i64
  %again = llvm.icmp "slt" %tnext, %n : i64
  llvm.cond_br %again, ^turn(%tnext : i64), ^leave
^leave:
  llvm.return
}

// A loop in each arm: one arm comes after the other.
// CHECK-LABEL: llvm.func @separate_arms
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1
// CHECK: comm.wait
// CHECK: llvm.cond_br %[[C]], ^[[NOTHING:bb[0-9]+]], ^[[ELSE:bb[0-9]+]]
// CHECK: ^[[NOTHING]]:
// CHECK: %[[POISON:.*]] = llvm.mlir.poison : f64
// CHECK: llvm.br ^[[MIDDLE:bb[0-9]+]](%[[POISON]] : f64)
// CHECK: ^[[MIDDLE]](%[[HANDED:[a-z0-9]+]]: f64):
// CHECK-NEXT: %[[RESULT:.*]] = llvm.select %[[C]], %{{.*}}, %[[HANDED]] : i1, f64
// CHECK-NEXT: llvm.cond_br %[[C]], ^{{bb[0-9]+}}, ^{{bb[0-9]+}}(%[[HANDED]] : f64)
// CHECK: ^[[ELSE]]:
// CHECK: llvm.br ^[[MIDDLE]](%{{.*}} : f64)
// CHECK: llvm.return %[[RESULT]]
llvm.func @separate_arms(%c: i1, %n: i64, %buffer: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %x: f64) -> f64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%count) datatype(%type) source(%count) tag(%count) comm(%comm) -> request
  comm.wait request(%r)
  llvm.cond_br %c, ^then, ^else
^then:
  llvm.br ^first(%zero : i64)
^first(%i: i64):
  %p = llvm.getelementptr %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^first(%next : i64), ^join(%x : f64)
^else:
  llvm.br ^second(%one : i64)
^second(%j: i64):
  %q = llvm.getelementptr %v[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %y = llvm.load %q : !llvm.ptr -> f64
  %z = llvm.fadd %x, %y : f64
  llvm.store %z, %q : f64, !llvm.ptr
  %next2 = llvm.add %j, %one : i64
  %more2 = llvm.icmp "slt" %next2, %n : i64
  llvm.cond_br %more2, ^second(%next2 : i64), ^join(%z : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// If the first loop has run, the guard of the second one is known to hold (%n > 0), and control bypassed it. It returns
// to the guard.
// CHECK-LABEL: llvm.func @bypassed
// CHECK: comm.wait
// CHECK: %[[EMPTY:.*]] = llvm.icmp "slt"
// CHECK: %[[SKIP:.*]] = llvm.or
// CHECK: llvm.cond_br %[[SKIP]], ^[[ASK:bb[0-9]+]], ^{{bb[0-9]+}}
// CHECK: ^[[ASK]]:
// CHECK-NEXT: llvm.br ^[[GUARD:bb[0-9]+]]
// CHECK: ^[[GUARD]]:
// CHECK-NEXT: llvm.cond_br %[[EMPTY]], ^{{bb[0-9]+}}, ^{{bb[0-9]+}}
llvm.func @bypassed(%in: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %n: i64,
                    %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %nobody = llvm.mlir.constant(-2 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  %none = llvm.icmp "slt" %n, %one : i64
  %alone = llvm.icmp "eq" %left, %nobody : i32
  %skip = llvm.or %none, %alone : i1
  llvm.cond_br %skip, ^ask, ^unpack(%zero : i64)
^unpack(%i: i64):
  %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^unpack(%next : i64), ^last
^last:
  llvm.br ^second
^ask:
  llvm.cond_br %none, ^end, ^second
^second:
  llvm.br ^stencil(%zero : i64)
^stencil(%j: i64):
  %s = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %s : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^stencil(%jnext : i64), ^end
^end:
  llvm.return
}

// If there is nothing to unpack, control bypassed both loops, with the values that the second guard passes on. It
// returns to that guard, where both paths meet.
// CHECK-LABEL: llvm.func @skipped
// CHECK: comm.wait
// CHECK: %[[EMPTY:.*]] = llvm.icmp "slt"
// CHECK: %[[ALONE:.*]] = llvm.icmp "eq"
// CHECK: llvm.cond_br %[[ALONE]], ^[[ASK:bb[0-9]+]], ^[[GUARD:bb[0-9]+]]
// CHECK: ^[[GUARD]]:
// CHECK-NEXT: llvm.cond_br %[[EMPTY]], ^[[ARM:bb[0-9]+]], ^{{bb[0-9]+}}
// CHECK: ^[[ASK]]:
// CHECK-NEXT: llvm.br ^[[MEET:bb[0-9]+]]
// CHECK: ^[[ARM]]:
// CHECK-NEXT: llvm.br ^[[MEET]]
// CHECK: ^[[MEET]]:
// CHECK-NEXT: llvm.cond_br %[[EMPTY]], ^{{bb[0-9]+}}(%{{.*}} : i64), ^{{bb[0-9]+}}
llvm.func @skipped(%in: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %n: i64,
                   %left: i32, %m: i32) -> i64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %nobody = llvm.mlir.constant(-2 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  %none = llvm.icmp "slt" %n, %one : i64
  %alone = llvm.icmp "eq" %left, %nobody : i32
  llvm.cond_br %alone, ^ask, ^guard
^guard:
  llvm.cond_br %none, ^end(%zero : i64), ^unpack(%zero : i64)
^unpack(%i: i64):
  %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^unpack(%next : i64), ^last
^last:
  llvm.br ^second
^ask:
  llvm.cond_br %none, ^end(%zero : i64), ^second
^second:
  llvm.br ^stencil(%zero : i64)
^stencil(%j: i64):
  %s = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %s : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^stencil(%jnext : i64), ^end(%jnext : i64)
^end(%result: i64):
  llvm.return %result : i64
}

// The way hands over something else: it stays.
// CHECK-LABEL: llvm.func @notSkipped
// CHECK: %[[EMPTY:.*]] = llvm.icmp "slt"
// CHECK: llvm.cond_br %[[EMPTY]], ^[[END:bb[0-9]+]](%[[N:.*]] : i64), ^{{bb[0-9]+}}
// CHECK: llvm.cond_br %[[EMPTY]], ^[[END]](%{{.*}} : i64), ^{{bb[0-9]+}}
llvm.func @notSkipped(%in: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias},
                      %n: i64, %left: i32, %m: i32) -> i64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %nobody = llvm.mlir.constant(-2 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  %none = llvm.icmp "slt" %n, %one : i64
  %alone = llvm.icmp "eq" %left, %nobody : i32
  llvm.cond_br %alone, ^ask, ^guard
^guard:
  llvm.cond_br %none, ^end(%n : i64), ^unpack(%zero : i64)
^unpack(%i: i64):
  %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^unpack(%next : i64), ^last
^last:
  llvm.br ^second
^ask:
  llvm.cond_br %none, ^end(%zero : i64), ^second
^second:
  llvm.br ^stencil(%zero : i64)
^stencil(%j: i64):
  %s = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %s : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^stencil(%jnext : i64), ^end(%jnext : i64)
^end(%result: i64):
  llvm.return %result : i64
}

// The condition is unknown on the other path: nothing is redirected.
// CHECK-LABEL: llvm.func @notBypassed
// CHECK: %[[EMPTY:.*]] = llvm.icmp "slt"
// CHECK: // pred: ^bb0
// CHECK: // pred: ^bb0
// CHECK-NEXT: llvm.cond_br %[[EMPTY]], ^{{bb[0-9]+}}, ^{{bb[0-9]+}}
llvm.func @notBypassed(%in: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias},
                       %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %nobody = llvm.mlir.constant(-2 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  %none = llvm.icmp "slt" %n, %one : i64
  %alone = llvm.icmp "eq" %left, %nobody : i32
  llvm.cond_br %alone, ^ask, ^unpack(%zero : i64)
^unpack(%i: i64):
  %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^unpack(%next : i64), ^last
^last:
  llvm.br ^second
^ask:
  llvm.cond_br %none, ^end, ^second
^second:
  llvm.br ^stencil(%zero : i64)
^stencil(%j: i64):
  %s = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %s : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^stencil(%jnext : i64), ^end
^end:
  llvm.return
}

// A loop over faces and one over cells share a guard; the second test of it is bypassed by the first one. The loop over
// faces is a unit of its own again, also if a number of the last loop is computed before its test.
// CHECK-LABEL: llvm.func @faces
// CHECK: %[[EMPTY:.*]] = llvm.icmp "slt"
// CHECK-NEXT: %[[FEW:.*]] = llvm.icmp "slt"
// CHECK: comm.wait
// CHECK-NEXT: llvm.cond_br %[[EMPTY]], ^[[MIDDLE:bb[0-9]+]], ^{{bb[0-9]+}}
// CHECK: llvm.store
// CHECK: ^[[MIDDLE]]:
// CHECK-NEXT: llvm.cond_br %[[EMPTY]], ^[[LAST:bb[0-9]+]], ^[[TEST:bb[0-9]+]]
// CHECK-NEXT: ^[[TEST]]:
// CHECK-NEXT: llvm.cond_br %[[FEW]],
// CHECK: llvm.store
// CHECK: ^[[LAST]]:
// CHECK-NEXT: llvm.fdiv
// CHECK-NEXT: llvm.cond_br %[[FEW]],
// CHECK: llvm.store
llvm.func @faces(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %other: !llvm.ptr {llvm.noalias}, %n: i64,
                 %m: i32, %step: f64) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %op = comm.constant "MPI_SUM" : !comm.op
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %none = llvm.icmp "slt" %n, %zero : i64
  %few = llvm.icmp "slt" %n, %one : i64
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%m : i32) datatype(%type) op(%op) comm(%comm) -> request
  comm.wait request(%r)
  llvm.cond_br %none, ^last, ^faces(%zero : i64)
^faces(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "sle" %next, %n : i64
  llvm.cond_br %more, ^faces(%next : i64), ^test
^test:
  llvm.cond_br %few, ^end, ^middle(%zero : i64)
^middle(%j: i64):
  %q = llvm.getelementptr %other[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %step, %q : f64, !llvm.ptr
  %jnext = llvm.add %j, %one : i64
  %jmore = llvm.icmp "slt" %jnext, %n : i64
  llvm.cond_br %jmore, ^middle(%jnext : i64), ^last
^last:
  %factor = llvm.fdiv %step, %f : f64
  llvm.cond_br %few, ^end, ^cells(%zero : i64)
^cells(%k: i64):
  %s = llvm.getelementptr %out[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %factor, %s : f64, !llvm.ptr
  %knext = llvm.add %k, %one : i64
  %kmore = llvm.icmp "slt" %knext, %n : i64
  llvm.cond_br %kmore, ^cells(%knext : i64), ^end
^end:
  llvm.return
}
