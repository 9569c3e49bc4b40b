// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts MPI calls of loops. The runtime calls PMPI_ names, which a program can define.
#ifndef COMM_TEST_PROGRESS_COUNT_H
#define COMM_TEST_PROGRESS_COUNT_H
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
static int rank, size;
static atomic_long asked, probed, sized;

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  ++asked;
  return MPI_Request_get_status(request, flag, status);
}
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  ++probed;
  return MPI_Iprobe(source, tag, comm, flag, status);
}
int PMPI_Type_size(MPI_Datatype type, int *bytes) {
  ++sized;
  return MPI_Type_size(type, bytes);
}

/// The calls since the last time: a few, or none.
static NOINLINE void say(const char *what) {
  long some = asked + probed;
  if (rank == 0)
    printf("%s: %s\n", what, some ? "asks" : "asks nothing");
  asked = probed = 0;
}
#endif
