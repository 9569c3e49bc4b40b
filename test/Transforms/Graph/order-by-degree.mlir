// RUN: comm-opt %s -graph-order-by-degree | FileCheck %s

// Three vertices in one order of their numbers, all neighbors of each other.
// CHECK-LABEL: func.func @from_the_middle
// CHECK: } attributes {graph.by_degree}
func.func @from_the_middle(%g: !graph.graph, %count: !graph.cell<i64>) {
  %one = arith.constant 1 : i64
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) where (%u, %e) {
      %a = graph.to_id %u : !graph.vertex to i64
      %b = graph.to_id %v : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      graph.yield %lt
    } do (%u, %e) {
      graph.forall in_neighbors(%g, %v) where (%w, %f) {
        %a = graph.to_id %w : !graph.vertex to i64
        %b = graph.to_id %v : !graph.vertex to i64
        %gt = arith.cmpi sgt, %a, %b : i64
        graph.yield %gt
      } do (%w, %f) {
        %closed = graph.has_edge %g, %u, %w
        scf.if %closed {
          graph.accumulate sum %count, %one : <i64>, i64
        }
      }
    }
  }
  return
}

// The same from the first one, with conditions in branches.
// CHECK-LABEL: func.func @from_the_first
// CHECK: } attributes {graph.by_degree}
func.func @from_the_first(%g: !graph.graph, %count: !graph.cell<i32>) {
  %one = arith.constant 1 : i32
  %false = arith.constant false
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %less = arith.cmpi sgt, %c, %b : i64
          %both = scf.if %less -> (i1) {
            %closed = graph.has_edge %g, %v, %w
            scf.yield %closed : i1
          } else {
            scf.yield %false : i1
          }
          scf.if %both {
            graph.accumulate sum %count, %one : <i32>, i32
          }
        }
      }
    }
  }
  return
}

// None of the following is such a count.
// CHECK-NOT: graph.by_degree

// Only one comparison: two orders of each three are visited.
func.func @two_orders(%g: !graph.graph, %count: !graph.cell<i64>) {
  %one = arith.constant 1 : i64
  graph.forall vertices(%g) do (%v) {
    %b = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %a = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %v) do (%w, %f) {
          %closed = graph.has_edge %g, %u, %w
          scf.if %closed {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  return
}

// Both are less than the middle one: their own order is not said.
func.func @two_lesser(%g: !graph.graph, %count: !graph.cell<i64>) {
  %one = arith.constant 1 : i64
  graph.forall vertices(%g) do (%v) {
    %b = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %a = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %v) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %lower = arith.cmpi slt, %c, %b : i64
          %closed = graph.has_edge %g, %u, %w
          %both = arith.andi %lower, %closed : i1
          scf.if %both {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  return
}

// A path, not a triangle: nothing says that %u and %w are neighbors.
func.func @path(%g: !graph.graph, %count: !graph.cell<i64>) {
  %one = arith.constant 1 : i64
  graph.forall vertices(%g) do (%v) {
    %b = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %a = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %v) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %gt = arith.cmpi sgt, %c, %b : i64
          %there = graph.has_edge %g, %v, %w
          %both = arith.andi %gt, %there : i1
          scf.if %both {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  return
}

// A round of comparisons, and of one vertex with itself: nothing is visited.
func.func @round(%g: !graph.graph, %count: !graph.cell<i64>) {
  %one = arith.constant 1 : i64
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %next = arith.cmpi slt, %b, %c : i64
          %back = arith.cmpi slt, %c, %a : i64
          %closed = graph.has_edge %g, %v, %w
          %some = arith.andi %next, %back : i1
          %all = arith.andi %some, %closed : i1
          scf.if %all {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %next = arith.cmpi slt, %b, %c : i64
          %self = arith.cmpi slt, %c, %c : i64
          %closed = graph.has_edge %g, %v, %w
          %some = arith.andi %next, %self : i1
          %all = arith.andi %some, %closed : i1
          scf.if %all {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  return
}

// The body depends on the vertices' roles; it does not count by one; or it does or tests more.
func.func @others(%g: !graph.graph, %count: !graph.cell<i64>, %p: !graph.property<vertex, i64>, %n: i64, %flag: i1) {
  %one = arith.constant 1 : i64
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %next = arith.cmpi slt, %b, %c : i64
          %closed = graph.has_edge %g, %v, %w
          %all = arith.andi %next, %closed : i1
          scf.if %all {
            graph.reduce sum %p[%v], %one : <vertex, i64>, i64
          }
        }
      }
    }
  }
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %next = arith.cmpi slt, %b, %c : i64
          %closed = graph.has_edge %g, %v, %w
          %all = arith.andi %next, %closed : i1
          scf.if %all {
            graph.accumulate sum %count, %n : <i64>, i64
          }
        }
      }
    }
  }
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.accumulate sum %count, %one : <i64>, i64
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %next = arith.cmpi slt, %b, %c : i64
          %closed = graph.has_edge %g, %v, %w
          %all = arith.andi %next, %closed : i1
          scf.if %all {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i64
      %lt = arith.cmpi slt, %a, %b : i64
      scf.if %lt {
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i64
          %next = arith.cmpi slt, %b, %c : i64
          %closed = graph.has_edge %g, %v, %w
          %some = arith.andi %next, %closed : i1
          %all = arith.andi %some, %flag : i1
          scf.if %all {
            graph.accumulate sum %count, %one : <i64>, i64
          } else {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  // A number of 32 bits may stop the program.
  graph.forall vertices(%g) do (%v) {
    %a = graph.to_id %v : !graph.vertex to i32
    graph.forall out_neighbors(%g, %v) do (%u, %e) {
      %b = graph.to_id %u : !graph.vertex to i32
      %lt = arith.cmpi slt, %a, %b : i32
      scf.if %lt {
        graph.forall out_neighbors(%g, %u) do (%w, %f) {
          %c = graph.to_id %w : !graph.vertex to i32
          %next = arith.cmpi slt, %b, %c : i32
          %closed = graph.has_edge %g, %v, %w
          %all = arith.andi %next, %closed : i1
          scf.if %all {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    }
  }
  return
}
