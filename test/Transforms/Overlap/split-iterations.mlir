// A loop over points, the first of which reads the received data and the last one writes the sent data.
// RUN: comm-opt %s --comm-split-iterations --mlir-print-local-scope | FileCheck %s
// RUN: comm-opt %s --comm-split-iterations --comm-move-slices=observers=never | FileCheck %s --check-prefix=MOVED
// RUN: comm-opt %s --comm-split-iterations --comm-move-slices=observers=never --convert-comm-to-llvm=abi=openmpi4 | FileCheck %s --check-prefix=LLVM
// RUN: comm-opt %s --comm-split-iterations=cost=measured --mlir-print-local-scope | FileCheck %s --check-prefix=COST
// RUN: comm-opt %s --comm-split-iterations=any-order --mlir-print-local-scope | FileCheck %s --check-prefix=ANY

module attributes {comm.abi = "openmpi4"} {
// The interior leaves by its own count and begins in the middle; the rest is one copy that runs twice.
// CHECK-LABEL: llvm.func @ghost
// CHECK: comm.recv async {{.*}} {comm.label = 1 : i64} -> request
// CHECK: comm.wait
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[REST:.*]] {comm.interior = array<i64: 1>}
// CHECK: llvm.cond_br %{{.*}}, ^[[COPY:.*]](%{{.*}}, %[[LOW:.*]] : i64, i64), ^[[OUT:.*]]
// CHECK: ^[[COPY]](%[[I:.*]]: i64, %[[K:.*]]: i64):
// CHECK: %[[NEXT:.*]] = llvm.add %[[K]], %{{.*}} overflow<nsw, nuw> : i64
// CHECK: %[[OVER:.*]] = llvm.icmp "eq" %[[NEXT]], %[[HIGH:.*]] : i64
// CHECK: llvm.cond_br %[[OVER]], ^[[OUT]], ^[[COPY]](%{{.*}}, %[[NEXT]] : i64, i64)
// CHECK: ^[[REST]]:
// CHECK: llvm.br ^[[PART:.*]](%{{.*}}, %[[LOW]], %{{.*}} : i64, i64, i1)
// CHECK: ^[[PART]](%{{.*}}: i64, %[[END:.*]]: i64, %[[LAST:.*]]: i1):
// CHECK: llvm.cond_br %[[LAST]], ^{{.*}}, ^[[PART]](%[[HIGH]], %{{.*}}, %{{.*}} : i64, i64, i1)

// With costs the interior is empty on one node, and where it has few iterations.
// COST-LABEL: llvm.func @ghost
// COST: %[[SPANS:.*]] = llvm.call @comm.ask_spans_nodes() : () -> i32
// COST: %[[YES:.*]] = llvm.icmp "ne" %[[SPANS]]
// COST: llvm.cond_br %[[YES]], ^[[ASKED:.*]], ^
// COST: ^[[ASKED]]:
// COST: llvm.icmp "uge" %{{.*}}, %{{.*}} : i64
// COST: comm.interior

// MOVED-LABEL: llvm.func @ghost
// MOVED: comm.recv async
// MOVED: comm.interior
// MOVED: comm.wait

