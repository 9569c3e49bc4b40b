// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the nonblocking broadcasts of a process, like a tool between program and MPI.
#include <mpi.h>
#include <stdio.h>

static int started;

int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request) {
  ++started;
  return PMPI_Ibcast(buffer, count, datatype, root, comm, request);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d: started %d\n", rank, started);
  return PMPI_Finalize();
}
