// Requests in unknown memory: starts are recorded, and those without a record complete at the original wait. The starts
// are recalled before the wait that may move.
// RUN: comm-opt -comm-promote-requests %s | FileCheck %s
// RUN: comm-opt -comm-promote-requests=record=false %s | FileCheck --check-prefix=NONE %s
// RUN: comm-opt -comm-promote-requests -comm-erase-recalled %s | FileCheck --check-prefix=ERASED %s
// NONE-NOT: comm.call_
// ERASED-NOT: comm.recalled

module attributes {comm.abi = "openmpi4"} {
llvm.func @elsewhere()

// CHECK-LABEL: llvm.func @member(
// CHECK: %[[RECORD:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.call @comm.call_begin_record(%[[RECORD]])
// CHECK: comm.recv async {{.*}}comm.recorded
// CHECK: llvm.load %arg1
// CHECK: llvm.call @comm.call_record_request(%[[RECORD]],
// CHECK: %[[KNOWN:.*]] = llvm.call @comm.call_knows_requests(%[[RECORD]], %{{.*}}, %arg1, %arg2,
// CHECK: llvm.call @comm.call_has_operands(%[[RECORD]]
// CHECK: %[[NUMBER:.*]] = llvm.call @comm.call_take_requests(%{{.*}}, %arg1, %arg2, %[[TAKEN:.*]], %{{.*}})
// CHECK: comm.waitall count(%arg2) array_of_requests(%arg1 : !llvm.ptr) {comm.unrecorded}
// CHECK: comm.recv async buf(%arg0 : !llvm.ptr) {{.*}}comm.recalled, comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.waitall count(%[[NUMBER]]) array_of_requests(%[[TAKEN]] : !llvm.ptr) {comm.followed, comm.request_set = [[SET]]
// CHECK: llvm.return
// ERASED-LABEL: llvm.func @member(
// ERASED-NOT: llvm.call @comm.call_
// ERASED: comm.waitall {{.*}}comm.unrecorded
// ERASED-NOT: comm.waitall
// ERASED: llvm.return
llvm.func @member(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// Code that may start other requests resets the record.
// CHECK-LABEL: llvm.func @between(
// CHECK: llvm.call @elsewhere
// CHECK-NEXT: %[[SECOND:.*]] = llvm.mlir.constant
// CHECK-NEXT: llvm.call @comm.call_forget_requests
// CHECK: comm.send async {{.*}}comm.recorded
// CHECK: llvm.call @comm.call_knows_requests
// CHECK-NOT: comm.recv async {{.*}}comm.recalled
// CHECK: comm.send async {{.*}}comm.recalled
// CHECK: llvm.return
llvm.func @between(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %second = llvm.getelementptr %requests[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.call @elsewhere() : () -> ()
  comm.send async buf(%a : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// A buffer that is loaded is reloaded, before the early wait for the comparison, and after it.
// CHECK-LABEL: llvm.func @loaded(
// CHECK: %[[OBJECT:.*]] = llvm.alloca {{.*}}!llvm.array<4 x ptr>
// CHECK: comm.recv async {{.*}}comm.recorded
// CHECK: llvm.call @comm.call_knows_requests
// CHECK: %[[AGAIN:.*]] = llvm.load %[[OBJECT]]
// CHECK: llvm.freeze %[[AGAIN]]
// CHECK: llvm.call @comm.call_has_operands
// CHECK: comm.unrecorded
// CHECK: %[[AFTER:.*]] = llvm.load %[[OBJECT]]
// CHECK: comm.recv async buf(%[[AFTER]] {{.*}}comm.recalled
llvm.func @loaded(%requests: !llvm.ptr, %n: i32, %flag: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %object = llvm.alloca %one x !llvm.array<4 x ptr> : (i32) -> !llvm.ptr
  llvm.cond_br %flag, ^start, ^rest
^start:
  %a = llvm.load %object : !llvm.ptr -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.br ^rest
^rest:
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// A number that was loaded on each path: one of the loads is repeated, and compared.
// CHECK-LABEL: llvm.func @chosen(
// CHECK: %[[OBJECT:.*]] = llvm.alloca {{.*}}!llvm.array<4 x i32>
// CHECK: ^{{.*}}(%[[COUNT:.*]]: i32):
// CHECK: comm.recv async {{.*}}count(%[[COUNT]]) {{.*}}comm.recorded
// CHECK: %[[FROZEN:.*]] = llvm.freeze %[[COUNT]]
// CHECK: %[[RECORDED:.*]] = llvm.sext %[[FROZEN]]
// CHECK: llvm.call @comm.call_record_request(%{{.*}}, %{{.*}}, %{{.*}}, %[[RECORDED]],
// CHECK: llvm.call @comm.call_knows_requests
// CHECK: llvm.load %[[OBJECT]]
// CHECK: llvm.call @comm.call_has_operands
// CHECK: %[[AFTER:.*]] = llvm.load %[[OBJECT]]
// CHECK: comm.recv async {{.*}}count(%[[AFTER]]) {{.*}}comm.recalled
llvm.func @chosen(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %object = llvm.alloca %one x !llvm.array<4 x i32> : (i32) -> !llvm.ptr
  llvm.cond_br %flag, ^first, ^rest
^first:
  llvm.cond_br %other, ^left, ^right
^left:
  %x = llvm.load %object : !llvm.ptr -> i32
  llvm.br ^start(%x : i32)
^right:
  %y = llvm.load %object : !llvm.ptr -> i32
  llvm.br ^start(%y : i32)
^start(%count: i32):
  comm.recv async buf(%a : !llvm.ptr) count(%count) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.br ^rest
^rest:
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// A wait in an arm: the recorded requests complete where the arm rejoins, if it was entered.
// CHECK-LABEL: llvm.func @guarded(
// CHECK: llvm.cond_br %arg3, ^[[ARM:.*]], ^[[JOIN:.*]](%{{.*}}, %{{.*}} : i1, i32)
// CHECK: ^[[ARM]]:
// CHECK: %[[KNOWN:.*]] = llvm.and
// CHECK: %[[NUMBER:.*]] = llvm.call @comm.call_take_requests
// CHECK: comm.unrecorded
// CHECK: llvm.br ^[[JOIN]](%[[KNOWN]], %[[NUMBER]] : i1, i32)
// CHECK: ^[[JOIN]](%{{.*}}: i1, %[[TAKEN:.*]]: i32):
// CHECK: comm.recalled
// CHECK: comm.waitall count(%[[TAKEN]])
llvm.func @guarded(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32, %flag: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.cond_br %flag, ^wait, ^rest
^wait:
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.br ^rest
^rest:
  llvm.return
}

// Not if the memory may be gone: the pointer for the load is unknown there.
// CHECK-LABEL: llvm.func @gone(
// CHECK-NOT: comm.call_
// CHECK: llvm.return
llvm.func @gone(%requests: !llvm.ptr, %n: i32, %flag: i1, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.cond_br %flag, ^start, ^rest
^start:
  %a = llvm.load %p : !llvm.ptr -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.br ^rest
^rest:
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// Nor if the statuses are read.
// CHECK-LABEL: llvm.func @statuses(
// CHECK-NOT: comm.call_
// CHECK: llvm.return
llvm.func @statuses(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32, %statuses: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr) array_of_statuses(%statuses : !llvm.ptr)
  llvm.return
}
}
