// RUN: comm-opt %s -test-comm-scopes=dependences=true -o /dev/null | FileCheck %s
// A source that may be MPI_ANY_SOURCE through a select or a branch counts as a wildcard: the wait keeps its order with
// later starts. MPI_PROC_NULL, which is also negative, does not.

module attributes {comm.abi = "openmpi4"} {
// CHECK-LABEL: function chosen
// CHECK: wait -> send: communicates, and messages could be matched differently
llvm.func @chosen(%buf: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %c: i1, %x: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %any = llvm.mlir.constant(-1 : i32) : i32
  %s = llvm.select %c, %any, %x : i1, i32
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%s) tag(%n) comm(%w) -> request
  comm.wait request(%r) {tag = "wait"}
  %q = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%x) tag(%n) comm(%w) {tag = "send"} -> request
  comm.wait request(%q)
  llvm.return
}

// CHECK-LABEL: function branched
// CHECK: wait -> send: communicates, and messages could be matched differently
llvm.func @branched(%buf: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %c: i1, %x: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %any = llvm.mlir.constant(-1 : i32) : i32
  llvm.cond_br %c, ^bb1(%x : i32), ^bb1(%any : i32)
^bb1(%s: i32):
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%s) tag(%n) comm(%w) -> request
  comm.wait request(%r) {tag = "wait"}
  %q = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%x) tag(%n) comm(%w) {tag = "send"} -> request
  comm.wait request(%q)
  llvm.return
}

// CHECK-LABEL: function proc_null
// CHECK-NOT: wait -> send
llvm.func @proc_null(%buf: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %c: i1, %x: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %null = llvm.mlir.constant(-2 : i32) : i32
  %s = llvm.select %c, %null, %x : i1, i32
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%s) tag(%n) comm(%w) -> request
  comm.wait request(%r) {tag = "wait"}
  %q = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%x) tag(%n) comm(%w) {tag = "send"} -> request
  comm.wait request(%q)
  llvm.return
}
}
