// RUN: comm-opt --convert-comm-to-mpi --split-input-file --verify-diagnostics %s

func.func @collectives(%a: memref<4xf32>, %b: memref<4xf32>, %n: i32, %sum: i1, %comm: !comm.comm) {
  %op = comm.constant "MPI_SUM" : !comm.op
  // expected-error @+1 {{'comm.bcast' op cannot be converted to the mpi dialect, which has no operation for MPI_Bcast: use convert-comm-to-llvm instead}}
  comm.bcast buffer(%a : memref<4xf32>) root(%n) comm(%comm)
  // expected-error @+1 {{'comm.allreduce' op cannot be converted to the mpi dialect, which has no operation for MPI_Iallreduce: use convert-comm-to-llvm instead}}
  %r = comm.allreduce async sendbuf(%a : memref<4xf32>) recvbuf(%b : memref<4xf32>) op(%op) comm(%comm) -> request
  // expected-error @+1 {{'comm.barrier' op cannot be converted to the mpi dialect, which has no operation for MPI_Ibarrier}}
  %r1 = comm.barrier async comm(%comm) -> request
  // expected-error @+1 {{'comm.ssend' op cannot be converted to the mpi dialect, which has no operation for MPI_Ssend}}
  comm.ssend buf(%a : memref<4xf32>) dest(%n) tag(%n) comm(%comm)
  // expected-error @+1 {{'comm.comm_dup' op cannot be converted to the mpi dialect, which has no operation for MPI_Comm_dup}}
  %dup = comm.comm_dup comm(%comm) -> newcomm
  // expected-error @+1 {{'comm.waitall' op cannot be converted to the mpi dialect, which has no operation for MPI_Waitall}}
  comm.waitall array_of_requests(%r, %r1)
  return
}

// -----

func.func @statuses(%a: memref<4xf32>, %n: i32, %comm: !comm.comm, %m: !llvm.ptr, %r: !comm.request) {
  // expected-error @+1 {{'comm.recv' op cannot be converted to the mpi dialect, whose mpi.recv has no result 'status': use convert-comm-to-llvm instead}}
  %s = comm.recv buf(%a : memref<4xf32>) source(%n) tag(%n) comm(%comm) -> status
  // expected-error @+1 {{'comm.recv' op cannot be converted to the mpi dialect, whose mpi.recv has no 'status': use convert-comm-to-llvm instead}}
  comm.recv buf(%a : memref<4xf32>) source(%n) tag(%n) comm(%comm) status(%m : !llvm.ptr)
  // expected-error @+1 {{'comm.wait' op cannot be converted to the mpi dialect, whose mpi.wait has no result 'status'}}
  %s1 = comm.wait request(%r) -> status
  return
}

// -----

func.func @pointers(%p: !llvm.ptr, %t: !llvm.ptr, %n: i32, %l: i64, %a: memref<4xf32>, %comm: !comm.comm) {
  %type = comm.constant "MPI_FLOAT" : !comm.datatype
  // expected-error @+1 {{'comm.send' op cannot be converted to the mpi dialect, whose buffers are memrefs, and 'buf' is a '!llvm.ptr': use convert-comm-to-llvm instead}}
  comm.send buf(%p : !llvm.ptr) count(%n) datatype(%type) dest(%n) tag(%n) comm(%comm)
  // expected-error @+1 {{'comm.comm_rank' op cannot be converted to the mpi dialect, whose mpi.comm_rank has no 'rank': use convert-comm-to-llvm instead}}
  comm.comm_rank comm(%comm) rank(%p : !llvm.ptr)
  // expected-error @+1 {{'comm.wait' op cannot be converted to the mpi dialect, where 'request' is a value, and here it is '!llvm.ptr': use convert-comm-to-llvm instead}}
  comm.wait request(%p : !llvm.ptr)
  // expected-error @+1 {{'comm.init' op cannot be converted to the mpi dialect, whose mpi.init has no 'argc'}}
  comm.init argc(%p : !llvm.ptr) argv(%t : !llvm.ptr)
  // expected-error @+1 {{'comm.send' op cannot be converted to the mpi dialect, which takes i32, and 'tag' is 'i64': cast it to i32}}
  comm.send buf(%a : memref<4xf32>) dest(%n) tag(%l : i64) comm(%comm)
  // expected-error @+1 {{'comm.cast' op cannot be converted to the mpi dialect, which has no counterpart: use convert-comm-to-llvm instead}}
  %c = comm.cast %p : !llvm.ptr to !comm.comm
  return
}

