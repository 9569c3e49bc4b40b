// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three fields, whose sizes are variables at file scope that main sets once: clang turns them into constants after all
// other simplifications. The edges of each field are copied between its exchange and the computation.
//
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

static int nx, ny, left, right;
static double *h, *hu, *hv, *h2, *hu2, *hv2;
#define AT(i, j) ((i) * (ny + 2) + (j))

static void exchange(double *f) {
  MPI_Request r[4];
  MPI_Irecv(f + AT(0, 0), ny + 2, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(f + AT(nx + 1, 0), ny + 2, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(f + AT(1, 0), ny + 2, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(f + AT(nx, 0), ny + 2, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void reflect(double *f) {
  // CHECK-DAG: remark: splits the loop at file-scope-sizes.c:[[#@LINE+1]]
  for (int i = 0; i <= nx + 1; i++) {
    f[AT(i, 0)] = f[AT(i, 1)];
    f[AT(i, ny + 1)] = f[AT(i, ny)];
  }
}

static double *field(double start) {
  double *f = malloc((size_t)(nx + 2) * (ny + 2) * sizeof *f);
  for (int i = 0; i < (nx + 2) * (ny + 2); i++)
    f[i] = start + (i * 13 + rank * 7) % 17 / 64.0;
  return f;
}

static void swap(double **a, double **b) {
  double *old = *a;
  *a = *b;
  *b = old;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  nx = 48 / size;
  ny = 24;
  left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  h = field(1), hu = field(0), hv = field(0), h2 = field(0), hu2 = field(0), hv2 = field(0);
  const double dt = 0.001, dx = 0.01, g = 9.81;
  for (int t = 0; t < 8; t++) {
    exchange(h);
    exchange(hu);
    exchange(hv);
    reflect(h);
    reflect(hu);
    reflect(hv);
    // CHECK-DAG: remark: splits the loop at file-scope-sizes.c:[[#@LINE+1]]
    for (int i = 1; i <= nx; i++)
      for (int j = 1; j <= ny; j++) {
        h2[AT(i, j)] =
            h[AT(i, j)] - dt / (2 * dx) * (hu[AT(i + 1, j)] - hu[AT(i - 1, j)] + hv[AT(i, j + 1)] - hv[AT(i, j - 1)]);
        hu2[AT(i, j)] = hu[AT(i, j)] - dt / (2 * dx) * g * (h[AT(i + 1, j)] - h[AT(i - 1, j)]);
        hv2[AT(i, j)] = hv[AT(i, j)] - dt / (2 * dx) * g * (h[AT(i, j + 1)] - h[AT(i, j - 1)]);
      }
    swap(&h, &h2);
    swap(&hu, &hu2);
    swap(&hv, &hv2);
  }
  double sum = 0;
  for (int i = 1; i <= nx; i++)
    for (int j = 1; j <= ny; j++)
      sum += (h[AT(i, j)] + 3 * hu[AT(i, j)] - hv[AT(i, j)]) * (i + 2 * j);
  printf("rank %d: %.17g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
