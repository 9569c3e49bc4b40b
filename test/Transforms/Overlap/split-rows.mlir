// A loop over rows whose pointers are loaded: u[i][j]. They are loaded before the loop, one after another, and their
// stride determines the interior, if it is the same for all.
// RUN: comm-opt %s --comm-split-iterations --mlir-print-local-scope | FileCheck %s
// RUN: comm-opt %s --comm-split-iterations --comm-move-slices=observers=never | FileCheck %s --check-prefix=MOVED
// RUN: comm-opt %s --comm-split-iterations=cost=measured --mlir-print-local-scope | FileCheck %s --check-prefix=COST

// CHECK-LABEL: llvm.func @rows
// CHECK: comm.wait
// CHECK: llvm.cond_br %{{.*}}, ^[[CHECK:.*]], ^[[DONE:.*]](%{{.*}}) {comm.interior = array<i64: 1>}
// CHECK: ^[[CHECK]]:
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[FIRST]]
// CHECK: llvm.br ^[[HEADER:.*]](%{{.*}}, %[[ADDRESS]], %{{.*}}, %{{.*}} : i64, i64, i64, i1)
// CHECK: ^[[HEADER]](%[[ROW:.*]]: i64, %[[BEFORE:.*]]: i64, %[[STRIDE:.*]]: i64, %[[EVEN:.*]]: i1):
// CHECK: %[[NEXT:.*]] = llvm.load
// CHECK: %[[NUMBER:.*]] = llvm.ptrtoint %[[NEXT]]
// CHECK: %[[DISTANCE:.*]] = llvm.sub %[[NUMBER]], %[[BEFORE]]
// CHECK: %[[EXPECTED:.*]] = llvm.select %{{.*}}, %[[DISTANCE]], %[[STRIDE]]
// CHECK: %[[SAME:.*]] = llvm.icmp "eq" %[[DISTANCE]], %[[EXPECTED]]
// CHECK: llvm.and %[[EVEN]], %[[SAME]]
// CHECK: ^[[DONE]](%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64):
// CHECK: llvm.cond_br %{{.*}} {comm.interior = array<i64: 1>}

// Nothing is loaded twice on one node.
// COST-LABEL: llvm.func @rows
// COST: comm.wait
// COST: llvm.call @comm.ask_spans_nodes
// COST: comm.interior

// MOVED-LABEL: llvm.func @rows
// MOVED: comm.recv async
// MOVED: comm.interior
// MOVED: comm.interior
// MOVED: comm.wait
module attributes {comm.abi = "openmpi4"} {
llvm.func @rows(%u: !llvm.ptr, %v: !llvm.ptr, %n: i64, %m: i64, %count: i32, %from: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %d = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %tag = llvm.mlir.constant(1 : i32) : i32
  %ghost = llvm.load %u : !llvm.ptr -> !llvm.ptr
  %request = comm.recv async buf(%ghost : !llvm.ptr) count(%count) datatype(%d) source(%from) tag(%tag) comm(%c) -> request
  comm.wait request(%request)
  llvm.br ^row(%zero : i64)
^row(%i: i64):
  %entry = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %old = llvm.load %entry : !llvm.ptr -> !llvm.ptr
  %other = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %new = llvm.load %other : !llvm.ptr -> !llvm.ptr
  llvm.br ^point(%zero : i64)
^point(%j: i64):
  %at = llvm.getelementptr inbounds %old[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %at : !llvm.ptr -> f64
  %to = llvm.getelementptr inbounds %new[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %to : f64, !llvm.ptr
  %nextJ = llvm.add %j, %one overflow<nsw, nuw> : i64
  %lastJ = llvm.icmp "eq" %nextJ, %m : i64
  llvm.cond_br %lastJ, ^end, ^point(%nextJ : i64)
^end:
  %nextI = llvm.add %i, %one overflow<nsw, nuw> : i64
  %lastI = llvm.icmp "eq" %nextI, %n : i64
  llvm.cond_br %lastI, ^out, ^row(%nextI : i64)
^out:
  llvm.return
}
}
