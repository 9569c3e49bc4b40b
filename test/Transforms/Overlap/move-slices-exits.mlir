// Waits cross branches to code that does not return, which gets a wait of its own.
// RUN: comm-opt -comm-move-slices=mode=extended %s | FileCheck %s
// RUN: comm-opt -comm-move-slices=mode=basic %s | FileCheck %s

llvm.func @fail() attributes {passthrough = ["noreturn"]}
llvm.func @allocate() -> !llvm.ptr
llvm.func @free(!llvm.ptr) attributes {passthrough = ["nounwind"]}
llvm.func @use(!llvm.ptr)
llvm.func @work() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
llvm.func @__gxx_personality_v0(...) -> i32

// CHECK-LABEL: llvm.func @branch
// CHECK: %[[R:.*]] = comm.recv async
// CHECK-NEXT: llvm.cond_br %{{.*}}, ^[[EDGE:.*]], ^[[NEXT:.*]]
// CHECK: ^[[NEXT]]:
// CHECK-NEXT: llvm.call @work
// CHECK-NEXT: comm.wait request(%[[R]])
// CHECK: ^[[EDGE]]:
// CHECK-NEXT: comm.wait request(%[[R]]) {comm.cleanup}
// CHECK-NEXT: llvm.br ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK-NEXT: llvm.call @fail
llvm.func @branch(%a: !llvm.ptr {llvm.noalias}, %bad: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %buffer = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %bad, ^fail, ^next
^next:
  llvm.call @work() : () -> ()
  llvm.return
^fail:
  llvm.call @fail() : () -> ()
  llvm.unreachable
}
