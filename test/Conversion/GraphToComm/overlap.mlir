// RUN: comm-opt %s -graph-copy-borders -graph-tile-gathers -graph-overlap-gathers -convert-graph-to-comm | FileCheck %s --check-prefix=COMM
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true})" | FileCheck %s
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4})" | FileCheck %s --check-prefix=OFF

// The exchange is an operation of the comm dialect, followed by code that does not need it.
// COMM: llvm.func @comm_graph_run_gather_own(!llvm.ptr {llvm.readonly}, i64, !llvm.ptr {llvm.nocapture, llvm.readonly}, !llvm.ptr {llvm.nocapture}, i64) attributes {memory_effects = #llvm.memory_effects<other = none, argMem = readwrite
// COMM: llvm.func @comm_graph_run_pack({{.*}}) -> (!llvm.ptr {llvm.noalias}) attributes {passthrough = ["comm-no-throw"
// COMM: call @comm_graph_run_travels
// COMM: scf.if
// COMM: call @comm_graph_run_pack
// COMM: comm.alltoallv sendbuf
// COMM: call @comm_graph_run_gather_own
// COMM: call @comm_graph_run_arrive
// COMM: call @comm_graph_run_gather_rest
// COMM: } else {
// COMM: call @comm_graph_run_refresh
// COMM-NEXT: call @comm_graph_run_gather(

// Comm's passes move the wait to the place where the ghosts are needed.
// CHECK: call @comm_graph_run_pack
// CHECK-NOT: @MPI_Wait
// CHECK: @comm.start_{{.*}}MPI_Alltoallv
// CHECK-NOT: @MPI_Wait
// MPI progresses between two parts of the gather.
// CHECK: call @comm.ask_progress
// CHECK-NOT: @MPI_Wait
// CHECK: call @comm.call_progress
// CHECK-NOT: @MPI_Wait
// CHECK: call @comm_graph_run_gather_own
// CHECK: @MPI_Wait
// CHECK: call @comm_graph_run_arrive
// CHECK: call @comm_graph_run_gather_rest

// OFF-NOT: Alltoallv
func.func @rank(%g: !graph.graph, %rank: !graph.property<vertex, f64>, %more: i32) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %left = graph.cell %more : <i32>
  scf.while : () -> () {
    %n = graph.get %left : <i32>
    %go = arith.cmpi sgt, %n, %c0 : i32
    scf.condition(%go)
  } do {
    %next = graph.property %g : <vertex, f64>
    graph.forall vertices(%g) do (%v) {
      %sum = graph.cell %zero : <f64>
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %r = graph.load %rank[%n] : <vertex, f64>
        graph.accumulate sum %sum, %r : <f64>, f64
      }
      %s = graph.get %sum : <f64>
      graph.store %s, %next[%v] : <vertex, f64>
    }
    graph.copy %next to %rank : <vertex, f64>
    %n = graph.get %left : <i32>
    %m = graph.checked sub %n, %one : i32
    graph.set %m, %left : <i32>
    scf.yield
  }
  return
}
