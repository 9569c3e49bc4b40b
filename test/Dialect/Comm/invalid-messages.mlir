// Sends, receives and probes: errors of the verifiers. op-verifiers.test derives more from the examples of the ops.
// RUN: comm-opt %s -verify-diagnostics --split-input-file

func.func @two_in_one(%buf: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{operand group starting at #0 requires 0 or 1 element, but found 2}}
  comm.send buf(%buf, %buf : !llvm.ptr, !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @integer_as_buffer(%n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{operand #0 must be a buffer: an !llvm.ptr or a memref, but got 'i32'}}
  comm.send buf(%n : i32) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @small_count(%buf: !llvm.ptr, %n: i32, %s: i16, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{operand #1 must be a 32-bit or 64-bit integer or an index, but got 'i16'}}
  comm.send buf(%buf : !llvm.ptr) count(%s : i16) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @async_with_status_in_memory(%m: memref<4xi32>, %n: i32, %c: !comm.comm, %p: !llvm.ptr) {
  // expected-error @+1 {{is async and has no status: the wait that completes it has one}}
  %r = comm.recv async buf(%m : memref<4xi32>) source(%n) tag(%n) comm(%c) status(%p : !llvm.ptr) -> request
  return
}

// -----

func.func @memref_and_count(%m: memref<4xi32>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{has the memref 'buf', whose type implies 'count': drop it, or pass an !llvm.ptr}}
  comm.send buf(%m : memref<4xi32>) count(%n) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @memref_and_datatype(%m: memref<4xi32>, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{has the memref 'buf', whose type implies 'datatype': drop it, or pass an !llvm.ptr}}
  comm.send buf(%m : memref<4xi32>) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @pointer_without_count(%p: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{needs 'count': 'buf' is a pointer and does not imply it}}
  comm.send buf(%p : !llvm.ptr) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @pointer_without_datatype(%p: !llvm.ptr, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{needs 'datatype': 'buf' is a pointer and does not imply it}}
  comm.send buf(%p : !llvm.ptr) count(%n) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @no_datatype(%m: memref<4xindex>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{has no MPI datatype for the elements of 'memref<4xindex>': integers, floats and complex numbers have one}}
  comm.send buf(%m : memref<4xindex>) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @nested_memref(%m: memref<4xmemref<2xi32>>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{has no MPI datatype for the elements of}}
  comm.send buf(%m : memref<4xmemref<2xi32>>) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @no_buffer(%n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{needs 'buf'}}
  comm.send count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @async_with_status(%m: memref<4xi32>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{is async and has no status: the wait that completes it has one}}
  %r, %s = comm.recv async buf(%m : memref<4xi32>) source(%n) tag(%n) comm(%c) -> request, status
  return
}

// -----

func.func @probe_without_flag(%n: i32, %c: !comm.comm) {
  // expected-error @+1 {{needs 'flag', in memory or as a result}}
  comm.iprobe source(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @mrecv_without_message(%m: memref<4xf32>) {
  // expected-error @+1 {{needs 'message'}}
  comm.mrecv buf(%m : memref<4xf32>)
  return
}

// -----

func.func @no_tag(%m: memref<4xi32>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{needs 'recvtag'}}
  comm.sendrecv sendbuf(%m : memref<4xi32>) dest(%n) sendtag(%n) recvbuf(%m : memref<4xi32>) source(%n) comm(%c)
  return
}
