// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks in `double **`: rows are messages, columns are packed, and unpacked where there is a neighbor. The loops that
// unpack look up the rows as the sweep does, so it leaves out one column for each of them. Counts cells that are
// computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: block: 104 before the first wait
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };

typedef struct {
  int rows, columns, north, south, east, west;
  double **now, **then;
  double *toEast, *toWest, *fromEast, *fromWest;
} Block;

/// Returns rows of the array, one after the other.
static double **makeRows(double *values) {
  double **row = malloc(sizeof *row * (rows + 2));
  for (int i = 0; i < rows + 2; ++i)
    row[i] = values + i * width;
  return row;
}

INLINE static void exchange(Block *b) {
  MPI_Request r[8];
  MPI_Status s[8];
  for (int i = 0; i < b->rows; i++) {
    b->toWest[i] = b->now[i + 1][1];
    b->toEast[i] = b->now[i + 1][b->columns];
  }
  MPI_Irecv(b->now[0] + 1, b->columns, MPI_DOUBLE, b->north, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(b->now[b->rows + 1] + 1, b->columns, MPI_DOUBLE, b->south, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Irecv(b->fromWest, b->rows, MPI_DOUBLE, b->west, 2, MPI_COMM_WORLD, &r[2]);
  MPI_Irecv(b->fromEast, b->rows, MPI_DOUBLE, b->east, 3, MPI_COMM_WORLD, &r[3]);
  MPI_Isend(b->now[1] + 1, b->columns, MPI_DOUBLE, b->north, 1, MPI_COMM_WORLD, &r[4]);
  MPI_Isend(b->now[b->rows] + 1, b->columns, MPI_DOUBLE, b->south, 0, MPI_COMM_WORLD, &r[5]);
  MPI_Isend(b->toWest, b->rows, MPI_DOUBLE, b->west, 3, MPI_COMM_WORLD, &r[6]);
  MPI_Isend(b->toEast, b->rows, MPI_DOUBLE, b->east, 2, MPI_COMM_WORLD, &r[7]);
  MPI_Waitall(8, r, s);
  if (b->west != MPI_PROC_NULL)
    for (int i = 0; i < b->rows; i++)
      b->now[i + 1][0] = b->fromWest[i];
  if (b->east != MPI_PROC_NULL)
    for (int i = 0; i < b->rows; i++)
      b->now[i + 1][b->columns + 1] = b->fromEast[i];
}

INLINE static void sweep(Block *b) {
  for (int i = 1; i <= b->rows; i++)
    for (int j = 1; j <= b->columns; j++)
      b->then[i][j] = 0.25 * (b->now[i - 1][j] + b->now[i + 1][j] + b->now[i][j - 1] + b->now[i][j + 1]);
}

/// 104 cells of the border have values. A row and a column wait on each side that has a neighbor: 18 rows of 29 columns
/// do not.
// CHECK: block: 626 before the first wait, of 600
NOINLINE static void block(Block *b, double *values) {
  watch(values, cells);
  exchange(b);
  sweep(b);
  tell("block", values, cells, rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *values = fill(cells, rank);
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      values[i * width + j] = NAN;
  Block b = {rows + argc - 1,
             columns + argc - 1,
             last,
             next,
             rank ? MPI_PROC_NULL : next,
             rank ? last : MPI_PROC_NULL,
             makeRows(fill(cells, rank)),
             makeRows(values),
             fill(rows, 0),
             fill(rows, 0),
             fill(rows, 0),
             fill(rows, 0)};
  block(&b, values);
  MPI_Finalize();
}
