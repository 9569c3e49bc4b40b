// A remark says if a loop waits because of a value that another statement computes.
// RUN: %commcc -O2 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include <mpi.h>

void counted(double *values, int *restrict number) {
  MPI_Recv(number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // CHECK: remark: the loop at loop-obstacles.c:[[#@LINE+1]] waits as a whole: the {{.*}} waits as well, and computes its input
  for (int i = 0; i < *number; ++i)
    values[i] *= 0.5;
}
