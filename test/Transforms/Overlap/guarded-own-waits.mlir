// A wait for requests in memory passes a load of memory that it may write, if another wait stays in place, under the
// condition that they alias. Requests in memory whose statuses and error codes are not read.
// RUN: comm-opt -comm-promote-requests=abi=openmpi4 -comm-isolate-loops "-comm-move-slices=cost=none min-weight=1 observers=never" --split-input-file %s | FileCheck %s
// RUN: comm-opt -comm-promote-requests=abi=openmpi4 -comm-isolate-loops "-comm-move-slices=cost=none min-weight=1 observers=never" -convert-comm-to-llvm=abi=openmpi4 --split-input-file %s | FileCheck %s --check-prefix=LOWER

// The bytes of the message, [%a, %a + 4 * %m), and those of the load: early if they meet, and the branch was entered.
// CHECK-LABEL: llvm.func @counted
// CHECK: llvm.cond_br
// CHECK: comm.recv async
// CHECK: llvm.or
// CHECK: comm.waitall_if %{{.*}} count(%{{.*}} : i32) array_of_requests(%{{.*}} : !llvm.ptr) {comm.followed}
// CHECK: llvm.load {{.*}} {tag = "asked"}
// CHECK: comm.waitall count
// CHECK: llvm.load {{.*}} {tag = "reads the buffer"}
// LOWER-LABEL: llvm.func @counted
// LOWER: %[[NUMBER:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// LOWER: llvm.call @MPI_Waitall(%[[NUMBER]], %{{.*}}, %{{.*}}) : (i32, !llvm.ptr, !llvm.ptr) -> i32
// LOWER: llvm.load {{.*}} {tag = "asked"}
// LOWER: llvm.call @MPI_Waitall
module attributes {comm.abi = "openmpi4"} {
llvm.func @counted(%a: !llvm.ptr, %p: !llvm.ptr, %x: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %m: i32, %up: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  %has = llvm.icmp "sge" %up, %zero : i32
  llvm.cond_br %has, ^start, ^go(%zero : i32)
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%m) datatype(%t) source(%up) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.br ^go(%one : i32)
^go(%n: i32):
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr)
  %w = llvm.load %p {tag = "asked"} : !llvm.ptr -> i32
  llvm.store %w, %x : i32, !llvm.ptr
  %v = llvm.load %a {tag = "reads the buffer"} : !llvm.ptr -> i32
  llvm.store %v, %out : i32, !llvm.ptr
  llvm.return
}
}

// -----

// MPI_Wait is MPI_Waitall of one.
// CHECK-LABEL: llvm.func @one
// CHECK: comm.waitall_if %{{.*}} count(%{{.*}} : i32)
// CHECK: llvm.load {{.*}} {tag = "asked"}
// CHECK: comm.wait request
module attributes {comm.abi = "openmpi4"} {
llvm.func @one(%a: !llvm.ptr, %p: !llvm.ptr, %x: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %m: i32, %up: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %has = llvm.icmp "sge" %up, %zero : i32
  llvm.cond_br %has, ^start, ^go
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%m) datatype(%t) source(%up) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.br ^go
^go:
  comm.wait request(%r : !llvm.ptr)
  %w = llvm.load %p {tag = "asked"} : !llvm.ptr -> i32
  llvm.store %w, %x : i32, !llvm.ptr
  %v = llvm.load %a {tag = "reads the buffer"} : !llvm.ptr -> i32
  llvm.store %v, %out : i32, !llvm.ptr
  llvm.return
}
}

// -----

// The statuses are read: no guard.
// CHECK-LABEL: llvm.func @statuses
// CHECK-NOT: comm.waitall_if
module attributes {comm.abi = "openmpi4"} {
llvm.func @statuses(%a: !llvm.ptr, %p: !llvm.ptr, %x: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr {llvm.noalias}, %m: i32, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%m) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr) array_of_statuses(%s : !llvm.ptr)
  %w = llvm.load %p {tag = "asked"} : !llvm.ptr -> i32
  llvm.store %w, %x : i32, !llvm.ptr
  %v = llvm.load %a {tag = "reads the buffer"} : !llvm.ptr -> i32
  llvm.store %v, %out : i32, !llvm.ptr
  llvm.return
}
}

// -----

// Starts of an earlier iteration had other addresses.
// CHECK-LABEL: llvm.func @renewed
// CHECK-NOT: comm.waitall_if
module attributes {comm.abi = "openmpi4"} {
llvm.func @renewed(%a: !llvm.ptr, %p: !llvm.ptr, %x: !llvm.ptr {llvm.noalias}, %m: i64, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.array<8 x ptr> : (i32) -> !llvm.ptr
  llvm.br ^turn(%zero : i64)
^turn(%i: i64):
  comm.waitall count(%one) array_of_requests(%r : !llvm.ptr)
  %w = llvm.load %p {tag = "asked"} : !llvm.ptr -> i32
  llvm.store %w, %x : i32, !llvm.ptr
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %m : i64
  llvm.cond_br %done, ^after, ^turn(%j : i64)
^after:
  comm.waitall count(%one) array_of_requests(%r : !llvm.ptr)
  llvm.return
}
}
