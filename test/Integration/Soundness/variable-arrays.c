// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of C99 whose rows have variable lengths. Each iteration rereads values that the previous one has read: LLVM
// carries them, and reads the ghost column before the loop, which then cannot avoid it. Comm delays that.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
// RUN: %commcc -O2 -g -Rcomm %s -o %t.remarks 2>&1 | FileCheck %s
// The user's options for LLVM's passes apply.
// RUN: %commcc -O2 -g -Rcomm -mllvm -enable-load-in-loop-pre=true %s -o %t.remarks 2>&1 | FileCheck --check-prefix=USER %s
#include "Inputs/cells.h"

static void exchange(int m, int n, double u[m + 2][n + 2], const int *side, MPI_Comm comm, MPI_Datatype column) {
  MPI_Status st;
  MPI_Sendrecv(&u[1][1], n, MPI_DOUBLE, side[0], 1, &u[m + 1][1], n, MPI_DOUBLE, side[1], 1, comm, &st);
  MPI_Sendrecv(&u[m][1], n, MPI_DOUBLE, side[1], 2, &u[0][1], n, MPI_DOUBLE, side[0], 2, comm, &st);
  MPI_Sendrecv(&u[1][1], 1, column, side[2], 3, &u[1][n + 1], 1, column, side[3], 3, comm, &st);
  MPI_Sendrecv(&u[1][n], 1, column, side[3], 4, &u[1][0], 1, column, side[2], 4, comm, &st);
}

// CHECK: remark: splits the loop at variable-arrays.c:[[#@LINE+9]]: iterations of 2 nested loops that touch nothing in flight
// USER: remark: the loop at variable-arrays.c:[[#@LINE+8]] waits as a whole
NOINLINE static unsigned long stencil(int m, int n, const int *side, MPI_Comm comm) {
  double(*u)[n + 2] = (double(*)[n + 2]) make((m + 2) * (n + 2), m), (*v)[n + 2] = calloc(m + 2, sizeof *v);
  MPI_Datatype column;
  MPI_Type_vector(m, 1, n + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int t = 0; t < 4; ++t) {
    exchange(m, n, u, side, comm, column);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j)
        v[i][j] = u[i][j] / 2 + u[i - 1][j] + 2 * u[i + 1][j] + 3 * u[i][j - 1] + 4 * u[i][j + 1];
    double(*other)[n + 2] = u;
    u = v;
    v = other;
  }
  unsigned long sum = digits(&u[0][0], (m + 2) * (n + 2)) + 3 * digits(&v[0][0], (m + 2) * (n + 2));
  MPI_Type_free(&column);
  free(u), free(v);
  return sum;
}

/// Values stored in one iteration are read in the next.
NOINLINE static unsigned long inPlace(int m, int n, const int *side, MPI_Comm comm) {
  double(*u)[n + 2] = (double(*)[n + 2]) make((m + 2) * (n + 2), m);
  MPI_Datatype column;
  MPI_Type_vector(m, 1, n + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int t = 0; t < 3; ++t) {
    exchange(m, n, u, side, comm, column);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j)
        u[i][j] = (u[i][j] + u[i - 1][j] + 2 * u[i + 1][j] + 3 * u[i][j - 1] + 4 * u[i][j + 1]) / 8;
  }
  unsigned long sum = digits(&u[0][0], (m + 2) * (n + 2));
  MPI_Type_free(&column);
  free(u);
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int periodic = 0; periodic < 2; ++periodic) {
    int dims[2] = {0, 0}, periods[2] = {periodic, periodic}, side[4];
    MPI_Comm comm;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    MPI_Cart_shift(comm, 0, 1, &side[0], &side[1]);
    MPI_Cart_shift(comm, 1, 1, &side[2], &side[3]);
    for (int m = 1; m < 7; ++m)
      for (int n = 1; n < 7; ++n)
        printf("rank %d: %d %d %lx %lx\n", rank, m, n, stencil(m, n, side, comm), inPlace(m, n, side, comm));
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
