// RUN: comm-opt %s -convert-comm-to-llvm=abi=mpich -convert-func-to-llvm -finalize-memref-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK-LABEL: define void @static
// CHECK: call i32 @MPI_Send(ptr %{{.*}}, i32 16, i32 1275069450, i32 1, i32 3, i32 1140850688)
func.func @static(%a: memref<4x4xf32>) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %peer = arith.constant 1 : i32
  %tag = arith.constant 3 : i32
  comm.send buf(%a : memref<4x4xf32>) dest(%peer) tag(%tag) comm(%c)
  return
}

// Aligned pointer plus offset; a count that does not fit an int is -1.
// CHECK-LABEL: define void @dynamic
// CHECK-SAME: (ptr %{{.*}}, ptr %[[ALIGNED:.*]], i64 %[[OFFSET:.*]], i64 %[[ROWS:.*]], i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i32 %[[C:.*]])
// CHECK-DAG: getelementptr double, ptr %{{.*}}, i64 %{{.*}}
// CHECK-DAG: %[[FITS:.*]] = icmp sle i64 %[[COUNT:.*]], 2147483647
// CHECK: %[[N:.*]] = select i1 %[[FITS]], i32 %{{.*}}, i32 -1
// CHECK: call i32 @MPI_Bcast(ptr %{{.*}}, i32 %[[N]], i32 1275070475, i32 0, i32 %[[C]])
func.func @dynamic(%a: memref<?x4xf64, strided<[4, 1], offset: ?>>, %c: !comm.comm) {
  %root = arith.constant 0 : i32
  comm.bcast buffer(%a : memref<?x4xf64, strided<[4, 1], offset: ?>>) root(%root) comm(%c)
  return
}

// A receive buffer that contains a part for each rank: the count is that of one part.
// CHECK-LABEL: define void @per_rank
// CHECK: call i32 @MPI_Comm_size(i32 %[[C:.*]], ptr %[[SIZE:.*]])
// CHECK: %[[RANKS:.*]] = load i32, ptr %[[SIZE]]
// CHECK: %[[WIDE:.*]] = sext i32 %[[RANKS]] to i64
// CHECK: sdiv i64 32, %[[WIDE]]
// CHECK: call i32 @MPI_Allgather(ptr %{{.*}}, i32 8, i32 {{.*}}, ptr %{{.*}}, i32 %{{.*}}, i32 {{.*}}, i32 %[[C]])
func.func @per_rank(%in: memref<8xi32>, %out: memref<32xi32>, %c: !comm.comm) {
  comm.allgather sendbuf(%in : memref<8xi32>) recvbuf(%out : memref<32xi32>) comm(%c)
  return
}

// Of two buffers with one count the second may be smaller at run time: the count is then -1, an error in MPI.
// CHECK-LABEL: define void @one_count
// CHECK-SAME: i64 %[[IN:[^,]*]], i64 %{{[^,]*}}, ptr %{{[^,]*}}, ptr %{{[^,]*}}, i64 %{{[^,]*}}, i64 %[[OUT:[^,]*]], i64
// CHECK-DAG: %[[HOLDS:.*]] = icmp sle i64 %[[SENT:.*]], %[[ROOM:.*]]
// CHECK: %[[COUNT:.*]] = select i1 %[[HOLDS]], i64 %[[SENT]], i64 -1
// CHECK: %[[NARROW:.*]] = trunc i64 %[[COUNT]] to i32
// CHECK: %[[N:.*]] = select i1 %{{.*}}, i32 %[[NARROW]], i32 -1
// CHECK: call i32 @MPI_Allreduce(ptr %{{.*}}, ptr %{{.*}}, i32 %[[N]],
func.func @one_count(%in: memref<?xf64>, %out: memref<?xf64>, %c: !comm.comm) {
  %o = comm.constant "MPI_SUM" : !comm.op
  comm.allreduce sendbuf(%in : memref<?xf64>) recvbuf(%out : memref<?xf64>) op(%o) comm(%c)
  return
}

// At a process that is not the root the other buffer is arbitrary.
// CHECK-LABEL: define void @rooted
// CHECK-NOT: i64 -1
// CHECK: call i32 @MPI_Reduce(
func.func @rooted(%in: memref<?xf64>, %out: memref<?xf64>, %root: i32, %c: !comm.comm) {
  %o = comm.constant "MPI_SUM" : !comm.op
  comm.reduce sendbuf(%in : memref<?xf64>) recvbuf(%out : memref<?xf64>) op(%o) root(%root) comm(%c)
  return
}
