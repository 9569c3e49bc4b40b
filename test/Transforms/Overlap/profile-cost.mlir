// Whether an interval pays if a profile has measured the call: measurements replace estimates, in both directions.
// RUN: split-file %s %t
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4" %t/code.mlir | FileCheck %t/code.mlir --check-prefixes=CHECK,ESTIMATED,LONG
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4 profile=%t/two-nodes.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefixes=CHECK,PROFILED,SHORT
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4 profile=%t/two-nodes.json" --remark-format=emitRemark --remarks-filter=comm-move.* %t/code.mlir -o /dev/null 2>&1 | FileCheck %t/code.mlir --check-prefix=REMARK
//
// Measurements on one node say nothing about collectives between nodes, and a single process has no other to wait for.
// RUN: sed 's/"nodes": 2/"nodes": 1/' %t/two-nodes.json > %t/one-node.json
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4 profile=%t/one-node.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefixes=CHECK,ESTIMATED,SHORT
// RUN: sed 's/"ranks": 4,$/"ranks": 1,/' %t/two-nodes.json > %t/alone.json
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4 profile=%t/alone.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefixes=CHECK,ESTIMATED,LONG
//
// If costs do not count, profiles are not used; an unreadable or unrelated profile counts as none.
// RUN: comm-opt -comm-move-slices="cost=none abi=openmpi4 profile=%t/two-nodes.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=NONE
// RUN: echo '{"schema": "comm-rep' > %t/cut.json
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4 profile=%t/cut.json,%t/nowhere.json" %t/code.mlir 2>%t/warnings | FileCheck %t/code.mlir --check-prefixes=CHECK,ESTIMATED,LONG
// RUN: FileCheck %s --check-prefix=WARNINGS < %t/warnings
// WARNINGS: warning: the profile is ignored: {{.*}}cut.json: the file is not JSON, or is truncated
// WARNINGS: warning: the profile is ignored: {{.*}}nowhere.json: No such file or directory
//
// A folder, and several files: their merged contents. In one of two runs the call waited a millisecond.
// RUN: mkdir -p %t/runs && cp %t/two-nodes.json %t/runs && sed -e 's/"mean": 0.2/"mean": 1000/' -e 's/"rank_max": 0.300/"rank_max": 1000/' %t/two-nodes.json > %t/runs/later.json
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4 profile=%t/runs" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=FOLDER
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4 profile=%t/runs/two-nodes.json,%t/runs/later.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=FOLDER

//--- code.mlir
llvm.func @work() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}

