// A file that gets all its handles as arguments does not identify an MPI implementation: the wrapper does.
// RUN: %commcc -O2 -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK-NOT: warning
// CHECK: remark: MPI_Bcast at passed-handles.c:[[# @LINE + 5]] overlaps 1 loop
// CHECK-NOT: warning
#include <mpi.h>

double sum(int *a, double *restrict room, int n, MPI_Datatype type, MPI_Comm comm) {
  MPI_Bcast(&a[1], n, type, 0, comm);
  for (int i = 1; i < 1000; ++i)
    room[i] = room[i - 1] * 0.5 + i;
  return room[999] + a[0];
}

int forward(int *a, int n, MPI_Datatype type, int peer, MPI_Comm comm) { return MPI_Send(a, n, type, peer, 0, comm); }
