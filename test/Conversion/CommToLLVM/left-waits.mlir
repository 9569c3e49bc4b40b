// A wait that left the branch of its start calls MPI only if there is a request: the slot is initialized to null.
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 | FileCheck %s
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o /dev/null

// CHECK-LABEL: llvm.func @left
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK-NEXT: %[[NULL:.*]] = llvm.mlir.addressof @ompi_request_null
// CHECK-NEXT: llvm.store %[[NULL]], %[[SLOT]]
// CHECK: llvm.call @MPI_Irecv({{.*}}, %[[SLOT]])
// CHECK: %[[REQUEST:.*]] = llvm.load %[[SLOT]]
// CHECK: %[[ACTIVE:.*]] = llvm.icmp "ne" %[[REQUEST]], %{{.*}} : !llvm.ptr
// CHECK-NEXT: llvm.cond_br %[[ACTIVE]], ^[[ARM:.*]], ^[[AFTER:.*]]
// CHECK: ^[[ARM]]:
// CHECK-NEXT: llvm.call @MPI_Wait(%[[SLOT]], %arg1)
// CHECK-NEXT: llvm.br ^[[AFTER]]
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: llvm.store %arg3, %arg1 {tag = "after"}
llvm.func @left(%a: !llvm.ptr, %status: !llvm.ptr, %p: i1, %n: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) request(%slot : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait request(%slot : !llvm.ptr) status(%status : !llvm.ptr) {comm.followed, comm.left}
  llvm.store %n, %status {tag = "after"} : i32, !llvm.ptr
  llvm.return
}

// An early wait tests its condition as well; the slot is cleared once.
// CHECK-LABEL: llvm.func @early
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.store %{{.*}}, %[[SLOT]]
// CHECK-NOT: llvm.store %{{.*}}, %[[SLOT]]
// CHECK: %[[FIRST:.*]] = llvm.load %[[SLOT]]
// CHECK: %[[ACTIVE:.*]] = llvm.icmp "ne" %[[FIRST]]
// CHECK-NEXT: %[[BOTH:.*]] = llvm.and %arg4, %[[ACTIVE]]
// CHECK-NEXT: llvm.cond_br %[[BOTH]], ^[[ARM:.*]], ^[[AFTER:.*]]
// CHECK: ^[[ARM]]:
// CHECK-NEXT: llvm.call @MPI_Wait(%[[SLOT]], %arg1)
// CHECK: ^[[AFTER]]:
// CHECK: %[[SECOND:.*]] = llvm.load %[[SLOT]]
// CHECK: llvm.icmp "ne" %[[SECOND]]
llvm.func @early(%a: !llvm.ptr, %status: !llvm.ptr, %p: i1, %n: i32, %q: i1) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) request(%slot : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait_if %q request(%slot : !llvm.ptr) status(%status : !llvm.ptr) {comm.followed, comm.left}
  comm.wait request(%slot : !llvm.ptr) status(%status : !llvm.ptr) {comm.followed, comm.left}
  llvm.return
}
