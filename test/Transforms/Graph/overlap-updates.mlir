// RUN: comm-opt %s -graph-copy-borders -graph-combine-updates -graph-overlap-updates | FileCheck %s
// RUN: comm-opt %s -graph-copy-borders -graph-combine-updates -graph-overlap-updates --remarks-filter='graph-overlap-.*' \
// RUN:   --remark-format=emitRemark --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TELLS
// RUN: comm-opt %s -graph-combine-updates -graph-overlap-updates | FileCheck %s --check-prefix=NONE
// RUN: comm-opt %s -graph-copy-borders -graph-overlap-updates | FileCheck %s --check-prefix=NONE

// Without copies of neighbors, or without combining in them, updates are incomplete when the border is done.
// NONE-NOT: graph.overlapped

// Vertices, edges through their ends, levels: a process that updates another one's vertex has an edge to it.
// CHECK-LABEL: func.func @travel
// CHECK: graph.forall vertices
// CHECK: } attributes {graph.overlapped}
// CHECK: graph.forall edges
// CHECK: } attributes {graph.overlapped}
// CHECK: graph.forall levels
// CHECK: } attributes {graph.overlapped}
// CHECK-LABEL: func.func @stay
// CHECK-NOT: graph.overlapped

// TELLS-DAG: [Missed] graph-overlap-updates {{.*}}updates travel after the loop: some are of vertices or edges that may belong to any process
// TELLS-DAG: [Missed] graph-overlap-updates {{.*}}updates travel after the loop: some set a vertex or edge that is not the iteration's own
// TELLS-DAG: [Missed] graph-overlap-updates {{.*}}updates travel after the loop: all iterations are of neighbors of one vertex
// TELLS-DAG: [Missed] graph-overlap-updates {{.*}}updates travel after the loop: the runtime exchanges the results of an asynchronous fixed point

func.func @travel(%g: !graph.graph, %d: !graph.property<vertex, i32>, %p: !graph.property<vertex, i32>, %src: !graph.vertex) {
  %one = arith.constant 1 : i32
  graph.forall vertices(%g) do (%v) {
    graph.store %one, %p[%v] : <vertex, i32>
    graph.forall in_neighbors(%g, %v) do (%n, %e) {
      graph.reduce sum %d[%n], %one : <vertex, i32>, i32
    }
  }
  graph.forall edges(%g) do (%e) {
    %from = graph.endpoint out %g, %e
    %to = graph.endpoint in %g, %e
    graph.reduce max %d[%to], %one : <vertex, i32>, i32
    graph.reduce max %p[%from], %one : <vertex, i32>, i32
  }
  %levels = graph.levels %g from %src
  graph.forall levels(%levels) do (%v) {
    graph.forall children(%levels, %v) do (%n, %e) {
      graph.reduce sum %d[%n], %one : <vertex, i32>, i32
    }
  }
  return
}

func.func @stay(%g: !graph.graph, %d: !graph.property<vertex, i32>, %at: !graph.property<vertex, i64>, %src: !graph.vertex) {
  %one = arith.constant 1 : i32
  // Only the own vertex: nothing is exchanged.
  graph.forall vertices(%g) do (%v) {
    graph.reduce sum %d[%v], %one : <vertex, i32>, i32
  }
  graph.forall vertices(%g) do (%v) {
    %id = graph.load %at[%v] : <vertex, i64>
    %w = graph.from_id %id : i64 to !graph.vertex
    graph.reduce sum %d[%w], %one : <vertex, i32>, i32
  }
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.store %one, %d[%n] : <vertex, i32>
    }
  }
  graph.forall out_neighbors(%g, %src) do (%n, %e) {
    graph.reduce sum %d[%n], %one : <vertex, i32>, i32
  }
  return
}

// CHECK-LABEL: func.func @fixed
// CHECK-NOT: graph.overlapped
func.func @fixed(%g: !graph.graph, %label: !graph.property<vertex, i32>, %active: !graph.property<vertex, i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %done = graph.cell %false : <i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %done until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %l = graph.load %label[%v] : <vertex, i32>
        graph.reduce min %label[%n], %l with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  } attributes {graph.aggregated}
  return
}
