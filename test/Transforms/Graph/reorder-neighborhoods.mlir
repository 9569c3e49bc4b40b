// RUN: comm-opt %s -graph-reorder-neighborhoods | FileCheck %s

// CHECK-LABEL: func.func @out
// CHECK: graph.forall out_neighbors(%{{.*}}, %{{.*}}) where (%{{.*}}, %[[ASKED:.*]])
// CHECK-NEXT: graph.load %{{.*}}[%[[ASKED]]]
// CHECK: do (%{{.*}}, %[[EDGE:.*]])
// CHECK-NOT: graph.find_edge
// CHECK: graph.store %{{.*}}, %{{.*}}[%[[EDGE]]]
func.func @out(%g: !graph.graph, %p: !graph.property<edge, i1>, %true: i1) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) where (%n, %x) {
      %e = graph.find_edge %g, %v, %n
      %b = graph.load %p[%e] : <edge, i1>
      graph.yield %b
    } do (%n, %x) {
      %e = graph.find_edge %g, %v, %n
      graph.store %true, %p[%e] : <edge, i1>
    }
  }
  return
}

// The opposite direction is another edge, and incoming edges belong to their sources.
// CHECK-LABEL: func.func @other
// CHECK-COUNT-2: graph.find_edge
func.func @other(%g: !graph.graph, %p: !graph.property<edge, i1>, %true: i1) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %x) {
      %e = graph.find_edge %g, %n, %v
      graph.store %true, %p[%e] : <edge, i1>
    }
    graph.forall in_neighbors(%g, %v) do (%n, %x) {
      %e = graph.find_edge %g, %n, %v
      graph.store %true, %p[%e] : <edge, i1>
    }
  }
  return
}
