// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=push}, symbol-dce, graph-copy-borders, graph-combine-updates, graph-overlap-updates, convert-graph-to-comm)" | FileCheck %s --check-prefix=COMM
// DEFINE: %{down} = graph-select-function{function=push}, symbol-dce, graph-copy-borders, graph-combine-updates, graph-overlap-updates, convert-graph-to-comm, canonicalize, convert-scf-to-cf, convert-arith-to-llvm, convert-cf-to-llvm, reconcile-unrealized-casts, comm-split-blocking{abi=openmpi4}
// RUN: comm-opt %s --pass-pipeline="builtin.module(%{down})" | FileCheck %s --check-prefix=SPLIT
// RUN: comm-opt %s --pass-pipeline="builtin.module(%{down}, comm-isolate-loops, comm-move-slices{mode=extended cost=none abi=openmpi4})" \
// RUN:   --remarks-filter='comm-move-slices' --remark-format=emitRemark --remark-policy=all 2> %t.remarks | FileCheck %s --check-prefix=MOVED
// RUN: FileCheck %s --check-prefix=TELLS < %t.remarks
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true function=push})" | FileCheck %s
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 function=push})" | FileCheck %s --check-prefix=OFF
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true function=asks})" \
// RUN:   --remarks-filter='graph-overlap-updates' --remark-format=emitRemark --remark-policy=all 2>&1 | FileCheck %s --check-prefix=ASKS
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true function=parents})" | FileCheck %s --check-prefix=TIES
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true combine=false function=push})" | FileCheck %s --check-prefix=OFF
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true shortcut=false function=least})" | FileCheck %s --check-prefix=OFF

// The output of the conversion: blocking operations, with the interior between them. Vertices without neighbors on
// other processes come after the border.
// COMM: call @comm_graph_run_updates_travel
// COMM: %[[BORDER:.*]] = llvm.call @comm_graph_run_border
// COMM: %[[MARKS:.*]] = llvm.load %[[BORDER]]
// COMM: %[[COUNT:.*]] = arith.select
// COMM: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// COMM: scf.for
// COMM: call @comm_graph_run_touch
// COMM: scf.if
// COMM: call @comm_graph_run_updates_pack
// COMM: comm.alltoall sendbuf
// COMM: scf.for
// COMM: llvm.getelementptr %[[MARKS]]
// COMM: scf.for
// COMM-NOT: call @comm_graph_run_touch
// COMM: call @comm_graph_run_updates_arrivals
// COMM: comm.alltoallv sendbuf
// COMM: scf.for
// COMM: llvm.getelementptr %[[MARKS]]
// COMM: scf.for
// COMM-NOT: call @comm_graph_run_touch
// COMM: call @comm_graph_run_updates_arrive
// COMM: } else {
// COMM: call @comm_graph_run_deliver

// comm-split-blocking makes starts and waits, with nothing in between.
// SPLIT: comm.alltoall async
// SPLIT-NEXT: comm.wait
// SPLIT: comm.alltoallv async
// SPLIT-NEXT: comm.wait

// comm-move-slices moves the waits past the loops: stores, and sums that may stop the program.
// MOVED: comm.alltoall async
// MOVED-NOT: comm.wait
// MOVED: call @comm_graph_run_stop
// MOVED-NOT: comm.wait
// MOVED: llvm.store
// MOVED: comm.wait
// MOVED-NEXT: call @comm_graph_run_updates_arrivals
// MOVED: comm.alltoallv async
// MOVED-NOT: comm.wait
// MOVED: call @comm_graph_run_stop
// MOVED-NOT: comm.wait
// MOVED: llvm.store
// MOVED: comm.wait
// MOVED-NEXT: call @comm_graph_run_updates_arrive

// TELLS: [Passed] Overlap | Category:comm-move-slices {{.*}}Remark=MPI_Alltoall, {{.*}}" overlaps ", Remark="1 loop
// TELLS: [Passed] Overlap | Category:comm-move-slices {{.*}}Remark=MPI_Alltoallv, {{.*}}" overlaps ", Remark="1 loop

// The whole pipeline does it, and inserts progress calls.
// CHECK: @comm.start_MPI_Alltoall(
// CHECK-NOT: @MPI_Wait
// CHECK: call @comm_graph_run_stop
// CHECK: @MPI_Wait
// CHECK: @comm.start_MPI_Alltoallv(
// CHECK-NOT: @MPI_Wait
// CHECK: call @comm.call_progress
// CHECK-NOT: {{@MPI_Wait|@comm.call_progress}}
// CHECK: call @comm_graph_run_stop
// CHECK-NOT: @comm.call_progress
// CHECK: @MPI_Wait
// CHECK: call @comm_graph_run_updates_arrive

// Calls that mark changes, and choose among companions, do not block the waits either.
// TIES: @comm.start_MPI_Alltoall(
// TIES-NOT: @MPI_Wait
// TIES: call @comm_graph_run_touch
// TIES-NOT: @MPI_Wait
// TIES: call @comm_graph_run_tie
// TIES: @MPI_Wait
// TIES: @comm.start_MPI_Alltoallv(
// TIES-NOT: @MPI_Wait
// TIES: call @comm_graph_run_tie
// TIES: @MPI_Wait

// OFF-NOT: Alltoall
// OFF: call @comm_graph_run_deliver

// An iteration that requests data of another process may run again, so no part of the loop ends before all of it.
// ASKS: [Missed] overlap {{.*}}updates travel after the loop: its iterations ask other processes
// ASKS-NOT: Alltoall

func.func @push(%g: !graph.graph, %count: !graph.property<vertex, i32>) {
  %one = arith.constant 1 : i32
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce sum %count[%n], %one : <vertex, i32>, i32
    }
  }
  return
}

func.func @least(%g: !graph.graph, %least: !graph.property<vertex, i32>, %own: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    %x = graph.load %own[%v] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce min %least[%n], %x : <vertex, i32>, i32
    }
  }
  return
}

func.func @parents(%g: !graph.graph, %least: !graph.property<vertex, i32>, %from: !graph.property<vertex, !graph.vertex>,
                   %own: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    %x = graph.load %own[%v] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce min %least[%n], %x with(%from = %v : !graph.property<vertex, !graph.vertex> = !graph.vertex) : <vertex, i32>, i32
    }
  }
  return
}

func.func @asks(%g: !graph.graph, %count: !graph.property<vertex, i32>, %other: !graph.property<vertex, i64>) {
  graph.forall vertices(%g) do (%v) {
    %id = graph.load %other[%v] : <vertex, i64>
    %w = graph.from_id %id : i64 to !graph.vertex
    %x = graph.load %count[%w] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce max %count[%n], %x : <vertex, i32>, i32
    }
  }
  return
}
