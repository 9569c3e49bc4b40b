// RUN: comm-opt --convert-comm-to-mpi %s | FileCheck %s --implicit-check-not=comm.
// RUN: comm-opt --convert-comm-to-mpi %s | mlir-opt | FileCheck %s --implicit-check-not=comm.

// CHECK-LABEL: func.func @setup(
func.func @setup() -> (i32, i32) {
  // CHECK: mpi.init{{$}}
  comm.init
  // CHECK: %[[E:.*]] = mpi.init : !mpi.retval
  %e = comm.init -> error
  // CHECK: %[[OK:.*]] = mpi.retval_check %[[E]] = <MPI_SUCCESS> : i1
  %success = comm.constant "MPI_SUCCESS" : i32
  %ok = arith.cmpi eq, %e, %success : i32
  // CHECK: cf.assert %[[OK]]
  cf.assert %ok, "MPI_Init"
  // CHECK: %[[WORLD:.*]] = mpi.comm_world{{.*}} : !mpi.comm
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  // CHECK: %[[RANK:.*]] = mpi.comm_rank(%[[WORLD]]) : i32
  %rank = comm.comm_rank comm(%world) -> rank
  // CHECK: %[[E1:.*]], %[[SIZE:.*]] = mpi.comm_size(%[[WORLD]]) : !mpi.retval, i32
  %size, %e1 = comm.comm_size comm(%world) -> size, error
  // CHECK: %[[C:.*]] = mpi.error_class %[[E1]] : !mpi.retval
  %class = comm.error_class errorcode(%e1) -> errorclass
  // CHECK: %[[IS:.*]] = mpi.retval_check %[[C]] = <MPI_ERR_COMM> : i1
  // CHECK: %[[NOT:.*]] = arith.xori %[[IS]], %true
  %bad = comm.constant "MPI_ERR_COMM" : i32
  %good = arith.cmpi ne, %bad, %class : i32
  // CHECK: cf.assert %[[NOT]]
  cf.assert %good, "MPI_Comm_size"
  // CHECK: mpi.barrier(%[[WORLD]]){{$}}
  comm.barrier comm(%world)
  // CHECK: mpi.barrier(%[[WORLD]]) -> !mpi.retval
  %e2 = comm.barrier comm(%world) -> error
  // CHECK: mpi.comm_split(%[[WORLD]], %[[RANK]], %[[SIZE]]) : !mpi.comm
  %sub = comm.comm_split comm(%world) color(%rank) key(%size) -> newcomm
  // CHECK: mpi.comm_split(%[[WORLD]], %[[SIZE]], %[[RANK]]) : !mpi.retval, !mpi.comm
  %sub1, %e3 = comm.comm_split comm(%world) color(%size) key(%rank) -> newcomm, error
  // CHECK: mpi.finalize{{$}}
  comm.finalize
  // CHECK: return %[[RANK]], %[[SIZE]] : i32, i32
  return %rank, %size : i32, i32
}

// CHECK-LABEL: func.func @communicate(
// CHECK-SAME: %[[BUF:.*]]: memref<100xf32>, %[[OUT:.*]]: memref<100xf32>, %[[TAG:.*]]: i32, %[[PEER:.*]]: i32, %[[COMM:.*]]: !mpi.comm) -> !mpi.request
func.func @communicate(%buf: memref<100xf32>, %out: memref<100xf32>, %tag: i32, %peer: i32, %comm: !comm.comm) -> !comm.request {
  // CHECK: mpi.send(%[[BUF]], %[[TAG]], %[[PEER]], %[[COMM]]) : memref<100xf32>, i32, i32{{$}}
  comm.send buf(%buf : memref<100xf32>) dest(%peer) tag(%tag) comm(%comm)
  // CHECK: mpi.recv(%[[BUF]], %[[TAG]], %[[PEER]], %[[COMM]]) : memref<100xf32>, i32, i32 -> !mpi.retval
  %e = comm.recv buf(%buf : memref<100xf32>) source(%peer) tag(%tag) comm(%comm) -> error
  // CHECK: %[[R:.*]] = mpi.isend(%[[BUF]], %[[TAG]], %[[PEER]], %[[COMM]]) : memref<100xf32>, i32, i32 -> !mpi.request
  %r = comm.send async buf(%buf : memref<100xf32>) dest(%peer) tag(%tag) comm(%comm) -> request
  // CHECK: mpi.wait(%[[R]]) : !mpi.request{{$}}
  comm.wait request(%r)
  // CHECK: %{{.*}}, %[[R1:.*]] = mpi.irecv(%[[OUT]], %[[TAG]], %[[PEER]], %[[COMM]]) : memref<100xf32>, i32, i32 -> !mpi.retval, !mpi.request
  %r1, %e1 = comm.recv async buf(%out : memref<100xf32>) source(%peer) tag(%tag) comm(%comm) -> request, error
  // CHECK: mpi.allreduce(%[[BUF]], %[[OUT]], MPI_PROD, %[[COMM]]) : memref<100xf32>, memref<100xf32>{{$}}
  %prod = comm.constant "MPI_PROD" : !comm.op
  comm.allreduce sendbuf(%buf : memref<100xf32>) recvbuf(%out : memref<100xf32>) op(%prod) comm(%comm)
  // CHECK: mpi.allreduce(%[[BUF]], %[[BUF]], MPI_PROD, %[[COMM]]) {kept} : memref<100xf32>, memref<100xf32> -> !mpi.retval
  %place = comm.constant "MPI_IN_PLACE" : !llvm.ptr
  %e2 = comm.allreduce sendbuf(%place : !llvm.ptr) recvbuf(%buf : memref<100xf32>) op(%prod) comm(%comm) {comm.from = "dropped", kept} -> error
  // CHECK: return %[[R1]] : !mpi.request
  return %r1 : !comm.request
}
