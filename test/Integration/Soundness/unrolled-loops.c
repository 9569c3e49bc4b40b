// Dozens of loops over one index each, which an optimizer has unrolled from loops with known trip counts. Each must
// avoid all former ones, so their bounds need more and more comparisons: the last ones wait as a whole.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Sendrecv
// RUN: FileCheck %s < %t.extended.remarks
// CHECK: would exceed the limit on comparisons of loop bounds in a function
#include "Inputs/cells.h"

static int up, down;

NOINLINE static void sweep(double *a, double *b, int depth, int rows) {
  enum { columns = 4, row = columns + 2 };
  int plane = row * (rows + 2);
  MPI_Sendrecv(a + plane, plane, MPI_DOUBLE, down, 0, a + (depth + 1) * plane, plane, MPI_DOUBLE, up, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(a + depth * plane, plane, MPI_DOUBLE, up, 0, a, plane, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma clang loop unroll(full)
  for (int x = 1; x <= columns; ++x)
#pragma clang loop unroll(full)
    for (int y = 1; y <= 12; ++y)
      for (int z = 1; z <= depth; ++z) {
        int p = z * plane + y * row + x;
        b[p] = a[p - plane] - 2 * a[p + plane] + a[p - 1] + a[p + row];
      }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + 1) % size, down = (rank + size - 1) % size;
  for (int depth = 1; depth < 5; ++depth) {
    int cells = (depth + 2) * 14 * 6;
    double *a = make(cells, depth), *b = make(cells, 3);
    sweep(a, b, depth, 12);
    printf("rank %d: %lx\n", rank, digits(b, cells));
    free(a), free(b);
  }
  MPI_Finalize();
  return 0;
}
