// RUN: comm-opt %s -verify-diagnostics --split-input-file

// Every error that the parser and the verifiers of the dialect give.

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

func.func @types(%buf: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{1 operands but 2 types}}
  comm.send buf(%buf : !llvm.ptr, !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @no_type(%buf: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{expected ':' and the operand's type}}
  comm.send buf(%buf) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @no_type_of_memory_request(%buf: !llvm.ptr, %c: !comm.comm) {
  // expected-error @+1 {{expected ':' and the operand's type}}
  comm.barrier async comm(%c) request(%buf)
  return
}

// -----

func.func @twice(%c: !comm.comm) {
  // expected-error @+1 {{parameter 'comm' is given twice}}
  comm.barrier comm(%c) comm(%c)
  return
}

// -----

func.func @empty(%c: !comm.comm) {
  // expected-error @+1 {{expected an operand: leave out a parameter that is absent}}
  comm.barrier comm()
  return
}

// -----

func.func @unknown_param(%c: !comm.comm) {
  // expected-error @+1 {{custom op 'communicator' is unknown}}
  comm.barrier communicator(%c)
  return
}

// -----

func.func @unknown_result(%c: !comm.comm) {
  // expected-error @+1 {{MPI_Comm_rank has no result 'size': it has rank, error}}
  %r = comm.comm_rank comm(%c) -> size
  return
}

// -----

func.func @result_order(%c: !comm.comm) {
  // expected-error @+1 {{results are given once each, in the order rank, error}}
  %e, %r = comm.comm_rank comm(%c) -> error, rank
  return
}

// -----

func.func @result_twice(%c: !comm.comm) {
  // expected-error @+1 {{results are given once each, in the order rank, error}}
  %r, %s = comm.comm_rank comm(%c) -> rank, rank
  return
}

// -----

func.func @mode_as_attribute(%c: !comm.comm) {
  // expected-error @+1 {{'mode' follows from the syntax and is no attribute to give}}
  comm.barrier comm(%c) {mode = 5 : i32}
  return
}

// -----

func.func @segments_as_attribute(%c: !comm.comm) {
  // expected-error @+1 {{'operandSegmentSizes' follows from the syntax and is no attribute to give}}
  comm.barrier comm(%c) {operandSegmentSizes = array<i32: 9, 9>}
  return
}

// -----

func.func @generic_mode(%c: !comm.comm) {
  // expected-error @+1 {{Invalid attribute `mode` in property conversion: 7 : i32}}
  "comm.barrier"(%c) <{mode = 7 : i32, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 0, 0>}> : (!comm.comm) -> ()
  return
}

// -----

func.func @generic_segments(%c: !comm.comm) {
  // expected-error @+1 {{operand count (1) does not match with the total size (2)}}
  "comm.barrier"(%c) <{operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 0, 0>}> : (!comm.comm) -> ()
  return
}

//===----------------------------------------------------------------------===//
// Operands of another type
//===----------------------------------------------------------------------===//

// -----

// expected-note @+1 {{prior use here}}
func.func @datatype_as_comm(%t: !comm.datatype) {
  // expected-error @+1 {{use of value '%t' expects different type than prior uses}}
  comm.barrier comm(%t)
  return
}

// -----

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

func.func @pointer_as_comm(%p: !llvm.ptr) {
  // expected-error @+1 {{must be an MPI communicator (MPI_Comm), but got '!llvm.ptr'}}
  comm.barrier comm(%p : !llvm.ptr)
  return
}

//===----------------------------------------------------------------------===//
// Mode, request and status
//===----------------------------------------------------------------------===//

// -----

func.func @no_async_form(%r: !comm.request) {
  // expected-error @+1 {{cannot be async: MPI has no nonblocking form of MPI_Wait}}
  comm.wait async request(%r)
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

func.func @async_with_status(%m: memref<4xi32>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{is async and has no status: the wait that completes it has it}}
  %r, %s = comm.recv async buf(%m : memref<4xi32>) source(%n) tag(%n) comm(%c) -> request, status
  return
}

// -----

func.func @async_with_status_in_memory(%m: memref<4xi32>, %n: i32, %c: !comm.comm, %p: !llvm.ptr) {
  // expected-error @+1 {{is async and has no status: the wait that completes it has it}}
  %r = comm.recv async buf(%m : memref<4xi32>) source(%n) tag(%n) comm(%c) status(%p : !llvm.ptr) -> request
  return
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Parameters that are missing, or are given twice
//===----------------------------------------------------------------------===//

// -----

func.func @no_buffer(%n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @+1 {{needs 'buf'}}
  comm.send count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
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

func.func @status_twice(%r: !comm.request, %p: !llvm.ptr) {
  // expected-error @+1 {{has 'status' both in memory and as a result: keep one}}
  %s = comm.wait request(%r) status(%p : !llvm.ptr) -> status
  return
}

// -----

func.func @no_outcome(%c: !comm.comm) {
  // expected-error @+1 {{needs 'rank', in memory or as a result}}
  comm.comm_rank comm(%c)
  return
}

//===----------------------------------------------------------------------===//
// Several requests
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Constants, casts and types
//===----------------------------------------------------------------------===//

// -----

func.func @put_async(%p: !llvm.ptr, %n: i32, %l: i64, %t: !comm.datatype, %w: !comm.win) {
  // expected-error @+1 {{cannot be async: MPI has no nonblocking form of MPI_Put}}
  comm.put async origin_addr(%p : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) win(%w)
  return
}

// -----

func.func @put_without_target_count(%m: memref<4xf32>, %n: i32, %l: i64, %t: !comm.datatype, %w: !comm.win) {
  // expected-error @+1 {{needs 'target_count'}}
  comm.put origin_addr(%m : memref<4xf32>) target_rank(%n) target_disp(%l : i64) target_datatype(%t) win(%w)
  return
}

// -----

func.func @put_without_target_datatype(%m: memref<4xf32>, %n: i32, %l: i64, %t: !comm.datatype, %w: !comm.win) {
  // expected-error @+1 {{needs 'target_datatype'}}
  comm.put origin_addr(%m : memref<4xf32>) target_rank(%n) target_disp(%l : i64) target_count(%n) win(%w)
  return
}

// -----

func.func @get_without_window(%p: !llvm.ptr, %n: i32, %l: i64, %t: !comm.datatype) {
  // expected-error @+1 {{needs 'win'}}
  comm.get origin_addr(%p : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t)
  return
}

// -----

func.func @get_without_count(%p: !llvm.ptr, %n: i32, %l: i64, %t: !comm.datatype, %w: !comm.win) {
  // expected-error @+1 {{needs 'origin_count': 'origin_addr' is a pointer and does not imply it}}
  comm.get origin_addr(%p : !llvm.ptr) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) win(%w)
  return
}

// -----

func.func @rput_without_request(%p: !llvm.ptr, %n: i32, %l: i64, %t: !comm.datatype, %w: !comm.win) {
  // expected-error @+1 {{needs 'request'}}
  comm.rput origin_addr(%p : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) win(%w)
  return
}

// -----

func.func @win_create_twice(%p: !llvm.ptr, %n: i32, %l: i64, %c: !comm.comm, %i: !comm.info) {
  // expected-error @+1 {{has 'win' both in memory and as a result: keep one}}
  %w = comm.win_create base(%p : !llvm.ptr) size(%l : i64) disp_unit(%n) info(%i) comm(%c) win(%p : !llvm.ptr) -> win
  return
}

// -----

func.func @no_mpi_name() {
  // expected-error @+1 {{names 'COMM_WORLD', which is not an MPI constant: give a name that starts with MPI_}}
  %c = comm.constant "COMM_WORLD" : !comm.comm
  return
}

// -----

func.func @constant_type() {
  // expected-error @+1 {{must be a handle, an integer or an address, got 'f32'}}
  %c = comm.constant "MPI_COMM_WORLD" : f32
  return
}

// -----

func.func @cast_between_handles(%c: !comm.comm) {
  // expected-error @+1 {{casts between a handle and its representation (an integer or !llvm.ptr), not from '!comm.comm' to '!comm.datatype'}}
  %t = comm.cast %c : !comm.comm to !comm.datatype
  return
}

// -----

func.func @cast_between_representations(%p: !llvm.ptr) {
  // expected-error @+1 {{casts between a handle and its representation}}
  %t = comm.cast %p : !llvm.ptr to i64
  return
}

// -----

// expected-error @+1 {{unknown  type `communicator` in dialect `comm`}}
func.func @no_type_of_that_name(%p: !comm.communicator) {
  return
}
