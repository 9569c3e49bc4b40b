// Requests in memory of others, slot by slot: a wait and the starts that filled all the slots it looks at get one
// number (comm.request_set).
// RUN: comm-opt -comm-promote-requests=record=false %s | FileCheck %s

#root = #llvm.tbaa_root<id = "C++">
#char = #llvm.tbaa_type_desc<id = "omnipotent char", members = {<#root, 0>}>
#pointer = #llvm.tbaa_type_desc<id = "any pointer", members = {<#char, 0>}>
#handles = #llvm.tbaa_type_desc<id = "p2 _ZTS14ompi_request_t", members = {<#pointer, 0>}>
#asHandles = #llvm.tbaa_tag<base_type = #handles, access_type = #handles, offset = 0>

module attributes {comm.abi = "openmpi4"} {
llvm.mlir.global external @ompi_request_null() {addr_space = 0 : i32} : !llvm.array<1 x i8>
llvm.func @elsewhere()

// One after another, in any order.
// CHECK-LABEL: llvm.func @constants(
// CHECK-COUNT-2: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.waitall {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @constants(%a: !llvm.ptr, %requests: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %second = llvm.getelementptr %requests[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%two) comm(%c) request(%requests : !llvm.ptr)
  comm.waitall count(%two) array_of_requests(%requests : !llvm.ptr)
  llvm.br ^end
^end:
  llvm.return
}

// One of them in a branch, with a null handle on the other path.
// CHECK-LABEL: llvm.func @null(
// CHECK-COUNT-2: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.waitall {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @null(%a: !llvm.ptr, %requests: !llvm.ptr, %flag: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %none = llvm.mlir.addressof @ompi_request_null : !llvm.ptr
  %second = llvm.getelementptr %requests[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %none, %second : !llvm.ptr, !llvm.ptr
  llvm.cond_br %flag, ^start, ^rest
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^rest
^rest:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%two) comm(%c) request(%requests : !llvm.ptr)
  comm.waitall count(%two) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// The same without the null handle: the slot may contain another request.
// CHECK-LABEL: llvm.func @unfilled(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @unfilled(%a: !llvm.ptr, %requests: !llvm.ptr, %flag: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %second = llvm.getelementptr %requests[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.cond_br %flag, ^start, ^rest
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  llvm.br ^rest
^rest:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%two) comm(%c) request(%requests : !llvm.ptr)
  comm.waitall count(%two) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// As many as a counter says.
// CHECK-LABEL: llvm.func @counted(
// CHECK-COUNT-2: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.waitall {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @counted(%a: !llvm.ptr, %requests: !llvm.ptr, %flag: i1, %other: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.cond_br %flag, ^first, ^then(%zero : i32)
^first:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.br ^then(%one : i32)
^then(%k: i32):
  llvm.cond_br %other, ^second, ^rest(%k : i32)
^second:
  %place = llvm.getelementptr %requests[%k] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%place : !llvm.ptr)
  %l = llvm.add %k, %one overflow<nsw> : i32
  llvm.br ^rest(%l : i32)
^rest(%n: i32):
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// Two consecutive loops: n + n.
// CHECK-LABEL: llvm.func @loops(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.send async {{.*}}comm.request_set = [[SET]]
// CHECK: comm.waitall {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @loops(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %some = llvm.icmp "sgt" %n, %zero : i32
  llvm.cond_br %some, ^receives(%zero : i32), ^wait
^receives(%i: i32):
  %place = llvm.getelementptr %requests[%i] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%i) tag(%one) comm(%c) request(%place : !llvm.ptr)
  %j = llvm.add %i, %one overflow<nsw> : i32
  %more = llvm.icmp "slt" %j, %n : i32
  llvm.cond_br %more, ^receives(%j : i32), ^sends(%zero : i32)
^sends(%k: i32):
  %sum = llvm.add %n, %k overflow<nsw> : i32
  %slot = llvm.getelementptr %requests[%sum] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.ptr
  comm.send async buf(%a : !llvm.ptr) count(%one) datatype(%t) dest(%k) tag(%one) comm(%c) request(%slot : !llvm.ptr)
  %l = llvm.add %k, %one overflow<nsw> : i32
  %again = llvm.icmp "slt" %l, %n : i32
  llvm.cond_br %again, ^sends(%l : i32), ^wait
^wait:
  %all = llvm.shl %n, %one overflow<nsw> : i32
  comm.waitall count(%all) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// More than that.
// CHECK-LABEL: llvm.func @more(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @more(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32, %m: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^receives(%zero : i32)
^receives(%i: i32):
  %place = llvm.getelementptr %requests[%i] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%i) tag(%one) comm(%c) request(%place : !llvm.ptr)
  %j = llvm.add %i, %one overflow<nsw> : i32
  %more = llvm.icmp "slt" %j, %n : i32
  llvm.cond_br %more, ^receives(%j : i32), ^wait
