// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A datatype that the function makes of one type shows which variables its messages may write: doubles are neither the
// sizes nor the pointers of the grid, which are not reloaded after the exchange. Integers may be.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

enum { most = 6 };
typedef struct {
  int m, n;
  double *now, *next;
  int left, right;
} Grid;

/// Two columns at the same time, in a structure that others know.
// CHECK-DAG: .c:[[#@LINE+7]]:{{.*}} MPI_Sendrecv at {{.*}} overlaps 1 loop
// CHECK-DAG: .c:[[#@LINE+10]]:{{.*}} splits the loop {{.*}} iterations of 2 nested loops
NOINLINE static void exchange(Grid *grid) {
  MPI_Datatype row, column;
  MPI_Type_vector(grid->m, 1, grid->n + 2, MPI_DOUBLE, &row);
  MPI_Type_dup(row, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(grid->now + grid->n + 3, 1, column, grid->left, 0, grid->now + 2 * grid->n + 3, 1, column, grid->right,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(grid->now + 2 * grid->n + 2, 1, column, grid->right, 1, grid->now + grid->n + 2, 1, column, grid->left,
               1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= grid->m; ++i)
    for (int j = 1; j <= grid->n; ++j) {
      int k = i * (grid->n + 2) + j;
      grid->next[k] = grid->now[k - 1] + 3 * grid->now[k] - grid->now[k + 1];
    }
  MPI_Type_free(&row);
  MPI_Type_free(&column);
}

/// Integers, in pairs with gaps: they may be the sizes of the grid.
NOINLINE static void resize(Grid *grid, int *sizes, const int *from) {
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 1, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Sendrecv(from, 2, MPI_INT, grid->right, 0, sizes, 1, pair, grid->left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= grid->m; ++i)
    for (int j = 1; j <= grid->n; ++j)
      grid->next[i * (grid->n + 2) + j] += grid->now[i * (grid->n + 2) + j];
  MPI_Type_free(&pair);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  Grid *grid = malloc(sizeof *grid);
  grid->left = (rank + size - 1) % size, grid->right = (rank + 1) % size;
  int cells = (most + 2) * (most + 2);
  for (int m = 1; m <= most; ++m)
    for (int n = 1; n <= most; ++n) {
      grid->m = m, grid->n = n;
      grid->now = make(cells, 1), grid->next = make(cells, 2);
      if ((m + n + rank) % 3 == 0)
        nap(1);
      exchange(grid);
      say("exchange", digits(grid->next, cells) + digits(grid->now, cells));
      int sizes[2] = {n, m}, others[2];
      resize(grid, (m + n) % 2 ? &grid->m : others, sizes);
      say("resize", digits(grid->next, cells) + grid->m * 10 + grid->n);
      free(grid->now);
      free(grid->next);
    }
  free(grid);
  MPI_Finalize();
}
