// Windows: errors of the verifiers. op-verifiers.test derives more from the examples of the ops.
// RUN: comm-opt %s -verify-diagnostics --split-input-file

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

func.func @lock_async(%n: i32, %w: !comm.win) {
  // expected-error @+1 {{cannot be async: MPI has no nonblocking form of MPI_Win_lock}}
  comm.win_lock async lock_type(%n) rank(%n) assert(%n) win(%w)
  return
}

// -----

func.func @fence_without_assertion(%w: !comm.win) {
  // expected-error @+1 {{needs 'assert'}}
  comm.win_fence win(%w)
  return
}
