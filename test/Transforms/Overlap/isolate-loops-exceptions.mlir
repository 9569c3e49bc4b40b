// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards around code that throws: handlers and cleanups have edges of their own.
// RUN: comm-opt -comm-isolate-loops -verify-each %s | FileCheck %s

llvm.func @__gxx_personality_v0(...) -> i32
llvm.func @note(f64)
llvm.func @work()

// A handler adds 1 to the count, and leads to the end of the guard. The count at the end is neither that of the guard's
// loop nor that of the path around it.
// CHECK-LABEL: llvm.func @caught
// CHECK: llvm.landingpad
// CHECK: %[[ONE_MORE:.*]] = llvm.add
// CHECK: llvm.br ^[[END:bb[0-9]+]](%[[ONE_MORE]] : i64)
// CHECK: ^[[END]](%[[COUNT:[a-z0-9]+]]: i64):
// CHECK-NEXT: llvm.return %[[COUNT]]
llvm.func @caught(%n: i64, %count: i64, %buffer: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %x: f64) -> i64
    attributes {personality = @__gxx_personality_v0} {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %m = llvm.mlir.constant(1 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%r)
  %none = llvm.icmp "slt" %n, %one : i64
  llvm.cond_br %none, ^end(%count : i64), ^guarded
^guarded:
  %elements = llvm.load %v : !llvm.ptr -> !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %elements[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %old = llvm.load %p : !llvm.ptr -> f64
  %isBad = llvm.fcmp "ogt" %old, %x : f64
  llvm.cond_br %isBad, ^throws, ^done
^throws:
  llvm.invoke @work() to ^never unwind ^handler : () -> ()
^done:
  llvm.store %x, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^leave
^handler:
  %pad = llvm.landingpad (catch %null : !llvm.ptr) : !llvm.struct<(ptr, i32)>
  %onemore = llvm.add %count, %one : i64
  llvm.br ^end(%onemore : i64)
^leave:
  llvm.br ^end(%count : i64)
^end(%result: i64):
  llvm.return %result : i64
^never:
  llvm.unreachable
}

// The cleanup uses a value of the arm that may throw: it cannot get it from where the arms join.
// CHECK-LABEL: llvm.func @cleanup
// CHECK: %[[Y:.*]] = llvm.fadd
// CHECK: llvm.landingpad
// CHECK: llvm.call @note(%[[Y]])
llvm.func @cleanup(%n: i64, %buffer: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %x: f64)
    attributes {personality = @__gxx_personality_v0} {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %ten = llvm.mlir.constant(10 : i64) : i64
  %m = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^turn(%zero : i64)
^turn(%t: i64):
  %r = comm.recv async buf(%buffer : !llvm.ptr) count(%m) datatype(%type) source(%m) tag(%m) comm(%comm) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %n, %zero : i64
  llvm.cond_br %some, ^pre, ^none
^pre:
  %y = llvm.fadd %x, %x : f64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %y, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^swept
^swept:
  llvm.invoke @work() to ^worked unwind ^thrown : () -> ()
^worked:
  %k = llvm.urem %t, %ten : i64
  %isTime = llvm.icmp "eq" %k, %zero : i64
  llvm.cond_br %isTime, ^residual, ^end
^none:
  %k2 = llvm.urem %t, %ten : i64
  %isTime2 = llvm.icmp "eq" %k2, %zero : i64
  llvm.cond_br %isTime2, ^idle, ^end
^residual:
  llvm.call @note(%y) : (f64) -> ()
  llvm.br ^end
^idle:
  llvm.call @note(%x) : (f64) -> ()
  llvm.br ^end
^end:
  %tnext = llvm.add %t, %one : i64
  %again = llvm.icmp "slt" %tnext, %n : i64
  llvm.cond_br %again, ^turn(%tnext : i64), ^leave
^leave:
  llvm.return
^thrown:
  %pad = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
  llvm.call @note(%y) : (f64) -> ()
  llvm.resume %pad : !llvm.struct<(ptr, i32)>
}
