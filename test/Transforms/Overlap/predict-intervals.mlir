// A start between which and its wait there is only local work follows a prediction: whether its loops were short.
// RUN: comm-opt %s --comm-predict-intervals --split-input-file | FileCheck %s

module attributes {comm.abi = "openmpi4"} {
llvm.func @work(!llvm.ptr)

// CHECK-LABEL: llvm.func @message
// CHECK: llvm.store %{{.*}}, %[[SUM:.*]] : i64
// CHECK-NEXT: comm.recv async {{.*}} request(%[[SLOT:.*]] : !llvm.ptr) {comm.prediction = @[[BYTE:.*]]}
// CHECK: llvm.cond_br %{{.*}}, ^[[EDGE:.*]](%{{.*}} : i64), ^[[END:.*]]
// CHECK: ^[[EDGE]](%[[FROM:.*]]: i64):
// CHECK: %[[DISTANCE:.*]] = llvm.sub %{{.*}}, %[[FROM]]
// CHECK: %[[QUOTIENT:.*]] = llvm.udiv %[[DISTANCE]]
// CHECK: %[[TIMES:.*]] = llvm.freeze %[[QUOTIENT]]
// CHECK: llvm.intr.umin(%[[TIMES]], %{{.*}})
// CHECK: llvm.store %{{.*}}, %[[SUM]] : i64
// CHECK-NEXT: llvm.br ^[[LOOP:.*]](%[[FROM]] : i64)
// CHECK: ^[[LOOP]](
// CHECK: ^[[END]]:
// CHECK: llvm.load %[[SUM]]
// CHECK: llvm.icmp "ult"
// CHECK: llvm.store %{{.*}}, %{{.*}} atomic monotonic {alignment = 1 : i64} : i8
// CHECK-NEXT: comm.wait request(%[[SLOT]] : !llvm.ptr) {comm.followed, comm.left}
llvm.func @message(%a: !llvm.ptr, %x: !llvm.ptr, %n: i64, %source: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %r = comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) -> request
  %any = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %any, ^loop(%zero : i64), ^end
^loop(%i: i64):
  %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %p : i64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw> : i64
  %last = llvm.icmp "eq" %next, %n : i64
  llvm.cond_br %last, ^end, ^loop(%next : i64)
^end:
  comm.wait request(%r)
  llvm.return
}

// The wait has left the branch of its start; how often the loop runs is unknown, so it counts as long.
// CHECK-LABEL: llvm.func @left
// CHECK: comm.recv async {{.*}} {comm.prediction = @{{.*}}}
// CHECK: %[[MANY:.*]] = llvm.mlir.constant(1048576 : i64)
// CHECK: llvm.mul %[[MANY]]
// CHECK: comm.wait request({{.*}}) {comm.followed, comm.left}
llvm.func @left(%a: !llvm.ptr, %x: !llvm.ptr, %q: i1, %source: i32) {
  %number = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.alloca %number x !llvm.ptr : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %q, ^receive, ^between
^receive:
  comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) request(%slot : !llvm.ptr)
  llvm.br ^between
^between:
  llvm.br ^loop(%x : !llvm.ptr)
^loop(%p: !llvm.ptr):
  %next = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %last = llvm.icmp "eq" %next, %x : !llvm.ptr
  llvm.cond_br %last, ^end, ^loop(%next : !llvm.ptr)
^end:
  comm.wait request(%slot : !llvm.ptr) {comm.followed, comm.left}
  llvm.return
}

// Another process or thread may wait for what is in between: a call, a volatile access, a message.
// CHECK-LABEL: llvm.func @others
// CHECK-NOT: comm.prediction
// CHECK: llvm.return
llvm.func @others(%a: !llvm.ptr, %b: !llvm.ptr, %x: !llvm.ptr, %n: i64, %source: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %r = comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) -> request
  llvm.br ^calls(%zero : i64)
^calls(%i: i64):
  llvm.call @work(%x) : (!llvm.ptr) -> ()
  %next = llvm.add %i, %one overflow<nsw> : i64
  %last = llvm.icmp "eq" %next, %n : i64
  llvm.cond_br %last, ^second, ^calls(%next : i64)
^second:
  comm.wait request(%r)
  %s = comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) -> request
  llvm.br ^tells(%zero : i64)
^tells(%j: i64):
  llvm.store volatile %j, %x : i64, !llvm.ptr
  %next2 = llvm.add %j, %one overflow<nsw> : i64
  %last2 = llvm.icmp "eq" %next2, %n : i64
  llvm.cond_br %last2, ^third, ^tells(%next2 : i64)
^third:
  comm.wait request(%s)
  %u = comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) -> request
  comm.send buf(%b : !llvm.ptr) count(%source) datatype(%t) dest(%source) tag(%source) comm(%c)
  llvm.br ^stores(%zero : i64)
^stores(%k: i64):
  llvm.store %k, %x : i64, !llvm.ptr
  %next3 = llvm.add %k, %one overflow<nsw> : i64
  %last3 = llvm.icmp "eq" %next3, %n : i64
  llvm.cond_br %last3, ^end, ^stores(%next3 : i64)
^end:
  comm.wait request(%u)
  llvm.return
}

// All processes must agree on the form of a collective; the status of a message must be written once; without a loop,
// there is nothing to predict.
// CHECK-LABEL: llvm.func @kinds
// CHECK-NOT: comm.prediction
// CHECK: llvm.return
llvm.func @kinds(%a: !llvm.ptr, %x: !llvm.ptr, %status: !llvm.ptr, %n: i64, %source: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %r = comm.bcast async buffer(%a : !llvm.ptr) count(%source) datatype(%t) root(%source) comm(%c) -> request
  llvm.br ^first(%zero : i64)
^first(%i: i64):
  llvm.store %i, %x : i64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw> : i64
  %last = llvm.icmp "eq" %next, %n : i64
  llvm.cond_br %last, ^second, ^first(%next : i64)
^second:
  comm.wait request(%r)
  %s = comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) -> request
  llvm.br ^other(%zero : i64)
^other(%j: i64):
  llvm.store %j, %x : i64, !llvm.ptr
  %next2 = llvm.add %j, %one overflow<nsw> : i64
  %last2 = llvm.icmp "eq" %next2, %n : i64
  llvm.cond_br %last2, ^third, ^other(%next2 : i64)
^third:
  comm.wait request(%s) status(%status : !llvm.ptr)
  %u = comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) -> request
  llvm.store %n, %x : i64, !llvm.ptr
  comm.wait request(%u)
  llvm.return
}

// The blocking call has another error code.
// CHECK-LABEL: llvm.func @code
// CHECK-NOT: comm.prediction
// CHECK: llvm.return
llvm.func @code(%a: !llvm.ptr, %x: !llvm.ptr, %n: i64, %source: i32) -> i32 {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %r, %error = comm.recv async buf(%a : !llvm.ptr) count(%source) datatype(%t) source(%source) tag(%source) comm(%c) -> request, error
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  llvm.store %i, %x : i64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw> : i64
  %last = llvm.icmp "eq" %next, %n : i64
  llvm.cond_br %last, ^end, ^loop(%next : i64)
^end:
  comm.wait request(%r)
  llvm.return %error : i32
}
}
