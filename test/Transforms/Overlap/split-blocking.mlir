// The blocking operations that become a start and a wait, and the remarks on the others.
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 %s | FileCheck %s
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 --remark-format=emitRemark --remarks-filter=comm-split.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not comm-opt -comm-split-blocking=abi=lam %s 2>&1 | FileCheck %s --check-prefix=ABI
// ABI: error: no MPI implementation is called 'lam'

// CHECK-LABEL: func.func @split
// CHECK-SAME: attributes {comm.changed, comm.only_split}
func.func @split(%m: memref<8xf32>, %o: memref<8xf32>, %n: i32, %c: !comm.comm, %s: !llvm.ptr) {
  // CHECK: %[[R:.*]] = comm.send async buf(%{{.*}} : memref<8xf32>)
  // CHECK-NEXT: comm.wait request(%[[R]])
  comm.send buf(%m : memref<8xf32>) dest(%n) tag(%n) comm(%c)
  // The wait gets the status.
  // CHECK: %[[R:.*]] = comm.recv async
  // CHECK-NOT: status
  // CHECK: comm.wait request(%[[R]]) status(%{{.*}} : !llvm.ptr)
  comm.recv buf(%m : memref<8xf32>) source(%n) tag(%n) comm(%c) status(%s : !llvm.ptr)
  // CHECK: %[[R:.*]] = comm.recv async buf(%[[O:.*]] : memref<8xf32>)
  // CHECK-SAME: comm.from = "MPI_Sendrecv"
  // CHECK: %[[S:.*]] = comm.send async
  // CHECK: comm.wait request(%[[S]])
  // CHECK: comm.wait request(%[[R]])
  comm.sendrecv sendbuf(%m : memref<8xf32>) dest(%n) sendtag(%n) recvbuf(%o : memref<8xf32>) source(%n) recvtag(%n) comm(%c)
  return
}

// CHECK-LABEL: func.func @kept
// CHECK-NOT: attributes
// CHECK-NOT: async
func.func @kept(%m: memref<8xf32>, %p: !llvm.ptr, %t: !comm.datatype, %n: i32, %c: !comm.comm, %op: !comm.op) -> i32 {
  // REMARK-DAG: Remark=MPI_Send, Remark=" stays blocking: ", Remark="its error code is used immediately
  %e = comm.send buf(%m : memref<8xf32>) dest(%n) tag(%n) comm(%c) -> error
  // REMARK-DAG: Remark=MPI_Barrier, Remark=" stays blocking: ", Remark="it orders accesses to memory that is not among its arguments
  comm.barrier comm(%c)
  // REMARK-DAG: Remark=MPI_Rsend, Remark=" stays blocking: ", Remark="a ready send is correct only if the receive is known to be posted
  comm.rsend buf(%m : memref<8xf32>) dest(%n) tag(%n) comm(%c)
  // REMARK-DAG: Remark=MPI_Bsend, Remark=" stays blocking: ", Remark="a buffered send completes immediately
  comm.bsend buf(%m : memref<8xf32>) dest(%n) tag(%n) comm(%c)
  // REMARK-DAG: Remark=MPI_Allreduce, Remark=" stays blocking: ", Remark="its reduction operator may be the program's own
  %in = comm.constant "MPI_IN_PLACE" : !llvm.ptr
  %int = comm.constant "MPI_INT" : !comm.datatype
  comm.allreduce sendbuf(%in : !llvm.ptr) recvbuf(%p : !llvm.ptr) count(%n) datatype(%int) op(%op) comm(%c)
  // REMARK-DAG: Remark=MPI_Recv, Remark=" stays blocking: ", Remark="its buffer may be MPI_BOTTOM
  comm.recv buf(%p : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c)
  return %e : i32
}

// No process to wait for. One partner is enough.
// CHECK-LABEL: func.func @nobody
// CHECK-NOT: async
// CHECK: comm.sendrecv sendbuf
// CHECK-NEXT: comm.send buf
// CHECK-NEXT: comm.recv buf
// CHECK-NEXT: comm.recv async
func.func @nobody(%m: memref<8xf32>, %o: memref<8xf32>, %n: i32, %c: !comm.comm) {
  %nobody = comm.constant "MPI_PROC_NULL" : i32
  // REMARK-DAG: Remark=MPI_Sendrecv, Remark=" stays blocking: ", Remark="its partner is MPI_PROC_NULL, so there is nothing to overlap"
  comm.sendrecv sendbuf(%m : memref<8xf32>) dest(%nobody) sendtag(%n) recvbuf(%o : memref<8xf32>) source(%nobody) recvtag(%n) comm(%c)
  comm.send buf(%m : memref<8xf32>) dest(%nobody) tag(%n) comm(%c)
  comm.recv buf(%m : memref<8xf32>) source(%nobody) tag(%n) comm(%c)
  comm.sendrecv sendbuf(%m : memref<8xf32>) dest(%nobody) sendtag(%n) recvbuf(%o : memref<8xf32>) source(%n) recvtag(%n) comm(%c)
  return
}

