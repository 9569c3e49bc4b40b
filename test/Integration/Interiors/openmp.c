// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing loops of parallel regions: what of them runs before the first wait, as a team.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fopenmp -Rcomm %s %t.early.o -lm -o %t
// RUN: env OMP_NUM_THREADS=2 %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 -fopenmp %s %S/Inputs/early.c -lm -o %t.plain
// RUN: env OMP_NUM_THREADS=2 %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-2: 0 before the first wait
#include "Inputs/cells.h"

static int up, down;

//===----------------------------------------------------------------------===//
// Rows of an array by pointers
//===----------------------------------------------------------------------===//

static void exchangeRows(double *u, int n, int m) {
  MPI_Sendrecv(u + m, m, MPI_DOUBLE, up, 0, u + (n - 1) * m, m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + (n - 2) * m, m, MPI_DOUBLE, down, 1, u, m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void sweepRows(double *u, double *v, int n, int m) {
  exchangeRows(u, n, m);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

/// 20 rows of 8 points, of which 18 have no neighbor elsewhere.
// CHECK: rows: 144 before the first wait, of 160
static void rows(int n, int m) {
  double *u = fill((long)n * m, rank + 1), *v = fill((long)n * m, NAN);
  watch(v, (long)n * m);
  for (int step = 0; step < 2; ++step)
    sweepRows(u, v, n, m);
  tell("rows", v, (long)n * m, (long)(n - 2) * (m - 2));
}

//===----------------------------------------------------------------------===//
// What is sent is computed first
//===----------------------------------------------------------------------===//

__attribute__((noinline)) static void sweepAndSend(const double *u, double *v, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 0; j < m; ++j)
      v[i * m + j] = 2 * u[i * m + j] + 1;
  exchangeRows(v, n, m);
}

// CHECK: sent:
static void sent(int n, int m) {
  double *u = fill((long)n * m, rank + 1), *v = fill((long)n * m, NAN);
  watch(v, (long)n * m);
  sweepAndSend(u, v, n, m);
  tell("sent", v, (long)n * m, (long)n * m);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : size - 1;
  down = rank + 1 < size ? rank + 1 : 0;
  rows(22, 10);
  sent(22, 10);
  MPI_Finalize();
  return 0;
}
