// Waits for requests in memory move as the units that they are.
// RUN: comm-opt -comm-promote-requests=abi=openmpi4 -comm-isolate-loops "-comm-move-slices=cost=none min-weight=1 observers=never" --split-input-file %s | FileCheck %s

// One call for all starts of a loop: it passes units that access none of their buffers, requests and statuses.
// CHECK-LABEL: llvm.func @waitall
// CHECK: comm.recv async
// CHECK: "in between"
// CHECK: comm.waitall {{.*}} {comm.followed}
// CHECK: "reads the buffer"
module attributes {comm.abi = "openmpi4"} {
llvm.func @waitall(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i32, %m: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %m : i64
  llvm.cond_br %done, ^after, ^starts(%j : i64)
^after:
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr)
  llvm.store %n, %x {tag = "in between"} : i32, !llvm.ptr
  %v = llvm.load %a {tag = "reads the buffer"} : !llvm.ptr -> i32
  llvm.store %v, %out : i32, !llvm.ptr
  llvm.return
}
}

// -----

// A loop of waits moves as a whole; the free of the array stays after it.
// CHECK-LABEL: llvm.func @loop_of_waits
// CHECK: "in between"
// CHECK: comm.wait {{.*}} {comm.followed}
// CHECK: llvm.call @free
// CHECK: "reads the buffer"
module attributes {comm.abi = "openmpi4"} {
llvm.func @malloc(i64) -> !llvm.ptr attributes {no_unwind, will_return}
llvm.func @free(!llvm.ptr) attributes {no_unwind, will_return}
llvm.func @loop_of_waits(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i32, %m: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.call @malloc(%m) : (i64) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.br ^waits(%zero : i64)
^waits(%i: i64):
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %m : i64
  llvm.cond_br %done, ^after, ^waits(%j : i64)
^after:
  llvm.call @free(%r) : (!llvm.ptr) -> ()
  llvm.store %n, %x {tag = "in between"} : i32, !llvm.ptr
  %v = llvm.load %a {tag = "reads the buffer"} : !llvm.ptr -> i32
  llvm.store %v, %out : i32, !llvm.ptr
  llvm.return
}
}

// -----

// Units that access a buffer of any start, a request, or a status stay after the wait.
// CHECK-LABEL: llvm.func @stays
// CHECK: comm.waitall
// CHECK: "writes what is sent"
// CHECK: "looks at a request"
// CHECK: "looks at a status"
module attributes {comm.abi = "openmpi4"} {
llvm.func @stays(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %statuses: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i32, %left: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %s = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  llvm.cond_br %left, ^send, ^after
^send:
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.br ^after
^after:
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr) array_of_statuses(%statuses : !llvm.ptr)
  llvm.store %n, %b {tag = "writes what is sent"} : i32, !llvm.ptr
  %x = llvm.load %r {tag = "looks at a request"} : !llvm.ptr -> i32
  %y = llvm.load %statuses {tag = "looks at a status"} : !llvm.ptr -> i32
  %sum = llvm.add %x, %y : i32
  llvm.store %sum, %out : i32, !llvm.ptr
  llvm.return
}
}

// -----

