// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of unknown size, which live until the stack pointer is restored, and copies that were loops.
// RUN: comm-opt -comm-isolate-loops -verify-each %s | FileCheck %s
// RUN: comm-opt -comm-isolate-loops -comm-move-slices %s | FileCheck %s --check-prefix=MOVED

llvm.func @sweep(!llvm.ptr)

// The stack pointer is restored after the loop, which overlaps with the message.
// CHECK-LABEL: llvm.func @after
// CHECK: comm.wait
// CHECK-NOT: llvm.intr.stackrestore
// CHECK: llvm.store
// CHECK: llvm.intr.stackrestore
// CHECK-NEXT: llvm.return
// MOVED-LABEL: llvm.func @after
// MOVED: llvm.store
// MOVED: comm.wait
// MOVED: llvm.intr.stackrestore
llvm.func @after(%other: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %saved = llvm.intr.stacksave : !llvm.ptr
  %in = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.intr.stackrestore %saved : !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^end
^end:
  llvm.return
}

// A call may need the stack; another variable would be freed.
// CHECK-LABEL: llvm.func @before
// CHECK: comm.wait
// CHECK: llvm.store
// CHECK: llvm.intr.stackrestore
// CHECK: llvm.call @sweep
// CHECK-LABEL: llvm.func @variable
// CHECK: comm.wait
// CHECK-NEXT: llvm.intr.stackrestore
// CHECK: llvm.alloca
llvm.func @before(%other: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %saved = llvm.intr.stacksave : !llvm.ptr
  %in = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.intr.stackrestore %saved : !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^end
^end:
  llvm.call @sweep(%other) : (!llvm.ptr) -> ()
  llvm.return
}

