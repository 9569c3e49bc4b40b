// Requests in memory of others: the requests that a loop of waits completes are known if an earlier loop has just
// filled all slots, and nothing in between may access them.
// RUN: comm-opt -comm-promote-requests=record=false %s | FileCheck %s

#root = #llvm.tbaa_root<id = "C++">
#char = #llvm.tbaa_type_desc<id = "omnipotent char", members = {<#root, 0>}>
#double = #llvm.tbaa_type_desc<id = "double", members = {<#char, 0>}>
#pointer = #llvm.tbaa_type_desc<id = "any pointer", members = {<#char, 0>}>
#handles = #llvm.tbaa_type_desc<id = "p2 _ZTS14ompi_request_t", members = {<#pointer, 0>}>
#asDouble = #llvm.tbaa_tag<base_type = #double, access_type = #double, offset = 0>
#asHandles = #llvm.tbaa_tag<base_type = #handles, access_type = #handles, offset = 0>

module attributes {comm.abi = "openmpi4"} {
llvm.func @elsewhere()

// An array of a caller.
// CHECK-LABEL: llvm.func @argument(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.wait {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @argument(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// Its address is reloaded in each iteration: nothing writes it.
// CHECK-LABEL: llvm.func @loaded(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.wait {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @loaded(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %sb = llvm.load %where {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  %s = llvm.getelementptr %sb[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %wb = llvm.load %where {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  %w = llvm.getelementptr %wb[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// A message of numbers, and numbers that are stored.
// CHECK-LABEL: llvm.func @message(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.wait {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @message(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %sb = llvm.load %where {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  %s = llvm.getelementptr %sb[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  comm.send buf(%x : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c)
  llvm.store %real, %x {tbaa = [#asDouble]} : f64, !llvm.ptr
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %wb = llvm.load %where {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  %w = llvm.getelementptr %wb[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// Both run under one condition.
// CHECK-LABEL: llvm.func @guarded(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.wait {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @guarded(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.cond_br %flag, ^enter, ^between
^enter:
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.cond_br %flag, ^enterWaits, ^after
^enterWaits:
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// The waits may run without the starts.
// CHECK-LABEL: llvm.func @guards(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @guards(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.cond_br %flag, ^enter, ^between
^enter:
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.cond_br %other, ^enterWaits, ^after
^enterWaits:
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// The waits look at places that were not filled.
// CHECK-LABEL: llvm.func @fewer(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @fewer(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %m : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// The first place is not waited for.
// CHECK-LABEL: llvm.func @behind(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @behind(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.br ^waits(%one64 : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// Some places are not filled.
// CHECK-LABEL: llvm.func @some(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @some(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.cond_br %flag, ^start, ^next
^start:
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  llvm.br ^next
^next:
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// Other code may store another request there.
// CHECK-LABEL: llvm.func @stored(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @stored(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.store %where, %x : !llvm.ptr, !llvm.ptr
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// Other code may keep a request and wait for it.
// CHECK-LABEL: llvm.func @shown(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @shown(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  %kept = llvm.load %x : !llvm.ptr -> !llvm.ptr
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// The array may be a different one.
// CHECK-LABEL: llvm.func @moved(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @moved(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %sb = llvm.load %where {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  %s = llvm.getelementptr %sb[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.store %x, %where {tbaa = [#asHandles]} : !llvm.ptr, !llvm.ptr
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %wb = llvm.load %where {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  %w = llvm.getelementptr %wb[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// An unknown function may do all of this.
// CHECK-LABEL: llvm.func @called(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @called(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.call @elsewhere() : () -> ()
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// A message of bytes may deliver a request of this process.
// CHECK-LABEL: llvm.func @bytes(
// CHECK-NOT: comm.request_set
// CHECK-NOT: comm.followed
llvm.func @bytes(%a: !llvm.ptr, %x: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr, %n: i64, %m: i64, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %real = llvm.mlir.constant(1.0 : f64) : f64
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  %y = comm.constant "MPI_BYTE" : !comm.datatype
  comm.recv buf(%x : !llvm.ptr) count(%one) datatype(%y) source(%one) tag(%one) comm(%c)
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// It was loaded before other code may have changed it, some blocks before the starts.
// CHECK-LABEL: llvm.func @loaded_before(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @loaded_before(%a: !llvm.ptr, %all: !llvm.ptr, %where: !llvm.ptr, %others: !llvm.ptr, %n: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  llvm.br ^change
^change:
  llvm.store %others, %where {tbaa = [#asHandles]} : !llvm.ptr, !llvm.ptr
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %s = llvm.getelementptr %first[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  %second = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %second[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// The same without a change.
// CHECK-LABEL: llvm.func @loaded_twice(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.wait {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @loaded_twice(%a: !llvm.ptr, %all: !llvm.ptr, %where: !llvm.ptr, %others: !llvm.ptr, %n: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  llvm.br ^change
^change:
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %s = llvm.getelementptr %first[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  %second = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  llvm.br ^waits(%zero : i64)
^waits(%k: i64):
  %w = llvm.getelementptr %second[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}

// Control that starts may end without a wait.
// CHECK-LABEL: llvm.func @left(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @left(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i64, %flag: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one64 = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^starts(%zero : i64)
^starts(%i: i64):
  %s = llvm.getelementptr %requests[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr)
  %j = llvm.add %i, %one64 overflow<nsw> : i64
  %done = llvm.icmp "eq" %j, %n : i64
  llvm.cond_br %done, ^between, ^starts(%j : i64)
^between:
  llvm.cond_br %flag, ^waits(%zero : i64), ^after
^waits(%k: i64):
  %w = llvm.getelementptr %requests[%k] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr)
  %l = llvm.add %k, %one64 overflow<nsw> : i64
  %over = llvm.icmp "eq" %l, %n : i64
  llvm.cond_br %over, ^after, ^waits(%l : i64)
^after:
  llvm.return
}
}
