// A loop of waits for one request after the other becomes one MPI_Waitall where its requests can be recorded.
// RUN: comm-opt -comm-promote-requests %s | FileCheck %s
// Finally, requests without a record complete in the program's order again.
// RUN: comm-opt -comm-promote-requests -comm-erase-recalled %s | FileCheck %s --check-prefix=LOOP
// LOOP-LABEL: llvm.func @places
// LOOP: comm.waitall {{.*}}comm.unrecorded, comm.wait_loop = 8
// LOOP: comm.wait request
// LOOP-LABEL: llvm.func @numbers
module attributes {comm.abi = "openmpi4"} {
llvm.func @known(!llvm.ptr)

// From the first place to the one after the last.
// CHECK-LABEL: llvm.func @places
// CHECK: %[[BYTES:.*]] = llvm.sub
// CHECK: %[[COUNT:.*]] = llvm.udiv %[[BYTES]]
// CHECK: %[[FITS:.*]] = llvm.icmp "ule" %[[COUNT]]
// CHECK: %[[NUMBER:.*]] = llvm.select %[[FITS]]
// CHECK: comm.waitall count(%[[NUMBER]]) array_of_requests{{.*}} {comm.unrecorded, comm.wait_loop = 8 : i64}
// CHECK-NOT: comm.wait request
llvm.func @places(%a: !llvm.ptr, %where: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %ignore = comm.constant "MPI_STATUS_IGNORE" : !llvm.ptr
  %one = llvm.mlir.constant(1 : i32) : i32
  %begin = llvm.load %where : !llvm.ptr -> !llvm.ptr
  %end = llvm.getelementptr %begin[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%begin : !llvm.ptr)
  llvm.br ^wait(%begin : !llvm.ptr)
^wait(%p: !llvm.ptr):
  comm.wait request(%p : !llvm.ptr) status(%ignore : !llvm.ptr)
  llvm.br ^next
^next:
  %n = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %done = llvm.icmp "eq" %n, %end : !llvm.ptr
  llvm.cond_br %done, ^after, ^wait(%n : !llvm.ptr)
^after:
  llvm.return
}

// By numbers. The count is an int.
// CHECK-LABEL: llvm.func @numbers(
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32)
// CHECK: comm.waitall count(%[[N]]) array_of_requests{{.*}} {comm.unrecorded, comm.wait_loop = 8 : i64}
// CHECK-NOT: comm.wait request
llvm.func @numbers(%a: !llvm.ptr, %where: !llvm.ptr, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %wide = llvm.zext %n : i32 to i64
  %begin = llvm.load %where : !llvm.ptr -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%begin : !llvm.ptr)
  llvm.br ^wait(%zero : i64)
^wait(%i: i64):
  %p = llvm.getelementptr %begin[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%p : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %more = llvm.icmp "ne" %j, %wide : i64
  llvm.cond_br %more, ^wait(%j : i64), ^after
^after:
  llvm.return
}

// Every other request; statuses that are read; other code in the loop; code that uses the final index.
// CHECK-LABEL: llvm.func @others
// CHECK-NOT: comm.waitall
// CHECK-COUNT-4: comm.wait request
// CHECK-NOT: comm.waitall
llvm.func @others(%a: !llvm.ptr, %where: !llvm.ptr, %status: !llvm.ptr) -> !llvm.ptr {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %begin = llvm.load %where : !llvm.ptr -> !llvm.ptr
  %end = llvm.getelementptr %begin[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%begin : !llvm.ptr)
  llvm.br ^stride(%begin : !llvm.ptr)
^stride(%p: !llvm.ptr):
  comm.wait request(%p : !llvm.ptr)
  %n = llvm.getelementptr %p[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %done = llvm.icmp "eq" %n, %end : !llvm.ptr
  llvm.cond_br %done, ^between, ^stride(%n : !llvm.ptr)
^between:
  llvm.br ^status(%begin : !llvm.ptr)
^status(%q: !llvm.ptr):
  comm.wait request(%q : !llvm.ptr) status(%status : !llvm.ptr)
  %o = llvm.getelementptr %q[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %over = llvm.icmp "eq" %o, %end : !llvm.ptr
  llvm.cond_br %over, ^more, ^status(%o : !llvm.ptr)
^more:
  llvm.br ^calls(%begin : !llvm.ptr)
^calls(%r: !llvm.ptr):
  comm.wait request(%r : !llvm.ptr)
  llvm.call @known(%r) : (!llvm.ptr) -> ()
  %s = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %stop = llvm.icmp "eq" %s, %end : !llvm.ptr
  llvm.cond_br %stop, ^last, ^calls(%s : !llvm.ptr)
^last:
  llvm.br ^kept(%begin : !llvm.ptr)
^kept(%u: !llvm.ptr):
  comm.wait request(%u : !llvm.ptr)
  %v = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %ends = llvm.icmp "eq" %v, %end : !llvm.ptr
  llvm.cond_br %ends, ^after(%u : !llvm.ptr), ^kept(%v : !llvm.ptr)
^after(%w: !llvm.ptr):
  llvm.return %w : !llvm.ptr
}
}
