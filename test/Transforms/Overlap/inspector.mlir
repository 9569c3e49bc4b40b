// Loops whose addresses come from index arrays: an inspector finds the interior, and caches it.
// A block without predecessors would be a second entry into the inspector, which no wait could cross.
// RUN: comm-opt %s --comm-split-iterations --mlir-print-local-scope | FileCheck %s --implicit-check-not="no predecessors"
// RUN: comm-opt %s --comm-split-iterations --comm-move-slices=observers=never | FileCheck %s --check-prefix=MOVED
// RUN: comm-opt %s --comm-split-iterations=cost=measured | FileCheck %s --check-prefix=COST
// RUN: comm-opt %s --comm-split-iterations=cost=measured --remark-format=emitRemark --remarks-filter='comm-split-iterations' -o /dev/null 2>&1 | FileCheck %s --check-prefix=COSTREMARK
// RUN: comm-opt %s --comm-split-iterations --remark-format=emitRemark --remarks-filter='comm-split-iterations' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#group = #llvm.access_group<id = distinct[0]<>>
#shared = #llvm.loop_annotation<parallelAccesses = #group>

module attributes {comm.abi = "openmpi4"} {
llvm.func @unknown()

// The result is forgotten before the loop that keeps it. The copy looks at indices and at nothing else.
// CHECK-LABEL: llvm.func @gather
// CHECK: %[[KEPT:.*]] = llvm.alloca %{{.*}} x i1
// CHECK: %[[NO:.*]] = llvm.mlir.constant(false) : i1
// CHECK: llvm.store %[[NO]], %{{.*}} : i1
// CHECK: llvm.br ^[[TURN:.*]](
// CHECK: comm.recv async {{.*}} {comm.label = 1 : i64} -> request
// CHECK: comm.wait
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^{{.*}} {comm.interior = array<i64: 1>}
// CHECK: %[[INDEX:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[PLACE:.*]] = llvm.getelementptr inbounds %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT: llvm.ptrtoint %[[PLACE]] : !llvm.ptr to i64
// CHECK-NOT: llvm.store %{{.*}} : f64
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^{{.*}} {comm.interior = array<i64: 1>}
// CHECK: llvm.return

// Within a node nothing is inspected.
// COST-LABEL: llvm.func @gather
// COST: comm.wait
// COST: llvm.icmp "sge"
// COST: llvm.and
// COST: %[[RUNS:.*]] = llvm.and
// COST-NEXT: %[[ANSWER:.*]] = llvm.call @comm.ask_spans_nodes()
// COST: %[[SPANS:.*]] = llvm.icmp "ne" %[[ANSWER]]
// COST: %[[ASKS:.*]] = llvm.and %[[RUNS]], %[[SPANS]]
// COST: llvm.cond_br %[[ASKS]], ^{{.*}}, ^{{.*}} {comm.interior = array<i64: 1>}

// MOVED-LABEL: llvm.func @gather
// MOVED: comm.recv async
// MOVED: comm.interior
// MOVED: comm.interior
// MOVED: comm.wait
// REMARK-DAG: Function=gather {{.*}}are found at run time
llvm.func @gather(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// Adjacent members of a structure are compared as one range, from the first byte to the last one (16 to 40); one that
// is elsewhere is compared separately.
// CHECK-LABEL: llvm.func @members
// CHECK: comm.wait
// CHECK: %[[INDEX:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<9 x f64>
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[PLACE]][24]
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[FIRST]] : !llvm.ptr to i64
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(-8 : i64)
// CHECK: %[[BEGIN:.*]] = llvm.add %[[ADDRESS]], %[[EIGHT]]
// CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: %[[END:.*]] = llvm.add %[[ADDRESS]], %[[SIXTEEN]]
// CHECK: llvm.icmp "ult" %[[BEGIN]],
// CHECK: llvm.icmp "ugt" %[[END]],
// CHECK: llvm.getelementptr %[[PLACE]][64]
// CHECK: llvm.ptrtoint
// CHECK-NOT: llvm.ptrtoint
// CHECK: comm.interior
llvm.func @members(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<9 x f64>
  %p3 = llvm.getelementptr %p[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %x3 = llvm.load %p3 : !llvm.ptr -> f64
  %p2 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %x2 = llvm.load %p2 : !llvm.ptr -> f64
  %p4 = llvm.getelementptr %p[4] : (!llvm.ptr) -> !llvm.ptr, f64
  %x4 = llvm.load %p4 : !llvm.ptr -> f64
  %p8 = llvm.getelementptr %p[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %x8 = llvm.load %p8 : !llvm.ptr -> f64
  %y = llvm.fadd %x2, %x3 : f64
  %z = llvm.fadd %x4, %x8 : f64
  %s = llvm.fadd %y, %z : f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %s, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// Adjacent stores of the loop, which the load by index must avoid, are one range.
// CHECK-LABEL: llvm.func @forces
// CHECK: comm.wait
// CHECK: %[[PLACE:.*]] = llvm.getelementptr inbounds %arg0[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK: llvm.ptrtoint %[[PLACE]]
// CHECK: llvm.ptrtoint %[[PLACE]]
// CHECK: "ult"
// CHECK-NEXT: "ugt"
// CHECK-NEXT: llvm.and
// CHECK-NOT: "ult"
// CHECK: llvm.getelementptr inbounds %arg1
// CHECK: comm.interior
llvm.func @forces(%u: !llvm.ptr, %v: !llvm.ptr, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %first = llvm.mul %i, %two overflow<nsw, nuw> : i64
  %q = llvm.getelementptr inbounds %v[%first] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %q1 = llvm.getelementptr inbounds %q[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %x, %q1 : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// No result is kept. That takes about as long as the loop, so it is done only whatever it costs.
// CHECK-LABEL: llvm.func @once
// CHECK: llvm.cond_br {{.*}} {comm.interior = array<i64: [[#]]>}
// CHECK: llvm.return
// COST-LABEL: llvm.func @once
// COST-NOT: comm.interior
// COST: llvm.return
// REMARK-DAG: Function=once {{.*}}are found at run time
// COSTREMARK-DAG: Function=once {{.*}}inspecting its iterations at run time does not help: it reads indices and is not in a loop: inspecting them would take as long as it saves
llvm.func @once(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.return
}

// Other code may change the indices in each iteration.
// COST-LABEL: llvm.func @called
// COST-NOT: comm.interior
// COST: llvm.return
// COSTREMARK-DAG: Function=called {{.*}}it reads indices that may change between executions
llvm.func @called(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64, %w: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %w[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.call @unknown() : () -> ()
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// The same in some iterations: they drop the result.
// CHECK-LABEL: llvm.func @at_times
// CHECK: comm.interior
// CHECK: comm.interior
// CHECK: llvm.store %{{.*}} : i1, !llvm.ptr
// CHECK-NEXT: llvm.store %{{.*}} : i1, !llvm.ptr
// CHECK-NEXT: llvm.call @unknown
// CHECK: llvm.return
// REMARK-DAG: Function=at_times {{.*}}are found at run time
llvm.func @at_times(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64, %w: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %w[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %rare = llvm.icmp "eq" %t, %m : i64
  llvm.cond_br %rare, ^call, ^called
^call:
  llvm.call @unknown() : () -> ()
  llvm.br ^called
^called:
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// Two iterations may write one element: the first iterations run in their order, up to one that touches something.
// CHECK-LABEL: llvm.func @scatter
// CHECK: comm.interior
// CHECK: llvm.getelementptr inbounds %arg0[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK: llvm.icmp "eq" %{{.*}}, %arg3 : i64
// CHECK-NEXT: %[[TOUCHED:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i1
// CHECK-NEXT: llvm.cond_br %[[TOUCHED]], ^{{.*}}, ^[[ON:.*]]
// CHECK: ^[[ON]]:
// CHECK-NEXT: %[[HIGH:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT: llvm.add %[[HIGH]], %[[ONE]]
// CHECK: comm.interior
// CHECK: llvm.return
// REMARK-DAG: Function=scatter {{.*}}are found at run time
llvm.func @scatter(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// The loop may write its indices: asked before they are loaded.
// CHECK-LABEL: llvm.func @own_indices
// CHECK: comm.interior
// CHECK: llvm.getelementptr inbounds %{{.*}} -> !llvm.ptr, i64
// CHECK-NEXT: llvm.ptrtoint
// CHECK: %[[HIT:.*]] = llvm.and
// CHECK-NEXT: llvm.cond_br %[[HIT]], ^{{.*}}, ^[[LOAD:.*]]
// CHECK: ^[[LOAD]]:
// CHECK-NEXT: llvm.load
// CHECK: llvm.return
// REMARK-DAG: Function=own_indices {{.*}}are found at run time
llvm.func @own_indices(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64, %w: !llvm.ptr, %z: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %w[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %z[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// The stored value is a number of the loop: only addresses and conditions are recomputed.
// CHECK-LABEL: llvm.func @pointers
// CHECK: comm.interior
// CHECK-NOT: llvm.fdiv
// CHECK: comm.interior
// CHECK: llvm.fdiv
// CHECK: llvm.return
// REMARK-DAG: Function=pointers {{.*}}are found at run time
llvm.func @pointers(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64, %turns: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %a = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %k = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %y = llvm.fdiv %x, %x : f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %y, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %t1 = llvm.add %t, %one : i64
  %over = llvm.icmp "eq" %t1, %turns : i64
  llvm.cond_br %over, ^out, ^turn(%t1 : i64)
^out:
  llvm.return
}

// Rows that depend on each other, in no loop that keeps a result: the program measures how many rows to inspect. The
// entries of a row are compared as one range before the inner loop, and what they lead to by its index.
// COST-LABEL: llvm.func @sweep
// COST: %[[NUMBER:.*]] = llvm.call @comm.ask_inspects(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64) -> i32
// COST-NEXT: %[[LIMIT:.*]] = llvm.sext %[[NUMBER]]
// COST: %[[YES:.*]] = llvm.icmp "ne" %[[LIMIT]], %{{.*}} : i64
// COST-NEXT: llvm.cond_br %[[YES]], ^[[INSPECT:.*]], ^
// COST: ^[[INSPECT]]:
// COST-NOT: llvm.load %{{.*}} : !llvm.ptr -> f64
// COST: llvm.call @comm.ask_inspected
// COST-NOT: llvm.load %{{.*}} : !llvm.ptr -> f64
// COST: %[[INDEX:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// COST: %[[DISTANCE:.*]] = llvm.sub %[[INDEX]], %{{.*}} : i32
// COST-NEXT: llvm.icmp "ult" %[[DISTANCE]], %{{.*}} : i32
// COST: %[[ENOUGH:.*]] = llvm.icmp "uge" %{{.*}}, %[[LIMIT]] : i64
// COST-NEXT: llvm.cond_br %[[ENOUGH]]
// COST: llvm.fsub
// COST: llvm.call @comm.ask_waited
// COST: llvm.fsub
// COST: llvm.return
// Threads of a team would share out the iterations of each part differently.
// COST-LABEL: llvm.func @sweep_in_team
// COST-NOT: comm.interior
// COST: llvm.return
// COSTREMARK-DAG: Function=sweep {{.*}}are found at run time
// COSTREMARK-DAG: Function=sweep_in_team {{.*}}it has iterations that depend on each other
llvm.func @sweep(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %old = llvm.load %p : !llvm.ptr -> f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %e = llvm.getelementptr inbounds %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %length = llvm.load %e : !llvm.ptr -> i64
  %row = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %has = llvm.icmp "sgt" %length, %zero : i64
  llvm.cond_br %has, ^entry(%zero, %old : i64, f64), ^done(%old : f64)
^entry(%k: i64, %sum: f64):
  %a = llvm.getelementptr inbounds %row[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %j = llvm.load %a : !llvm.ptr -> i32
  %wide = llvm.sext %j : i32 to i64
  %q = llvm.getelementptr inbounds %u[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %q : !llvm.ptr -> f64
  %y = llvm.fmul %x, %x : f64
  %z = llvm.fmul %y, %x : f64
  %less = llvm.fsub %sum, %z : f64
  %k1 = llvm.add %k, %one overflow<nsw, nuw> : i64
  %over = llvm.icmp "eq" %k1, %length : i64
  llvm.cond_br %over, ^done(%less : f64), ^entry(%k1, %less : i64, f64)
^done(%new: f64):
  llvm.store %new, %p : f64, !llvm.ptr
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.return
}

llvm.func @sweep_in_team(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %old = llvm.load %p : !llvm.ptr -> f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %e = llvm.getelementptr inbounds %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %length = llvm.load %e : !llvm.ptr -> i64
  %row = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %has = llvm.icmp "sgt" %length, %zero : i64
  llvm.cond_br %has, ^entry(%zero, %old : i64, f64), ^done(%old : f64)
^entry(%k: i64, %sum: f64):
  %a = llvm.getelementptr inbounds %row[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %j = llvm.load %a : !llvm.ptr -> i32
  %wide = llvm.sext %j : i32 to i64
  %q = llvm.getelementptr inbounds %u[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %q : !llvm.ptr -> f64
  %y = llvm.fmul %x, %x : f64
  %z = llvm.fmul %y, %x : f64
  %less = llvm.fsub %sum, %z : f64
  %k1 = llvm.add %k, %one overflow<nsw, nuw> : i64
  %over = llvm.icmp "eq" %k1, %length : i64
  llvm.cond_br %over, ^done(%less : f64), ^entry(%k1, %less : i64, f64)
^done(%new: f64):
  llvm.store %new, %p : f64, !llvm.ptr
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64) {loop_annotation = #shared}
^after:
  llvm.br ^join
^join:
  llvm.return
}

// Rows that are independent: the program inspects a tile of them, executes those that need not wait, and goes on with
// the next tile while there is time.
// COST-LABEL: llvm.func @rows
// COST: llvm.cond_br %{{.*}}, ^{{.*}}, ^{{.*}} {comm.interior = array<i64: {{[0-9]+}}>}
// COST: llvm.call @comm.ask_inspects_tiles(%{{.*}}) : (!llvm.ptr) -> i32
// COST: llvm.cond_br %{{.*}}, ^[[BEGIN:bb[0-9]+]], ^
// COST-NEXT: ^[[BEGIN]]:
// COST: ^[[TILE:bb[0-9]+]]:
// COST: llvm.br ^[[INSPECTED:bb[0-9]+]](
// COST-NOT: llvm.load %{{.*}} : !llvm.ptr -> f64
// COST: ^[[INSPECTED]](
// COST-NOT: llvm.load %{{.*}} : !llvm.ptr -> f64
// COST: llvm.call @comm.ask_goes_on(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> i32
// COST: comm.interior
// COST: llvm.fsub
// COST: llvm.cond_br %{{.*}}, ^[[TILE]], ^
// COST: llvm.call @comm.ask_waited
// COST: llvm.fsub
// COST: llvm.return
llvm.func @rows(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %old = llvm.load %p : !llvm.ptr -> f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %e = llvm.getelementptr inbounds %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %length = llvm.load %e : !llvm.ptr -> i64
  %row = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %has = llvm.icmp "sgt" %length, %zero : i64
  llvm.cond_br %has, ^entry(%zero, %old : i64, f64), ^done(%old : f64)
^entry(%k: i64, %sum: f64):
  %a = llvm.getelementptr inbounds %row[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %j = llvm.load %a : !llvm.ptr -> i32
  %wide = llvm.sext %j : i32 to i64
  %q = llvm.getelementptr inbounds %u[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %q : !llvm.ptr -> f64
  %y = llvm.fmul %x, %x : f64
  %z = llvm.fmul %y, %x : f64
  %less = llvm.fsub %sum, %z : f64
  %k1 = llvm.add %k, %one overflow<nsw, nuw> : i64
  %over = llvm.icmp "eq" %k1, %length : i64
  llvm.cond_br %over, ^done(%less : f64), ^entry(%k1, %less : i64, f64)
^done(%new: f64):
  %w = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %new, %w : f64, !llvm.ptr
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.return
}

// Such a loop is inspected as a whole or not at all: threads share out the iterations of the rest, which must all be
// independent.
// COST-LABEL: llvm.func @shared_rows
// COST: llvm.call @comm.ask_inspects(%{{.*}}, %[[COUNT:[0-9]+]], %[[COUNT]]) : (!llvm.ptr, i64, i64) -> i32
// COST: comm.interior
// COST: llvm.return
llvm.func @shared_rows(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %c: !llvm.ptr {llvm.noalias}, %m: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %half = llvm.mlir.constant(5.0e-01 : f64) : f64
  %n = llvm.mlir.constant(1 : i32) : i32
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %e = llvm.getelementptr inbounds %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %length = llvm.load %e : !llvm.ptr -> i64
  %row = llvm.getelementptr inbounds %c[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %has = llvm.icmp "sgt" %length, %zero : i64
  llvm.cond_br %has, ^entry(%zero, %half : i64, f64), ^done(%half : f64)
^entry(%k: i64, %sum: f64):
  %a = llvm.getelementptr inbounds %row[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %j = llvm.load %a : !llvm.ptr -> i32
  %wide = llvm.sext %j : i32 to i64
  %q = llvm.getelementptr inbounds %u[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %q : !llvm.ptr -> f64
  %y = llvm.fmul %x, %x : f64
  %z = llvm.fmul %y, %x : f64
  %less = llvm.fsub %sum, %z : f64
  %k1 = llvm.add %k, %one overflow<nsw, nuw> : i64
  %over = llvm.icmp "eq" %k1, %length : i64
  llvm.cond_br %over, ^done(%less : f64), ^entry(%k1, %less : i64, f64)
^done(%new: f64):
  llvm.store %new, %p : f64, !llvm.ptr
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64) {loop_annotation = #shared}
^after:
  llvm.br ^join
^join:
  llvm.return
}
}
