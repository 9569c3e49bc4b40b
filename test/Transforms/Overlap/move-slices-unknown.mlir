// An op of an unregistered dialect: its effects are unknown, and nothing moves across it.
// RUN: comm-opt --allow-unregistered-dialect -comm-split-blocking -comm-move-slices %s | FileCheck %s

// CHECK-LABEL: llvm.func @unknown
// CHECK: "unknown.op"() {before}
// CHECK-NEXT: %[[REQUEST:.*]] = comm.bcast async
// CHECK-NEXT: comm.wait request(%[[REQUEST]])
// CHECK-NEXT: "unknown.op"() {after}
llvm.func @unknown(%buffer: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  "unknown.op"() {before} : () -> ()
  comm.bcast buffer(%buffer : !llvm.ptr) count(%zero) datatype(%t) root(%zero) comm(%c)
  "unknown.op"() {after} : () -> ()
  llvm.return
}
