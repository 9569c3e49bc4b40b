// RUN: comm-opt %s -allow-unregistered-dialect -canonicalize | FileCheck %s

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

// A wait right after its start: the blocking operation.
// CHECK-LABEL: func.func @wait_at_start
// CHECK-NEXT: comm.recv buf(%{{.*}} : !llvm.ptr) count(%{{.*}}) datatype(%{{.*}}) source(%{{.*}}) tag(%{{.*}}) comm(%{{.*}}) {note}{{$}}
// CHECK-NEXT: return
func.func @wait_at_start(%buf: !llvm.ptr, %n: i32, %type: !comm.datatype, %comm: !comm.comm) {
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%n) tag(%n) comm(%comm) {note} -> request
  comm.wait request(%r)
  return
}

// Operations that only compute a value may stand in between.
// CHECK-LABEL: func.func @value_between
// CHECK-NOT: async
// CHECK-NOT: comm.wait
// CHECK: comm.barrier comm(%{{.*}})
// CHECK-NOT: comm.wait
// CHECK: return
func.func @value_between(%n: i32, %comm: !comm.comm) -> i32 {
  %r = comm.barrier async comm(%comm) -> request
  %m = arith.addi %n, %n : i32
  comm.wait request(%r)
  return %m : i32
}

// CHECK-LABEL: func.func @memory_access_between
// CHECK: comm.send async
// CHECK-NEXT: llvm.load
// CHECK-NEXT: comm.wait
func.func @memory_access_between(%buf: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) -> i32 {
  %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  %v = llvm.load %buf : !llvm.ptr -> i32
  comm.wait request(%r)
  return %v : i32
}

// CHECK-LABEL: func.func @other_start_between
// CHECK-COUNT-2: comm.barrier async
// CHECK: comm.wait
func.func @other_start_between(%c: !comm.comm) {
  %r = comm.barrier async comm(%c) -> request
  %s = comm.barrier async comm(%c) -> request
  comm.wait request(%r)
  comm.wait request(%s)
  return
}

// The blocking operation takes over the status and the error code of the wait.
// CHECK-LABEL: func.func @status_is_used
// CHECK: %[[STATUS:.*]] = comm.recv buf
// CHECK-NEXT: return %[[STATUS]]
func.func @status_is_used(%m: memref<4xf32>, %n: i32, %c: !comm.comm) -> !comm.status {
  %r = comm.recv async buf(%m : memref<4xf32>) source(%n) tag(%n) comm(%c) -> request
  %s = comm.wait request(%r) -> status
  return %s : !comm.status
}

// CHECK-LABEL: func.func @status_in_memory
// CHECK-SAME: %[[P:[a-z0-9]*]]: !llvm.ptr
// CHECK-NEXT: comm.recv buf({{.*}}) status(%[[P]]
// CHECK-NEXT: return
func.func @status_in_memory(%m: memref<4xf32>, %n: i32, %c: !comm.comm, %p: !llvm.ptr) {
  %r = comm.recv async buf(%m : memref<4xf32>) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r) status(%p : !llvm.ptr)
  return
}

// The result of the blocking call would be the error of the wait as well.
// CHECK-LABEL: func.func @error_is_used
// CHECK: comm.barrier async
// CHECK-NEXT: comm.wait
func.func @error_is_used(%c: !comm.comm) -> i32 {
  %r, %e = comm.barrier async comm(%c) -> request, error
  comm.wait request(%r)
  return %e : i32
}

// CHECK-LABEL: func.func @error_of_the_wait_is_used
// CHECK: %[[ERROR:.*]] = comm.barrier comm
// CHECK-NEXT: return %[[ERROR]]
func.func @error_of_the_wait_is_used(%c: !comm.comm) -> i32 {
  %r = comm.barrier async comm(%c) -> request
  %e = comm.wait request(%r) -> error
  return %e : i32
}

// A send has no status.
// CHECK-LABEL: func.func @status_of_a_send
// CHECK: comm.send async
// CHECK-NEXT: comm.wait
func.func @status_of_a_send(%m: memref<4xf32>, %n: i32, %c: !comm.comm, %p: !llvm.ptr) {
  %r = comm.send async buf(%m : memref<4xf32>) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r) status(%p : !llvm.ptr)
  return
}

// CHECK-LABEL: func.func @request_is_used_again
// CHECK: comm.barrier async
// CHECK-NEXT: comm.wait
func.func @request_is_used_again(%c: !comm.comm) -> !comm.request {
  %r = comm.barrier async comm(%c) -> request
  comm.wait request(%r)
  return %r : !comm.request
}

// Any code may read a request in memory.
// CHECK-LABEL: func.func @request_in_memory
// CHECK: comm.barrier async
// CHECK-NEXT: comm.wait
func.func @request_in_memory(%c: !comm.comm, %p: !llvm.ptr) {
  comm.barrier async comm(%c) request(%p : !llvm.ptr)
  comm.wait request(%p : !llvm.ptr)
  return
}

// CHECK-LABEL: func.func @start_in_another_block
// CHECK: comm.barrier async
// CHECK: scf.if
// CHECK-NEXT: comm.wait
func.func @start_in_another_block(%c: !comm.comm, %b: i1) {
  %r = comm.barrier async comm(%c) -> request
  scf.if %b {
    comm.wait request(%r)
  }
  return
}

