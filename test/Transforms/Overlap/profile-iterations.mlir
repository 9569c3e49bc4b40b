// A loop is split for operations in flight unless a profile says that there is almost no waiting time.
// RUN: split-file %s %t
// RUN: comm-opt -comm-split-iterations=cost=measured %t/code.mlir | FileCheck %t/code.mlir --check-prefix=SPLIT
// RUN: comm-opt -comm-split-iterations="cost=measured profile=%t/short.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=WHOLE
// RUN: comm-opt -comm-split-iterations="cost=measured profile=%t/short.json" --remark-format=emitRemark --remarks-filter=comm-split-iterations %t/code.mlir -o /dev/null 2>&1 | FileCheck %t/code.mlir --check-prefix=REMARK
//
// Not if it took long, was measured on one node, or as a start and a wait, which may be short because of the split.
// RUN: sed 's/"rank_max": 0.6/"rank_max": 60/' %t/short.json > %t/long.json
// RUN: comm-opt -comm-split-iterations="cost=measured profile=%t/long.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=SPLIT
// RUN: sed 's/"nodes": 2/"nodes": 1/' %t/short.json > %t/one-node.json
// RUN: comm-opt -comm-split-iterations="cost=measured profile=%t/one-node.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=SPLIT
// RUN: sed 's/blocking_us/wait_us/' %t/short.json > %t/wait.json
// RUN: comm-opt -comm-split-iterations="cost=measured profile=%t/wait.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=SPLIT
// RUN: comm-opt -comm-split-iterations="cost=none profile=%t/short.json" %t/code.mlir | FileCheck %t/code.mlir --check-prefix=SPLIT

//--- code.mlir
module attributes {comm.abi = "openmpi4"} {
// SPLIT-LABEL: llvm.func @ghost
// SPLIT: comm.interior
// WHOLE-LABEL: llvm.func @ghost
// WHOLE-NOT: comm.interior
// REMARK: the loop at{{.*}}waits as a whole: it {{.*}}has little to hide: according to the profile, the communication it waits for takes 600 ns on average, and starting a second loop takes about 1000 ns
llvm.func @ghost(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request loc("ghost.c":7:3)
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%one : i64)
^loop(%i: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  llvm.return
}
}

//--- short.json
{"schema": "comm-report", "version": 2,
 "run": {"program": "ghost", "ranks": 4, "nodes": 2, "runs": 1, "only_rank": null, "mode": null, "start_time": "now",
         "wall_seconds": 1},
 "sites": [
  {"mpi_call": "MPI_Recv", "function": "ghost", "file": "ghost.c", "inlined_at": "", "line": 7, "column": 3, "ranks": 4,
   "executions": {"total": 40, "rank_min": 10, "rank_max": 10},
   "blocking_us": {"executions": 40, "mean": 0.5, "shortest": 0.1, "longest": 9, "rank_min": 0.4, "rank_max": 0.6}}]}
