// RUN: comm-opt %s --split-input-file --verify-diagnostics -raise-mpi-to-comm

llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.func @MPI_Barrier(!llvm.ptr, i32) -> i32
llvm.func @arity(%c: !llvm.ptr, %n: i32) {
  // expected-error @below {{'MPI_Barrier' is called with 2 arguments, MPI's has 1: include <mpi.h>, and do not declare MPI functions yourself}}
  llvm.call @MPI_Barrier(%c, %n) : (!llvm.ptr, i32) -> i32
  llvm.return
}

// -----

llvm.func @MPI_Send(!llvm.ptr, f64, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
llvm.func @kind(%b: !llvm.ptr, %x: f64, %n: i32) {
  // expected-error @below {{'MPI_Send' is called with 'count' of type 'f64', MPI's is of type int}}
  llvm.call @MPI_Send(%b, %x, %b, %n, %n, %b) : (!llvm.ptr, f64, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
  llvm.return
}

// -----

llvm.func @MPI_Barrier(!llvm.ptr)
llvm.func @result(%c: !llvm.ptr) {
  // expected-error @below {{'MPI_Barrier' does not return int as MPI's does}}
  llvm.call @MPI_Barrier(%c) : (!llvm.ptr) -> ()
  llvm.return
}

// -----

llvm.func @MPI_Barrier(!llvm.ptr) -> i32
llvm.func @undetectable(%c: !llvm.ptr) {
  // expected-error @below {{'MPI_Barrier' gets 'comm' and the module does not show which MPI implementation it was compiled for: set the option abi}}
  llvm.call @MPI_Barrier(%c) : (!llvm.ptr) -> i32
  llvm.return
}

// -----

llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.func @MPI_Barrier(!llvm.ptr) -> i32
llvm.func @MPI_Comm_rank(i32, !llvm.ptr) -> i32
llvm.func @mixed(%p: !llvm.ptr) {
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  llvm.call @MPI_Barrier(%world) : (!llvm.ptr) -> i32
  %c = llvm.mlir.constant(1140850688 : i32) : i32
  // expected-error @below {{'MPI_Comm_rank' gets 'comm' as 'i32', but a handle of Open MPI 4.1 is '!llvm.ptr': compile the whole module with one mpi.h}}
  llvm.call @MPI_Comm_rank(%c, %p) : (i32, !llvm.ptr) -> i32
  llvm.return
}
