// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two exchanges between clocks whose differences are summed: both are in flight while the interior runs. The second
// one's starts stay before the clock, which does not wait for them.
// RUN: %commcc -O2 -Rcomm %s -o %t 2> %t.remarks
// RUN: FileCheck %s --input-file=%t.remarks
// RUN: %commcc -O2 -fcomm-mode=off %s -o %t.off
// RUN: %mpirun -n 2 %t.off > %t.out
// RUN: %mpirun -n 2 %t | diff %t.out -
#include <mpi.h>
#include <stdio.h>

enum { n = 64 };
static double u[n + 2][n], v[n + 2][n];

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank ? rank - 1 : MPI_PROC_NULL;
  double exchanged = 0;
  for (int j = 0; j < n + 2; j++)
    for (int i = 0; i < n; i++)
      u[j][i] = (rank * n + j + i) % 7;
  for (int t = 0; t < 10; t++) {
    double begin = MPI_Wtime();
    // CHECK-DAG: MPI_Sendrecv at timed-exchanges.c:[[# @LINE + 1]] overlaps {{[1-9]}} loop
    MPI_Sendrecv(u[n], n, MPI_DOUBLE, up, 1, u[0], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // CHECK-DAG: MPI_Sendrecv at timed-exchanges.c:[[# @LINE + 1]] overlaps {{[1-9]}} loop
    MPI_Sendrecv(u[1], n, MPI_DOUBLE, down, 2, u[n + 1], n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    exchanged += MPI_Wtime() - begin;
    // CHECK-DAG: splits the loop at timed-exchanges.c:[[# @LINE + 1]]
    for (int j = 1; j <= n; j++)
      for (int i = 1; i < n - 1; i++)
        v[j][i] = .25 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1]);
    for (int j = 1; j <= n; j++)
      for (int i = 1; i < n - 1; i++)
        u[j][i] = v[j][i];
  }
  double sum = 0;
  for (int j = 1; j <= n; j++)
    for (int i = 0; i < n; i++)
      sum += u[j][i] * (i + j);
  if (rank == 0) {
    printf("%a\n", sum);
    fprintf(stderr, "%g s\n", exchanged);
  }
  MPI_Finalize();
}
