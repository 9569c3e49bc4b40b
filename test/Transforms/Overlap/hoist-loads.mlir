// Loads of local variables leave guards, so that their results are one value, unless the variable may be dead there:
// the value would be unused, but AddressSanitizer would report it.
// RUN: comm-opt %s -comm-split-iterations | FileCheck %s

module attributes {comm.abi = "openmpi4"} {
// CHECK-LABEL: llvm.func @alive
// CHECK: comm.wait
// CHECK: llvm.load
// CHECK: llvm.cond_br
llvm.func @alive(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32, %m: i64) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %variable = llvm.alloca %one x i64 : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.intr.lifetime.start %variable : !llvm.ptr
  llvm.store %m, %variable : i64, !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %loaded = llvm.load %variable : !llvm.ptr -> i32
  llvm.store %loaded, %x : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.intr.lifetime.end %variable : !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @over
// CHECK: comm.wait
// CHECK: llvm.cond_br
// CHECK: llvm.load
llvm.func @over(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %variable = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.intr.lifetime.start %variable : !llvm.ptr
  llvm.store %n, %variable : i32, !llvm.ptr
  llvm.intr.lifetime.end %variable : !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %loaded = llvm.load %variable : !llvm.ptr -> i32
  llvm.store %loaded, %x : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// Its life begins again in each iteration.
// CHECK-LABEL: llvm.func @again
// CHECK: comm.wait
// CHECK: llvm.cond_br
// CHECK: llvm.load
// CHECK: llvm.cond_br
llvm.func @again(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %variable = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.br ^body(%one : i32)
^body(%i: i32):
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%one) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %loaded = llvm.load %variable : !llvm.ptr -> i32
  llvm.store %loaded, %x : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.intr.lifetime.start %variable : !llvm.ptr
  llvm.store %i, %variable : i32, !llvm.ptr
  llvm.intr.lifetime.end %variable : !llvm.ptr
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^body(%next : i32), ^end
^end:
  llvm.return
}
}