// Stores take a few nanoseconds, as the estimate says. The call took a millisecond: it is worth a try.
// CHECK-LABEL: llvm.func @waited_long
// NONE-LABEL: llvm.func @waited_long
// FOLDER-LABEL: llvm.func @waited_long
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: comm.wait
// PROFILED-NEXT: llvm.store
// NONE: comm.allreduce async
// NONE-NEXT: llvm.store
// REMARK-DAG: Function=waited_long{{.*}}x.c:10{{.*}}overlaps
llvm.func @waited_long(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":10:3)
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// A function that may take any time hides nothing of a call that takes 200 ns.
// CHECK-LABEL: llvm.func @never_waits
// NONE-LABEL: llvm.func @never_waits
// FOLDER-LABEL: llvm.func @never_waits
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: llvm.call @work
// PROFILED-NEXT: comm.wait
// NONE: comm.allreduce async
// NONE-NEXT: llvm.call @work
// FOLDER: comm.allreduce async
// FOLDER-NEXT: llvm.call @work
// REMARK-DAG: Function=never_waits{{.*}}MPI_Allreduce{{.*}}stays blocking: its interval {{.*}}has nothing to hide: in the profile the call takes 300 ns on average, and its nonblocking form costs {{[0-9]+}} ns more
llvm.func @never_waits(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":20:3)
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// Both forms were measured, and the blocking one was faster.
// CHECK-LABEL: llvm.func @hid_nothing
// NONE-LABEL: llvm.func @hid_nothing
// FOLDER-LABEL: llvm.func @hid_nothing
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: llvm.call @work
// PROFILED-NEXT: comm.wait
// REMARK-DAG: Function=hid_nothing{{.*}}MPI_Allreduce{{.*}}stays blocking: its interval {{.*}}hides nothing: in the profile its start and wait take 70000 ns on average, and the blocking call 60000 ns
llvm.func @hid_nothing(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":30:3)
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// Both were measured, and the start and the wait together took less time.
// CHECK-LABEL: llvm.func @hid_all
// NONE-LABEL: llvm.func @hid_all
// FOLDER-LABEL: llvm.func @hid_all
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: comm.wait
// PROFILED-NEXT: llvm.store
llvm.func @hid_all(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":40:3)
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// An interval that was measured is as long as that, whatever may be called in it.
// CHECK-LABEL: llvm.func @short_interval
// NONE-LABEL: llvm.func @short_interval
// FOLDER-LABEL: llvm.func @short_interval
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: llvm.call @work
// PROFILED-NEXT: comm.wait
// REMARK-DAG: Function=short_interval{{.*}}MPI_Allreduce{{.*}}stays blocking: its interval {{.*}}lasts 150 ns on average in the profile, and its nonblocking form costs {{[0-9]+}} ns more
llvm.func @short_interval(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":50:3)
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// Time that is still spent waiting could be hidden as well.
// CHECK-LABEL: llvm.func @still_waits
// NONE-LABEL: llvm.func @still_waits
// FOLDER-LABEL: llvm.func @still_waits
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: comm.wait
// PROFILED-NEXT: llvm.store
llvm.func @still_waits(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":55:3)
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// A call that takes neither: the estimate decides.
// CHECK-LABEL: llvm.func @in_between
// NONE-LABEL: llvm.func @in_between
// FOLDER-LABEL: llvm.func @in_between
// CHECK: comm.allreduce async
// CHECK-NEXT: comm.wait
llvm.func @in_between(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":60:3)
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// Nothing was measured: the estimate decides.
// CHECK-LABEL: llvm.func @not_executed
// NONE-LABEL: llvm.func @not_executed
// FOLDER-LABEL: llvm.func @not_executed
// CHECK: comm.allreduce async
// CHECK-NEXT: comm.wait
llvm.func @not_executed(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":70:3)
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// Likewise where the profile does not know the line.
// CHECK-LABEL: llvm.func @not_there
// NONE-LABEL: llvm.func @not_there
// FOLDER-LABEL: llvm.func @not_there
// CHECK: comm.allreduce async
// CHECK-NEXT: comm.wait
llvm.func @not_there(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc("x.c":80:3)
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// Copies of an inlined function are distinguished: the estimate decides for this one,
// CHECK-LABEL: llvm.func @inlined_at_5
// NONE-LABEL: llvm.func @inlined_at_5
// FOLDER-LABEL: llvm.func @inlined_at_5
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: comm.wait
// PROFILED-NEXT: comm.wait
llvm.func @inlined_at_5(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc(callsite("x.c":90:3 at "/src/main.c":5:9))
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// and this one took long.
// CHECK-LABEL: llvm.func @inlined_at_6
// NONE-LABEL: llvm.func @inlined_at_6
// FOLDER-LABEL: llvm.func @inlined_at_6
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: comm.wait
// PROFILED-NEXT: llvm.store
llvm.func @inlined_at_6(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc(callsite("x.c":90:3 at "/src/main.c":6:9))
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// A copy that the profile lacks has the average of all others.
// CHECK-LABEL: llvm.func @inlined_at_7
// NONE-LABEL: llvm.func @inlined_at_7
// FOLDER-LABEL: llvm.func @inlined_at_7
// CHECK: comm.allreduce async
// ESTIMATED-NEXT: comm.wait
// PROFILED-NEXT: llvm.store
llvm.func @inlined_at_7(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %o = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%b : !llvm.ptr) recvbuf(%o : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request loc(callsite("x.c":90:3 at "/src/main.c":7:9))
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// Only the profile may know the length of a message. A message that arrives by itself does not delay its receiver.
// CHECK-LABEL: llvm.func @short_send
// CHECK: comm.send async
// LONG-NEXT: comm.wait
// SHORT-NEXT: llvm.call @work
llvm.func @short_send(%n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request loc("x.c":100:3)
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

//--- two-nodes.json
{"schema": "comm-report", "version": 2,
 "run": {"program": "x", "ranks": 4,
         "nodes": 2, "runs": 1, "only_rank": null, "mode": null, "start_time": "now", "wall_seconds": 1},
 "sites": [
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 10, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 1000, "shortest": 500.0, "longest": 2000, "rank_min": 666.667, "rank_max": 1500.000},
   "bytes": {"messages": 40, "sum": 160, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 20, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 0.2, "shortest": 0.1, "longest": 0.4, "rank_min": 0.133, "rank_max": 0.300},
   "bytes": {"messages": 40, "sum": 160, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 30, "column": 3, "ranks": 4,
   "executions": {"total": 80, "rank_min": 20, "rank_max": 20},
   "start_us": {"executions": 40, "mean": 20, "shortest": 10.0, "longest": 40, "rank_min": 13.333, "rank_max": 30.000},
   "interval_us": {"executions": 40, "mean": 500, "shortest": 250.0, "longest": 1000, "rank_min": 333.333, "rank_max": 750.000},
   "wait_us": {"executions": 40, "mean": 50, "shortest": 25.0, "longest": 100, "rank_min": 33.333, "rank_max": 75.000},
   "blocking_us": {"executions": 40, "mean": 60, "shortest": 30.0, "longest": 120, "rank_min": 40.000, "rank_max": 90.000},
   "bytes": {"messages": 80, "sum": 320, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 40, "column": 3, "ranks": 4,
   "executions": {"total": 80, "rank_min": 20, "rank_max": 20},
   "start_us": {"executions": 40, "mean": 2, "shortest": 1.0, "longest": 4, "rank_min": 1.333, "rank_max": 3.000},
   "interval_us": {"executions": 40, "mean": 500, "shortest": 250.0, "longest": 1000, "rank_min": 333.333, "rank_max": 750.000},
   "wait_us": {"executions": 40, "mean": 5, "shortest": 2.5, "longest": 10, "rank_min": 3.333, "rank_max": 7.500},
   "blocking_us": {"executions": 40, "mean": 60, "shortest": 30.0, "longest": 120, "rank_min": 40.000, "rank_max": 90.000},
   "bytes": {"messages": 80, "sum": 320, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 50, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "start_us": {"executions": 40, "mean": 2, "shortest": 1.0, "longest": 4, "rank_min": 1.333, "rank_max": 3.000},
   "interval_us": {"executions": 40, "mean": 0.15, "shortest": 0.075, "longest": 0.3, "rank_min": 0.100, "rank_max": 0.225},
   "wait_us": {"executions": 40, "mean": 5, "shortest": 2.5, "longest": 10, "rank_min": 3.333, "rank_max": 7.500},
   "bytes": {"messages": 40, "sum": 160, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 55, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "start_us": {"executions": 40, "mean": 2, "shortest": 1.0, "longest": 4, "rank_min": 1.333, "rank_max": 3.000},
   "interval_us": {"executions": 40, "mean": 25.0, "shortest": 12.5, "longest": 50.0, "rank_min": 16.667, "rank_max": 37.500},
   "wait_us": {"executions": 40, "mean": 1000, "shortest": 500.0, "longest": 2000, "rank_min": 666.667, "rank_max": 1500.000},
   "bytes": {"messages": 40, "sum": 160, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 60, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 50, "shortest": 25.0, "longest": 100, "rank_min": 33.333, "rank_max": 75.000},
   "bytes": {"messages": 40, "sum": 160, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "", "line": 70, "column": 3, "ranks": 4,
   "executions": {"total": 0, "rank_min": 0, "rank_max": 0}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "main.c:5:9", "line": 90, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 50, "shortest": 25.0, "longest": 100, "rank_min": 33.333, "rank_max": 75.000},
   "bytes": {"messages": 40, "sum": 160, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Allreduce", "function": "f", "file": "x.c", "inlined_at": "main.c:6:9", "line": 90, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 2000, "shortest": 1000.0, "longest": 4000, "rank_min": 1333.333, "rank_max": 3000.000},
   "bytes": {"messages": 40, "sum": 160, "min": 4, "max": 4}},
  {"mpi_call": "MPI_Send", "function": "f", "file": "x.c", "inlined_at": "", "line": 100, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 5, "shortest": 2.5, "longest": 10, "rank_min": 3.333, "rank_max": 7.500},
   "bytes": {"messages": 40, "sum": 2560, "min": 64, "max": 64}}]}