// A floating-point sum keeps its order, unless reordering is allowed; other reductions have no order to keep.
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 %s | FileCheck %s --check-prefixes=SUMS,ALLREDUCE
// RUN: comm-opt -comm-split-blocking=abi=mpich %s | FileCheck %s --check-prefixes=SUMS,EXACT
// RUN: comm-opt -comm-split-blocking %s | FileCheck %s --check-prefixes=SUMS,EXACT
// RUN: comm-opt -comm-split-blocking=sums=exact %s | FileCheck %s --check-prefixes=SUMS,EXACT,STRICT
// RUN: comm-opt -comm-split-blocking=sums=any %s | FileCheck %s --check-prefix=ANY
// CHECK-LABEL: func.func @sums
// SUMS-LABEL: func.func @sums
// ANY-LABEL: func.func @sums
func.func @sums(%m: memref<8xf32>, %o: memref<8xf32>, %i: memref<8xi32>, %j: memref<8xi32>, %p: !llvm.ptr, %q: !llvm.ptr, %t: !comm.datatype, %n: i32, %c: !comm.comm) {
  %sum = comm.constant "MPI_SUM" : !comm.op
  %product = comm.constant "MPI_PROD" : !comm.op
  %max = comm.constant "MPI_MAX" : !comm.op
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %long = comm.constant "MPI_LONG" : !comm.datatype
  // REMARK-DAG: Remark=MPI_Reduce, Remark=" stays blocking: ", Remark="its nonblocking form may combine floating-point numbers in another order
  // SUMS: comm.reduce sendbuf
  // ANY: comm.reduce async
  comm.reduce sendbuf(%m : memref<8xf32>) recvbuf(%o : memref<8xf32>) op(%sum) root(%n) comm(%c)
  // SUMS: comm.reduce sendbuf
  // ANY: comm.reduce async
  comm.reduce sendbuf(%p : !llvm.ptr) recvbuf(%q : !llvm.ptr) count(%n) datatype(%double) op(%product) root(%n) comm(%c)
  // SUMS: comm.reduce sendbuf
  // The datatype may contain addresses as well.
  // ANY: comm.reduce sendbuf
  comm.reduce sendbuf(%p : !llvm.ptr) recvbuf(%q : !llvm.ptr) count(%n) datatype(%t) op(%sum) root(%n) comm(%c)
  // SUMS: comm.reduce async
  // ANY: comm.reduce async
  comm.reduce sendbuf(%p : !llvm.ptr) recvbuf(%q : !llvm.ptr) count(%n) datatype(%long) op(%sum) root(%n) comm(%c)
  // SUMS: comm.reduce async
  // ANY: comm.reduce async
  comm.reduce sendbuf(%i : memref<8xi32>) recvbuf(%j : memref<8xi32>) op(%sum) root(%n) comm(%c)
  // A maximum has no order, except for zeros of both signs and NaN.
  // ALLREDUCE: comm.reduce async
  // STRICT: comm.reduce sendbuf
  // ANY: comm.reduce async
  comm.reduce sendbuf(%m : memref<8xf32>) recvbuf(%o : memref<8xf32>) op(%max) root(%n) comm(%c)
  // ALLREDUCE: comm.allreduce async
  // EXACT: comm.allreduce sendbuf
  // ANY: comm.allreduce async
  comm.allreduce sendbuf(%m : memref<8xf32>) recvbuf(%o : memref<8xf32>) op(%sum) comm(%c)
  return
}

// CHECK-LABEL: func.func @nothing
func.func @nothing() {
  return
}

// Open MPI's MPI_Ineighbor_alltoall exchanges other blocks than its MPI_Neighbor_alltoall if both neighbors are one
// process; MPICH's does not. If all neighbors get the same data, the order does not matter.
// RUN: comm-opt -comm-split-blocking=abi=openmpi4 %s | FileCheck %s --check-prefix=NEIGHBORS
// RUN: comm-opt -comm-split-blocking=abi=openmpi5 %s | FileCheck %s --check-prefix=NEIGHBORS
// RUN: comm-opt -comm-split-blocking=abi=mpi-abi %s | FileCheck %s --check-prefix=NEIGHBORS
// RUN: comm-opt -comm-split-blocking %s | FileCheck %s --check-prefix=NEIGHBORS
// RUN: comm-opt -comm-split-blocking=abi=mpich %s | FileCheck %s --check-prefix=MPICH
// NEIGHBORS-LABEL: func.func @neighbors
// MPICH-LABEL: func.func @neighbors
// REMARK-DAG: Remark=MPI_Neighbor_alltoall, Remark=" stays blocking: ", Remark="this implementation's nonblocking form may swap the blocks
func.func @neighbors(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32, %c: !comm.comm, %p: !llvm.ptr) {
  %int = comm.constant "MPI_INT" : !comm.datatype
  // NEIGHBORS: comm.neighbor_alltoall sendbuf
  // MPICH: comm.neighbor_alltoall async
  comm.neighbor_alltoall sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%int) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%int) comm(%c)
  // NEIGHBORS: comm.neighbor_alltoallv sendbuf
  // MPICH: comm.neighbor_alltoallv async
  comm.neighbor_alltoallv sendbuf(%in : !llvm.ptr) sendcounts(%p : !llvm.ptr) sdispls(%p : !llvm.ptr) sendtype(%int) recvbuf(%out : !llvm.ptr) recvcounts(%p : !llvm.ptr) rdispls(%p : !llvm.ptr) recvtype(%int) comm(%c)
  // NEIGHBORS: comm.neighbor_allgather async
  // MPICH: comm.neighbor_allgather async
  comm.neighbor_allgather sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%int) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%int) comm(%c)
  return
}
