// RUN: comm-opt %s -split-input-file -graph-read-locally -graph-copy-borders -graph-cache-reads -graph-combine-updates -graph-apply-locally \
// RUN:   -convert-graph-to-comm -canonicalize | FileCheck %s

// Outside of loops, the owner broadcasts. A changed single value is sent to all processes, which update their copies.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK: %[[OWNER:.*]] = llvm.call @comm_graph_run_owner
// CHECK: comm.bcast buffer(%{{.*}} : !llvm.ptr) count(%{{.*}}) datatype(%{{.*}}) root(%[[OWNER]])
// CHECK: llvm.call @comm_graph_run_put
// CHECK-NOT: graph.
// CHECK: llvm.return
func.func @replicated(%g: !graph.graph, %p: !graph.property<vertex, i32>, %v: !graph.vertex, %w: !graph.vertex) {
  %n = graph.load %p[%v] : <vertex, i32>
  graph.store %n, %p[%w] : <vertex, i32>
  return
}

// -----

// Ghosts are refreshed before a loop that reads neighbors; updates of a variable become an allreduce after the loop.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK: llvm.call @comm_graph_run_refresh
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: llvm.call @comm_graph_run_fetch
// CHECK: comm.allreduce {{.*}} count(%{{.*}}) datatype(%{{.*}}) op(%{{.*}})
func.func @gather(%g: !graph.graph, %p: !graph.property<vertex, f64>, %q: !graph.property<vertex, f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c = graph.cell %zero : <f64>
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %x = graph.load %p[%n] : <vertex, f64>
      graph.reduce sum %q[%v], %x : <vertex, f64>, f64
      graph.accumulate sum %c, %x : <f64>, f64
    }
  }
  %r = graph.get %c : <f64>
  return %r : f64
}

// -----

// Reductions of neighbors are combined in ghosts, marked, and delivered once. The end of the fixed point is an allreduce.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK: scf.while
// CHECK: %[[UPDATES:.*]] = llvm.call @comm_graph_run_updates
// CHECK: scf.for
// CHECK: llvm.call @comm_graph_run_touch(%[[UPDATES]]
// CHECK: llvm.call @comm_graph_run_deliver(%[[UPDATES]], %{{.*}})
// CHECK: llvm.call @comm_graph_run_any
// CHECK: comm.allreduce
func.func @fixed_point(%g: !graph.graph, %p: !graph.property<vertex, i32>, %a: !graph.property<vertex, i1>) {
  %true = arith.constant true
  %false = arith.constant false
  %f = graph.cell %false : <i1>
  %next = graph.property %g : <vertex, i1>
  graph.fixed_point %f until none %a : !graph.property<vertex, i1> {
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %a[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
      %x = graph.load %p[%v] : <vertex, i32>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %p[%n], %x with(%next = %true : !graph.property<vertex, i1> = i1) : <vertex, i32>, i32
      }
    }
    graph.copy %next to %a : <vertex, i1>
    graph.fill %next, %false : <vertex, i1>
  }
  return
}

// -----

// A filter on a tracked property visits its list, and vertices that become true are added.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK: llvm.call @comm_graph_run_track
// CHECK: llvm.call @comm_graph_run_frontier
// CHECK: llvm.call @comm_graph_run_add
func.func @frontier(%g: !graph.graph, %w: !graph.vertex) {
  %true = arith.constant true
  %a = graph.property %g {graph.tracked} : <vertex, i1>
  %b = graph.property %g {graph.tracked} : <vertex, i1>
  graph.forall vertices(%g) where (%v) {
    %x = graph.load %a[%v] : <vertex, i1>
    graph.yield %x
  } do (%v) {
    graph.store %true, %b[%v] : <vertex, i1>
  }
  return
}

// -----

// An iteration that reads data of any process is a separate function, so that it can run again. Its changes are logged
// first, and updates wait.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK: llvm.call @comm_graph_run_sweep
// CHECK: llvm.call @comm_graph_run_deliver
// CHECK-LABEL: llvm.func internal @comm_graph_sweep_
// CHECK: llvm.call @comm_graph_run_fetch
// CHECK: llvm.call @comm_graph_run_log
// CHECK: llvm.store
// CHECK: llvm.call @comm_graph_run_update
func.func @pointers(%g: !graph.graph, %p: !graph.property<vertex, !graph.vertex>, %q: !graph.property<vertex, i32>,
                    %r: !graph.property<vertex, i32>, %one: i32) {
  graph.forall vertices(%g) do (%v) {
    %w = graph.load %p[%v] : <vertex, !graph.vertex>
    %x = graph.load %q[%w] : <vertex, i32>
    graph.store %x, %r[%v] : <vertex, i32>
  }
  graph.forall vertices(%g) do (%v) {
    %w = graph.load %p[%v] : <vertex, !graph.vertex>
    %u = graph.load %p[%w] : <vertex, !graph.vertex>
    graph.store %one, %r[%v] : <vertex, i32>
    graph.reduce sum %q[%u], %one : <vertex, i32>, i32
  }
  return
}

// -----

// A loop that reads and reduces a value reads it as it was at the beginning: marked values are read from the old ones.
// CHECK-LABEL: llvm.func @comm_graph_program
// CHECK: %[[KEEPS:.*]] = arith.constant 18 : i32
// CHECK: %[[UPDATES:.*]] = llvm.call @comm_graph_run_updates(%{{.*}}, %{{.*}}, %[[KEEPS]]
// CHECK: %[[OLD:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK: llvm.getelementptr %[[OLD]]
func.func @beginning(%g: !graph.graph, %p: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %x = graph.load %p[%v] : <vertex, i32>
      graph.reduce min %p[%n], %x : <vertex, i32>, i32
    }
  }
  return
}
