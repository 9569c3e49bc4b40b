// An MPI_Sendrecv_replace gets a second buffer, so that readers of the first one can overlap it; one that overlaps
// nothing is merged again.
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 %s | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 -comm-merge-useless-splits %s | FileCheck %s --check-prefixes=CHECK,MERGED
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 -comm-move-slices="cost=none abi=openmpi4" -comm-merge-useless-splits %s | FileCheck %s --check-prefixes=CHECK,MOVED
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 --remark-format=emitRemark --remarks-filter=comm-split.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-DAG: llvm.func @malloc(i64) -> (!llvm.ptr {llvm.noalias}){{.*}}argMem = none, inaccessibleMem = readwrite
// CHECK-DAG: llvm.func @free(!llvm.ptr {llvm.allocptr})

// CHECK-LABEL: llvm.func @read_before
// SPLIT: %[[WIDE:.*]] = llvm.sext %[[COUNT:.*]] : i32 to i64
// SPLIT: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// SPLIT: %[[SIZE:.*]] = llvm.mlir.constant(8 : i64)
// SPLIT: %[[MAX:.*]] = llvm.intr.smax(%[[WIDE]], %[[ZERO]])
// SPLIT: %[[BYTES:.*]] = llvm.mul %[[MAX]], %[[SIZE]]
// SPLIT: %[[SPARE:.*]] = llvm.call @malloc(%[[BYTES]])
// SPLIT-NEXT: "llvm.intr.memcpy"(%[[SPARE]], %[[BUF:.*]], %[[BYTES]]) <{isVolatile = false}>
// SPLIT-NEXT: %[[R:.*]] = comm.recv async buf(%[[SPARE]] : !llvm.ptr) count(%[[COUNT]]){{.*}} tag(%[[TAG:.*]]) comm
// SPLIT-SAME: comm.from = "MPI_Sendrecv_replace"
// SPLIT-NEXT: %[[S:.*]] = comm.send async buf(%[[BUF]] : !llvm.ptr)
// SPLIT-NEXT: comm.wait request(%[[S]])
// SPLIT-NEXT: comm.wait request(%[[R]]) status(%{{.*}} : !llvm.ptr)
// SPLIT-NEXT: "llvm.intr.memcpy"(%[[BUF]], %[[SPARE]], %[[BYTES]]) <{isVolatile = false}>
// SPLIT-NEXT: llvm.call @free(%[[SPARE]])
// MERGED-NOT: @malloc(
// MERGED: comm.sendrecv_replace buf(%{{.*}} : !llvm.ptr) count(%{{.*}}) datatype(%{{.*}}) dest(%[[TO:.*]]) sendtag(%{{.*}}) source(%[[FROM:.*]]) recvtag(%{{.*}}) comm(%{{.*}}) status(%{{.*}} : !llvm.ptr)
// MERGED-NOT: memcpy
// Readers of the buffer come after the start, writers before it.
// MOVED: llvm.call @changes
// MOVED: llvm.call @malloc
// MOVED: memcpy
// MOVED: comm.recv async
// MOVED-NEXT: comm.send async
// MOVED-NEXT: llvm.call @reads
// MOVED: comm.wait
// MOVED: comm.wait
// MOVED: memcpy
// MOVED: llvm.return
llvm.func @changes(!llvm.ptr) attributes {memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, passthrough = ["nounwind", "willreturn", "nosync", "comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
llvm.func @reads(!llvm.ptr, !llvm.ptr) attributes {passthrough = ["nounwind", "willreturn", "nosync", "comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"], memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}
llvm.func @read_before(%buf: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i32, %to: i32, %from: i32, %t0: i32, %t1: i32, %st: !llvm.ptr {llvm.noalias}) -> f64 {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  llvm.call @changes(%buf) : (!llvm.ptr) -> ()
  llvm.call @reads(%out, %buf) : (!llvm.ptr, !llvm.ptr {llvm.readonly}) -> ()
  %x = llvm.load %buf : !llvm.ptr -> f64
  comm.sendrecv_replace buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%to) sendtag(%t0) source(%from) recvtag(%t1) comm(%c) status(%st : !llvm.ptr)
  llvm.return %x : f64
}

// CHECK-LABEL: llvm.func @gaps
// CHECK: comm.sendrecv_replace
// REMARK: Function=gaps{{.*}}MPI_Sendrecv_replace{{.*}}stays blocking: ", Remark="it sends from and receives into one buffer of unknown size
llvm.func @gaps(%buf: !llvm.ptr, %n: i32, %to: i32) {
  %type = comm.constant "MPI_DOUBLE_INT" : !comm.datatype
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  comm.sendrecv_replace buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%to) sendtag(%to) source(%to) recvtag(%to) comm(%c)
  llvm.return
}

// A program with a malloc of its own.
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 --split-input-file --remark-format=emitRemark --remarks-filter=comm-split.* %S/Inputs/own-malloc.mlir 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: stays blocking: ", Remark="it sends from and receives into one buffer, and the program's malloc or free is not that of C
// OWN: comm.sendrecv_replace
