// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=push}, symbol-dce, graph-copy-borders, graph-combine-updates, graph-apply-locally, graph-overlap-updates, convert-graph-to-comm{exchange=window abi=openmpi4})" | FileCheck %s
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=rank}, symbol-dce, graph-copy-borders, graph-tile-gathers, graph-overlap-gathers, convert-graph-to-comm{exchange=window abi=openmpi4})" | FileCheck %s --check-prefix=GATHER
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true exchange=window function=push})" | FileCheck %s --check-prefix=MPI
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=mpich overlap=true exchange=window function=push})" | FileCheck %s --check-prefix=MPICH
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true exchange=window function=own})" | FileCheck %s --check-prefix=NONE
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 overlap=true exchange=window function=asks})" | FileCheck %s --check-prefix=NONE
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-to-llvm{abi=openmpi4 exchange=window function=push})" | FileCheck %s --check-prefix=NONE
// RUN: comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=loads}, symbol-dce, graph-copy-borders, graph-send-changes, convert-graph-to-comm{exchange=window abi=openmpi4})" \
// RUN:   --remarks-filter='graph-overlap-gathers' --remark-format=emitRemark --remark-policy=all 2> %t.remarks | FileCheck %s --check-prefix=LOADS
// RUN: FileCheck %s --check-prefix=TELLS < %t.remarks
// RUN: not comm-opt %s --pass-pipeline="builtin.module(graph-select-function{function=push}, symbol-dce, convert-graph-to-comm{exchange=window})" 2>&1 | FileCheck %s --check-prefix=WHICH

// The program makes a window at its beginning, if it can be made, and takes the lock once. Two kinds of updates, of 4
// and 8 bytes with a companion of 1.
// CHECK: %[[SLOT:.*]] = llvm.alloca {{.*}} x !llvm.ptr
// CHECK: comm_graph_run_topology
// CHECK: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: %[[BYTES:.*]] = arith.constant 13 : i64
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[SIZE:.*]] = llvm.call @comm_graph_run_window(%{{.*}}, %[[TWO]], %[[BYTES]], %[[ZERO]])
// CHECK: scf.if
// CHECK: %[[WIN:.*]] = comm.win_allocate size(%[[SIZE]] : i64)
// CHECK: llvm.store
// CHECK: comm.constant "MPI_MODE_NOCHECK"
// CHECK: comm.win_lock_all {{.*}} win(%[[WIN]])
// CHECK: call @comm_graph_run_window_open
// CHECK: comm.win_sync
// CHECK: comm.barrier
// The border, then one list of puts for both updates. Nothing is sent to say how much there is.
// CHECK: call @comm_graph_run_touch
// CHECK: scf.if
// CHECK-NOT: comm.alltoall
// CHECK: %[[PUTS:.*]] = llvm.call @comm_graph_run_updates_puts
// CHECK: %[[COUNT:.*]] = llvm.load %[[PUTS]]
// CHECK: scf.for {{.*}} to %[[COUNT]]
// CHECK: comm.put
// Half of the interior, the flush, the agreement, the other half.
// CHECK: call @comm_graph_run_stop
// CHECK: comm.win_flush_all
// CHECK: comm.allreduce
// CHECK: call @comm_graph_run_stop
// CHECK: comm.win_sync
// CHECK: call @comm_graph_run_updates_collect
// CHECK: call @comm_graph_run_updates_collect
// CHECK: } else {
// CHECK: call @comm_graph_run_deliver
// CHECK: comm.win_unlock_all
// CHECK: comm.win_free

// GATHER: %[[GROUPS:.*]] = arith.constant 1 : i64
// GATHER: %[[ZERO:.*]] = arith.constant 0 : i64
// GATHER: %[[VALUE:.*]] = arith.constant 8 : i64
// GATHER: call @comm_graph_run_window(%{{.*}}, %[[GROUPS]], %[[ZERO]], %[[VALUE]])
// GATHER: comm.win_lock_all
// GATHER: call @comm_graph_run_waited
// GATHER: call @comm_graph_run_travels
// GATHER: scf.if
// GATHER: call @comm_graph_run_gather_begin
// GATHER: call @comm_graph_run_values_puts
// GATHER: comm.put
// GATHER: call @comm_graph_run_gather_own
// GATHER: comm.win_flush_all
// GATHER: comm.allreduce
// GATHER: call @comm_graph_run_gather_own
// GATHER: comm.win_sync
// GATHER: %[[GHOSTS:.*]] = llvm.call @comm_graph_run_values_collect
// GATHER: call @comm_graph_run_gather_rest(%{{.*}}, %{{.*}}, %[[GHOSTS]],
// GATHER: } else {
// GATHER: call @comm_graph_run_refresh
// GATHER: comm.win_free

