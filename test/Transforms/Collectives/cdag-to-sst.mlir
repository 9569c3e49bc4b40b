// Graphs for a number of processes: the data that arrives, and its origin before any forwarding.
// RUN: comm-opt -comm-cdag-to-sst=ranks=3 --split-input-file %s | FileCheck %s
// RUN: comm-opt -comm-cdag-to-sst=ranks=4 --split-input-file --remark-format=emitRemark --remarks-filter=comm-cdag.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: messages is, for {{.*}}4{{.*}} processes: {{.*}}gather
// REMARK: messages is, for {{.*}}4{{.*}} processes: {{.*}}bcast
// REMARK: messages is, for {{.*}}4{{.*}} processes: {{.*}}alltoall

// A gather: process 0 receives from the others.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[MINE:.*]]: !llvm.ptr, %[[ALL:.*]]: !llvm.ptr, %[[C:.*]]: !comm.comm
// CHECK: comm.cdag comm(%[[C]]) {
// CHECK-NEXT: comm.transfer from(%[[MINE]] : !llvm.ptr) rank 1 offset 0 to(%[[ALL]] : !llvm.ptr) rank 0 offset 80 bytes 80
// CHECK-NEXT: comm.transfer from(%[[MINE]] : !llvm.ptr) rank 2 offset 0 to(%[[ALL]] : !llvm.ptr) rank 0 offset 160 bytes 80
// CHECK-NEXT: comm.yield
func.func @gather(%mine: !llvm.ptr, %all: !llvm.ptr, %c: !comm.comm) {
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %ten = llvm.mlir.constant(10 : i32) : i32
  comm.cdag comm(%c) implied {
    %root = llvm.icmp "eq" %rank, %zero : i32
    cf.cond_br %root, ^head(%one : i32), ^send
  ^head(%p: i32):
    %more = llvm.icmp "slt" %p, %size : i32
    cf.cond_br %more, ^receive, ^end
  ^receive:
    %place = llvm.mul %p, %ten : i32
    %to = llvm.getelementptr %all[%place] : (!llvm.ptr, i32) -> !llvm.ptr, f64
    %r = comm.recv async buf(%to : !llvm.ptr) count(%ten) datatype(%double) source(%p) tag(%zero) comm(%c) -> request
    %next = llvm.add %p, %one : i32
    cf.br ^head(%next : i32)
  ^send:
    %s = comm.send async buf(%mine : !llvm.ptr) count(%ten) datatype(%double) dest(%zero) tag(%zero) comm(%c) -> request
    cf.br ^end
  ^end:
    comm.yield
  }
  return
}

// -----

// A broadcast along a chain: all data originates at process 0.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[M:.*]]: memref<4xf32>
// CHECK: comm.cdag
// CHECK-NEXT: comm.transfer from(%[[M]] : memref<4xf32>) rank 0 offset 0 to(%[[M]] : memref<4xf32>) rank 1 offset 0 bytes 16
// CHECK-NEXT: comm.transfer from(%[[M]] : memref<4xf32>) rank 0 offset 0 to(%[[M]] : memref<4xf32>) rank 2 offset 0 bytes 16
// CHECK-NEXT: comm.yield
func.func @chain(%m: memref<4xf32>, %c: !comm.comm) {
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  comm.cdag comm(%c) implied {
    %left = arith.subi %rank, %one : i32
    %right = arith.addi %rank, %one : i32
    %first = arith.cmpi eq, %rank, %zero : i32
    cf.cond_br %first, ^on, ^receive
  ^receive:
    %r = comm.recv async buf(%m : memref<4xf32>) source(%left) tag(%zero) comm(%c) -> request
    cf.br ^on
  ^on:
    %more = arith.cmpi slt, %right, %size : i32
    cf.cond_br %more, ^send, ^end
  ^send:
    %s = comm.send async buf(%m : memref<4xf32>) dest(%right) tag(%zero) comm(%c) -> request
    cf.br ^end
  ^end:
    comm.yield
  }
  return
}

// -----

// An all-to-all with rank and size in memory, as in C; the own block is sent in a message as well.
// CHECK-LABEL: llvm.func @alltoall
// CHECK: comm.cdag
// CHECK-COUNT-9: comm.transfer
// CHECK-NOT: comm.transfer
// CHECK: comm.yield
llvm.func @alltoall(%out: !llvm.ptr, %in: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %variable = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  comm.comm_size comm(%c) size(%variable : !llvm.ptr)
  comm.cdag comm(%c) implied {
    llvm.br ^loop(%zero : i32)
  ^loop(%p: i32):
    %to = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %from = llvm.getelementptr %out[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%int) source(%p) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%from : !llvm.ptr) count(%one) datatype(%int) dest(%p) tag(%zero) comm(%c) -> request
    %next = llvm.add %p, %one : i32
    %size = llvm.load %variable : !llvm.ptr -> i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^end
  ^end:
    comm.yield
  }
  llvm.return
}
