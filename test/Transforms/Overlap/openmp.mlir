// Parallel regions of OpenMP are units: waits sink past them, starts rise over them, and they count as work.
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4" %s | FileCheck %s
// RUN: comm-opt -comm-move-slices="mode=basic cost=measured abi=openmpi4" %s | FileCheck %s
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4" --remark-format=emitRemark --remarks-filter=comm-move.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

llvm.func @__kmpc_fork_call(!llvm.ptr, i32, !llvm.ptr, ...) attributes {passthrough = ["nounwind"]}
llvm.func @__kmpc_push_num_threads(!llvm.ptr, i32, i32) attributes {passthrough = ["nounwind"]}
llvm.func @use(!llvm.ptr)
llvm.mlir.global internal constant @where() : !llvm.array<24 x i8> { %0 = llvm.mlir.zero : !llvm.array<24 x i8>  llvm.return %0 : !llvm.array<24 x i8> }
llvm.func @region(!llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", "comm-team-sync", ["comm-touches", "2=rw;*="]]}
llvm.func @locks(!llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", ["comm-touches", "2=rw;*="], ["comm-obstacle", "takes a lock at x.c:3"]]}

// CHECK-LABEL: llvm.func @after
// CHECK: comm.allreduce async
// CHECK-NOT: comm.wait
// CHECK: llvm.call @__kmpc_push_num_threads
// CHECK-NEXT: llvm.call @__kmpc_fork_call
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.call @use
// REMARK-DAG: Function=after{{.*}}MPI_Allreduce{{.*}}overlaps {{.*}}1 OpenMP region, 0 loops, 1 statement
llvm.func @after(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @region : !llvm.ptr
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @__kmpc_push_num_threads(%w, %n, %n) : (!llvm.ptr, i32, i32) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f, %a) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @use(%out) : (!llvm.ptr) -> ()
  llvm.return
}

// The start comes before the region; the function that comes before both may do anything.
// CHECK-LABEL: llvm.func @before
// CHECK: llvm.call @use
// CHECK-NEXT: comm.allreduce async
// CHECK-NEXT: llvm.call @__kmpc_fork_call
// CHECK-NEXT: comm.wait
// REMARK-DAG: Function=before{{.*}}MPI_Allreduce{{.*}}overlaps {{.*}}1 OpenMP region, 0 loops, 0 statements
llvm.func @before(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @region : !llvm.ptr
  llvm.call @use(%a) : (!llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f, %a) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.return
}

// The region writes the sent data.
// CHECK-LABEL: llvm.func @writes
// CHECK: comm.allreduce async
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.call @__kmpc_fork_call
// REMARK-DAG: Function=writes{{.*}}MPI_Allreduce{{.*}}overlaps nothing{{.*}}; after it, the OpenMP region at {{.*}} may touch a buffer of the communication
llvm.func @writes(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @region : !llvm.ptr
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @__kmpc_fork_call(%w, %n, %f, %in) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @lock
// CHECK: comm.allreduce async
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.call @__kmpc_fork_call
// REMARK-DAG: Function=lock{{.*}}MPI_Allreduce{{.*}}overlaps nothing{{.*}}; after it, the OpenMP region at {{.*}} may synchronize with another thread: it takes a lock at x.c:3
llvm.func @lock(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @locks : !llvm.ptr
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @__kmpc_fork_call(%w, %n, %f, %a) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}
