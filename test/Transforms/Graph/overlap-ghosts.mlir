// RUN: comm-opt %s -graph-copy-borders -graph-tile-gathers -graph-overlap-ghosts | FileCheck %s
// RUN: comm-opt %s -graph-copy-borders -graph-tile-gathers -graph-overlap-ghosts --remarks-filter='graph-overlap-.*' \
// RUN:   --remark-format=emitRemark --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TELLS
// RUN: comm-opt %s -graph-overlap-ghosts | FileCheck %s --check-prefix=NONE

// Without copies, values are fetched.
// NONE-NOT: graph.interior_first

// Vertices, edges through their ends, levels: a process that reads another one's vertex has an edge to it.
// CHECK-LABEL: func.func @travel
// CHECK: graph.forall vertices
// CHECK: } attributes {graph.interior_first}
// CHECK: graph.forall edges
// CHECK: } attributes {graph.interior_first}
// CHECK: graph.forall levels
// CHECK: } attributes {graph.interior_first}
// CHECK-LABEL: func.func @stay
// CHECK-NOT: graph.interior_first

// TELLS-DAG: [Missed] graph-overlap-ghosts {{.*}}ghosts arrive before the loop: a gather for all vertices comes before the first iteration
// TELLS-DAG: [Missed] graph-overlap-ghosts {{.*}}ghosts arrive before the loop: all iterations are of neighbors of one vertex
// TELLS-DAG: [Missed] graph-overlap-ghosts {{.*}}ghosts arrive before the loop: the runtime exchanges the values of an asynchronous fixed point

func.func @travel(%g: !graph.graph, %d: !graph.property<vertex, i32>, %p: !graph.property<vertex, i32>, %src: !graph.vertex) {
  graph.forall vertices(%g) do (%v) {
    graph.forall in_neighbors(%g, %v) do (%n, %e) {
      %x = graph.load %d[%n] : <vertex, i32>
      graph.reduce sum %p[%v], %x : <vertex, i32>, i32
    }
  }
  graph.forall edges(%g) do (%e) {
    %from = graph.endpoint out %g, %e
    %to = graph.endpoint in %g, %e
    %x = graph.load %d[%to] : <vertex, i32>
    graph.reduce max %p[%from], %x : <vertex, i32>, i32
  }
  %levels = graph.levels %g from %src
  graph.forall levels(%levels) do (%v) {
    graph.forall children(%levels, %v) do (%n, %e) {
      %x = graph.load %d[%n] : <vertex, i32>
      graph.reduce sum %p[%v], %x : <vertex, i32>, i32
    }
  }
  return
}

func.func @stay(%g: !graph.graph, %d: !graph.property<vertex, i32>, %r: !graph.property<vertex, f64>, %p: !graph.property<vertex, i32>,
                %src: !graph.vertex, %more: i32) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // Nothing is read from other processes.
  graph.forall vertices(%g) do (%v) {
    %x = graph.load %d[%v] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce sum %p[%n], %x : <vertex, i32>, i32
    }
  }
  graph.forall out_neighbors(%g, %src) do (%n, %e) {
    %x = graph.load %d[%n] : <vertex, i32>
    graph.reduce sum %p[%n], %x : <vertex, i32>, i32
  }
  %left = graph.cell %more : <i32>
  scf.while : () -> () {
    %n = graph.get %left : <i32>
    %go = arith.cmpi sgt, %n, %c0 : i32
    scf.condition(%go)
  } do {
    // A gather alone overlaps by graph-overlap-gathers.
    %next = graph.property %g : <vertex, f64>
    graph.forall vertices(%g) do (%v) {
      %sum = graph.cell %zero : <f64>
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %r[%n] : <vertex, f64>
        graph.accumulate sum %sum, %x : <f64>, f64
      }
      %s = graph.get %sum : <f64>
      graph.store %s, %next[%v] : <vertex, f64>
    }
    // A gather, and another read.
    graph.forall vertices(%g) do (%v) {
      %sum = graph.cell %zero : <f64>
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %r[%n] : <vertex, f64>
        graph.accumulate sum %sum, %x : <f64>, f64
      }
      %s = graph.get %sum : <f64>
      graph.store %s, %next[%v] : <vertex, f64>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %d[%n] : <vertex, i32>
        graph.reduce sum %p[%v], %x : <vertex, i32>, i32
      }
    }
    graph.copy %next to %r : <vertex, f64>
    %n = graph.get %left : <i32>
    %m = graph.checked sub %n, %one : i32
    graph.set %m, %left : <i32>
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func @fixed
// CHECK-NOT: graph.interior_first
func.func @fixed(%g: !graph.graph, %label: !graph.property<vertex, i32>, %active: !graph.property<vertex, i1>,
                 %open: !graph.property<vertex, i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %done = graph.cell %false : <i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %done until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %l = graph.load %label[%v] : <vertex, i32>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %o = graph.load %open[%n] : <vertex, i1>
        scf.if %o {
          graph.reduce min %label[%n], %l with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
        }
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  } attributes {graph.aggregated}
  return
}
