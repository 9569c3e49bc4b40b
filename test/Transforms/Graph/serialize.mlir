// RUN: comm-opt %s -graph-check-races=serialize 2>&1 | FileCheck %s
// CHECK: warning: a race: 'mark' is {{.*}} its iterations run one after another
// CHECK: graph.forall ordered vertices
func.func @race(%g: !graph.graph, %p: !graph.property<vertex, i1> {graph.name = "mark"}, %u: !graph.vertex) {
  graph.forall vertices(%g) do (%v) {
    %x = graph.load %p[%u] : !graph.property<vertex, i1>
    graph.store %x, %p[%v] : !graph.property<vertex, i1>
  }
  return
}
