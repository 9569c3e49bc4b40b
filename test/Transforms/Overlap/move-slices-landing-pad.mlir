// A landing pad begins with its landingpad, whatever moves.
// RUN: comm-opt -comm-move-slices=mode=extended %s | FileCheck %s
// RUN: comm-opt -comm-move-slices=mode=basic %s | FileCheck %s

llvm.func @use()
llvm.func @work() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
llvm.func @personality(...) -> i32

// CHECK-LABEL: llvm.func @pad
// CHECK: llvm.landingpad
// CHECK-NEXT: comm.send async
// CHECK-NEXT: llvm.call @work
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.resume
llvm.func @pad(%a: !llvm.ptr {llvm.noalias}) attributes {personality = @personality} {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %buffer = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  llvm.invoke @use() to ^next unwind ^pad : () -> ()
^next:
  llvm.return
^pad:
  %e = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
  %r = comm.send async buf(%buffer : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.resume %e : !llvm.struct<(ptr, i32)>
}
