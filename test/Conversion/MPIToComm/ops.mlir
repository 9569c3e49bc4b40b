// RUN: comm-opt --convert-mpi-to-comm %s | FileCheck %s --implicit-check-not=mpi.
// Every operation of the upstream dialect, with and without its return value.

// CHECK-LABEL: func.func @setup(
// CHECK-SAME: ) -> (i32, i32, i32, i32)
// CHECK-SAME: attributes {comm.changed}
func.func @setup() -> (!mpi.retval, i32, i32, !mpi.retval) {
  // CHECK: %[[E0:.*]] = comm.init -> error
  %e0 = mpi.init : !mpi.retval
  // CHECK: %[[WORLD:.*]] = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %world = mpi.comm_world : !mpi.comm
  // CHECK: %[[RANK:.*]] = comm.comm_rank comm(%[[WORLD]]) -> rank{{$}}
  %rank = mpi.comm_rank(%world) : i32
  // CHECK: comm.comm_rank comm(%[[WORLD]]) -> rank, error
  %e1, %rank1 = mpi.comm_rank(%world) : !mpi.retval, i32
  // CHECK: %[[SIZE:.*]] = comm.comm_size comm(%[[WORLD]]) -> size{{$}}
  %size = mpi.comm_size(%world) : i32
  // CHECK: %{{.*}}, %[[E2:.*]] = comm.comm_size comm(%[[WORLD]]) -> size, error
  %e2, %size1 = mpi.comm_size(%world) : !mpi.retval, i32
  // CHECK: comm.barrier comm(%[[WORLD]]){{$}}
  mpi.barrier(%world)
  // CHECK: comm.barrier comm(%[[WORLD]]) -> error
  %e3 = mpi.barrier(%world) -> !mpi.retval
  // CHECK: comm.init{{$}}
  mpi.init
  // CHECK: comm.finalize{{$}}
  mpi.finalize
  // CHECK: comm.finalize -> error
  %e4 = mpi.finalize : !mpi.retval
  // CHECK: return %[[E0]], %[[RANK]], %[[SIZE]], %[[E2]] : i32, i32, i32, i32
  return %e0, %rank, %size, %e2 : !mpi.retval, i32, i32, !mpi.retval
}

// Tag and peer keep their meaning, though the two dialects order them differently.
// CHECK-LABEL: func.func @point_to_point(
// CHECK-SAME: %[[BUF:.*]]: memref<100xf32>, %[[TAG:.*]]: i32, %[[PEER:.*]]: i32, %[[COMM:.*]]: !comm.comm)
func.func @point_to_point(%buf: memref<100xf32>, %tag: i32, %peer: i32, %comm: !mpi.comm) {
  // CHECK: comm.send buf(%[[BUF]] : memref<100xf32>) dest(%[[PEER]]) tag(%[[TAG]]) comm(%[[COMM]]){{$}}
  mpi.send(%buf, %tag, %peer, %comm) : memref<100xf32>, i32, i32
  // CHECK: comm.send buf({{.*}}) dest(%[[PEER]]) tag(%[[TAG]]) comm(%[[COMM]]) -> error
  %e0 = mpi.send(%buf, %tag, %peer, %comm) : memref<100xf32>, i32, i32 -> !mpi.retval
  // CHECK: comm.recv buf(%[[BUF]] : memref<100xf32>) source(%[[PEER]]) tag(%[[TAG]]) comm(%[[COMM]]){{$}}
  mpi.recv(%buf, %tag, %peer, %comm) : memref<100xf32>, i32, i32
  // CHECK: comm.recv {{.*}} -> error
  %e1 = mpi.recv(%buf, %tag, %peer, %comm) : memref<100xf32>, i32, i32 -> !mpi.retval
  // CHECK: %[[R0:.*]] = comm.send async buf(%[[BUF]] : memref<100xf32>) dest(%[[PEER]]) tag(%[[TAG]]) comm(%[[COMM]]) -> request{{$}}
  %r0 = mpi.isend(%buf, %tag, %peer, %comm) : memref<100xf32>, i32, i32 -> !mpi.request
  // CHECK: comm.wait request(%[[R0]]){{$}}
  mpi.wait(%r0) : !mpi.request
  // CHECK: %[[R1:.*]], %{{.*}} = comm.recv async buf(%[[BUF]] : memref<100xf32>) source(%[[PEER]]) tag(%[[TAG]]) comm(%[[COMM]]) -> request, error
  %e2, %r1 = mpi.irecv(%buf, %tag, %peer, %comm) : memref<100xf32>, i32, i32 -> !mpi.retval, !mpi.request
  // CHECK: comm.wait request(%[[R1]]) -> error
  %e3 = mpi.wait(%r1) : !mpi.request -> !mpi.retval
  return
}

