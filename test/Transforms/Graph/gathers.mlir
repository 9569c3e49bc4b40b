// RUN: comm-opt %s -graph-share-terms -canonicalize -graph-copy-borders -graph-tile-gathers | FileCheck %s

// Rank over number of edges is made once for each vertex, and its sums over neighbors are gathered.
// CHECK-LABEL: func.func @rank
// CHECK: %[[SHARED:.*]] = graph.property %{{.*}} : <vertex, f64>
// CHECK: scf.while
// CHECK: graph.forall vertices(%{{.*}}) do (%[[U:.*]]) {
// CHECK-NEXT: %[[R:.*]] = graph.load %{{.*}}[%[[U]]]
// CHECK-NEXT: %[[D:.*]] = graph.degree out %{{.*}}, %[[U]]
// CHECK-NEXT: %[[N:.*]] = graph.convert %[[D]]
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[R]], %[[N]]
// CHECK-NEXT: graph.store %[[Q]], %[[SHARED]][%[[U]]]
// CHECK: graph.forall in_neighbors(%{{.*}}) do (%[[M:.*]], %{{.*}}) {
// CHECK-NEXT: %[[T:.*]] = graph.load %[[SHARED]][%[[M]]]
// CHECK-NEXT: graph.accumulate sum %{{.*}}, %[[T]]
// CHECK-NEXT: } attributes {graph.gathered}
func.func @rank(%g: !graph.graph, %rank: !graph.property<vertex, f64>, %next: !graph.property<vertex, f64>, %more: !graph.cell<i1>) {
  %zero = arith.constant 0.0 : f64
  scf.while : () -> () {
    %go = graph.get %more : <i1>
    scf.condition(%go)
  } do {
    graph.forall vertices(%g) do (%v) {
      %sum = graph.cell %zero : <f64>
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %r = graph.load %rank[%n] : <vertex, f64>
        %d = graph.degree out %g, %n : i64
        %x = graph.convert %d : i64 to f64
        %q = arith.divf %r, %x : f64
        graph.accumulate sum %sum, %q : <f64>, f64
      }
      %s = graph.get %sum : <f64>
      graph.store %s, %next[%v] : <vertex, f64>
    }
    scf.yield
  }
  return
}

// A minimum leaves out what is no number, and so would not a tree of minima. In order, a floating-point sum is rounded in that order; sums of integers tell when they leave their range; once is not
// worth the tiles; and a filter of the vertices leaves most values unused.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.gathered
func.func @others(%g: !graph.graph, %a: !graph.property<vertex, f64>, %i: !graph.property<vertex, i32>, %p: !graph.property<vertex, i1>, %to: !graph.property<vertex, f64>, %toI: !graph.property<vertex, i32>, %more: !graph.cell<i1>) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i32
  scf.while : () -> () {
    %go = graph.get %more : <i1>
    scf.condition(%go)
  } do {
    graph.forall vertices(%g) do (%v) {
      %sum = graph.cell %zero : <f64>
      graph.forall ordered out_neighbors(%g, %v) do (%n, %e) {
        %r = graph.load %a[%n] : <vertex, f64>
        graph.accumulate sum %sum, %r : <f64>, f64
      }
      %s = graph.get %sum : <f64>
      graph.store %s, %to[%v] : <vertex, f64>
    }
    graph.forall vertices(%g) do (%v) {
      %sum = graph.cell %c0 : <i32>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %r = graph.load %i[%n] : <vertex, i32>
        graph.accumulate sum %sum, %r : <i32>, i32
      }
      %s = graph.get %sum : <i32>
      graph.store %s, %toI[%v] : <vertex, i32>
    }
    graph.forall vertices(%g) do (%v) {
      %least = graph.cell %zero : <f64>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %r = graph.load %a[%n] : <vertex, f64>
        graph.accumulate min %least, %r : <f64>, f64
      }
      %s = graph.get %least : <f64>
      graph.store %s, %to[%v] : <vertex, f64>
    }
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %p[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %sum = graph.cell %zero : <f64>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %r = graph.load %a[%n] : <vertex, f64>
        graph.accumulate sum %sum, %r : <f64>, f64
      }
      %s = graph.get %sum : <f64>
      graph.store %s, %to[%v] : <vertex, f64>
    }
    scf.yield
  }
  graph.forall vertices(%g) do (%v) {
    %sum = graph.cell %zero : <f64>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %r = graph.load %a[%n] : <vertex, f64>
      graph.accumulate sum %sum, %r : <f64>, f64
    }
    %s = graph.get %sum : <f64>
    graph.store %s, %to[%v] : <vertex, f64>
  }
  return
}

// An integer division may stop the program, and would also divide by vertices without neighbors; values that the loop
// changes cannot be known before it.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: = graph.property
// CHECK: return
func.func @stays(%g: !graph.graph, %i: !graph.property<vertex, i64>, %a: !graph.property<vertex, f64>, %to: !graph.property<vertex, i64>, %c: !graph.cell<f64>, %t: !graph.cell<i64>) {
  %zero = arith.constant 0 : i64
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %r = graph.load %i[%n] : <vertex, i64>
      %d = graph.degree in %g, %n : i64
      %q = graph.checked div %r, %d : i64
      graph.accumulate max %t, %q : <i64>, i64
    }
  }
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %r = graph.load %a[%n] : <vertex, f64>
      %q = arith.divf %r, %r : f64
      graph.reduce min %a[%n], %q : <vertex, f64>, f64
    }
  }
  return
}
