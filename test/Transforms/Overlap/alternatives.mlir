// Waits that left two arms of a branch pass each other: one of them completes nothing. The receiver of the long message
// waits for what follows the wait of the send, which comes first, and the received message travels during the loop.
// RUN: comm-opt %s "--comm-move-slices=cost=measured observers=never" | FileCheck %s

module attributes {comm.abi = "openmpi4"} {
// CHECK-LABEL: llvm.func @arms
// CHECK: comm.recv async {{.*}} request(%[[RECEIVED:.*]] : !llvm.ptr)
// CHECK: comm.send async {{.*}} request(%[[SENT:.*]] : !llvm.ptr)
// CHECK: comm.wait request(%[[SENT]] : !llvm.ptr)
// CHECK: llvm.store {{.*}} {tag = "work"}
// CHECK: comm.wait request(%[[RECEIVED]] : !llvm.ptr)
llvm.func @arms(%u: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %m: i64) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %next = llvm.mlir.constant(1 : i64) : i64
  %first = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %second = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.mlir.constant(1000000 : i32) : i32
  llvm.cond_br %p, ^receive, ^send
^receive:
  comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  llvm.br ^join
^send:
  comm.send async buf(%u : !llvm.ptr) count(%n) datatype(%t) dest(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait request(%first : !llvm.ptr) {comm.followed, comm.left}
  comm.wait request(%second : !llvm.ptr) {comm.followed, comm.left}
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %e = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %e {tag = "work"} : i64, !llvm.ptr
  %j = llvm.add %i, %next : i64
  %more = llvm.icmp "slt" %j, %m : i64
  llvm.cond_br %more, ^loop(%j : i64), ^end
^end:
  llvm.return
}

// Both starts run in one pass: they are in two branches, or the arms are in a loop that the waits are not in.
// CHECK-LABEL: llvm.func @branches
// CHECK: comm.recv async {{.*}} request(%[[RECEIVED:.*]] : !llvm.ptr)
// CHECK: comm.wait request(%[[RECEIVED]] : !llvm.ptr)
// CHECK: llvm.store {{.*}} {tag = "work"}
llvm.func @branches(%u: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %q: i1, %m: i64) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %next = llvm.mlir.constant(1 : i64) : i64
  %first = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %second = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.mlir.constant(1000000 : i32) : i32
  llvm.cond_br %p, ^receive, ^between
^receive:
  comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  llvm.br ^between
^between:
  llvm.cond_br %q, ^send, ^join
^send:
  comm.send async buf(%u : !llvm.ptr) count(%n) datatype(%t) dest(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^join
^join:
  comm.wait request(%first : !llvm.ptr) {comm.followed, comm.left}
  comm.wait request(%second : !llvm.ptr) {comm.followed, comm.left}
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %e = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %e {tag = "work"} : i64, !llvm.ptr
  %j = llvm.add %i, %next : i64
  %more = llvm.icmp "slt" %j, %m : i64
  llvm.cond_br %more, ^loop(%j : i64), ^end
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @repeated
// CHECK: comm.recv async {{.*}} request(%[[RECEIVED:.*]] : !llvm.ptr)
// CHECK: comm.wait request(%[[RECEIVED]] : !llvm.ptr)
// CHECK: llvm.store {{.*}} {tag = "work"}
llvm.func @repeated(%u: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %again: i1, %m: i64) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %next = llvm.mlir.constant(1 : i64) : i64
  %first = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %second = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.mlir.constant(1000000 : i32) : i32
  llvm.br ^turn(%p : i1)
^turn(%here: i1):
  llvm.cond_br %here, ^receive, ^send
^receive:
  comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  llvm.br ^join
^send:
  comm.send async buf(%u : !llvm.ptr) count(%n) datatype(%t) dest(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^join
^join:
  llvm.cond_br %again, ^turn(%again : i1), ^wait
^wait:
  comm.wait request(%first : !llvm.ptr) {comm.followed, comm.left}
  comm.wait request(%second : !llvm.ptr) {comm.followed, comm.left}
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %e = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %e {tag = "work"} : i64, !llvm.ptr
  %j = llvm.add %i, %next : i64
  %more = llvm.icmp "slt" %j, %m : i64
  llvm.cond_br %more, ^loop(%j : i64), ^end
^end:
  llvm.return
}
}