// The previous iteration's buffer has another name: nothing distinguishes it from the written one.
// CHECK-LABEL: llvm.func @iteration_before
// CHECK: comm.wait
// CHECK: "writes"
module attributes {comm.abi = "openmpi4"} {
llvm.func @iteration_before(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %n: i32, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.br ^loop(%a, %b : !llvm.ptr, !llvm.ptr)
^loop(%u: !llvm.ptr, %v: !llvm.ptr):
  comm.wait request(%r : !llvm.ptr)
  llvm.store %n, %v {tag = "writes"} : i32, !llvm.ptr
  comm.recv async buf(%u : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.cond_br %more, ^loop(%v, %u : !llvm.ptr, !llvm.ptr), ^end
^end:
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}
}

// -----

// A counter in a structure: a load gives the stored value, whatever MPI writes to the requests.
// CHECK-LABEL: llvm.func @counter_in_structure
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[16] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: comm.recv {{.*}} request(%[[FIRST]] : !llvm.ptr)
// CHECK-NOT: llvm.load
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %{{.*}}[24] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: comm.recv {{.*}} request(%[[SECOND]] : !llvm.ptr)
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT: comm.waitall count(%[[TWO]]) array_of_requests(%[[FIRST]] : !llvm.ptr) {comm.followed}
// Not if the address of the structure has escaped.
// CHECK-LABEL: llvm.func @counter_elsewhere
// CHECK: comm.recv
// CHECK: llvm.load
// CHECK: comm.waitall
module attributes {comm.abi = "openmpi4"} {
llvm.func @use(!llvm.ptr)
llvm.func @counter_in_structure(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.constant(0 : i32) : i32
  %o = llvm.alloca %one x !llvm.struct<(i32, i32, array<2 x ptr>, i32)> : (i32) -> !llvm.ptr
  %pending = llvm.getelementptr %o[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %r = llvm.getelementptr %o[16] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %one, %pending : i32, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  %n = llvm.load %pending : !llvm.ptr -> i32
  %m = llvm.add %n, %one overflow<nsw> : i32
  llvm.store %m, %pending : i32, !llvm.ptr
  %i = llvm.sext %n : i32 to i64
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %count = llvm.load %pending : !llvm.ptr -> i32
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr)
  llvm.return
}
llvm.func @counter_elsewhere(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %o = llvm.alloca %one x !llvm.struct<(i32, i32, array<2 x ptr>, i32)> : (i32) -> !llvm.ptr
  %pending = llvm.getelementptr %o[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %r = llvm.getelementptr %o[16] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %one, %pending : i32, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.call @use(%o) : (!llvm.ptr) -> ()
  %count = llvm.load %pending : !llvm.ptr -> i32
  comm.waitall count(%count) array_of_requests(%r : !llvm.ptr)
  llvm.return
}
}

// -----

// Starts go up, in a loop as well.
// CHECK-LABEL: llvm.func @starts_rise
// CHECK: comm.recv async
// CHECK: llvm.cond_br
// CHECK: "before"
// CHECK: comm.waitall
module attributes {comm.abi = "openmpi4"} {
llvm.func @starts_rise(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %n: i32, %m: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  llvm.store %n, %x {tag = "before"} : i32, !llvm.ptr
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %s = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %m : i64
  llvm.cond_br %done, ^after, ^starts(%j : i64)
^after:
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr)
  llvm.return
}
}

// -----

// A persistent request among them, and one that a callback reduces, leave the wait where it is.
// CHECK-LABEL: llvm.func @unknown
// CHECK: comm.waitall count(%{{.*}}) array_of_requests(%{{.*}} : !llvm.ptr){{$}}
// CHECK: "after the persistent one"
// CHECK-LABEL: llvm.func @callback
// CHECK: comm.wait
// CHECK: "after the callback"
// CHECK-LABEL: llvm.func @barrier
// CHECK: comm.wait request(%{{.*}} : !llvm.ptr){{$}}
// CHECK: "after the barrier"
module attributes {comm.abi = "openmpi4"} {
llvm.func @MPI_Start(!llvm.ptr)
llvm.func @unknown(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.call @MPI_Start(%r) : (!llvm.ptr) -> ()
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr)
  llvm.store %n, %x {tag = "after the persistent one"} : i32, !llvm.ptr
  llvm.return
}
llvm.func @callback(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %n: i32, %handle: !llvm.ptr) {
  %sum = comm.cast %handle : !llvm.ptr to !comm.op
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.allreduce async sendbuf(%a : !llvm.ptr) recvbuf(%b : !llvm.ptr) count(%one) datatype(%t) op(%sum) comm(%c) request(%r : !llvm.ptr)
  comm.wait request(%r : !llvm.ptr)
  llvm.store %n, %x {tag = "after the callback"} : i32, !llvm.ptr
  llvm.return
}
llvm.func @barrier(%x: !llvm.ptr {llvm.noalias}, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.barrier async comm(%c) request(%r : !llvm.ptr)
  comm.wait request(%r : !llvm.ptr)
  llvm.store %n, %x {tag = "after the barrier"} : i32, !llvm.ptr
  llvm.return
}
}