// CHECK-LABEL: func.func @null_request
// CHECK-NEXT: return
func.func @null_request() {
  %r = comm.constant "MPI_REQUEST_NULL" : !comm.request
  comm.wait request(%r)
  return
}

// CHECK-LABEL: func.func @null_request_by_cast
// CHECK-NEXT: return
func.func @null_request_by_cast() {
  %p = comm.constant "MPI_REQUEST_NULL" : !llvm.ptr
  %r = comm.cast %p : !llvm.ptr to !comm.request
  comm.wait request(%r)
  return
}

// A wait for null gives an empty status.
// CHECK-LABEL: func.func @null_request_status
// CHECK: comm.wait
func.func @null_request_status() -> !comm.status {
  %r = comm.constant "MPI_REQUEST_NULL" : !comm.request
  %s = comm.wait request(%r) -> status
  return %s : !comm.status
}

// CHECK-LABEL: func.func @null_request_error
// CHECK: comm.wait
func.func @null_request_error() -> i32 {
  %r = comm.constant "MPI_REQUEST_NULL" : !comm.request
  %e = comm.wait request(%r) -> error
  return %e : i32
}

//===----------------------------------------------------------------------===//
// Constants and casts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @one_constant_each
// CHECK-NEXT: %[[W:.*]] = comm.constant "MPI_COMM_WORLD" : !comm.comm
// CHECK-NEXT: comm.barrier comm(%[[W]])
// CHECK-NEXT: comm.barrier comm(%[[W]])
// CHECK-NEXT: return
func.func @one_constant_each() {
  %a = comm.constant "MPI_COMM_WORLD" : !comm.comm
  comm.barrier comm(%a)
  %b = comm.constant "MPI_COMM_WORLD" : !comm.comm
  comm.barrier comm(%b)
  return
}

// CHECK-LABEL: func.func @same_name_other_type
// CHECK-DAG: comm.constant "MPI_COMM_NULL" : !comm.comm
// CHECK-DAG: comm.constant "MPI_COMM_NULL" : !llvm.ptr
// CHECK: return
func.func @same_name_other_type() -> (!comm.comm, !llvm.ptr) {
  %a = comm.constant "MPI_COMM_NULL" : !comm.comm
  %b = comm.constant "MPI_COMM_NULL" : !llvm.ptr
  return %a, %b : !comm.comm, !llvm.ptr
}

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr
// CHECK-NEXT: return %[[P]]
func.func @there_and_back(%p: !llvm.ptr) -> !llvm.ptr {
  %c = comm.cast %p : !llvm.ptr to !comm.comm
  %q = comm.cast %c : !comm.comm to !llvm.ptr
  return %q : !llvm.ptr
}

// CHECK-LABEL: func.func @to_another_representation
// CHECK-COUNT-2: comm.cast
func.func @to_another_representation(%p: !llvm.ptr) -> i32 {
  %c = comm.cast %p : !llvm.ptr to !comm.comm
  %q = comm.cast %c : !comm.comm to i32
  return %q : i32
}

// CHECK-LABEL: func.func @no_cast_at_all
// CHECK-NEXT: return
func.func @no_cast_at_all(%p: !comm.comm) -> !comm.comm {
  %c = comm.cast %p : !comm.comm to !comm.comm
  return %c : !comm.comm
}

// Folders of other dialects may see a constant that is not a number: its value depends on the implementation.
// CHECK-LABEL: func.func @constants_as_numbers
// CHECK: comm.constant "MPI_ANY_SOURCE" : i32
// CHECK: arith.addi
// CHECK: arith.cmpi
// CHECK: return
func.func @constants_as_numbers(%x: i32, %p: !llvm.ptr) -> (i32, i1, i64, i32, index, !llvm.ptr, i32, i32) {
  %one = arith.constant 1 : i32
  %any = comm.constant "MPI_ANY_SOURCE" : i32
  %root = comm.constant "MPI_ROOT" : i32
  %long = comm.constant "MPI_BOTTOM" : i64
  %index = comm.constant "MPI_UNDEFINED" : index
  %bit = comm.constant "MPI_T_X" : i1
  %sum = arith.addi %any, %one : i32
  %cmp = arith.cmpi eq, %any, %root : i32
  %ext = arith.extsi %any : i32 to i64
  %cut = arith.trunci %long : i64 to i32
  %idx = arith.index_cast %any : i32 to index
  %gep = llvm.getelementptr %p[%any] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %sel = arith.select %bit, %x, %one : i32
  %if = scf.if %bit -> (i32) {
    scf.yield %any : i32
  } else {
    scf.yield %one : i32
  }
  %lv = llvm.add %any, %root : i32
  %c = llvm.icmp "eq" %lv, %root : i32
  scf.for %i = %index to %index step %index {
    "test.use"(%i) : (index) -> ()
  }
  %alloc = memref.alloc(%index) : memref<?xi32>
  "test.use"(%alloc, %c) : (memref<?xi32>, i1) -> ()
  cf.cond_br %bit, ^a(%any : i32), ^a(%root : i32)
^a(%y: i32):
  cf.switch %any : i32, [
    default: ^b,
    42: ^b
  ]
^b:
  return %sum, %cmp, %ext, %cut, %idx, %gep, %sel, %if : i32, i1, i64, i32, index, !llvm.ptr, i32, i32
}
