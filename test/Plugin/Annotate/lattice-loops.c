// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the directions of a lattice are unrolled at each point.
//
// RUN: %commcc -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
#include <mpi.h>

// Directions of a lattice: what a point reads is known once the entries are constants. Not of a table that may change,
// nor outside of loops over points.
// IR-LABEL: define {{.*}}@lattice(
// IR-NOT: @offsets
// IR-LABEL: define {{.*}}@variable(
// IR: @others
// IR-LABEL: define {{.*}}@once(
// IR: @offsets
static const int offsets[12] = {1, -1, 2, -2, 3, -3, 64, -64, 65, -65, 66, -66};
int others[12];
void lattice(double *restrict f, const double *restrict g, int n, int up, int down) {
  MPI_Sendrecv(f, 64, MPI_DOUBLE, up, 0, f + n, 64, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < 63; ++j) {
      double sum = 0;
      for (int q = 0; q < 12; ++q) {
        double part = g[i * 64 + j + offsets[q]];
        sum += part * part / (1 + part) + part * part * part / (2 + part) + part / (3 + part * part);
      }
      f[i * 64 + j] = sum;
    }
}
void variable(double *restrict f, const double *restrict g, int n, int up, int down) {
  MPI_Sendrecv(f, 64, MPI_DOUBLE, up, 0, f + n, 64, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < 63; ++j) {
      double sum = 0;
      for (int q = 0; q < 12; ++q) {
        double part = g[i * 64 + j + others[q]];
        sum += part * part / (1 + part) + part * part * part / (2 + part) + part / (3 + part * part);
      }
      f[i * 64 + j] = sum;
    }
}
void once(double *restrict f, const double *restrict g, int n, int up, int down) {
  MPI_Sendrecv(f, 64, MPI_DOUBLE, up, 0, f + n, 64, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double sum = 0;
#pragma clang loop vectorize(disable)
  for (int q = 0; q < 12; ++q) {
    double part = g[offsets[q] & 63];
    sum += part * part / (1 + part) + part * part * part / (2 + part) + part / (3 + part * part);
  }
  f[n] = sum;
}
