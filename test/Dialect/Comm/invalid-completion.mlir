// Waits and tests: errors of the verifiers. op-verifiers.test derives more from the examples of the ops.
// RUN: comm-opt %s -verify-diagnostics --split-input-file

func.func @no_async_form(%r: !comm.request) {
  // expected-error @+1 {{cannot be async: MPI has no nonblocking form of MPI_Wait}}
  comm.wait async request(%r)
  return
}

// -----

func.func @status_twice(%r: !comm.request, %p: !llvm.ptr) {
  // expected-error @+1 {{has 'status' both in memory and as a result: keep one}}
  %s = comm.wait request(%r) status(%p : !llvm.ptr) -> status
  return
}

// -----

func.func @count_of_values(%n: i32, %r: !comm.request) {
  // expected-error @+1 {{has !comm.request values and takes no 'count'}}
  comm.waitall count(%n) array_of_requests(%r)
  return
}

// -----

func.func @no_count(%p: !llvm.ptr) {
  // expected-error @+1 {{needs 'count': the number of requests in memory}}
  comm.waitall array_of_requests(%p : !llvm.ptr)
  return
}

// -----

func.func @no_incount(%p: !llvm.ptr) {
  // expected-error @+1 {{needs 'incount': the number of requests in memory}}
  %c = comm.waitsome array_of_requests(%p : !llvm.ptr) array_of_indices(%p : !llvm.ptr) -> outcount
  return
}

// -----

func.func @mixed(%n: i32, %p: !llvm.ptr, %r: !comm.request) {
  // expected-error @+1 {{takes either !comm.request values or one pointer to all requests}}
  comm.waitall count(%n) array_of_requests(%p, %r : !llvm.ptr, !comm.request)
  return
}

// -----

func.func @two_pointers(%n: i32, %p: !llvm.ptr) {
  // expected-error @+1 {{takes either !comm.request values or one pointer to all requests}}
  comm.waitall count(%n) array_of_requests(%p, %p : !llvm.ptr, !llvm.ptr)
  return
}

// -----

func.func @flag_twice(%r: !comm.request, %p: !llvm.ptr) {
  // expected-error @+1 {{has 'flag' both in memory and as a result: keep one}}
  %f = comm.test request(%r) flag(%p : !llvm.ptr) -> flag
  return
}

// -----

func.func @no_index(%r: !comm.request) {
  // expected-error @+1 {{needs 'index', in memory or as a result}}
  comm.waitany array_of_requests(%r)
  return
}

// -----

func.func @no_request() {
  // expected-error @+1 {{needs 'request'}}
  comm.wait
  return
}

// -----

func.func @recalled(%a: memref<4xf64>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{has the attribute 'comm.recalled', which belongs on an operation of MPI whose results are not used: drop it}}
  %r = comm.recv async buf(%a : memref<4xf64>) source(%n) tag(%n) comm(%c) {comm.recalled} -> request
  comm.wait request(%r)
  return
}
