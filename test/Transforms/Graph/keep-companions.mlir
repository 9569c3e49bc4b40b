// RUN: comm-opt %s -graph-check-races -graph-keep-companions | FileCheck %s

// Values that the reduction sets along with its own are read from a copy, as they were.
// CHECK-LABEL: func.func @read
// CHECK-SAME: %[[G:.*]]: !graph.graph, %[[D:.*]]: !graph.property<vertex, i32>, %[[H:.*]]: !graph.property<vertex, i32>
func.func @read(%g: !graph.graph, %d: !graph.property<vertex, i32>, %h: !graph.property<vertex, i32>, %n: i32) {
  // CHECK: %[[COPY:.*]] = graph.property %[[G]] : <vertex, i32>
  // CHECK-NEXT: graph.copy %[[H]] to %[[COPY]]
  // CHECK-NEXT: graph.forall vertices
  // CHECK: graph.load %[[COPY]]
  // CHECK: graph.load %[[COPY]]
  // CHECK: graph.load %[[D]]
  // CHECK: graph.reduce min %[[D]]{{.*}} with(%[[H]] =
  graph.forall vertices(%g) where (%v) {
    %x = graph.load %h[%v] : <vertex, i32>
    %c = arith.cmpi sgt, %x, %n : i32
    graph.yield %c
  } do (%v) {
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      %x = graph.load %h[%v] : <vertex, i32>
      %y = graph.load %d[%v] : <vertex, i32>
      graph.reduce min %d[%w], %y with(%h = %x : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    }
  }
  return
}

// An iteration that sets and reads only values of its own vertex does so immediately.
// CHECK-LABEL: func.func @own
// CHECK-NOT: graph.copy
func.func @own(%g: !graph.graph, %d: !graph.property<vertex, i32>, %h: !graph.property<vertex, i32>, %n: i32) {
  graph.forall vertices(%g) do (%v) {
    graph.reduce min %d[%v], %n with(%h = %n : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    %x = graph.load %h[%v] : <vertex, i32>
    graph.store %x, %h[%v] : <vertex, i32>
  }
  return
}

// A loop in order reads current values; the inner loop has a copy each time.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT: graph.copy
// CHECK: graph.forall ordered vertices
// CHECK: graph.copy
// CHECK-NEXT: graph.forall out_neighbors
func.func @ordered(%g: !graph.graph, %d: !graph.property<vertex, i32>, %h: !graph.property<vertex, i32>, %n: i32) {
  graph.forall ordered vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      %x = graph.load %h[%v] : <vertex, i32>
      graph.reduce max %d[%w], %n with(%h = %x : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    }
  }
  return
}
