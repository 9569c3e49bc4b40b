// RUN: comm-opt %s -split-input-file -graph-copy-borders -graph-apply-locally -graph-aggregate-pulses -graph-order-by-priority -graph-choose-direction -graph-join-copies | FileCheck %s

// Shortest paths: a step of the edge. The vertex before is one of the round in which the distance comes first.
// CHECK-LABEL: func.func @paths
// CHECK: } attributes {graph.aggregated, graph.prioritized}
func.func @paths(%g: !graph.graph, %d: !graph.property<vertex, i32>, %before: !graph.property<vertex, !graph.vertex>, %w: !graph.property<edge, i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %a = graph.load %d[%v] : <vertex, i32>
        %b = graph.load %w[%e] : <edge, i32>
        %c = graph.checked add %a, %b : i32
        graph.reduce min %d[%n], %c with(%next, %before = %true, %v : !graph.property<vertex, i1>, !graph.property<vertex, !graph.vertex> = i1, !graph.vertex) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// Numbers of edges: all neighbors get the same value.
// CHECK-LABEL: func.func @levels
// CHECK: } attributes {graph.aggregated, graph.prioritized, graph.pulls}
func.func @levels(%g: !graph.graph, %d: !graph.property<vertex, i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %one = arith.constant 1 : i32
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %a = graph.load %d[%v] : <vertex, i32>
      %c = graph.checked add %a, %one : i32
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %d[%n], %c with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// The least number of the neighbors. Steps are zero, so there is no order of buckets.
// CHECK-LABEL: func.func @copies
// CHECK: } attributes {graph.aggregated, graph.joins, graph.pulls}
func.func @copies(%g: !graph.graph, %d: !graph.property<vertex, i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %a = graph.load %d[%v] : <vertex, i32>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %d[%n], %a with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// A condition excludes edges: the result is not the component.
// CHECK-LABEL: func.func @filtered
// CHECK: } attributes {graph.aggregated}
func.func @filtered(%g: !graph.graph, %d: !graph.property<vertex, i32>, %o: !graph.property<vertex, i1>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %a = graph.load %d[%v] : <vertex, i32>
      graph.forall out_neighbors(%g, %v) where (%n, %e) {
        %x = graph.load %o[%n] : <vertex, i1>
        graph.yield %x
      } do (%n, %e) {
        graph.reduce min %d[%n], %a with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// Companions differ, and a value that is not the last one of a vertex may lead to the last one of a neighbor: the round
// in which that comes first is not known in another order.
// CHECK-LABEL: func.func @bottleneck
// CHECK-NOT: graph.aggregated
func.func @bottleneck(%g: !graph.graph, %d: !graph.property<vertex, i32>, %before: !graph.property<vertex, !graph.vertex>, %w: !graph.property<edge, i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %a = graph.load %d[%v] : <vertex, i32>
        %b = graph.load %w[%e] : <edge, i32>
        %c = arith.maxsi %a, %b : i32
        graph.reduce min %d[%n], %c with(%next, %before = %true, %v : !graph.property<vertex, i1>, !graph.property<vertex, !graph.vertex> = i1, !graph.vertex) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// A difference falls where the value rises.
// CHECK-LABEL: func.func @falling
// CHECK-NOT: graph.aggregated
func.func @falling(%g: !graph.graph, %d: !graph.property<vertex, i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %ten = arith.constant 10 : i32
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %a = graph.load %d[%v] : <vertex, i32>
        %c = graph.checked sub %ten, %a : i32
        graph.reduce min %d[%n], %c with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// Whether an edge is used depends on the value.
// CHECK-LABEL: func.func @conditional
// CHECK-NOT: graph.aggregated
func.func @conditional(%g: !graph.graph, %d: !graph.property<vertex, i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %ten = arith.constant 10 : i32
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %a = graph.load %d[%v] : <vertex, i32>
        %big = arith.cmpi sgt, %a, %ten : i32
        scf.if %big {
          graph.reduce min %d[%n], %a with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
        }
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// A companion is read: a vertex sends more than its value.
// CHECK-LABEL: func.func @readsCompanion
// CHECK-NOT: graph.aggregated
func.func @readsCompanion(%g: !graph.graph, %d: !graph.property<vertex, i32>, %w: !graph.property<vertex, i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %ten = arith.constant 10 : i32
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %a = graph.load %d[%v] : <vertex, i32>
        %b = graph.load %w[%v] : <vertex, i32>
        %c = graph.checked add %a, %b : i32
        graph.reduce min %d[%n], %c with(%next, %w = %true, %ten : !graph.property<vertex, i1>, !graph.property<vertex, i32> = i1, i32) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// Rounds are counted.
// CHECK-LABEL: func.func @counted
// CHECK-NOT: graph.aggregated
func.func @counted(%g: !graph.graph, %d: !graph.property<vertex, i32>, %rounds: !graph.cell<i32>, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %one = arith.constant 1 : i32
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %a = graph.load %d[%v] : <vertex, i32>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %d[%n], %a with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
    graph.accumulate sum %rounds, %one : <i32>, i32
  }
  return
}

// -----

// Values for the next round are visible to others.
// CHECK-LABEL: func.func @seen
// CHECK-NOT: graph.aggregated
func.func @seen(%g: !graph.graph, %d: !graph.property<vertex, i32>, %s: !graph.vertex, %f: !graph.cell<i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %active = graph.property %g : <vertex, i1>
  %next = graph.property %g : <vertex, i1>
  graph.store %true, %next[%s] : <vertex, i1>
  graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %a = graph.load %d[%v] : <vertex, i32>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %d[%n], %a with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}
