// RUN: comm-opt %s -canonicalize | FileCheck %s

// A wait right after its start: the blocking operation.
// CHECK-LABEL: func.func @wait_at_start
// CHECK-NEXT: comm.recv buf(
// CHECK-NOT: comm.wait
// CHECK: return
func.func @wait_at_start(%buf: !llvm.ptr, %n: i32, %type: !comm.datatype, %comm: !comm.comm) {
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%n) tag(%n) comm(%comm) -> request
  comm.wait request(%r)
  return
}
