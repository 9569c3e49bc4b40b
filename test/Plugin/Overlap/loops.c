// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two consecutive loops that the optimizer connects: the exit of one is the header of the other, and with equal bounds
// both share a guard. There is still a place for a wait between them.
//
// RUN: commcc -O2 -g -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
//
// The same in shared libraries, where functions may be replaced.
// RUN: commcc -O2 -g -Rcomm -fPIC -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: commcc -O2 -g -Rcomm -fPIC -fvisibility=hidden -c %s -o %t.o 2>&1 | FileCheck %s

#include <mpi.h>

static double a[64][64], b[64][64], c[64][64], d[64][64];

void fixed(double *other, double *out) {
  double sum[100], mine[100];
  // CHECK-DAG: MPI_Allreduce at loops.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Allreduce(out, sum, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i)
    mine[i] = other[i] / 3 + 1;
  for (int i = 0; i < 100; ++i)
    out[i] = sum[i] + mine[i];
}

void variable(int n) {
  // CHECK-DAG: MPI_Alltoall at loops.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Alltoall(a, 64, MPI_DOUBLE, b, 64, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += c[i][k] * d[k][j];
      c[i][j] = sum;
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      d[i][j] += b[i][j];
}

// The start also moves up between two loops.
double before(double *restrict x, double *restrict y, int n) {
  double sum = 0, all;
  for (int i = 0; i < n; ++i)
    sum += x[i];
  for (int i = 0; i < n; ++i)
    y[i] *= 2;
  // CHECK-DAG: MPI_Allreduce at loops.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