llvm.func @variable(%other: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32) -> f64 {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %saved = llvm.intr.stacksave : !llvm.ptr
  %in = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.intr.stackrestore %saved : !llvm.ptr
  %weights = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %weights[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^end
^end:
  %result = llvm.load %weights : !llvm.ptr -> f64
  llvm.return %result : f64
}

// Two array assignments share a guard: each becomes a unit with a guard of its own, and the size that is loaded between
// them does not belong to either.
// CHECK-LABEL: llvm.func @copies
// CHECK: comm.wait
// CHECK: llvm.cond_br %[[SOME:[0-9]+]], ^{{bb[0-9]+}}
// CHECK: llvm.intr.memcpy
// CHECK-NEXT: llvm.br
// CHECK: llvm.cond_br %[[SOME]], ^{{bb[0-9]+}}
// CHECK: llvm.load
// CHECK: llvm.intr.memcpy
// A copy of known size is no loop.
// CHECK-LABEL: llvm.func @small
// CHECK: llvm.intr.memcpy
// CHECK-NOT: llvm.br
// CHECK: llvm.intr.memcpy
llvm.func @copies(%a: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}, %size: !llvm.ptr, %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  %some = llvm.icmp "ne" %n, %zero : i64
  llvm.cond_br %some, ^copy, ^end
^copy:
  %bytes = llvm.shl %n, %three : i64
  "llvm.intr.memcpy"(%a, %in, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %rows = llvm.load %size : !llvm.ptr -> i64
  %p = llvm.getelementptr %a[%rows] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %q = llvm.getelementptr %in[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  "llvm.intr.memcpy"(%p, %q, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^end
^end:
  llvm.return
}

llvm.func @small(%a: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  %some = llvm.icmp "ne" %n, %zero : i64
  llvm.cond_br %some, ^copy, ^end
^copy:
  "llvm.intr.memcpy"(%a, %in, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %p = llvm.getelementptr %a[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  "llvm.intr.memcpy"(%p, %in, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^end
^end:
  llvm.return
}

// A sweep with an array of its own, inlined after an exchange with one: the stack pointer stays where it is in between,
// the array is allocated before the message, with its size, and the loop overlaps with it.
// CHECK-LABEL: llvm.func @two
// CHECK: %[[SAVED:.*]] = llvm.intr.stacksave
// CHECK-NEXT: llvm.alloca %{{.*}} x f64
// CHECK-NEXT: %[[SIZE:.*]] = llvm.add
// CHECK-NEXT: llvm.alloca %[[SIZE]] x f64
// CHECK-NEXT: comm.recv
// CHECK-NEXT: comm.wait
// CHECK-NOT: llvm.intr.stack
// CHECK: ^{{.*}}:
// CHECK: llvm.store
// CHECK: llvm.intr.stackrestore %[[SAVED]]
// CHECK-NOT: llvm.intr.stack
// CHECK: llvm.return
// MOVED-LABEL: llvm.func @two
// MOVED: llvm.store
// MOVED: comm.wait
llvm.func @two(%n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %saved = llvm.intr.stacksave : !llvm.ptr
  %in = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.intr.stackrestore %saved : !llvm.ptr
  %again = llvm.intr.stacksave : !llvm.ptr
  %size = llvm.add %n, %one : i64
  %flux = llvm.alloca %size x f64 : (i64) -> !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %flux[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^end
^end:
  llvm.intr.stackrestore %again : !llvm.ptr
  llvm.return
}

// A size that the message brings, a call that may need the stack, and a stack pointer that nothing restores keep their
// places.
// CHECK-LABEL: llvm.func @brought
// CHECK: comm.wait
// CHECK: llvm.load
// CHECK-NEXT: llvm.alloca
// CHECK-LABEL: llvm.func @calls
// CHECK: comm.wait
// CHECK-NEXT: llvm.call @sweep
// CHECK-NEXT: llvm.alloca
// CHECK-LABEL: llvm.func @never
// CHECK: comm.wait
// CHECK: llvm.intr.stackrestore
// CHECK: llvm.intr.stacksave
llvm.func @brought(%in: !llvm.ptr, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  %n = llvm.load %in : !llvm.ptr -> i64
  %flux = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  llvm.call @sweep(%flux) : (!llvm.ptr) -> ()
  llvm.return
}

llvm.func @calls(%in: !llvm.ptr, %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %tag = llvm.mlir.constant(3 : i32) : i32
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.call @sweep(%in) : (!llvm.ptr) -> ()
  %flux = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  llvm.call @sweep(%flux) : (!llvm.ptr) -> ()
  llvm.return
}

llvm.func @never(%n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %tag = llvm.mlir.constant(3 : i32) : i32
  %saved = llvm.intr.stacksave : !llvm.ptr
  %in = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.intr.stackrestore %saved : !llvm.ptr
  %again = llvm.intr.stacksave : !llvm.ptr
  llvm.call @sweep(%again) : (!llvm.ptr) -> ()
  llvm.return
}

// An optimizer lets a test that fails lead past the next loops, and copies the restore for that path. Of a path that
// restores another pointer, each keeps its own.
// CHECK-LABEL: llvm.func @either
// CHECK: comm.wait
// CHECK-NOT: llvm.intr.stackrestore
// CHECK: llvm.store
// CHECK: llvm.intr.stackrestore
// CHECK-NOT: llvm.intr.stackrestore
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @different
// CHECK-COUNT-2: llvm.intr.stackrestore
// CHECK: llvm.return
// MOVED-LABEL: llvm.func @either
// MOVED: llvm.store
// MOVED: comm.wait
llvm.func @either(%other: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %f = llvm.mlir.constant(1.0 : f64) : f64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %runs = llvm.icmp "sgt" %n, %zero : i64
  %saved = llvm.intr.stacksave : !llvm.ptr
  %in = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.cond_br %runs, ^begin, ^empty
^begin:
  llvm.intr.stackrestore %saved : !llvm.ptr
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr %other[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %f, %p : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next : i64), ^last
^last:
  llvm.br ^end
^empty:
  llvm.intr.stackrestore %saved : !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}

llvm.func @different(%other: !llvm.ptr {llvm.noalias}, %n: i64, %left: i32, %m: i32) {
  %type = comm.constant "MPI_DOUBLE" : !comm.datatype
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = llvm.mlir.constant(0 : i64) : i64
  %tag = llvm.mlir.constant(3 : i32) : i32
  %runs = llvm.icmp "sgt" %n, %zero : i64
  %first = llvm.intr.stacksave : !llvm.ptr
  %in = llvm.alloca %n x f64 : (i64) -> !llvm.ptr
  %second = llvm.intr.stacksave : !llvm.ptr
  %r = comm.recv async buf(%in : !llvm.ptr) count(%m : i32) datatype(%type) source(%left : i32) tag(%tag : i32) comm(%comm) -> request
  comm.wait request(%r)
  llvm.cond_br %runs, ^one, ^two
^one:
  llvm.intr.stackrestore %first : !llvm.ptr
  llvm.br ^end
^two:
  llvm.intr.stackrestore %second : !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}
