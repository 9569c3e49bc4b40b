// DEFINE: %{marks} = symbol-dce, graph-copy-borders, graph-combine-updates, graph-overlap-ghosts, graph-overlap-updates
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=pull}, %{marks}, convert-graph-to-comm)" | FileCheck %s --check-prefix=COMM
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=both}, %{marks}, convert-graph-to-comm)" | FileCheck %s --check-prefix=BOTH
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=pull}, %{marks}, graph-send-changes, convert-graph-to-comm)" | FileCheck %s --check-prefix=CHANGES
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=pull}, %{marks}, graph-send-changes, convert-graph-to-comm{exchange=window abi=openmpi4})" | FileCheck %s --check-prefix=WINDOW
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true function=pull})" \
// RUN:   --remarks-filter='graph-overlap-ghosts|comm-move-slices' --remark-format=emitRemark --remark-policy=all 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=TELLS < %t.remarks
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true ghosts=false function=pull})" | FileCheck %s --check-prefix=OFF
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true function=any})" \
// RUN:   --remarks-filter='graph-overlap-ghosts' --remark-format=emitRemark --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=ANY,OFF
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true function=asks})" \
// RUN:   --remarks-filter='graph-overlap-ghosts' --remark-format=emitRemark --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=ASKS,OFF

// The program asks whether ghosts travel, and refreshes them otherwise. What is sent is packed before the first
// iteration. The interior comes between a blocking exchange and the arrival, and the border at the end.
// COMM: %[[TRAVEL:.*]] = llvm.call @comm_graph_run_ghosts_travel
// COMM: %[[TRAVELS:.*]] = arith.cmpi ne, %[[TRAVEL]]
// COMM: scf.if
// COMM: call @comm_graph_run_refresh(
// COMM: call @comm_graph_run_border
// COMM: scf.if %[[TRAVELS]]
// COMM: call @comm_graph_run_ghosts_pack
// COMM-NOT: comm.alltoall sendbuf
// COMM: call @comm_graph_run_ghosts_arrivals
// COMM: comm.alltoallv sendbuf
// COMM: scf.for
// COMM: scf.for
// COMM: call @comm_graph_run_ghosts_arrive
// COMM: }
// COMM: %[[COUNT:.*]] = arith.select %[[TRAVELS]]
// COMM: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// COMM-NOT: call @comm_graph_run_refresh

// If only changes are sent, their sizes may vary. Then they come first, with half of the iterations.
// CHANGES: call @comm_graph_run_refresh_changed(
// CHANGES: call @comm_graph_run_ghosts_pack
// CHANGES: call @comm_graph_run_ghosts_vary
// CHANGES: scf.if
// CHANGES: comm.alltoall sendbuf
// CHANGES: scf.for
// CHANGES: call @comm_graph_run_ghosts_arrivals
// CHANGES: comm.alltoallv sendbuf
// CHANGES: scf.for
// CHANGES: call @comm_graph_run_ghosts_arrive

// WINDOW: %[[ONE:.*]] = arith.constant 1 : i64
// WINDOW: %[[ZERO:.*]] = arith.constant 0 : i64
// WINDOW: %[[FOUR:.*]] = arith.constant 4 : i64
// WINDOW: call @comm_graph_run_window(%{{.*}}, %[[ONE]], %[[ZERO]], %[[FOUR]])
// WINDOW: call @comm_graph_run_values_puts
// WINDOW: comm.put
// WINDOW: scf.for
// WINDOW: scf.for
// WINDOW: comm.win_flush_all
// WINDOW: comm.allreduce
// WINDOW: scf.for
// WINDOW: scf.for
// WINDOW: comm.win_sync
// WINDOW: call @comm_graph_run_values_collect

// A loop that reads and updates neighbors hides both exchanges.
// BOTH: call @comm_graph_run_ghosts_travel
// BOTH: call @comm_graph_run_updates_travel
// BOTH: call @comm_graph_run_ghosts_pack
// BOTH: comm.alltoallv sendbuf
// BOTH: scf.for
// BOTH: call @comm_graph_run_ghosts_arrive
// BOTH: call @comm_graph_run_touch
// BOTH: call @comm_graph_run_updates_pack
// BOTH: comm.alltoall sendbuf
// BOTH: scf.for
// BOTH: comm.alltoallv sendbuf
// BOTH: scf.for
// BOTH: call @comm_graph_run_updates_arrive

// Comm's passes move the waits across the iterations, and insert progress.
// CHECK: call @comm_graph_run_ghosts_pack
// CHECK: @comm.start_{{.*}}MPI_Alltoall(
// CHECK-NOT: @MPI_Wait
// CHECK: call @comm_graph_run_stop
// CHECK: @MPI_Wait
// CHECK: @comm.start_{{.*}}MPI_Alltoallv(
// CHECK-NOT: @MPI_Wait
// CHECK: call @comm.call_progress
// CHECK-NOT: {{@MPI_Wait|@comm.call_progress}}
// CHECK: call @comm_graph_run_stop
// CHECK: @MPI_Wait
// CHECK: call @comm_graph_run_ghosts_arrive

// TELLS-DAG: [Passed] overlap | Category:graph-overlap-ghosts {{.*}}between nodes, ghosts travel", Remark=" while iterations of vertices without such neighbors run
// TELLS-DAG: [Passed] Overlap | Category:comm-move-slices {{.*}}Remark=MPI_Alltoall, {{.*}}" overlaps ", Remark="1 loop
// TELLS-DAG: [Passed] Overlap | Category:comm-move-slices {{.*}}Remark=MPI_Alltoallv, {{.*}}" overlaps ", Remark="1 loop

// An iteration without neighbors in other processes may update the ghost of any vertex, and what arrives would replace
// the update. An iteration that requests data of another process may run again.
// ANY: [Missed] overlap {{.*}}ghosts arrive before the loop: some of its updates are not combined in copies of neighbors
// ASKS: [Missed] overlap {{.*}}ghosts arrive before the loop: its iterations ask other processes
// OFF-NOT: call @comm_graph_run_ghosts
// OFF: call @comm_graph_run_refresh

func.func @pull(%g: !graph.graph, %x: !graph.property<vertex, i32>, %y: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %a = graph.load %x[%n] : <vertex, i32>
      graph.reduce sum %y[%v], %a : <vertex, i32>, i32
    }
  }
  return
}

func.func @both(%g: !graph.graph, %x: !graph.property<vertex, i32>, %y: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %a = graph.load %x[%n] : <vertex, i32>
      graph.reduce sum %y[%n], %a : <vertex, i32>, i32
    }
  }
  return
}

func.func @any(%g: !graph.graph, %x: !graph.property<vertex, i32>, %at: !graph.property<vertex, i64>) {
  graph.forall vertices(%g) do (%v) {
    %id = graph.load %at[%v] : <vertex, i64>
    %w = graph.from_id %id : i64 to !graph.vertex
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %a = graph.load %x[%n] : <vertex, i32>
      graph.reduce max %x[%w], %a : <vertex, i32>, i32
    }
  }
  return
}

func.func @asks(%g: !graph.graph, %x: !graph.property<vertex, i32>, %y: !graph.property<vertex, i32>, %at: !graph.property<vertex, i64>) {
  graph.forall vertices(%g) do (%v) {
    %id = graph.load %at[%v] : <vertex, i64>
    %w = graph.from_id %id : i64 to !graph.vertex
    %b = graph.load %y[%w] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %a = graph.load %x[%n] : <vertex, i32>
      %c = graph.checked add %a, %b : i32
      graph.reduce max %y[%v], %c : <vertex, i32>, i32
    }
  }
  return
}