// LLVM-LABEL: llvm.func @ghost
// LLVM: llvm.call @MPI_Irecv
// LLVM: llvm.call @MPI_Wait
llvm.func @ghost(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
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

// Two loops: one of 32 points, too short for two loops, and one of 4,096, whose iterations are distinguished at compile
// time: one iteration waits, without run-time tests.
// CHECK-LABEL: llvm.func @short
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @short(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %m = llvm.mlir.constant(32 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  llvm.br ^loop(%one : i64)
^loop(%i: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %y = llvm.intr.fmuladd(%x, %x, %x) : (f64, f64, f64) -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %y, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.return
}

// CHECK-LABEL: llvm.func @numbers
// CHECK-NOT: sdiv
// CHECK: comm.interior
// CHECK: llvm.return
llvm.func @numbers(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %m = llvm.mlir.constant(4096 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
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
  llvm.return
}

// Each point depends on the one before.
// CHECK-LABEL: llvm.func @in_place
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @in_place(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
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
  %q = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.return
}

// A value is carried from one iteration to the next, and stored on the way.
// CHECK-LABEL: llvm.func @carried
// CHECK-NOT: comm.interior
// CHECK: llvm.return
// ANY-LABEL: llvm.func @carried
// ANY-NOT: comm.interior
// ANY: llvm.return
llvm.func @carried(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.5 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %y = llvm.fadd %sum, %x : f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %y, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join
^join:
  llvm.return
}

// The last value is used after the loop: the last iteration is one of the rest.
// CHECK-LABEL: llvm.func @used
// CHECK: %[[HIGH:.*]] = llvm.intr.umin
// CHECK: %[[BEFORE:.*]] = llvm.sub %[[COUNT:.*]], %{{.*}} : i64
// CHECK: %[[LESS:.*]] = llvm.icmp "ult" %[[BEFORE]], %[[HIGH]] : i64
// CHECK: llvm.select %[[LESS]], %[[BEFORE]], %[[HIGH]]
// CHECK: comm.interior
// CHECK: llvm.store
// CHECK: llvm.return
llvm.func @used(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.5 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
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
  llvm.br ^join(%x : f64)
^join(%last: f64):
  llvm.store %last, %v : f64, !llvm.ptr
  llvm.return
}

// A count: the rest starts with the interior's count, and intermediate sums lose their no-overflow flags.
// CHECK-LABEL: llvm.func @count(
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[REST:.*]](%{{.*}} : i64) {comm.interior
// CHECK: llvm.add %{{.*}}, %{{.*}} : i64
// CHECK: ^[[REST]](%[[SO_FAR:.*]]: i64):
// CHECK: llvm.br ^[[PART:.*]](%{{.*}}, %{{.*}}, %{{.*}}, %[[SO_FAR]] : i64, i64, i1, i64)
// CHECK: llvm.return
llvm.func @count(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : i64)
^before:
  llvm.br ^loop(%one, %f : i64, i64)
^loop(%i: i64, %sum: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %big = llvm.fcmp "ogt" %x, %x : f64
  %term = llvm.zext %big : i1 to i64
  %y = llvm.add %sum, %term overflow<nsw> : i64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, i64)
^after:
  llvm.br ^join(%y : i64)
^join(%result: i64):
  llvm.return %result : i64
}

// A sum that rounds: its order stays, unless any order will do.
// CHECK-LABEL: llvm.func @fp_sum(
// CHECK-NOT: comm.interior
// CHECK: llvm.return
// ANY-LABEL: llvm.func @fp_sum(
// ANY: comm.interior
// ANY: llvm.return
llvm.func @fp_sum(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %y = llvm.fadd %sum, %x : f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// The program says that the order does not matter.
// CHECK-LABEL: llvm.func @fp_fast(
// CHECK: comm.interior
// CHECK: llvm.return
llvm.func @fp_fast(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %y = llvm.fadd %sum, %x {fastmathFlags = #llvm.fastmath<reassoc>} : f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// A maximum from 0 on: no zero is larger, and NaN is never taken.
// CHECK-LABEL: llvm.func @fp_max(
// CHECK: comm.interior
// CHECK: llvm.return
llvm.func @fp_max(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %c = llvm.fcmp "ogt" %x, %sum : f64
  %y = llvm.select %c, %x, %sum : i1, f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// The opposite comparison: after a NaN the next value is taken, whatever it is. The interior starts with NaN, and has a
// second total, which starts with infinity; between its two parts the rest updates both.
// CHECK-LABEL: llvm.func @fp_max_nan(
// CHECK: %[[NAN:.*]] = llvm.mlir.constant(0x7FF8000000000000 : f64)
// CHECK: comm.interior
// CHECK: llvm.fcmp "ogt" %{{.*}}, %[[X:.*]] : f64
// CHECK: llvm.fcmp "ogt" %{{.*}}, %[[X]] : f64
// CHECK: llvm.br ^[[REST:bb[0-9]+]](%{{.*}} : f64, f64)
// CHECK-NEXT: ^[[REST]](%[[TOTAL:.*]]: f64, %[[WITNESS:.*]]: f64):
// CHECK: %[[KEEPS:.*]] = llvm.fcmp "ogt" %[[FRONT:.*]], %[[TOTAL]] : f64
// CHECK: %[[LARGER:.*]] = llvm.select %[[KEEPS]], %[[FRONT]], %[[TOTAL]]
// CHECK: %[[NONE:.*]] = llvm.fcmp "uno" %[[TOTAL]], %[[TOTAL]] : f64
// CHECK: %[[BOTH:.*]] = llvm.select %[[NONE]], %[[FRONT]], %[[LARGER]]
// CHECK: %[[INF:.*]] = llvm.mlir.constant(0x7FF0000000000000 : f64)
// CHECK: %[[NEW:.*]] = llvm.fcmp "une" %[[WITNESS]], %[[INF]] : f64
// CHECK: llvm.select %[[NEW]], %[[WITNESS]], %[[BOTH]]
// CHECK: llvm.return
// ANY-LABEL: llvm.func @fp_max_nan(
// ANY: comm.interior
// ANY: llvm.return
llvm.func @fp_max_nan(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %a = llvm.intr.fabs(%x) : (f64) -> f64
  %c = llvm.fcmp "ogt" %sum, %a : f64
  %y = llvm.select %c, %sum, %a : i1, f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// The last of two zeros remains: the parts are combined in order.
// CHECK-LABEL: llvm.func @fp_max_equal(
// CHECK: comm.interior
// CHECK: %[[TAKES:.*]] = llvm.fcmp "oge" %[[TOTAL:.*]], %[[FRONT:.*]] : f64
// CHECK: llvm.select %[[TAKES]], %[[TOTAL]], %[[FRONT]]
// CHECK: llvm.return
llvm.func @fp_max_equal(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %c = llvm.fcmp "oge" %x, %sum : f64
  %y = llvm.select %c, %x, %sum : i1, f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// There is only one zero.
// CHECK-LABEL: llvm.func @fp_max_abs(
// CHECK: comm.interior
// CHECK: llvm.return
llvm.func @fp_max_abs(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(-1.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %a = llvm.intr.fabs(%x) : (f64) -> f64
  %c = llvm.fcmp "oge" %a, %sum : f64
  %y = llvm.select %c, %a, %sum : i1, f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// The loaded value may be a signaling NaN.
// CHECK-LABEL: llvm.func @fp_maxnum(
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @fp_maxnum(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %a = llvm.intr.fabs(%x) : (f64) -> f64
  %y = llvm.intr.maxnum(%sum, %a) : (f64, f64) -> f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// The result of arithmetic is not one.
// CHECK-LABEL: llvm.func @fp_maxnum_quiet(
// CHECK: comm.interior
// CHECK: llvm.return
llvm.func @fp_maxnum_quiet(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %d = llvm.fsub %x, %x0 : f64
  %a = llvm.intr.fabs(%d) : (f64) -> f64
  %y = llvm.intr.maxnum(%sum, %a) : (f64, f64) -> f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// The addend depends on the sum.
// CHECK-LABEL: llvm.func @depends(
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @depends(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : i64)
^before:
  llvm.br ^loop(%one, %f : i64, i64)
^loop(%i: i64, %sum: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %t = llvm.mul %sum, %sum : i64
  %y = llvm.add %sum, %t : i64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, i64)
^after:
  llvm.br ^join(%y : i64)
^join(%result: i64):
  llvm.return %result : i64
}

// Sums and products do not mix.
// CHECK-LABEL: llvm.func @two_kinds(
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @two_kinds(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : i64)
^before:
  llvm.br ^loop(%one, %f : i64, i64)
^loop(%i: i64, %sum: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %t = llvm.fptosi %x : f64 to i64
  %s = llvm.add %sum, %t : i64
  %y = llvm.mul %s, %t : i64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, i64)
^after:
  llvm.br ^join(%y : i64)
^join(%result: i64):
  llvm.return %result : i64
}

// The last one for which something holds.
// CHECK-LABEL: llvm.func @last_of_some(
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @last_of_some(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %x0: f64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join(%f : f64)
^before:
  llvm.br ^loop(%one, %f : i64, f64)
^loop(%i: i64, %sum: f64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %c = llvm.fcmp "ogt" %x, %x0 : f64
  %y = llvm.select %c, %x, %sum : i1, f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next, %y : i64, f64)
^after:
  llvm.br ^join(%y : f64)
^join(%result: f64):
  llvm.return %result : f64
}

// A volatile access keeps its order.
// CHECK-LABEL: llvm.func @volatile
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @volatile(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
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
  %x = llvm.load volatile %p : !llvm.ptr -> f64
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

// The loop may end early.
// CHECK-LABEL: llvm.func @two_exits
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @two_exits(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(0.5 : f64) : f64
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
  %small = llvm.fcmp "olt" %x, %f : f64
  llvm.cond_br %small, ^early, ^go
^go:
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^early:
  llvm.br ^after
^after:
  llvm.br ^join
^join:
  llvm.return
}

// Every iteration reads the received data.
// CHECK-LABEL: llvm.func @all
// CHECK-NOT: comm.interior
// CHECK: llvm.return
llvm.func @all(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
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
  %p = llvm.getelementptr inbounds %u[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, f64
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

// The sent data is the last point that the loop computes: the others can be computed after the start.
// CHECK-LABEL: llvm.func @sent
// CHECK: comm.interior = array<i64: [[#START:]], [[#OTHER:]]>
// CHECK: comm.label = [[#OTHER]] : i64
// CHECK: comm.send async {{.*}} {comm.label = [[#START]] : i64} -> request
// CHECK: comm.wait

// MOVED-LABEL: llvm.func @sent
// MOVED: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[START:bb[0-9]+]] {comm.label = [[#]] : i64}
// MOVED: comm.wait
// MOVED: ^[[START]]:
// MOVED-NEXT: comm.send async
// MOVED-NEXT: llvm.cond_br %{{.*}} {comm.interior
llvm.func @sent(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %end = llvm.getelementptr inbounds %v[%m] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%one : i64)
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %over = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %over, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %r = comm.send async buf(%end : !llvm.ptr) count(%n) datatype(%double) dest(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  llvm.return
}

// In nested loops the rest runs whole rows, those before and after the interior, and then the first and last columns of
// the interior's rows, each in a separate nest.
// CHECK-LABEL: llvm.func @nest(
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[REST:bb[0-9]+]] {comm.interior = array<i64: {{[0-9]+, [0-9]+}}>}
// CHECK: ^[[REST]]:
// CHECK: llvm.icmp "ult" %[[ROW0:.*]], %[[ROW1:.*]] : i64
// CHECK: llvm.cond_br %{{.*}}, ^[[ENTER:.*]], ^[[PLAIN:bb[0-9]+]](
// CHECK: ^[[ENTER]]:
// CHECK: llvm.br ^[[ROWS:bb[0-9]+]](%{{.*}}, %[[ROW0]], %{{.*}} : i64, i64, i1)
// CHECK: ^[[EDGES:bb[0-9]+]]:
// CHECK: llvm.br ^[[PART:bb[0-9]+]](%{{.*}}, %[[COLUMN0:.*]], %{{.*}} : i64, i64, i1)
// CHECK: ^[[PART]](%[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %[[LAST:.*]]: i1):
// CHECK: llvm.icmp "ult" %[[BEGIN]], %[[END]] : i64
// CHECK: llvm.icmp "ult" %[[ROW0]], %[[ROW1]] : i64
// CHECK: llvm.icmp "ult" %[[BEGIN]], %[[END]] : i64
// CHECK: llvm.store
// CHECK: llvm.icmp "eq" %{{.*}}, %[[END]] : i64
// CHECK: llvm.icmp "eq" %{{.*}}, %[[ROW1]] : i64
// CHECK: llvm.cond_br %[[LAST]], ^[[JOIN:bb[0-9]+]], ^[[PART]](
// CHECK: ^[[ROWS]](%{{.*}}: i64, %{{.*}}: i64, %[[LAST:.*]]: i1):
// CHECK: llvm.cond_br %[[LAST]], ^[[EDGES]], ^[[ROWS]](%[[ROW1]],
// CHECK: ^[[PLAIN]](
// CHECK: ^[[JOIN]]:
llvm.func @nest(%u: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %n: i64, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %x = llvm.mlir.constant(1 : i32) : i32
  %hundred = llvm.mlir.constant(100 : i32) : i32
  %row = llvm.mlir.constant(100 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%hundred) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  %s = comm.recv async buf(%c : !llvm.ptr) count(%x) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  comm.wait request(%r)
  comm.wait request(%s)
  llvm.br ^rows(%zero : i64)
^rows(%i: i64):
  %in = llvm.mul %i, %row overflow<nsw> : i64
  llvm.br ^columns(%zero : i64)
^columns(%j: i64):
  %ij = llvm.add %in, %j overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %a = llvm.load %p : !llvm.ptr -> f64
  %pc = llvm.getelementptr inbounds %c[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %b = llvm.load %pc : !llvm.ptr -> f64
  %sum = llvm.fadd %a, %b : f64
  %q = llvm.getelementptr inbounds %v[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %sum, %q : f64, !llvm.ptr
  %nj = llvm.add %j, %one overflow<nsw, nuw> : i64
  %endj = llvm.icmp "sge" %nj, %row : i64
  llvm.cond_br %endj, ^next, ^columns(%nj : i64)
^next:
  %ni = llvm.add %i, %one overflow<nsw, nuw> : i64
  %endi = llvm.icmp "sge" %ni, %n : i64
  llvm.cond_br %endi, ^join, ^rows(%ni : i64)
^join:
  llvm.return
}

// A fold goes from the interior to the rows, and from part to part.
// CHECK-LABEL: llvm.func @nest_count(
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[REST:bb[0-9]+]](%{{.*}} : i64) {comm.interior
// CHECK: ^[[REST]](%[[SUM:.*]]: i64):
// CHECK: llvm.br ^{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %[[SUM]] : i64, i64, i1, i64)
// CHECK: ^[[EDGES:bb[0-9]+]](%[[SUM:.*]]: i64):
// CHECK: llvm.br ^[[PART:bb[0-9]+]](%{{.*}}, %{{.*}}, %{{.*}}, %[[SUM]] : i64, i64, i1, i64)
// CHECK: ^[[PART]](%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i1, %[[BEFORE:.*]]: i64):
// CHECK: llvm.cond_br %{{.*}}, ^[[ENTER:bb[0-9]+]], ^[[LEAVE:bb[0-9]+]](%[[BEFORE]] : i64)
// CHECK: ^[[ENTER]]:
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}(%{{.*}}, %[[BEFORE]], %{{.*}} : i64, i64, i64), ^[[LEAVE]](%[[BEFORE]] : i64)
// CHECK: ^[[LEAVE]](%[[AFTER:.*]]: i64):
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}(%[[AFTER]] : i64), ^[[PART]](%{{.*}}, %{{.*}}, %{{.*}}, %[[AFTER]] : i64, i64, i1, i64)
llvm.func @nest_count(%u: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %n: i64, %x0: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %x = llvm.mlir.constant(1 : i32) : i32
  %hundred = llvm.mlir.constant(100 : i32) : i32
  %row = llvm.mlir.constant(100 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%hundred) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  %s = comm.recv async buf(%c : !llvm.ptr) count(%x) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  comm.wait request(%r)
  comm.wait request(%s)
  llvm.br ^rows(%zero, %x0 : i64, i64)
^rows(%i: i64, %t: i64):
  %in = llvm.mul %i, %row overflow<nsw> : i64
  llvm.br ^columns(%zero, %t : i64, i64)
^columns(%j: i64, %k: i64):
  %ij = llvm.add %in, %j overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %a = llvm.load %p : !llvm.ptr -> f64
  %pc = llvm.getelementptr inbounds %c[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %b = llvm.load %pc : !llvm.ptr -> f64
  %sum = llvm.fadd %a, %b : f64
  %q = llvm.getelementptr inbounds %v[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %sum, %q : f64, !llvm.ptr
  %above = llvm.fcmp "ogt" %sum, %a : f64
  %yes = llvm.zext %above : i1 to i64
  %nk = llvm.add %k, %yes : i64
  %nj = llvm.add %j, %one overflow<nsw, nuw> : i64
  %endj = llvm.icmp "sge" %nj, %row : i64
  llvm.cond_br %endj, ^next, ^columns(%nj, %nk : i64, i64)
^next:
  %ni = llvm.add %i, %one overflow<nsw, nuw> : i64
  %endi = llvm.icmp "sge" %ni, %n : i64
  llvm.cond_br %endi, ^join, ^rows(%ni, %nk : i64, i64)
^join:
  llvm.return %nk : i64
}

// The last row leaves a value: the rest keeps the order of rows, and each asks whether it is of the interior.
// CHECK-LABEL: llvm.func @nest_last(
// CHECK: comm.interior
// CHECK: llvm.icmp "uge" %[[I:.*]], %[[ROW0:.*]] : i64
// CHECK: llvm.icmp "ult" %[[I]], %[[ROW1:.*]] : i64
llvm.func @nest_last(%u: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %n: i64, %m: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %x = llvm.mlir.constant(1 : i32) : i32
  %hundred = llvm.mlir.constant(100 : i32) : i32
  %row = llvm.mlir.constant(100 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%hundred) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  %s = comm.recv async buf(%c : !llvm.ptr) count(%x) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  comm.wait request(%r)
  comm.wait request(%s)
  llvm.br ^rows(%zero : i64)
^rows(%i: i64):
  %in = llvm.mul %i, %row overflow<nsw> : i64
  llvm.br ^columns(%zero : i64)
^columns(%j: i64):
  %ij = llvm.add %in, %j overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %a = llvm.load %p : !llvm.ptr -> f64
  %pc = llvm.getelementptr inbounds %c[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %b = llvm.load %pc : !llvm.ptr -> f64
  %sum = llvm.fadd %a, %b : f64
  %q = llvm.getelementptr inbounds %v[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %sum, %q : f64, !llvm.ptr
  %nj = llvm.add %j, %one overflow<nsw, nuw> : i64
  %endj = llvm.icmp "sge" %nj, %row : i64
  llvm.cond_br %endj, ^next, ^columns(%nj : i64)
^next:
  %ni = llvm.add %i, %one overflow<nsw, nuw> : i64
  %endi = llvm.icmp "sge" %ni, %n : i64
  llvm.cond_br %endi, ^join, ^rows(%ni : i64)
^join:
  llvm.return %in : i64
}

// Rows that an optimizer has unrolled take as long as the loops that they were: 185 rows are worth a split.
// COST-LABEL: llvm.func @copied_rows(
// COST: %[[LEAST:.*]] = llvm.mlir.constant(185 : i64) : i64
// COST: llvm.icmp "uge" %{{.*}}, %[[LEAST]] : i64
// COST: comm.interior
llvm.func @copied_rows(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %n: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %length = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%length) datatype(%double) source(%length) tag(%length) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %at = llvm.mul %i, %n overflow<nsw, nuw> : i64
  %p = llvm.getelementptr inbounds|nuw %u[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %q = llvm.getelementptr inbounds|nuw %v[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  "llvm.intr.memcpy"(%q, %p, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sge" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.return
}

// A maximum that takes NaN, in a nest of which columns are left out, too: the parts alternate. If a second total of all
// parts has changed, or the maximum is infinity, a copy without stores computes it again in the order of the program.
// CHECK-LABEL: llvm.func @nest_max_nan(
// CHECK: comm.interior
// CHECK: llvm.store
// CHECK: %[[INF:.*]] = llvm.mlir.constant(0x7FF0000000000000 : f64)
// CHECK: llvm.fcmp "oeq" %{{.*}}, %[[INF]] : f64
// CHECK: llvm.fcmp "une" %{{.*}}, %[[INF]] : f64
// CHECK: %[[SPLIT:.*]] = llvm.icmp "ult"
// CHECK: %[[AGAIN:.*]] = llvm.and %[[SPLIT]], %{{.*}} : i1
// CHECK: llvm.cond_br %[[AGAIN]], ^[[COPY:bb[0-9]+]], ^[[AFTER:bb[0-9]+]](%{{.*}} : f64)
// CHECK: ^[[COPY]]:
// CHECK-NOT: llvm.store
// CHECK: llvm.br ^[[AFTER]](%{{.*}} : f64)
// CHECK: ^[[AFTER]](%[[TOTAL:.*]]: f64):
// CHECK: llvm.return %[[TOTAL]] : f64
// ANY-LABEL: llvm.func @nest_max_nan(
// ANY: comm.interior
// ANY-NOT: llvm.fcmp "oeq"
// ANY: llvm.return
llvm.func @nest_max_nan(%u: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %n: i64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %x = llvm.mlir.constant(1 : i32) : i32
  %hundred = llvm.mlir.constant(100 : i32) : i32
  %row = llvm.mlir.constant(100 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %f = llvm.mlir.constant(0.0 : f64) : f64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%hundred) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  %s = comm.recv async buf(%c : !llvm.ptr) count(%x) datatype(%double) source(%x) tag(%x) comm(%world) -> request
  comm.wait request(%r)
  comm.wait request(%s)
  llvm.br ^rows(%zero, %f : i64, f64)
^rows(%i: i64, %t: f64):
  %in = llvm.mul %i, %row overflow<nsw> : i64
  llvm.br ^columns(%zero, %t : i64, f64)
^columns(%j: i64, %k: f64):
  %ij = llvm.add %in, %j overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %a = llvm.load %p : !llvm.ptr -> f64
  %pc = llvm.getelementptr inbounds %c[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %b = llvm.load %pc : !llvm.ptr -> f64
  %sum = llvm.fadd %a, %b : f64
  %q = llvm.getelementptr inbounds %v[%ij] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %sum, %q : f64, !llvm.ptr
  %change = llvm.intr.fabs(%sum) : (f64) -> f64
  %above = llvm.fcmp "ogt" %k, %change : f64
  %nk = llvm.select %above, %k, %change : i1, f64
  %nj = llvm.add %j, %one overflow<nsw, nuw> : i64
  %endj = llvm.icmp "sge" %nj, %row : i64
  llvm.cond_br %endj, ^next, ^columns(%nj, %nk : i64, f64)
^next:
  %ni = llvm.add %i, %one overflow<nsw, nuw> : i64
  %endi = llvm.icmp "sge" %ni, %n : i64
  llvm.cond_br %endi, ^join, ^rows(%ni, %nk : i64, f64)
^join:
  llvm.return %nk : f64
}
}
