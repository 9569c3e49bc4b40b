// Ghost values in separate arrays, selected by the iteration number: only those iterations wait. All forms of
// conditions, including some that select other iterations than they seem to, at all small sizes.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

enum { most = 9 };
static int up, down;

#define START(above, below, u, m, n)                                                                                   \
  MPI_Request request[4];                                                                                              \
  MPI_Irecv(above, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);                                                 \
  MPI_Irecv(below, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);                                               \
  MPI_Isend(&u[0], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);                                                 \
  MPI_Isend(&u[(m - 1) * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);                                     \
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE)

#define SWEEP(NAME, ABOVE, BELOW)                                                                                      \
  NOINLINE static void NAME(double *restrict v, double *restrict u, double *restrict above, double *restrict below,    \
                            int m, int n, int k) {                                                                     \
    START(above, below, u, m, n);                                                                                      \
    for (int i = 0; i < m; ++i)                                                                                        \
      for (int j = 0; j < n; ++j)                                                                                      \
        v[i * n + j] = (ABOVE ? above[j] : u[(i - 1) * n + j]) - 2 * (BELOW ? below[j] : u[(i + 1) * n + j]);          \
  }

// CHECK-DAG: chosen-ghosts.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop
SWEEP(equal, i == 0, i == m - 1)
// CHECK-DAG: chosen-ghosts.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop
SWEEP(ordered, i < 1, i + 1 >= m)
// CHECK-DAG: chosen-ghosts.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop
SWEEP(several, i <= 1, i > m - 3)
/// One of two.
SWEEP(any, i == k || i == 0, !(i != m - 1))
/// An iteration in the middle, and all but one.
SWEEP(middle, i == 0 || i == k, i == m - 1 || i != k)
/// As an unsigned number -1 is large.
SWEEP(unsignedly, (unsigned)i - 1u > (unsigned)k || i == 0, i == m - 1)

/// A condition that an iteration leaves for the next one.
NOINLINE static void later(double *restrict v, double *restrict u, double *restrict above, double *restrict below, int m,
                           int n, int k) {
  const double *from = above;
  START(above, below, u, m, n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j)
      v[i * n + j] = from[j] + u[i * n + j];
    from = i == k ? above : i == k + 1 ? below : &u[i * n];
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 2) * (most + 2) };
  for (int m = 1; m < most; ++m)
    for (int n = 0; n < most; n += 2)
      for (int k = -1; k < 4; ++k) {
        double *u = make(cells, m), *v = make(cells, n), *above = make(most, k), *below = make(most, 7);
        unsigned long sum = 0;
        double *inner = u + most; // row -1 exists
        equal(v, inner, above, below, m, n, k), sum = sum * 3 + digits(v, cells);
        ordered(v, inner, above, below, m, n, k), sum = sum * 3 + digits(v, cells);
        several(v, inner, above, below, m, n, k), sum = sum * 3 + digits(v, cells);
        any(v, inner, above, below, m, n, k), sum = sum * 3 + digits(v, cells);
        middle(v, inner, above, below, m, n, k), sum = sum * 3 + digits(v, cells);
        unsignedly(v, inner, above, below, m, n, k), sum = sum * 3 + digits(v, cells);
        later(v, inner, above, below, m, n, k), sum = sum * 3 + digits(v, cells);
        printf("rank %d: %d %d %d %lx\n", rank, m, n, k, sum);
        free(u), free(v), free(above), free(below);
      }
  MPI_Finalize();
  return 0;
}