// Ghosts before a loop that is no gather; only changes are sent.
// LOADS: %[[GROUPS:.*]] = arith.constant 1 : i64
// LOADS: %[[ZERO:.*]] = arith.constant 0 : i64
// LOADS: %[[VALUE:.*]] = arith.constant 4 : i64
// LOADS: call @comm_graph_run_window(%{{.*}}, %[[GROUPS]], %[[ZERO]], %[[VALUE]])
// LOADS: call @comm_graph_run_ghosts_travel
// LOADS: scf.if
// LOADS: %[[ONE:.*]] = arith.constant 1 : i32
// LOADS: call @comm_graph_run_values_puts({{.*}}, %[[ONE]])
// LOADS: comm.put
// LOADS: comm.win_flush_all
// LOADS: comm.allreduce
// LOADS: comm.win_sync
// LOADS: call @comm_graph_run_values_collect
// LOADS: }
// LOADS: call @comm_graph_run_refresh_changed
// LOADS: scf.for
// LOADS: comm.win_free
// TELLS: [Passed] overlap | Category:graph-overlap-gathers {{.*}}ghosts are put into windows before the loop

// Comm's passes let the agreement wait until the other half is done; nothing crosses the operations on the window.
// MPI: call @MPI_Win_allocate
// MPI: call @MPI_Win_lock_all
// MPI: call @MPI_Barrier
// MPI: call @MPI_Put
// MPI: call @comm_graph_run_stop
// MPI: call @MPI_Win_flush_all
// MPI: call @comm.start_MPI_Allreduce
// MPI-NOT: call @MPI_Wait
// MPI: call @comm_graph_run_stop
// MPI-NOT: call @MPI_Wait
// MPI: call @comm_graph_run_waits
// MPI: call @MPI_Wait
// MPI: call @MPI_Win_sync
// MPI: call @comm_graph_run_updates_collect
// MPI: call @MPI_Win_unlock_all
// MPI: call @MPI_Win_free

// MPICH: llvm.func @MPI_Win_free(!llvm.ptr)
// MPICH: %[[SLOT:.*]] = llvm.alloca {{.*}} x i32 {alignment
// MPICH: %[[WIN:.*]] = llvm.load {{.*}} -> i32
// MPICH: llvm.store %[[WIN]], %[[SLOT]]
// MPICH: call @MPI_Win_free(%[[SLOT]])

// No window without a loop that puts something into it: all updates are of own vertices; iterations ask other processes;
// nothing is overlapped.
// NONE-NOT: call @{{MPI_Win|comm_graph_run_window}}
// NONE: llvm.return
// NONE-NOT: call @{{MPI_Win|comm_graph_run_window}}

// WHICH: error: no MPI implementation is called '': set the option abi to one of

func.func @push(%g: !graph.graph, %count: !graph.property<vertex, i32>, %least: !graph.property<vertex, i64>,
                %seen: !graph.property<vertex, i1>) {
  %one = arith.constant 1 : i32
  %true = arith.constant true
  graph.forall vertices(%g) do (%v) {
    %x = graph.to_id %v : !graph.vertex to i64
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      graph.reduce sum %count[%n], %one : <vertex, i32>, i32
      graph.reduce min %least[%n], %x with(%seen = %true : !graph.property<vertex, i1> = i1) : <vertex, i64>, i64
    }
  }
  return
}

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

func.func @own(%g: !graph.graph, %count: !graph.property<vertex, i32>) {
  %one = arith.constant 1 : i32
  graph.forall vertices(%g) do (%v) {
    graph.reduce sum %count[%v], %one : <vertex, i32>, i32
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

func.func @loads(%g: !graph.graph, %x: !graph.property<vertex, i32>, %y: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %a = graph.load %x[%n] : <vertex, i32>
      graph.reduce max %y[%v], %a : <vertex, i32>, i32
    }
  }
  return
}
