// A nonblocking sum that was a blocking one is nonblocking only where both forms add in one order.
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 | FileCheck %s
// RUN: comm-opt %s -convert-comm-to-llvm=abi=mpich | FileCheck %s --check-prefix=INTEGER

// CHECK: llvm.mlir.global extern_weak constant @comm_nonblocking_sum_MPI_Allreduce
// CHECK-LABEL: func.func @both
// CHECK: llvm.call @comm.start_sum.MPI_Allreduce({{.*}}) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: llvm.call @MPI_Wait
// CHECK: llvm.call @comm.start_sum.MPI_Allreduce
// CHECK: llvm.call @MPI_Iallreduce
func.func @both(%s: !llvm.ptr, %r: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  %op = comm.constant "MPI_SUM" : !comm.op
  %a = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) {comm.keeps_digits} -> request
  comm.wait request(%a)
  %b = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) {comm.keeps_digits} -> request
  comm.wait request(%b)
  // The program's own.
  %p = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) -> request
  comm.wait request(%p)
  return
}

// CHECK-LABEL: llvm.func internal @comm.start_sum.MPI_Allreduce
// CHECK: %[[MARKER:.*]] = llvm.mlir.addressof @comm_nonblocking_sum_MPI_Allreduce
// CHECK: %[[ALL:.*]] = llvm.icmp "ne" %[[MARKER]],
// CHECK: llvm.cond_br %[[ALL]], ^[[START:bb[0-9]+]], ^[[ASK:bb[0-9]+]]
// CHECK: ^[[ASK]]:
// CHECK: llvm.call @MPI_Comm_test_inter
// CHECK: llvm.call @MPI_Comm_size
// CHECK: llvm.cond_br %{{.*}}, ^[[START]], ^[[BLOCK:bb[0-9]+]]
// CHECK: ^[[START]]:
// CHECK-NEXT: llvm.call @MPI_Iallreduce
// CHECK: ^[[BLOCK]]:
// CHECK-NEXT: llvm.call @MPI_Allreduce
// CHECK-NOT: @comm.start_sum.MPI_Allreduce

// INTEGER: llvm.func internal @comm.start_sum.MPI_Allreduce(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: !llvm.ptr) -> i32
