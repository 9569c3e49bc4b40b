// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the two forms of receives.
#include <mpi.h>

static int blocking, nonblocking;

int countBlocking(void) { return blocking; }
int countNonblocking(void) { return nonblocking; }

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  ++blocking;
  return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  ++nonblocking;
  return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}
