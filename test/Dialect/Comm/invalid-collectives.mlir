// Collectives and communicators: errors of the verifiers. op-verifiers.test derives more from the examples of the ops.
// RUN: comm-opt %s -verify-diagnostics --split-input-file

func.func @pointer_as_comm(%p: !llvm.ptr) {
  // expected-error @+1 {{must be an MPI communicator (MPI_Comm), but got '!llvm.ptr'}}
  comm.barrier comm(%p : !llvm.ptr)
  return
}

// -----

func.func @blocking_with_request(%c: !comm.comm) {
  // expected-error @+1 {{is blocking and has no request: write 'async', or drop the request}}
  %r = comm.barrier comm(%c) -> request
  return
}

// -----

func.func @blocking_with_request_in_memory(%c: !comm.comm, %p: !llvm.ptr) {
  // expected-error @+1 {{is blocking and has no request: write 'async', or drop the request}}
  comm.barrier comm(%c) request(%p : !llvm.ptr)
  return
}

// -----

func.func @async_without_request(%c: !comm.comm) {
  // expected-error @+1 {{is async and needs one request: a result '-> request', or 'request(%pointer : !llvm.ptr)'}}
  comm.barrier async comm(%c)
  return
}

// -----

func.func @async_with_two_requests(%c: !comm.comm, %p: !llvm.ptr) {
  // expected-error @+1 {{is async and needs one request: a result '-> request', or 'request(%pointer : !llvm.ptr)'}}
  %r = comm.barrier async comm(%c) request(%p : !llvm.ptr) -> request
  return
}

// -----

func.func @no_comm() {
  // expected-error @+1 {{needs 'comm'}}
  comm.barrier
  return
}

// -----

func.func @in_memory_and_result(%c: !comm.comm, %p: !llvm.ptr) {
  // expected-error @+1 {{has 'rank' both in memory and as a result: keep one}}
  %r = comm.comm_rank comm(%c) rank(%p : !llvm.ptr) -> rank
  return
}

// -----

func.func @no_outcome(%c: !comm.comm) {
  // expected-error @+1 {{needs 'rank', in memory or as a result}}
  comm.comm_rank comm(%c)
  return
}

// -----

func.func @two_roots(%buf: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{operand group starting at #3 requires 0 or 1 element, but found 2}}
  comm.bcast buffer(%buf : !llvm.ptr) count(%n) datatype(%t) root(%n, %n) comm(%c)
  return
}

// -----

func.func @reduction_without_operator(%in: memref<4xf32>, %out: memref<4xf32>, %c: !comm.comm) {
  // expected-error @+1 {{needs 'op'}}
  comm.allreduce sendbuf(%in : memref<4xf32>) recvbuf(%out : memref<4xf32>) comm(%c)
  return
}

// -----

func.func @in_place_without_datatype(%out: !llvm.ptr, %n: i32, %o: !comm.op, %c: !comm.comm) {
  %in = comm.constant "MPI_IN_PLACE" : !llvm.ptr
  // expected-error @+1 {{needs 'datatype': 'recvbuf' is a pointer and does not imply it}}
  comm.allreduce sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) op(%o) comm(%c)
  return
}

// -----

func.func @vector_without_displacements(%p: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{needs 'displs'}}
  comm.gatherv sendbuf(%p : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%p : !llvm.ptr) recvcounts(%p : !llvm.ptr) recvtype(%t) root(%n) comm(%c)
  return
}

// -----

// MPI would write 8 elements of 8 bytes.
func.func @one_datatype(%in: memref<8xf64>, %out: memref<8xf32>, %o: !comm.op, %c: !comm.comm) {
  // expected-error @+1 {{has elements of type 'f64' in 'sendbuf' and of 'f32' in 'recvbuf', which have one datatype: pass buffers of one element type}}
  comm.allreduce sendbuf(%in : memref<8xf64>) recvbuf(%out : memref<8xf32>) op(%o) comm(%c)
  return
}

// -----

func.func @one_count(%in: memref<8xf64>, %out: memref<4xf64>, %o: !comm.op, %c: !comm.comm) {
  // expected-error @+1 {{has 8 elements in 'sendbuf' and 4 in 'recvbuf', which have one count: pass buffers of one size}}
  comm.scan sendbuf(%in : memref<8xf64>) recvbuf(%out : memref<4xf64>) op(%o) comm(%c)
  return
}

// -----

// A larger buffer is not an error, nor is any at a process that is not the root; two counts are independent.
func.func @other_counts(%in: memref<8xf64>, %out: memref<9xf64>, %small: memref<0xf64>, %root: i32, %o: !comm.op, %c: !comm.comm) {
  comm.allreduce sendbuf(%in : memref<8xf64>) recvbuf(%out : memref<9xf64>) op(%o) comm(%c)
  comm.reduce sendbuf(%in : memref<8xf64>) recvbuf(%small : memref<0xf64>) op(%o) root(%root) comm(%c)
  comm.gather sendbuf(%in : memref<8xf64>) recvbuf(%small : memref<0xf64>) root(%root) comm(%c)
  return
}
