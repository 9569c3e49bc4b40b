// The option names another implementation than the module was compiled for, or none.
// RUN: not comm-opt %s -raise-mpi-to-comm=abi=mpi-abi 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not comm-opt %s -raise-mpi-to-comm=abi=mpich 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not comm-opt %s -raise-mpi-to-comm=abi=lam 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// OTHER: error: 'MPI_Barrier' gets 'comm' @ompi_mpi_comm_world, a handle of Open MPI 4.1, not of {{.*}}: compile the whole module with one mpi.h, and set the option abi to match it
// INTEGER: error: 'MPI_Barrier' gets 'comm' as '!llvm.ptr', but a handle of MPICH {{.*}} is 'i32'
// UNKNOWN: error: no MPI implementation is called 'lam': set the option abi to one of mpi-abi, mpich, {{.*}}
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.func @MPI_Barrier(!llvm.ptr) -> i32
llvm.func @f() {
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  llvm.call @MPI_Barrier(%world) : (!llvm.ptr) -> i32
  llvm.return
}
