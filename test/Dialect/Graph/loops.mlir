// RUN: comm-opt %s | comm-opt | FileCheck %s
// RUN: comm-opt %s --mlir-print-op-generic | comm-opt | FileCheck %s

// CHECK-LABEL: func.func @domains
func.func @domains(%g: !graph.graph, %s: !graph.set, %v: !graph.vertex) {
  %l = graph.levels %g from %v
  // CHECK: graph.forall vertices(%{{.*}}) do (%vertex) {
  graph.forall vertices(%g) do (%x) {
    // CHECK: graph.forall ordered in_neighbors(%{{.*}}, %vertex) do (%neighbor, %edge) {
    graph.forall ordered in_neighbors(%g, %x) do (%y, %e) {
      %t = graph.endpoint out %g, %e
    }
  }
  // CHECK: graph.forall edges(%{{.*}}) do (%edge) {
  graph.forall edges(%g) do (%e) {
  }
  // CHECK: graph.forall ordered set(%{{.*}}) do (%vertex) {
  graph.forall ordered set(%s) do (%x) {
  }
  // CHECK: graph.forall reverse_levels(%{{.*}}) do (%vertex) {
  graph.forall reverse_levels(%l) do (%x) {
    // CHECK: graph.forall children(%{{.*}}, %vertex) do
    graph.forall children(%l, %x) do (%y, %e) {
    }
  }
  return
}
