// Requests on the stack become values where each wait has the one start that it waits for.
// RUN: comm-opt -comm-promote-requests=abi=openmpi4 %s | FileCheck %s
// RUN: comm-opt -comm-promote-requests=abi=mpich %s | FileCheck %s --check-prefix=MPICH
// Nothing is done where the size of a request is not known.
// RUN: comm-opt -comm-promote-requests %s | FileCheck %s --check-prefix=NONE
// NONE-NOT: -> request

llvm.func @use(!llvm.ptr)

// One request, with a status.
// CHECK-LABEL: llvm.func @single
// CHECK: %[[R:.*]] = comm.recv async {{.*}}{comm.from = "MPI_Irecv", comm.programs_interval} -> request
// CHECK-NEXT: comm.send
// CHECK-NEXT: comm.wait request(%[[R]]) status(%arg1 : !llvm.ptr)
llvm.func @single(%a: !llvm.ptr, %status: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.intr.lifetime.start %r : !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.send buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c)
  comm.wait request(%r : !llvm.ptr) status(%status : !llvm.ptr)
  llvm.intr.lifetime.end %r : !llvm.ptr
  llvm.return
}

// An array: eight bytes per request with Open MPI, four with MPICH, where the second one would not be at a slot.
// CHECK-LABEL: llvm.func @array
// CHECK: %[[R0:.*]] = comm.recv async
// CHECK-NEXT: %[[R1:.*]] = comm.send async {{.*}}{comm.from = "MPI_Isend", comm.programs_interval} -> request
// CHECK-NEXT: comm.wait request(%[[R0]])
// CHECK-NEXT: comm.wait request(%[[R1]])
// CHECK-NOT: waitall
// MPICH-LABEL: llvm.func @array
// MPICH: comm.waitall
llvm.func @array(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %r = llvm.alloca %one x !llvm.array<2 x ptr> : (i32) -> !llvm.ptr
  llvm.store %null, %r : !llvm.ptr, !llvm.ptr
  %second = llvm.getelementptr %r[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x ptr>
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%int) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr)
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%int) dest(%one) tag(%one) comm(%c) request(%second : !llvm.ptr)
  comm.waitall count(%two) array_of_requests(%r : !llvm.ptr)
  llvm.return
}

// A loop between them, and the same variable twice.
// CHECK-LABEL: llvm.func @around_a_loop
// CHECK: %[[R2:.*]] = comm.recv async
// CHECK: llvm.cond_br
// CHECK: comm.wait request(%[[R2]])
// CHECK: %[[R3:.*]] = comm.recv async
// CHECK-NEXT: comm.wait request(%[[R3]])
llvm.func @around_a_loop(%a: !llvm.ptr, %x: !llvm.ptr, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  llvm.br ^loop
^loop:
  llvm.store %n, %x : i32, !llvm.ptr
  llvm.cond_br %more, ^loop, ^after
^after:
  comm.wait request(%r : !llvm.ptr)
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}

// The following stay unchanged.
// CHECK-NOT: -> request

// Only one of two is waited for.
llvm.func @still_in_flight(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.array<2 x ptr> : (i32) -> !llvm.ptr
  %second = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%second : !llvm.ptr)
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}

// The first request is lost: the wait is of the second.
llvm.func @lost(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}

// Other code may wait for it, test it, or copy it.
llvm.func @known_elsewhere(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  llvm.call @use(%r) : (!llvm.ptr) -> ()
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}
llvm.func @copied(%a: !llvm.ptr) -> !llvm.ptr {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  %copy = llvm.load %r : !llvm.ptr -> !llvm.ptr
  comm.wait request(%r : !llvm.ptr)
  llvm.return %copy : !llvm.ptr
}
llvm.func @tested(%a: !llvm.ptr, %flag: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  %done = comm.test request(%r : !llvm.ptr) -> flag
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}

// Overwritten: the wait returns at once.
llvm.func @overwritten(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  llvm.store %null, %r : !llvm.ptr, !llvm.ptr
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}

// Started or waited for in a branch; overwritten in one.
llvm.func @started_in_a_branch(%a: !llvm.ptr, %if: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.cond_br %if, ^then, ^after
^then:
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  llvm.br ^after
^after:
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}
llvm.func @waited_in_a_loop(%a: !llvm.ptr, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  llvm.br ^loop
^loop:
  comm.wait request(%r : !llvm.ptr)
  llvm.cond_br %more, ^loop, ^after
^after:
  llvm.return
}
llvm.func @overwritten_in_a_branch(%a: !llvm.ptr, %if: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  llvm.cond_br %if, ^then, ^after
^then:
  llvm.store %null, %r : !llvm.ptr, !llvm.ptr
  llvm.br ^after
^after:
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}

// Unknown index and count; an array of statuses; a used error code; a mode with more information.
llvm.func @unknown(%a: !llvm.ptr, %i: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.array<2 x ptr> : (i32) -> !llvm.ptr
  %slot = llvm.getelementptr %r[%i] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%slot : !llvm.ptr)
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}
llvm.func @some(%a: !llvm.ptr, %i: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.array<2 x ptr> : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.waitall count(%i) array_of_requests(%r : !llvm.ptr)
  llvm.return
}
llvm.func @statuses(%a: !llvm.ptr, %statuses: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%r : !llvm.ptr) array_of_statuses(%statuses : !llvm.ptr)
  llvm.return
}
llvm.func @error(%a: !llvm.ptr) -> i32 {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  %e = comm.wait request(%r : !llvm.ptr) -> error
  llvm.return %e : i32
}
llvm.func @synchronous(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %n x !llvm.ptr : (i32) -> !llvm.ptr
  comm.ssend async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) request(%r : !llvm.ptr)
  comm.wait request(%r : !llvm.ptr)
  llvm.return
}
