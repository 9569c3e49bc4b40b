// Loops of which the second runs iterations before the wait: iterations that read results of the first one's rest, or
// write what it still reads, stay after the wait. Each kernel at all small sizes. Neighbors wait before they send, so
// code before its wait sees old values.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcc -O2 -g -fcomm-check -fcomm-known-sources %s -o %t.checked
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/cells.h"
#include <math.h>

enum { most = 9 };
static int up, down;

#define START(u, m, n)                                                                                                 \
  MPI_Request request[4];                                                                                              \
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);                                                 \
  MPI_Irecv(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);                                     \
  MPI_Isend(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);                                                 \
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);                                           \
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE)

#define RELAX(v, u, m, n)                                                                                              \
  for (int i = 1; i <= m; ++i)                                                                                         \
    for (int j = 1; j < n - 1; ++j)                                                                                    \
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] - u[i * n + j]

/// The new values replace the old ones, which the rest of the first loop reads in neighboring rows.
// CHECK-DAG: iterations-after.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop at
// (Both loops of the macro have this line, and one remark.)
NOINLINE static void copyBack(double *restrict v, double *restrict u, int m, int n) {
  START(u, m, n);
  RELAX(v, u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      u[i * n + j] = v[i * n + j];
}

/// To the other end: no iteration is far from the data that the first loop reads.
NOINLINE static void reverse(double *restrict v, double *restrict u, int m, int n) {
  START(u, m, n);
  RELAX(v, u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      u[(m + 1 - i) * n + j] = v[i * n + j];
}

/// Into rows that are not its own, two further down.
NOINLINE static void shifted(double *restrict v, double *restrict u, int m, int n) {
  START(u, m, n);
  RELAX(v, u, m, n);
  for (int i = 1; i <= m - 2; ++i)
    for (int j = 1; j < n - 1; ++j)
      u[(i + 2) * n + j] = 3 * v[i * n + j];
}

/// A stencil over the result of a stencil, and one over that: their interiors become narrower.
// CHECK-DAG: iterations-after.c:[[#@LINE+3]]:{{[0-9]+}}: remark: splits the loop at
NOINLINE static void stencils(double *restrict w, double *restrict v, double *restrict u, int m, int n) {
  START(u, m, n);
  RELAX(v, u, m, n);
  for (int i = 2; i < m; ++i)
    for (int j = 1; j < n - 1; ++j)
      w[i * n + j] = v[(i - 1) * n + j] * 0.5 + v[(i + 1) * n + j - 1];
  for (int i = m - 2; i > 2; --i)
    for (int j = 1; j < n - 1; ++j)
      v[i * n + j] = w[(i - 1) * n + j] * 0.25 + w[(i + 1) * n + j];
}

/// The change, and the copy only now and then.
// CHECK-DAG: iterations-after.c:[[#@LINE+6]]:{{[0-9]+}}: remark: splits the loop at
// (Both loops of the macro have this line, and one remark.)
// CHECK-DAG: iterations-after.c:[[#@LINE+8]]:{{[0-9]+}}: remark: splits the loop at
NOINLINE static double change(double *restrict v, double *restrict u, int m, int n, int isDue) {
  double change = 0;
  START(u, m, n);
  RELAX(v, u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      change = fabs(v[i * n + j] - u[i * n + j]) > change ? fabs(v[i * n + j] - u[i * n + j]) : change;
  if (isDue)
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j < n - 1; ++j)
        u[i * n + j] = v[i * n + j];
  return change;
}

/// Steps of it.
// CHECK-DAG: iterations-after.c:[[#@LINE+5]]:{{[0-9]+}}: remark: splits the loop at
// (Both loops of the macro have this line, and one remark.)
NOINLINE static void steps3(double *restrict v, double *restrict u, int m, int n) {
  for (int step = 0; step < 3; ++step) {
    START(u, m, n);
    RELAX(v, u, m, n);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j < n - 1; ++j)
        u[i * n + j] = v[i * n + j] + step;
  }
}

/// Columns that are unpacked, two at each side: rows and columns of the copy keep off the rest.
NOINLINE static void columns(double *restrict v, double *restrict u, double *restrict west, double *restrict east,
                             int m, int n) {
  int s = n + 4;
  MPI_Request request[4];
  MPI_Irecv(west, 2 * m, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(east, 2 * m, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(&v[0], 2 * m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(&v[0], 2 * m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m; ++i) {
    u[i * s] = west[2 * i], u[i * s + 1] = west[2 * i + 1];
    u[i * s + n + 2] = east[2 * i], u[i * s + n + 3] = east[2 * i + 1];
  }
  for (int i = 0; i < m; ++i)
    for (int j = 2; j < n + 2; ++j)
      v[i * s + j] = u[i * s + j - 2] + 2 * u[i * s + j + 2];
  for (int i = 0; i < m; ++i)
    for (int j = 2; j < n + 2; ++j)
      u[i * s + j] = v[i * s + j] * 0.5;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 4) * (most + 4) };
  for (int m = 1; m < most; ++m)
    for (int n = 1; n < most; ++n) {
      double *u = make(cells, m), *v = make(cells, n), *w = make(cells, 3), *x = make(cells, 5), *y = make(cells, 7);
      unsigned long sum = 0;
      copyBack(v, u, m, n), sum = sum * 3 + digits(u, cells) + digits(v, cells);
      reverse(v, u, m, n), sum = sum * 3 + digits(u, cells) + digits(v, cells);
      shifted(v, u, m, n), sum = sum * 3 + digits(u, cells) + digits(v, cells);
      stencils(w, v, u, m, n), sum = sum * 3 + digits(w, cells) + digits(v, cells);
      for (int isDue = 0; isDue < 2; ++isDue) {
        double result = change(v, u, m, n, isDue);
        sum = sum * 3 + digits(&result, 1) + digits(u, cells) + digits(v, cells);
      }
      steps3(v, u, m, n), sum = sum * 3 + digits(u, cells) + digits(v, cells);
      columns(v, u, x, y, m, n), sum = sum * 3 + digits(u, cells) + digits(v, cells);
      printf("rank %d: %d %d %lx\n", rank, m, n, sum);
      free(u), free(v), free(w), free(x), free(y);
    }
  MPI_Finalize();
  return 0;
}
