// The machinery of the tests themselves: MPI compiles, runs at two ranks, and a program that hangs ends.
// RUN: %mpicc %s -o %t && %mpirun -n 2 %t | FileCheck %s
// RUN: not timeout 3 %mpirun -n 2 %t hang
// CHECK-DAG: rank 0 of 2
// CHECK-DAG: rank 1 of 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size, buffer = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) // nothing is sent
    MPI_Recv(&buffer, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d of %d\n", rank, size);
  MPI_Finalize();
  return 0;
}
