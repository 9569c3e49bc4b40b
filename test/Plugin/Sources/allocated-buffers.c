// A buffer that is new memory, whichever way control came, is not MPI_BOTTOM; a pointer that the caller passes may be.
// RUN: %commcc -O2 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include <mpi.h>
#include <stdlib.h>

void allocated(MPI_Datatype type, int turns, double *results) {
  double *now = malloc(8000), *next = calloc(1000, 8);
  for (int turn = 0; turn < turns; ++turn) {
    // CHECK-NOT: allocated-buffers.c:[[#@LINE+1]]:{{.*}}may be MPI_BOTTOM
    MPI_Bcast(now, 1, type, 0, MPI_COMM_WORLD);
    results[turn] = turn * 0.5;
    double *other = now;
    now = next;
    next = other;
  }
}

void passed(MPI_Datatype type, double *buffer, double *results) {
  // CHECK: allocated-buffers.c:[[#@LINE+1]]:{{.*}}MPI_Bcast stays blocking: its buffer may be MPI_BOTTOM
  MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD);
  results[0] = 0.5;
}

void chosen(MPI_Datatype type, int isHere, double *results) {
  double *buffer = isHere ? malloc(8000) : MPI_BOTTOM;
  // CHECK: allocated-buffers.c:[[#@LINE+1]]:{{.*}}MPI_Bcast stays blocking: its buffer may be MPI_BOTTOM
  MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD);
  results[0] = 0.5;
}
