// RUN: comm-opt %s -graph-track-frontiers | FileCheck %s

// The property that a filter tests, and the properties copied to it.
// CHECK-LABEL: func.func @active
// CHECK: graph.property %{{.*}} {graph.tracked} : <vertex, i1>
// CHECK: graph.property %{{.*}} {graph.tracked} : <vertex, i1>
// CHECK: graph.property %{{.*}} : <vertex, i1>
func.func @active(%g: !graph.graph, %true: i1) {
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  %other = graph.property %g : <vertex, i1>
  graph.forall vertices(%g) where (%v) {
    %x = graph.load %active[%v] : <vertex, i1>
    %one = arith.constant true
    %y = arith.cmpi eq, %x, %one : i1
    graph.yield %y
  } do (%v) {
    graph.store %true, %other[%v] : <vertex, i1>
  }
  graph.copy %next to %active : <vertex, i1>
  return
}

// False ones, other tests, orders and parameters have no list.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.tracked
func.func @others(%g: !graph.graph, %given: !graph.property<vertex, i1>, %true: i1, %w: !graph.vertex) {
  %a = graph.property %g : <vertex, i1>
  %b = graph.property %g : <vertex, i1>
  %c = graph.property %g : <vertex, i1>
  graph.forall vertices(%g) where (%v) {
    %x = graph.load %a[%v] : <vertex, i1>
    %false = arith.constant false
    %y = arith.cmpi eq, %x, %false : i1
    graph.yield %y
  } do (%v) {
    graph.store %true, %a[%v] : <vertex, i1>
  }
  graph.forall vertices(%g) where (%v) {
    %x = graph.load %b[%w] : <vertex, i1>
    graph.yield %x
  } do (%v) {
    graph.store %true, %a[%v] : <vertex, i1>
  }
  graph.forall ordered vertices(%g) where (%v) {
    %x = graph.load %c[%v] : <vertex, i1>
    graph.yield %x
  } do (%v) {
    graph.store %true, %a[%v] : <vertex, i1>
  }
  graph.forall vertices(%g) where (%v) {
    %x = graph.load %given[%v] : <vertex, i1>
    graph.yield %x
  } do (%v) {
    graph.store %true, %a[%v] : <vertex, i1>
  }
  return
}
