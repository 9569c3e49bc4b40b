// RUN: comm-opt --convert-mpi-to-comm --convert-comm-to-mpi %s > %t.mlir
// RUN: comm-opt %s > %t.expected
// RUN: diff %t.expected %t.mlir
// The output equals the input, op by op.

module {
  func.func @setup() -> i1 {
    %retval = mpi.init : !mpi.retval
    %success = mpi.retval_check %retval = <MPI_SUCCESS> : i1
    %world = mpi.comm_world : !mpi.comm
    %retval_0, %rank = mpi.comm_rank(%world) : !mpi.retval, i32
    %size = mpi.comm_size(%world) : i32
    %newcomm = mpi.comm_split(%world, %rank, %size) : !mpi.comm
    %again = mpi.comm_split(%world, %rank, %size) : !mpi.comm
    mpi.barrier(%newcomm)
    %retval_1 = mpi.barrier(%newcomm) -> !mpi.retval
    %class = mpi.error_class %retval_1 : !mpi.retval
    %ok = mpi.retval_check %class = <MPI_SUCCESS> : i1
    mpi.finalize
    return %ok : i1
  }
  func.func @communicate(%a: memref<4xf64>, %b: memref<4xf64>, %tag: i32, %peer: i32, %comm: !mpi.comm) {
    mpi.send(%a, %tag, %peer, %comm) : memref<4xf64>, i32, i32
    %retval = mpi.recv(%b, %tag, %peer, %comm) : memref<4xf64>, i32, i32 -> !mpi.retval
    %req = mpi.isend(%a, %tag, %peer, %comm) : memref<4xf64>, i32, i32 -> !mpi.request
    %retval_0, %req_1 = mpi.irecv(%b, %tag, %peer, %comm) : memref<4xf64>, i32, i32 -> !mpi.retval, !mpi.request
    mpi.wait(%req) : !mpi.request
    %retval_1 = mpi.wait(%req_1) : !mpi.request -> !mpi.retval
    mpi.allreduce(%a, %b, MPI_MAX, %comm) : memref<4xf64>, memref<4xf64>
    %retval_2 = mpi.allreduce(%b, %b, MPI_BAND, %comm) : memref<4xf64>, memref<4xf64> -> !mpi.retval
    return
  }
  func.func private @requests(!mpi.request, tuple<!mpi.comm>) -> !mpi.status
  func.func @loop(%n: index, %r: !mpi.request, %c: i1) -> !mpi.request {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r) -> (!mpi.request) {
      mpi.wait(%x) : !mpi.request
      scf.yield %r : !mpi.request
    }
    cf.cond_br %c, ^bb1(%0 : !mpi.request), ^bb1(%r : !mpi.request)
  ^bb1(%1: !mpi.request):
    return %1 : !mpi.request
  }
}
