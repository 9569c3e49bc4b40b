// RUN: comm-opt %s -graph-read-locally | FileCheck %s --check-prefix=LOCAL
// RUN: comm-opt %s -graph-copy-borders | FileCheck %s --check-prefix=COPIES
// RUN: comm-opt %s -graph-send-changes | FileCheck %s --check-prefix=NOTHING
// RUN: comm-opt %s -graph-copy-borders -graph-send-changes | FileCheck %s --check-prefix=CHANGES
// RUN: comm-opt %s -graph-cache-reads | FileCheck %s --check-prefix=CACHE
// RUN: comm-opt %s -graph-combine-updates | FileCheck %s --check-prefix=COMBINE
// RUN: comm-opt %s -graph-apply-locally | FileCheck %s --check-prefix=SHORTCUT
// RUN: comm-opt %s -graph-balance-edges | FileCheck %s --check-prefix=BALANCE
// RUN: comm-opt %s -graph-aggregate-pulses | FileCheck %s --check-prefix=ALONE
// RUN: comm-opt %s -graph-apply-locally -graph-aggregate-pulses | FileCheck %s --check-prefix=FETCHED
// RUN: comm-opt %s -graph-apply-locally -graph-copy-borders -graph-aggregate-pulses | FileCheck %s --check-prefix=TOGETHER
// RUN: comm-opt %s -graph-read-locally -graph-copy-borders -graph-combine-updates -graph-apply-locally -graph-cache-reads \
// RUN:   --remarks-filter='graph-.*' --remark-format=emitRemark --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TELLS

// Code outside of loops, and in loops that all processes run, has none of the attributes.
// LOCAL-LABEL: func.func @reads
// LOCAL: graph.load %{{.*}}[%{{.*}}] : <vertex, i32>
// LOCAL: graph.forall vertices
// LOCAL: graph.load %{{.*}} {graph.local}
// LOCAL: graph.load %{{.*}} {graph.local}
// LOCAL: graph.load %{{.*}} {graph.local}
// LOCAL: graph.forall ordered
// LOCAL-NOT: graph.local
// LOCAL-LABEL: func.func @updates

// COPIES-LABEL: func.func @reads
// COPIES-NOT: graph.copied
// COPIES: graph.forall out_neighbors
// COPIES: graph.load %{{.*}}[%{{.*}}] {graph.copied}
// COPIES: graph.degree out %{{.*}}, %{{.*}} {graph.copied}
// COPIES: graph.load %{{.*}}[%{{.*}}] : <vertex, i32>
// COPIES: graph.forall ordered
// COPIES-NOT: graph.copied
// COPIES-LABEL: func.func @updates
// COPIES: graph.reduce min {{.*}}graph.copied

// Only copies.
// NOTHING-NOT: graph.changes
// CHANGES-LABEL: func.func @reads
// CHANGES: } attributes {graph.changes}
// CHANGES: graph.forall ordered
// CHANGES-NOT: graph.changes
// CHANGES-LABEL: func.func @fixed

// CACHE-LABEL: func.func @reads
// CACHE: } attributes {graph.cached}
// CACHE: graph.forall ordered
// CACHE-NOT: graph.cached
// CACHE-LABEL: func.func @updates

// COMBINE-LABEL: func.func @updates
// COMBINE: graph.reduce min {{.*}}graph.combined
// COMBINE: graph.reduce sum {{.*}}graph.combined
// COMBINE: graph.store {{.*}}graph.combined

// SHORTCUT-LABEL: func.func @updates
// SHORTCUT: graph.reduce min {{.*}}graph.immediate
// SHORTCUT-NOT: graph.reduce sum {{.*}}graph.immediate
// SHORTCUT: return

// BALANCE: func.func @reads({{.*}} attributes {graph.balanced}

// TELLS-DAG: remark: {{.*}}graph-read-locally{{.*}}read from the arrays of the process
// TELLS-DAG: remark: {{.*}}graph-copy-borders{{.*}}neighbors of other processes are read from copies
// TELLS-DAG: remark: {{.*}}graph-cache-reads{{.*}}fetched values are kept until the loop ends
// TELLS-DAG: remark: {{.*}}graph-combine-updates{{.*}}are combined before they are sent
// TELLS-DAG: remark: {{.*}}graph-apply-locally{{.*}}are applied immediately
// TELLS-DAG: remark: {{.*}}graph-apply-locally{{.*}}it is not a minimum

func.func @reads(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i64>,
                 %r: !graph.property<vertex, i32>, %far: !graph.vertex) {
  %outside = graph.load %p[%far] : <vertex, i32>
  graph.forall vertices(%g) do (%v) {
    %own = graph.load %p[%v] : <vertex, i32>
    graph.store %own, %r[%v] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %next = graph.load %p[%n] : <vertex, i32>
      graph.reduce sum %r[%v], %next : <vertex, i32>, i32
      %d = graph.degree out %g, %n : i64
      graph.reduce sum %q[%v], %d : <vertex, i64>, i64
    }
    %any = graph.load %p[%far] : <vertex, i32>
    graph.reduce sum %r[%v], %any : <vertex, i32>, i32
  }
  graph.forall ordered vertices(%g) do (%v) {
    %own = graph.load %p[%v] : <vertex, i32>
    graph.store %own, %r[%v] : <vertex, i32>
  }
  return
}

func.func @updates(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i32>,
                   %r: !graph.property<vertex, i1>, %x: i32, %far: !graph.vertex) {
  %true = arith.constant true
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce min %p[%n], %x : <vertex, i32>, i32
      graph.reduce sum %q[%n], %x : <vertex, i32>, i32
    }
    graph.store %true, %r[%far] : <vertex, i1>
  }
  return
}

// A process continues by itself only with values that it has updated, if the values of neighbors are local.
// ALONE-LABEL: func.func @fixed
// ALONE-NOT: graph.aggregated
// FETCHED-LABEL: func.func @fixed
// FETCHED-NOT: graph.aggregated
// TOGETHER-LABEL: func.func @fixed
// TOGETHER: graph.aggregated
func.func @fixed(%g: !graph.graph, %dist: !graph.property<vertex, i32>, %active: !graph.property<vertex, i1>,
                 %cost: !graph.property<vertex, i32>) {
  %true = arith.constant true
  %false = arith.constant false
  %done = graph.cell %false : <i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %done until none %active : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %d = graph.load %dist[%v] : <vertex, i32>
        %c = graph.load %cost[%n] : <vertex, i32>
        %sum = graph.checked add %d, %c : i32
        graph.reduce min %dist[%n], %sum with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %active : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}
