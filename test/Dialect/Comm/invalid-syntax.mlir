// Errors of the parser, of constants and of casts.
// RUN: comm-opt %s -verify-diagnostics --split-input-file

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
  // expected-error @+1 {{'mode' follows from the syntax and cannot be given as an attribute}}
  comm.barrier comm(%c) {mode = 5 : i32}
  return
}

// -----

func.func @segments_as_attribute(%c: !comm.comm) {
  // expected-error @+1 {{'operandSegmentSizes' follows from the syntax and cannot be given as an attribute}}
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

// -----

// expected-note @+1 {{prior use here}}
func.func @datatype_as_comm(%t: !comm.datatype) {
  // expected-error @+1 {{use of value '%t' expects different type than prior uses}}
  comm.barrier comm(%t)
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

// -----

func.func @unknown_attribute(%c: !comm.comm) {
  // expected-error @+1 {{has the attribute 'comm.unheard_of', which the comm dialect does not know: drop it, or declare it in CommBase.td}}
  comm.barrier comm(%c) {comm.unheard_of}
  return
}

// -----

// expected-error @+1 {{has the attribute 'comm.changed' of the wrong type: expected a unit}}
func.func @attribute_of_wrong_type() attributes {comm.changed = 1 : i32} {
  return
}

// -----

// expected-error @+1 {{has the attribute 'comm.label' of the wrong type: expected a positive number}}
module attributes {comm.label = 0 : i64} {}

// -----

llvm.func @repeated(%c: i1) {
  // expected-error @+1 {{has the attribute 'comm.interior' of the wrong type: expected an array of different positive numbers}}
  llvm.cond_br %c, ^bb1, ^bb1 {comm.interior = array<i64: 1, 1>}
^bb1:
  llvm.return
}

// -----

// expected-error @+1 {{has the attribute 'comm.bounds', which belongs on a branch with one successor: drop it}}
module attributes {comm.bounds} {}

// -----

// expected-error @+1 {{has the attribute 'comm.excludes', which belongs on a branch: drop it}}
module attributes {comm.excludes = array<i64: 1>} {}

// -----

// expected-error @+1 {{has the attribute 'comm.interior', which belongs on a branch: drop it}}
module attributes {comm.interior = array<i64: 1>} {}

// -----

llvm.func @place_of_store(%a: i32, %p: !llvm.ptr) {
  // expected-error @+1 {{has the attribute 'comm.place', which belongs on an llvm.load: drop it}}
  llvm.store %a, %p {comm.place} : i32, !llvm.ptr
  llvm.return
}

// -----

llvm.func @prediction_of_store(%a: i32, %p: !llvm.ptr) {
  // expected-error @+1 {{has the attribute 'comm.prediction', which belongs on a start: drop it}}
  llvm.store %a, %p {comm.prediction = @short} : i32, !llvm.ptr
  llvm.return
}

// -----

func.func @prediction_without_name(%a: memref<8xf32>, %n: i32, %c: !comm.comm) {
  // expected-error @+1 {{has the attribute 'comm.prediction' of the wrong type: expected the name of a global}}
  %r = comm.recv async buf(%a : memref<8xf32>) source(%n) tag(%n) comm(%c) {comm.prediction = 1 : i8} -> request
  comm.wait request(%r)
  return
}
