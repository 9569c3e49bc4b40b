// Starts of persistent requests become nonblocking calls.
// RUN: comm-opt -raise-mpi-to-comm=abi=openmpi4 -comm-expand-persistent --split-input-file %s | FileCheck %s
// RUN: comm-opt -raise-mpi-to-comm=abi=openmpi4 -comm-expand-persistent --split-input-file --remark-format=emitRemark '--remarks-filter=comm-expand.*' %s 2>&1 | FileCheck %s --check-prefix=REMARK

// The start knows the arguments of the requests; the wait completes the new ones.
// CHECK-LABEL: llvm.func @array
// CHECK: %[[NEW:.*]] = llvm.alloca {{.*}} x !llvm.ptr
// CHECK-NOT: _init
// CHECK: ^bb1
// CHECK: llvm.call @MPI_Irecv(%arg0, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[NEW]])
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[NEW]][1]
// CHECK: llvm.call @MPI_Isend(%arg1, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND]])
// CHECK-NOT: MPI_Startall
// CHECK: comm.waitall count(%{{.*}}) array_of_requests(%[[NEW]] : !llvm.ptr)
// CHECK-NOT: MPI_Request_free
// REMARK: Remark=MPI_Startall, Remark=" starts the requests of ", Remark="MPI_Recv_init at expand-persistent.mlir:[[#@LINE+17]] and 1 other", Remark=" as nonblocking calls"
module attributes {comm.abi = "openmpi4"} {
llvm.func @MPI_Recv_init(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Send_init(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Startall(i32, !llvm.ptr) -> i32
llvm.func @MPI_Waitall(i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Request_free(!llvm.ptr) -> i32
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.mlir.global external @ompi_mpi_int() : !llvm.array<1 x i8>
llvm.func @array(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32, %peer: i32, %more: i1) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %r = llvm.alloca %one x !llvm.array<2 x ptr> : (i32) -> !llvm.ptr
  %second = llvm.getelementptr %r[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x ptr>
  %0 = llvm.call @MPI_Recv_init(%a, %n, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  %1 = llvm.call @MPI_Send_init(%b, %n, %t, %peer, %one, %c, %second) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^step
^step:
  %2 = llvm.call @MPI_Startall(%two, %r) : (i32, !llvm.ptr) -> i32
  %3 = llvm.call @MPI_Waitall(%two, %r, %none) : (i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.cond_br %more, ^step, ^done
^done:
  %4 = llvm.call @MPI_Request_free(%r) : (!llvm.ptr) -> i32
  %5 = llvm.call @MPI_Request_free(%second) : (!llvm.ptr) -> i32
  llvm.return
}
}

// -----

// A request that may not have been created is a message to MPI_PROC_NULL.
// CHECK-LABEL: llvm.func @maybe
// CHECK: %[[NOTHING:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: %[[NOBODY:.*]] = llvm.mlir.constant(-2 : i32)
// CHECK: llvm.cond_br %arg2, ^[[MAKES:bb[0-9]+]], ^[[JOIN:bb[0-9]+]](%[[NOTHING]], %[[NOBODY]] : !llvm.ptr, i32)
// CHECK: ^[[MAKES]]:
// CHECK: llvm.br ^[[JOIN]](%arg0, %arg1 : !llvm.ptr, i32)
// CHECK: ^[[JOIN]](%[[BUFFER:.*]]: !llvm.ptr, %[[PEER:.*]]: i32):
// CHECK: llvm.call @MPI_Isend(%[[BUFFER]], %{{.*}}, %{{.*}}, %[[PEER]],
module attributes {comm.abi = "openmpi4"} {
llvm.func @MPI_Send_init(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Start(!llvm.ptr) -> i32
llvm.func @MPI_Wait(!llvm.ptr, !llvm.ptr) -> i32
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.mlir.global external @ompi_mpi_int() : !llvm.array<1 x i8>
llvm.func @maybe(%a: !llvm.ptr, %peer: i32, %made: i1) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.cond_br %made, ^makes, ^starts
^makes:
  %0 = llvm.call @MPI_Send_init(%a, %one, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^starts
^starts:
  %1 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  %2 = llvm.call @MPI_Wait(%r, %none) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return
}
}

// -----

// The request was created in an earlier step, with the values of that time.
// CHECK-LABEL: llvm.func @older
// CHECK: ^bb1(%[[STEP:.*]]: i64, %[[KEPT:.*]]: !llvm.ptr
// CHECK: %[[ROW:.*]] = llvm.getelementptr %arg0[%[[STEP]]]
// CHECK: llvm.cond_br %{{.*}}, ^[[MAKES:bb[0-9]+]], ^[[JOIN:bb[0-9]+]](%[[KEPT]]
// CHECK: ^[[MAKES]]:
// CHECK: llvm.br ^[[JOIN]](%[[ROW]]
// CHECK: ^[[JOIN]](%[[BUFFER:[a-z0-9]+]]: !llvm.ptr
// CHECK: llvm.call @MPI_Isend(%[[BUFFER]],
module attributes {comm.abi = "openmpi4"} {
llvm.func @MPI_Send_init(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Start(!llvm.ptr) -> i32
llvm.func @MPI_Wait(!llvm.ptr, !llvm.ptr) -> i32
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.mlir.global external @ompi_mpi_int() : !llvm.array<1 x i8>
llvm.func @older(%a: !llvm.ptr, %peer: i32, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %next = llvm.mlir.constant(1 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.br ^step(%zero : i64)
^step(%i: i64):
  %row = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %first = llvm.icmp "eq" %i, %zero : i64
  llvm.cond_br %first, ^makes, ^starts
^makes:
  %0 = llvm.call @MPI_Send_init(%row, %one, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^starts
^starts:
  %1 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  %2 = llvm.call @MPI_Wait(%r, %none) : (!llvm.ptr, !llvm.ptr) -> i32
  %j = llvm.add %i, %next : i64
  %more = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %more, ^step(%j : i64), ^done
^done:
  llvm.return
}
}

// -----

// Any code that has the address may do anything with the request.
// CHECK-LABEL: llvm.func @shown
// CHECK: MPI_Send_init
// CHECK: MPI_Start
// REMARK: Remark=MPI_Start, Remark=" stays as it is: ", Remark="a statement at {{.*}} may read or change its requests
module attributes {comm.abi = "openmpi4"} {
llvm.func @MPI_Send_init(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Start(!llvm.ptr) -> i32
llvm.func @MPI_Wait(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @look(!llvm.ptr)
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.mlir.global external @ompi_mpi_int() : !llvm.array<1 x i8>
llvm.func @shown(%a: !llvm.ptr, %peer: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %0 = llvm.call @MPI_Send_init(%a, %one, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.call @look(%r) : (!llvm.ptr) -> ()
  %1 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  %2 = llvm.call @MPI_Wait(%r, %none) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return
}
}

// -----

// Made elsewhere.
// CHECK-LABEL: llvm.func @elsewhere
// CHECK: MPI_Start
// REMARK: Remark=MPI_Start, Remark=" stays as it is: ", Remark="its requests are in memory that other code may use
module attributes {comm.abi = "openmpi4"} {
llvm.func @MPI_Start(!llvm.ptr) -> i32
llvm.func @elsewhere(%r: !llvm.ptr) {
  %0 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  llvm.return
}
}

// -----

// A structure that an initializer fills before there are requests, and in which MPI writes numbers next to them.
// CHECK-LABEL: llvm.func @structure
// CHECK-NOT: MPI_Send_init
// CHECK: llvm.call @MPI_Isend
// A copy of memory that may change contains other requests; so does a later one.
// CHECK-LABEL: llvm.func @copied
// CHECK: MPI_Send_init
// CHECK: MPI_Start
// CHECK-LABEL: llvm.func @copiedLater
// CHECK: MPI_Send_init
// CHECK: MPI_Start
// MPI puts a number where the request is.
// CHECK-LABEL: llvm.func @overwritten
// CHECK: MPI_Send_init
// CHECK: MPI_Start
module attributes {comm.abi = "openmpi4"} {
llvm.func @MPI_Send_init(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Start(!llvm.ptr) -> i32
llvm.func @MPI_Wait(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Comm_rank(!llvm.ptr, !llvm.ptr) -> i32
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.mlir.global external @ompi_mpi_int() : !llvm.array<1 x i8>
llvm.mlir.global private unnamed_addr constant @initial(dense<0> : tensor<2xi64>) : !llvm.array<2 x i64>
llvm.mlir.global internal @kept(dense<0> : tensor<2xi64>) : !llvm.array<2 x i64>
llvm.func @structure(%a: !llvm.ptr, %peer: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(16 : i64) : i64
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %initial = llvm.mlir.addressof @initial : !llvm.ptr
  %s = llvm.alloca %one x !llvm.struct<(i64, ptr)> : (i32) -> !llvm.ptr
  %r = llvm.getelementptr %s[8] : (!llvm.ptr) -> !llvm.ptr, i8
  "llvm.intr.memcpy"(%s, %initial, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %0 = llvm.call @MPI_Comm_rank(%c, %s) : (!llvm.ptr, !llvm.ptr) -> i32
  %1 = llvm.call @MPI_Send_init(%a, %one, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  %2 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  %3 = llvm.call @MPI_Wait(%r, %none) : (!llvm.ptr, !llvm.ptr) -> i32
  %4 = llvm.call @MPI_Comm_rank(%c, %s) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return
}
llvm.func @copied(%a: !llvm.ptr, %peer: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(16 : i64) : i64
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %kept = llvm.mlir.addressof @kept : !llvm.ptr
  %s = llvm.alloca %one x !llvm.struct<(i64, ptr)> : (i32) -> !llvm.ptr
  %r = llvm.getelementptr %s[8] : (!llvm.ptr) -> !llvm.ptr, i8
  "llvm.intr.memcpy"(%s, %kept, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %1 = llvm.call @MPI_Send_init(%a, %one, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  %2 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  %3 = llvm.call @MPI_Wait(%r, %none) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return
}
llvm.func @copiedLater(%a: !llvm.ptr, %peer: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(16 : i64) : i64
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %initial = llvm.mlir.addressof @initial : !llvm.ptr
  %s = llvm.alloca %one x !llvm.struct<(i64, ptr)> : (i32) -> !llvm.ptr
  %r = llvm.getelementptr %s[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.call @MPI_Send_init(%a, %one, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  %2 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  %3 = llvm.call @MPI_Wait(%r, %none) : (!llvm.ptr, !llvm.ptr) -> i32
  "llvm.intr.memcpy"(%s, %initial, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
llvm.func @overwritten(%a: !llvm.ptr, %peer: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.zero : !llvm.ptr
  %c = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %t = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %1 = llvm.call @MPI_Send_init(%a, %one, %t, %peer, %one, %c, %r) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  %0 = llvm.call @MPI_Comm_rank(%c, %r) : (!llvm.ptr, !llvm.ptr) -> i32
  %2 = llvm.call @MPI_Start(%r) : (!llvm.ptr) -> i32
  %3 = llvm.call @MPI_Wait(%r, %none) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return
}
}