^wait:
  comm.waitall count(%m) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// A call in between may store another request there.
// CHECK-LABEL: llvm.func @called(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @called(%a: !llvm.ptr, %requests: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.call @elsewhere() : () -> ()
  comm.waitall count(%one) array_of_requests(%requests : !llvm.ptr)
  llvm.br ^end
^end:
  llvm.return
}

// One path has no wait here, but elsewhere.
// CHECK-LABEL: llvm.func @leaves(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @leaves(%a: !llvm.ptr, %requests: !llvm.ptr, %flag: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.cond_br %flag, ^wait, ^end
^wait:
  comm.waitall count(%one) array_of_requests(%requests : !llvm.ptr)
  llvm.br ^end
^end:
  llvm.return
}

// The same condition asked twice.
// CHECK-LABEL: llvm.func @twice(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.wait {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @twice(%a: !llvm.ptr, %requests: !llvm.ptr, %where: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %n = llvm.load %where : !llvm.ptr -> i32
  %first = llvm.icmp "sgt" %n, %one : i32
  llvm.cond_br %first, ^start, ^then
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.br ^then
^then:
  llvm.cond_br %first, ^wait, ^end
^wait:
  comm.wait request(%requests : !llvm.ptr)
  llvm.br ^end
^end:
  llvm.return
}

// A different one.
// CHECK-LABEL: llvm.func @other(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @other(%a: !llvm.ptr, %requests: !llvm.ptr, %first: i1, %second: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.cond_br %first, ^start, ^then
^start:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%requests : !llvm.ptr)
  llvm.br ^then
^then:
  llvm.cond_br %second, ^wait, ^end
^wait:
  comm.wait request(%requests : !llvm.ptr)
  llvm.br ^end
^end:
  llvm.return
}

// The address of the array is loaded twice, and does not change.
// CHECK-LABEL: llvm.func @twice_loaded(
// CHECK: comm.recv async {{.*}}comm.request_set = [[SET:[0-9]+]]
// CHECK: comm.waitall {{.*}}comm.followed, comm.request_set = [[SET]]
llvm.func @twice_loaded(%a: !llvm.ptr, %all: !llvm.ptr, %where: !llvm.ptr, %others: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  llvm.br ^starts
^starts:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  %second = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  comm.waitall count(%one) array_of_requests(%second : !llvm.ptr)
  llvm.return
}

// A different array: its address is loaded before a store that may change it, and again after that.
// CHECK-LABEL: llvm.func @moved(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @moved(%a: !llvm.ptr, %all: !llvm.ptr, %where: !llvm.ptr, %others: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  llvm.store %others, %where {tbaa = [#asHandles]} : !llvm.ptr, !llvm.ptr
  llvm.br ^starts
^starts:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  %second = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  comm.waitall count(%one) array_of_requests(%second : !llvm.ptr)
  llvm.return
}

// The same in a loop around both, whose iterations change it at their end.
// CHECK-LABEL: llvm.func @moved_later(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @moved_later(%a: !llvm.ptr, %all: !llvm.ptr, %where: !llvm.ptr, %others: !llvm.ptr, %flag: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  llvm.br ^steps
^steps:
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  %second = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  comm.waitall count(%one) array_of_requests(%second : !llvm.ptr)
  llvm.store %others, %where {tbaa = [#asHandles]} : !llvm.ptr, !llvm.ptr
  llvm.cond_br %flag, ^steps, ^end
^end:
  llvm.return
}

// An apparently different slot is in another array, which may be the same one.
// CHECK-LABEL: llvm.func @another_array(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @another_array(%a: !llvm.ptr, %all: !llvm.ptr, %where: !llvm.ptr, %others: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %second = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  %slot = llvm.getelementptr %second[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %others, %where {tbaa = [#asHandles]} : !llvm.ptr, !llvm.ptr
  llvm.br ^starts
^starts:
  %first = llvm.load %all {tbaa = [#asHandles]} : !llvm.ptr -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%first : !llvm.ptr)
  comm.send async buf(%a : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c) request(%slot : !llvm.ptr)
  comm.waitall count(%one) array_of_requests(%first : !llvm.ptr)
  llvm.return
}

// A cycle that is not a loop, in which a start comes after the wait.
// CHECK-LABEL: llvm.func @irreducible(
// CHECK-NOT: comm.request_set
// CHECK: llvm.return
llvm.func @irreducible(%a: !llvm.ptr, %r: !llvm.ptr, %f: i1, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.cond_br %f, ^wait, ^again
^wait:
  comm.wait request(%r : !llvm.ptr)
  %go = llvm.load volatile %p : !llvm.ptr -> i1
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  llvm.call @elsewhere() : () -> ()
  llvm.cond_br %go, ^again, ^end
^again:
  llvm.br ^wait
^end:
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}
}