// CHECK-LABEL: func.func @allreduce(
// CHECK-SAME: %[[A:.*]]: memref<4x4xf64>, %[[B:.*]]: memref<?xf64, strided<[1], offset: ?>>, %[[COMM:.*]]: !comm.comm)
func.func @allreduce(%a: memref<4x4xf64>, %b: memref<?xf64, strided<[1], offset: ?>>, %comm: !mpi.comm) {
  // CHECK: %[[SUM:.*]] = comm.constant "MPI_SUM" : !comm.op
  // CHECK: comm.allreduce sendbuf(%[[A]] : memref<4x4xf64>) recvbuf(%[[B]] : memref<?xf64, strided<[1], offset: ?>>) op(%[[SUM]]) comm(%[[COMM]]){{$}}
  mpi.allreduce(%a, %b, MPI_SUM, %comm) : memref<4x4xf64>, memref<?xf64, strided<[1], offset: ?>>
  // One buffer: in place.
  // CHECK-DAG: %[[MAX:.*]] = comm.constant "MPI_MAX" : !comm.op
  // CHECK-DAG: %[[PLACE:.*]] = comm.constant "MPI_IN_PLACE" : !llvm.ptr
  // CHECK: comm.allreduce sendbuf(%[[PLACE]] : !llvm.ptr) recvbuf(%[[A]] : memref<4x4xf64>) op(%[[MAX]]) comm(%[[COMM]]) -> error
  %e = mpi.allreduce(%a, %a, MPI_MAX, %comm) : memref<4x4xf64>, memref<4x4xf64> -> !mpi.retval
  return
}

// CHECK-LABEL: func.func @operators(
func.func @operators(%a: memref<4xi32>, %b: memref<4xi32>, %comm: !mpi.comm) {
  // CHECK: "MPI_MIN"
  mpi.allreduce(%a, %b, MPI_MIN, %comm) : memref<4xi32>, memref<4xi32>
  // CHECK: "MPI_PROD"
  mpi.allreduce(%a, %b, MPI_PROD, %comm) : memref<4xi32>, memref<4xi32>
  // CHECK: "MPI_LAND"
  mpi.allreduce(%a, %b, MPI_LAND, %comm) : memref<4xi32>, memref<4xi32>
  // CHECK: "MPI_BAND"
  mpi.allreduce(%a, %b, MPI_BAND, %comm) : memref<4xi32>, memref<4xi32>
  // CHECK: "MPI_LOR"
  mpi.allreduce(%a, %b, MPI_LOR, %comm) : memref<4xi32>, memref<4xi32>
  // CHECK: "MPI_BOR"
  mpi.allreduce(%a, %b, MPI_BOR, %comm) : memref<4xi32>, memref<4xi32>
  // CHECK: "MPI_LXOR"
  mpi.allreduce(%a, %b, MPI_LXOR, %comm) : memref<4xi32>, memref<4xi32>
  // CHECK: "MPI_BXOR"
  mpi.allreduce(%a, %b, MPI_BXOR, %comm) : memref<4xi32>, memref<4xi32>
  return
}

// An error code belongs to a class but need not equal it, except for MPI_SUCCESS.
// CHECK-LABEL: func.func @errors(
// CHECK-SAME: %[[E:.*]]: i32) -> (i1, i1, i32)
func.func @errors(%e: !mpi.retval) -> (i1, i1, !mpi.retval) {
  // CHECK: %[[SUCCESS:.*]] = comm.constant "MPI_SUCCESS" : i32
  // CHECK: %[[OK:.*]] = arith.cmpi eq, %[[E]], %[[SUCCESS]] : i32
  %ok = mpi.retval_check %e = <MPI_SUCCESS> : i1
  // CHECK: %[[CLASS:.*]] = comm.error_class errorcode(%[[E]]) -> errorclass
  // CHECK: %[[RANK:.*]] = comm.constant "MPI_ERR_RANK" : i32
  // CHECK: %[[BAD:.*]] = arith.cmpi eq, %[[CLASS]], %[[RANK]] : i32
  %bad = mpi.retval_check %e = <MPI_ERR_RANK> : i1
  // CHECK: %[[C:.*]] = comm.error_class errorcode(%[[E]]) -> errorclass
  %class = mpi.error_class %e : !mpi.retval
  // CHECK: return %[[OK]], %[[BAD]], %[[C]] : i1, i1, i32
  return %ok, %bad, %class : i1, i1, !mpi.retval
}

// The program's discardable attributes remain.
// CHECK-LABEL: func.func @attributes(
func.func @attributes(%comm: !mpi.comm) {
  // CHECK: comm.barrier comm({{.*}}) {note = "kept"}
  mpi.barrier(%comm) {note = "kept"}
  return
}

// CHECK-LABEL: func.func @untouched(
// CHECK-NOT: comm.changed
// CHECK: return
func.func @untouched(%a: memref<4xi32>) -> memref<4xi32> {
  return %a : memref<4xi32>
}