// -----

func.func @constants(%a: memref<4xf32>, %n: i32, %x: i1, %comm: !comm.comm, %op: i32) -> i32 {
  %any = comm.constant "MPI_ANY_SOURCE" : i32
  // expected-error @+1 {{'comm.recv' op cannot be converted to the mpi dialect, which has no name for MPI_ANY_SOURCE, its 'source': use convert-comm-to-llvm instead}}
  comm.recv buf(%a : memref<4xf32>) source(%any) tag(%n) comm(%comm)
  %self = comm.constant "MPI_COMM_SELF" : !comm.comm
  // expected-error @+1 {{'comm.barrier' op cannot be converted to the mpi dialect, which has no name for MPI_COMM_SELF, its 'comm'}}
  comm.barrier comm(%self)
  %none = comm.constant "MPI_NO_OP" : !comm.op
  // expected-error @+1 {{'comm.allreduce' op cannot be converted to the mpi dialect, which has no operator MPI_NO_OP}}
  comm.allreduce sendbuf(%a : memref<4xf32>) recvbuf(%a : memref<4xf32>) op(%none) comm(%comm)
  // expected-error @+1 {{'comm.constant' op cannot be converted to the mpi dialect, which has no name for MPI_PROC_NULL: use convert-comm-to-llvm instead}}
  %null = comm.constant "MPI_PROC_NULL" : i32
  // expected-note @+1 {{it is used here}}
  return %null : i32
}

// -----

// expected-error @+1 {{'func.func' op cannot be converted to the mpi dialect, which has no type for a part of '(!comm.datatype) -> ()'}}
func.func private @declared(!comm.datatype)

// expected-error @+1 {{'func.func' op cannot be converted to the mpi dialect, which has no type for its block argument of type '!comm.op'}}
func.func @reduce(%a: memref<4xf32>, %b: memref<4xf32>, %op: !comm.op, %comm: !comm.comm) {
  // expected-error @+1 {{'comm.allreduce' op cannot be converted to the mpi dialect, whose reductions name a predefined operator, and 'op' is not constant}}
  comm.allreduce sendbuf(%a : memref<4xf32>) recvbuf(%b : memref<4xf32>) op(%op) comm(%comm)
  return
}

// -----

func.func @errors(%n: i32, %comm: !comm.comm) -> i32 {
  // expected-error @+1 {{'comm.barrier' op cannot be converted to the mpi dialect, whose return values can only be compared with an error class: compare it with comm.constant "MPI_SUCCESS", or use convert-comm-to-llvm instead}}
  %e = comm.barrier comm(%comm) -> error
  // expected-error @+1 {{'comm.error_class' op cannot be converted to the mpi dialect, where only operations produce error codes, and 'errorcode' is not the result of one}}
  %class = comm.error_class errorcode(%n) -> errorclass
  // expected-note @+1 {{the error code is used here}}
  return %e : i32
}

// -----

func.func @gaps(%a: memref<4x4xf32, strided<[8, 1]>>, %n: i32, %comm: !comm.comm) {
  // expected-error @+1 {{'comm.send' op cannot be converted to the mpi dialect, with 'buf' of type 'memref<4x4xf32, strided<[8, 1]>>': its elements are not known to be contiguous: copy them to a memref without gaps}}
  comm.send buf(%a : memref<4x4xf32, strided<[8, 1]>>) dest(%n) tag(%n) comm(%comm)
  return
}

// -----

func.func @wait_if(%request: !comm.request, %condition: i1) {
  // expected-error @+1 {{'comm.wait_if' op cannot be converted to the mpi dialect, which has no conditional wait: use convert-comm-to-llvm instead}}
  comm.wait_if %condition request(%request)
  return
}
