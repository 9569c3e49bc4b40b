// RUN: comm-opt %s -split-input-file -convert-graph-to-comm -canonicalize | FileCheck %s

// Without the transforms: own values are read through the runtime, neighbors are fetched, and there are no ghosts.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK-NOT: comm_graph_run_refresh
// CHECK: %[[PROBES:.*]] = arith.constant 1 : i32
// CHECK: llvm.call @comm_graph_run_sweep({{.*}}, %[[PROBES]])
// CHECK-LABEL: llvm.func internal @comm_graph_sweep_
// CHECK: llvm.call @comm_graph_run_fetch
// CHECK: scf.for
// CHECK: llvm.call @comm_graph_run_fetch
func.func @reads(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i32>,
                 %r: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    %own = graph.load %q[%v] : <vertex, i32>
    graph.store %own, %r[%v] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %x = graph.load %p[%n] : <vertex, i32>
      graph.reduce sum %r[%v], %x : <vertex, i32>, i32
    }
  }
  return
}

// -----

// A loop over own values never misses, so it stays a loop.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK-NOT: comm_graph_run_sweep
// CHECK: scf.for
// CHECK: llvm.call @comm_graph_run_fetch
// CHECK-NOT: comm_graph_run_sweep
func.func @own(%g: !graph.graph, %p: !graph.property<vertex, i32>, %r: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    %own = graph.load %p[%v] : <vertex, i32>
    graph.store %own, %r[%v] : <vertex, i32>
  }
  return
}

// -----

// A minimum that is not read waits, is sent uncombined, and leaves copies unchanged: 2 + 32 + 64 + 128. A sum of owned
// neighbors is added at once (0 + 32 + 64), others are sent.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK-DAG: %[[MIN:.*]] = arith.constant 226 : i32
// CHECK-DAG: %[[SUM:.*]] = arith.constant 96 : i32
// CHECK: %[[LEAST:.*]] = llvm.call @comm_graph_run_updates(%{{.*}}, %{{.*}}, %[[MIN]]
// CHECK: %[[TOTAL:.*]] = llvm.call @comm_graph_run_updates(%{{.*}}, %{{.*}}, %[[SUM]]
// CHECK: llvm.call @comm_graph_run_update(%[[LEAST]]
// CHECK: scf.if
// CHECK: llvm.call @comm_graph_run_update(%[[TOTAL]]
// CHECK-NEXT: } else {
// CHECK-NOT: comm_graph_run_update
// CHECK: llvm.call @comm_graph_run_deliver(%[[LEAST]]
func.func @updates(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i32>, %x: i32) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce min %p[%n], %x : <vertex, i32>, i32
      graph.reduce sum %q[%n], %x : <vertex, i32>, i32
    }
  }
  return
}

// -----

// Values that the loop reads are still updated at once: 2 + 16 + 32 + 64.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK: %[[MIN:.*]] = arith.constant 114 : i32
// CHECK: llvm.call @comm_graph_run_updates(%{{.*}}, %{{.*}}, %[[MIN]]
func.func @read(%g: !graph.graph, %p: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %x = graph.load %p[%v] : <vertex, i32>
      graph.reduce min %p[%n], %x : <vertex, i32>, i32
    }
  }
  return
}
