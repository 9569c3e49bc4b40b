// RUN: comm-opt %s --split-input-file -raise-mpi-to-comm | FileCheck %s
// RUN: comm-opt %s --split-input-file -raise-mpi-to-comm -convert-comm-to-llvm | FileCheck %s --check-prefix=BACK

// Open MPI: handles are the addresses of symbols.
// CHECK: module attributes {comm.abi = "openmpi4"}
// BACK-NOT: comm.abi
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.struct<"struct.ompi_predefined_communicator_t", opaque>
llvm.mlir.global external @ompi_mpi_double() : !llvm.struct<"struct.ompi_predefined_datatype_t", opaque>
llvm.mlir.global external @ompi_mpi_op_sum() : !llvm.struct<"struct.ompi_predefined_op_t", opaque>
llvm.func @MPI_Allreduce(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Send(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
llvm.func @MPI_Recv(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Irecv(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Init(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Comm_set_errhandler(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @PMPI_Barrier(!llvm.ptr) -> i32
llvm.func @MPI_Barrier(!llvm.ptr) -> i32
llvm.func @MPI_Bcast(%b: !llvm.ptr, %n: i32, %t: !llvm.ptr, %r: i32, %c: !llvm.ptr) -> i32 {
  llvm.return %n : i32
}

// CHECK-LABEL: llvm.func @handles
// CHECK-SAME: %[[BUF:.*]]: !llvm.ptr, %[[N:.*]]: i32, %[[COMM:.*]]: !llvm.ptr, %[[SLOT:.*]]: !llvm.ptr
llvm.func @handles(%buf: !llvm.ptr, %n: i32, %comm: !llvm.ptr, %slot: !llvm.ptr) -> i32 {
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %double = llvm.mlir.addressof @ompi_mpi_double : !llvm.ptr
  %sum = llvm.mlir.addressof @ompi_mpi_op_sum : !llvm.ptr
  %one = llvm.mlir.constant(1 : i64) : i64
  %in_place = llvm.inttoptr %one : i64 to !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %any = llvm.mlir.constant(-1 : i32) : i32
  // CHECK-DAG: %[[WORLD:.*]] = comm.constant "MPI_COMM_WORLD" : !comm.comm
  // CHECK-DAG: %[[DOUBLE:.*]] = comm.constant "MPI_DOUBLE" : !comm.datatype
  // CHECK-DAG: %[[SUM:.*]] = comm.constant "MPI_SUM" : !comm.op
  // CHECK-DAG: %[[PLACE:.*]] = comm.constant "MPI_IN_PLACE" : !llvm.ptr
  // CHECK-DAG: %[[SOURCE:.*]] = comm.constant "MPI_ANY_SOURCE" : i32
  // CHECK-DAG: %[[TAG:.*]] = comm.constant "MPI_ANY_TAG" : i32
  // CHECK-DAG: %[[MINUS:.*]] = llvm.mlir.constant(-1 : i32) : i32
  // CHECK-NOT: addressof

  // MPI_Init(NULL, NULL)
  // CHECK: comm.init{{$}}
  llvm.call @MPI_Init(%null, %null) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK: %[[ERROR:.*]] = comm.allreduce sendbuf(%[[PLACE]] : !llvm.ptr) recvbuf(%[[BUF]] : !llvm.ptr) count(%[[N]]) datatype(%[[DOUBLE]]) op(%[[SUM]]) comm(%[[WORLD]]) {comm.call = {TailCallKind = #llvm.tailcallkind<tail>, callee = "MPI_Allreduce", no_unwind}} -> error
  // BACK: llvm.call tail @MPI_Allreduce({{.*}}) {no_unwind} : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %e = llvm.call tail @MPI_Allreduce(%in_place, %buf, %n, %double, %sum, %world) {no_unwind} : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  // In a receive, -1 as source and tag is a wildcard; in a send it is just a number.
  // CHECK: %[[CAST:.*]] = comm.cast %[[COMM]] : !llvm.ptr to !comm.comm
  // CHECK: comm.send buf(%[[BUF]] : !llvm.ptr) count(%[[N]]) datatype(%[[DOUBLE]]) dest(%[[MINUS]]) tag(%[[MINUS]]) comm(%[[CAST]])
  llvm.call @MPI_Send(%buf, %n, %double, %any, %any, %comm) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
  // CHECK: comm.recv buf(%[[BUF]] : !llvm.ptr) count(%[[N]]) datatype(%[[DOUBLE]]) source(%[[SOURCE]]) tag(%[[TAG]]) comm(%[[WORLD]]){{$}}
  llvm.call @MPI_Recv(%buf, %n, %double, %any, %any, %world, %null) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  // CHECK: comm.recv async {{.*}} request(%[[SLOT]] : !llvm.ptr)
  llvm.call @MPI_Irecv(%buf, %n, %double, %any, %any, %world, %slot) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  // CHECK: llvm.return %[[ERROR]]
  llvm.return %e : i32
}

// These stay calls: no operation, another function, defined here, through a pointer, musttail.
// CHECK-LABEL: llvm.func @calls
// CHECK-NOT: comm.barrier
// CHECK-NOT: comm.bcast
llvm.func @calls(%buf: !llvm.ptr, %n: i32, %c: !llvm.ptr, %f: !llvm.ptr) -> i32 {
  llvm.call @MPI_Comm_set_errhandler(%c, %f) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.call @PMPI_Barrier(%c) : (!llvm.ptr) -> i32
  llvm.call @MPI_Bcast(%buf, %n, %c, %n, %c) : (!llvm.ptr, i32, !llvm.ptr, i32, !llvm.ptr) -> i32
  llvm.call %f(%c) : !llvm.ptr, (!llvm.ptr) -> i32
  llvm.return %n : i32
}
// CHECK-LABEL: llvm.func @tail
// CHECK: llvm.call musttail @MPI_Barrier
llvm.func @tail(%c: !llvm.ptr) -> i32 {
  %e = llvm.call musttail @MPI_Barrier(%c) : (!llvm.ptr) -> i32
  llvm.return %e : i32
}

// -----

// MPICH: handles are integers, MPI_ANY_SOURCE is -2, MPI_STATUS_IGNORE is 1.
// CHECK: module attributes {comm.abi = "mpich"}
llvm.func @MPI_Recv(!llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr) -> i32
// CHECK-LABEL: llvm.func @mpich
// BACK-LABEL: llvm.func @mpich
llvm.func @mpich(%buf: !llvm.ptr, %n: i32, %t: i32) {
  %world = llvm.mlir.constant(1140850688 : i32) : i32
  %int = llvm.mlir.constant(1275069445 : i32) : i32
  %source = llvm.mlir.constant(-2 : i32) : i32
  %one = llvm.mlir.constant(1 : i64) : i64
  %ignore = llvm.inttoptr %one : i64 to !llvm.ptr
  // CHECK-DAG: "MPI_COMM_WORLD" : !comm.comm
  // CHECK-DAG: "MPI_INT" : !comm.datatype
  // CHECK-DAG: "MPI_ANY_SOURCE" : i32
  // CHECK: comm.recv buf(%{{.*}} : !llvm.ptr) count(%{{.*}}) datatype(%{{.*}}) source(%{{.*}}) tag(%{{.*}}) comm(%{{.*}}){{$}}
  // BACK-DAG: llvm.mlir.constant(1140850688 : i32) : i32
  // BACK-DAG: llvm.mlir.constant(1275069445 : i32) : i32
  // BACK-DAG: llvm.mlir.constant(-2 : i32) : i32
  // BACK: llvm.inttoptr
  // BACK: llvm.call @MPI_Recv
  llvm.call @MPI_Recv(%buf, %n, %int, %source, %n, %world, %ignore) : (!llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr) -> i32
  // CHECK: comm.cast %{{.*}} : i32 to !comm.datatype
  llvm.call @MPI_Recv(%buf, %n, %t, %source, %n, %world, %buf) : (!llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr) -> i32
  llvm.return
}

// -----

// The standard's ABI: handles are small constants as pointers.
// CHECK: module attributes {comm.abi = "mpi-abi"}
llvm.func @MPI_Barrier(!llvm.ptr) -> i32
// BACK-LABEL: llvm.func @standard
llvm.func @standard() {
  // CHECK: "MPI_COMM_WORLD" : !comm.comm
  // BACK: llvm.mlir.constant(257 : i64) : i64
  // BACK: llvm.inttoptr
  %bits = llvm.mlir.constant(257 : i64) : i64
  %world = llvm.inttoptr %bits : i64 to !llvm.ptr
  // CHECK: comm.barrier
  llvm.call @MPI_Barrier(%world) : (!llvm.ptr) -> i32
  llvm.return
}

// -----

// Large counts: the op has them as i64, and returns to the large-count form; without such an operand, it stays a call.
llvm.func @MPI_Send_c(!llvm.ptr, i64, i32, i32, i32, i32) -> i32
llvm.func @MPI_Alltoallw_c(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> i32
// CHECK-LABEL: llvm.func @large
// BACK-LABEL: llvm.func @large
llvm.func @large(%buf: !llvm.ptr, %n: i64, %t: i32, %peer: i32) {
  %world = llvm.mlir.constant(1140850688 : i32) : i32
  // CHECK: comm.send buf(%{{.*}} : !llvm.ptr) count(%{{.*}} : i64)
  // BACK: llvm.call @MPI_Send_c
  llvm.call @MPI_Send_c(%buf, %n, %t, %peer, %peer, %world) : (!llvm.ptr, i64, i32, i32, i32, i32) -> i32
  // CHECK: llvm.call @MPI_Alltoallw_c
  llvm.call @MPI_Alltoallw_c(%buf, %buf, %buf, %buf, %buf, %buf, %buf, %buf, %world) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> i32
  llvm.return
}

// -----

// A function that the implementation lacks stays a call.
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.func @MPI_Send_c(!llvm.ptr, i64, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
// CHECK-LABEL: llvm.func @lacks
llvm.func @lacks(%buf: !llvm.ptr, %n: i64, %peer: i32) {
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  // CHECK: llvm.call @MPI_Send_c
  llvm.call @MPI_Send_c(%buf, %n, %buf, %peer, %peer, %world) : (!llvm.ptr, i64, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
  llvm.return
}

// -----

// The rank and neighbors of a process, in local variables, members and variables at file scope.
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.struct<"struct.ompi_predefined_communicator_t", opaque>
llvm.mlir.global internal @me() : i32
llvm.func @MPI_Comm_rank(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Comm_size(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Cart_coords(!llvm.ptr, i32, i32, !llvm.ptr) -> i32
llvm.func @ask(%grid: !llvm.ptr, %i: i64) -> i32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %me = llvm.mlir.addressof @me : !llvm.ptr
  %size = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %coords = llvm.alloca %two x i32 : (i32) -> !llvm.ptr
  %member = llvm.getelementptr %grid[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @MPI_Comm_rank(%world, %me) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.call @MPI_Comm_rank(%world, %member) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.call @MPI_Comm_size(%world, %size) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.call @MPI_Cart_coords(%world, %one, %two, %coords) : (!llvm.ptr, i32, i32, !llvm.ptr) -> i32
  // CHECK-LABEL: llvm.func @ask
  // CHECK: llvm.load %{{.*}} {comm.place}
  %a = llvm.load %member : !llvm.ptr -> i32
  %other = llvm.getelementptr %grid[12] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> i32
  %b = llvm.load %other : !llvm.ptr -> i32
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> i32
  %c = llvm.load %size : !llvm.ptr -> i32
  %at = llvm.getelementptr %coords[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  // CHECK: llvm.load %{{.*}} {comm.place}
  %d = llvm.load %at : !llvm.ptr -> i32
  %e = llvm.add %a, %b : i32
  %f = llvm.add %c, %d : i32
  %g = llvm.add %e, %f : i32
  llvm.return %g : i32
}
// CHECK-LABEL: llvm.func @elsewhere
llvm.func @elsewhere() -> i32 {
  %me = llvm.mlir.addressof @me : !llvm.ptr
  // CHECK: llvm.load %{{.*}} {comm.place}
  %a = llvm.load %me : !llvm.ptr -> i32
  llvm.return %a : i32
}

// -----

// No MPI: untouched.
// CHECK: module {
// CHECK-NOT: comm
llvm.func @other() {
  llvm.return
}
