// A start with a prediction is the blocking call or the nonblocking one; the slot of its request is null in one case.
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 | FileCheck %s
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o /dev/null

llvm.mlir.global internal @short(0 : i8) : i8

// CHECK-LABEL: llvm.func @predicted
// CHECK: %[[FLAG:.*]] = llvm.mlir.addressof @short
// CHECK-NEXT: %[[LAST:.*]] = llvm.load %[[FLAG]] atomic monotonic {alignment = 1 : i64}
// CHECK: %[[IS_SHORT:.*]] = llvm.icmp "ne" %[[LAST]], %{{.*}} : i8
// CHECK-NEXT: llvm.cond_br %[[IS_SHORT]], ^[[BLOCKING:.*]], ^[[START:.*]]
// CHECK: ^[[START]]:
// CHECK: llvm.call @MPI_Irecv(
// CHECK-NEXT: llvm.br ^[[AFTER:.*]]
// CHECK: ^[[BLOCKING]]:
// CHECK: llvm.call @MPI_Recv(
// CHECK-NEXT: llvm.br ^[[AFTER]]
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: llvm.store %arg2, %arg1
llvm.func @predicted(%a: !llvm.ptr, %x: !llvm.ptr, %n: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) request(%slot : !llvm.ptr) {comm.prediction = @short}
  llvm.store %n, %x : i32, !llvm.ptr
  comm.wait request(%slot : !llvm.ptr) {comm.followed, comm.left}
  llvm.return
}

// There is no such byte, or the request has no slot: the start is nonblocking.
// CHECK-LABEL: llvm.func @unknown
// CHECK-NOT: MPI_Recv
// CHECK: llvm.return
llvm.func @unknown(%a: !llvm.ptr, %n: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) request(%slot : !llvm.ptr) {comm.prediction = @nobody}
  comm.wait request(%slot : !llvm.ptr) {comm.followed, comm.left}
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) {comm.prediction = @short} -> request
  comm.wait request(%r)
  llvm.return
}
