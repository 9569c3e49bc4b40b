// Uses every operation of the mpi dialect (main calls init and finalize). The functions return whether they succeeded.

func.func @ring(%in: memref<4xi32>, %out: memref<4xi32>) -> i1 attributes {llvm.emit_c_interface} {
  %one = arith.constant 1 : i32
  %tag = arith.constant 7 : i32
  %world = mpi.comm_world : !mpi.comm
  %e0, %rank = mpi.comm_rank(%world) : !mpi.retval, i32
  %size = mpi.comm_size(%world) : i32
  %next = arith.addi %rank, %one : i32
  %right = arith.remsi %next, %size : i32
  %before = arith.addi %rank, %size : i32
  %previous = arith.subi %before, %one : i32
  %left = arith.remsi %previous, %size : i32
  %e1, %receive = mpi.irecv(%out, %tag, %left, %world) : memref<4xi32>, i32, i32 -> !mpi.retval, !mpi.request
  %send = mpi.isend(%in, %tag, %right, %world) : memref<4xi32>, i32, i32 -> !mpi.request
  // The requests pass through a loop.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %receive, %y = %send) -> (!mpi.request, !mpi.request) {
    scf.yield %y, %x : !mpi.request, !mpi.request
  }
  %e2 = mpi.wait(%r#0) : !mpi.request -> !mpi.retval
  mpi.wait(%r#1) : !mpi.request
  %e3 = mpi.barrier(%world) -> !mpi.retval
  %ok0 = mpi.retval_check %e0 = <MPI_SUCCESS> : i1
  %ok1 = mpi.retval_check %e1 = <MPI_SUCCESS> : i1
  %ok2 = mpi.retval_check %e2 = <MPI_SUCCESS> : i1
  %ok3 = mpi.retval_check %e3 = <MPI_SUCCESS> : i1
  %a = arith.andi %ok0, %ok1 : i1
  %b = arith.andi %ok2, %ok3 : i1
  %ok = arith.andi %a, %b : i1
  return %ok : i1
}

// Two groups, of the even and of the odd ranks; the sum of the ranks of each, in place and not; two splits with equal
// arguments are two communicators.
func.func @groups(%buffer: memref<1xi32>, %sum: memref<1xi32>) -> i1 attributes {llvm.emit_c_interface} {
  %two = arith.constant 2 : i32
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %color = arith.remsi %rank, %two : i32
  %unused = mpi.comm_split(%world, %color, %rank) : !mpi.comm
  %e, %group = mpi.comm_split(%world, %color, %rank) : !mpi.retval, !mpi.comm
  mpi.allreduce(%buffer, %sum, MPI_SUM, %group) : memref<1xi32>, memref<1xi32>
  %e1 = mpi.allreduce(%buffer, %buffer, MPI_MAX, %group) : memref<1xi32>, memref<1xi32> -> !mpi.retval
  mpi.barrier(%group)
  %ok = mpi.retval_check %e = <MPI_SUCCESS> : i1
  %ok1 = mpi.retval_check %e1 = <MPI_SUCCESS> : i1
  %both = arith.andi %ok, %ok1 : i1
  return %both : i1
}

// A send to a rank that does not exist: the class of the error is MPI_ERR_RANK, and not another.
func.func @wrong_rank(%buffer: memref<1xi32>) -> i1 attributes {llvm.emit_c_interface} {
  %world = mpi.comm_world : !mpi.comm
  %size = mpi.comm_size(%world) : i32
  %e = mpi.send(%buffer, %size, %size, %world) : memref<1xi32>, i32, i32 -> !mpi.retval
  %class = mpi.error_class %e : !mpi.retval
  %is = mpi.retval_check %e = <MPI_ERR_RANK> : i1
  %is1 = mpi.retval_check %class = <MPI_ERR_RANK> : i1
  %isnt = mpi.retval_check %e = <MPI_ERR_TAG> : i1
  %isnt1 = mpi.retval_check %e = <MPI_SUCCESS> : i1
  %true = arith.constant true
  %a = arith.andi %is, %is1 : i1
  %b = arith.ori %isnt, %isnt1 : i1
  %c = arith.xori %b, %true : i1
  %ok = arith.andi %a, %c : i1
  return %ok : i1
}
