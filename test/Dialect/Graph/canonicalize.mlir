// RUN: comm-opt %s --canonicalize | FileCheck %s

// Only operations that cannot fail are folded; infinity stays infinite.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[INF:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK: %[[TOO:.*]] = graph.checked mul
// CHECK: %[[DIV:.*]] = graph.checked div
// CHECK: return %[[FIVE]], %[[INF]], %[[TOO]], %[[DIV]]
func.func @constants() -> (i32, i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %inf = arith.constant 2147483647 : i32
  %a = graph.checked add %two, %three : i32
  %b = graph.checked add %inf, %two : i32
  %c = graph.checked mul %inf, %two : i32
  %d = graph.checked div %two, %zero : i32
  return %a, %b, %c, %d : i32, i32, i32, i32
}

// Unused operations are removed, except for a division that may be by zero.
// CHECK-LABEL: func.func @unused
// CHECK-SAME: (%[[N:.*]]: i32)
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT: graph.checked div %[[TWO]], %[[N]]
// CHECK-NEXT: graph.checked rem %[[TWO]], %[[N]]
// CHECK-NEXT: return
func.func @unused(%n: i32) {
  %two = arith.constant 2 : i32
  %sum = graph.checked add %n, %two : i32
  %half = graph.checked div %n, %two : i32
  %odd = graph.checked rem %n, %two : i32
  %quotient = graph.checked div %two, %n : i32
  %rest = graph.checked rem %two, %n : i32
  return
}

// A loop without effects is removed, unless its filter may stop the program.
// CHECK-LABEL: func.func @filters
// CHECK-NEXT: arith.constant
// CHECK-NEXT: graph.forall
// CHECK-NOT: graph.forall
// CHECK: return
func.func @filters(%g: !graph.graph, %p: !graph.property<vertex, i32>, %n: i32) {
  %two = arith.constant 2 : i32
  graph.forall vertices(%g) where (%v) {
    %value = graph.load %p[%v] : <vertex, i32>
    %half = graph.checked div %value, %two : i32
    %is = arith.cmpi eq, %half, %two : i32
    graph.yield %is
  } do (%v) {
  }
  graph.forall vertices(%g) where (%v) {
    %value = graph.load %p[%v] : <vertex, i32>
    %share = graph.checked div %value, %n : i32
    %is = arith.cmpi eq, %share, %two : i32
    graph.yield %is
  } do (%v) {
  }
  return
}

// CHECK-LABEL: func.func @endpoints
// CHECK-SAME: (%[[G:.*]]: !graph.graph, %[[P:.*]]: !graph.property<vertex, i32>
func.func @endpoints(%g: !graph.graph, %p: !graph.property<vertex, i32>, %n: i32) {
  // CHECK: graph.forall vertices(%[[G]]) do (%[[V:.*]]) {
  graph.forall vertices(%g) do (%v) {
    // CHECK: graph.forall out_neighbors(%[[G]], %[[V]]) do (%[[W:.*]], %{{.*}}) {
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      %a = graph.endpoint out %g, %e
      %b = graph.endpoint in %g, %e
      // CHECK: graph.store %{{.*}}, %[[P]][%[[V]]]
      graph.store %n, %p[%a] : <vertex, i32>
      // CHECK: graph.store %{{.*}}, %[[P]][%[[W]]]
      graph.store %n, %p[%b] : <vertex, i32>
    }
  }
  return
}

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return %{{.*}} : i32
func.func @nothing(%g: !graph.graph, %p: !graph.property<vertex, i32>, %n: i32) -> i32 {
  graph.copy %p to %p : <vertex, i32>
  graph.forall vertices(%g) do (%v) {
  }
  %unused = graph.cell %n : <i32>
  graph.set %n, %unused : <i32>
  %c = graph.cell %n : <i32>
  %x = graph.get %c : <i32>
  return %x : i32
}

// -----

// INF is converted to that of the other type. A finite value that would become INF stops the program at run time.
// CHECK-LABEL: func @infinity
// CHECK-DAG: %[[LONG:.*]] = arith.constant 9223372036854775807 : i64
// CHECK-DAG: %[[REAL:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK-DAG: %[[INT:.*]] = arith.constant 2147483647 : i32
// CHECK: %[[SUM:.*]] = graph.checked add
// CHECK: %[[NARROW:.*]] = graph.convert %{{.*}} : i64 to i32
// CHECK: return %[[LONG]], %[[REAL]], %[[INT]], %[[SUM]], %[[NARROW]]
func.func @infinity() -> (i64, f64, i32, i32, i32) {
  %inf = arith.constant 2147483647 : i32
  %most = arith.constant 2147483646 : i32
  %one = arith.constant 1 : i32
  %wide = arith.constant 2147483647 : i64
  %long = graph.convert %inf : i32 to i64
  %real = graph.convert %inf : i32 to f64
  %int = graph.convert %real : f64 to i32
  %sum = graph.checked add %most, %one : i32
  %narrow = graph.convert %wide : i64 to i32
  return %long, %real, %int, %sum, %narrow : i64, f64, i32, i32, i32
}
