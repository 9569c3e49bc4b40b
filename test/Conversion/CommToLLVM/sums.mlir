// A nonblocking collective that was blocking chooses its form at run time; the program's own does not.
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 | FileCheck %s
// RUN: comm-opt %s -convert-comm-to-llvm=abi=mpich | FileCheck %s --check-prefix=INTEGER

// CHECK-LABEL: func.func @kinds
// CHECK: llvm.call @comm.start_MPI_Allreduce({{.*}}) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: llvm.call @MPI_Wait
// CHECK: llvm.call @comm.start_ordered_MPI_Allreduce
// CHECK: llvm.call @comm.start_sum_MPI_Allreduce
// CHECK: llvm.call @comm.start_either_MPI_Allreduce
// CHECK: llvm.call @MPI_Iallreduce
// INTEGER: llvm.call @comm.start_MPI_Allreduce({{.*}}) : (!llvm.ptr, !llvm.ptr, i32, i32, i32, i32, !llvm.ptr) -> i32
func.func @kinds(%s: !llvm.ptr, %r: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  %op = comm.constant "MPI_SUM" : !comm.op
  %a = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) {comm.start_kind = "exact"} -> request
  comm.wait request(%a)
  %b = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) {comm.start_kind = "ordered"} -> request
  comm.wait request(%b)
  %d = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) {comm.start_kind = "sum"} -> request
  comm.wait request(%d)
  %e = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) {comm.start_kind = "either"} -> request
  comm.wait request(%e)
  // The program's own.
  %p = comm.allreduce async sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) -> request
  comm.wait request(%p)
  // A split that was undone.
  comm.allreduce sendbuf(%s : !llvm.ptr) recvbuf(%r : !llvm.ptr) count(%n) datatype(%t) op(%op) comm(%c) {comm.start_kind = "sum"}
  // CHECK: llvm.call @MPI_Allreduce
  return
}
