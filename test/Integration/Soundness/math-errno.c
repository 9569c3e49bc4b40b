// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the math library set errno. Numbers in variables of the file and members of structures are different
// memory (SeparateErrno.cpp), so that a loop with such a call has a trip count, and is split. A pointer to an int may
// point to errno, and a function may change the argument of its pointer.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at math-errno.c:[0-9]+" -- -lm
// RUN: FileCheck %s < %t.extended.remarks
#define _GNU_SOURCE
#include "Inputs/soundness.h"

#include <dlfcn.h>
#include <math.h>

int columns, rows, above, below;
double *old, *new;
struct Grid {
  double *old, *new;
  int rows, columns;
};

// CHECK-DAG: math-errno.c:[[#@LINE+8]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static void iterate(int count) {
  for (int n = 0; n < count; ++n) {
    int width = columns + 2;
    MPI_Sendrecv(&old[width], width, MPI_DOUBLE, above, 0, &old[(rows + 1) * width], width, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&old[rows * width], width, MPI_DOUBLE, below, 1, &old[0], width, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= rows; ++i)
      for (int j = 1; j <= columns; ++j)
        new[i * (columns + 2) + j] = pow(old[(i - 1) * (columns + 2) + j] + old[(i + 1) * (columns + 2) + j], 0.75);
    double *last = old;
    old = new, new = last;
  }
}

// CHECK-DAG: math-errno.c:[[#@LINE+7]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static void iterateGrid(struct Grid *grid) {
  int width = grid->columns + 2;
  MPI_Sendrecv(&grid->old[width], width, MPI_DOUBLE, above, 2, &grid->old[(grid->rows + 1) * width], width, MPI_DOUBLE,
               below, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&grid->old[grid->rows * width], width, MPI_DOUBLE, below, 3, &grid->old[0], width, MPI_DOUBLE, above, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= grid->rows; ++i)
    for (int j = 1; j <= grid->columns; ++j)
      grid->new[i * (grid->columns + 2) + j] =
          pow(grid->old[(i - 1) * (grid->columns + 2) + j] + grid->old[(i + 1) * (grid->columns + 2) + j], 0.75);
}

/// The count is errno, which becomes EDOM in the third iteration.
NOINLINE static long countTo(double *values, const int *bound) {
  long turns = 0;
  MPI_Sendrecv(&values[1], 1, MPI_DOUBLE, above, 4, &values[79], 1, MPI_DOUBLE, below, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < *bound; ++i) {
    values[i] = pow(values[i], 0.5);
    ++turns;
  }
  return turns;
}

/// It gets a pointer to the variable that the loop counts to.
NOINLINE static long shrink(double *values) {
  long turns = 0;
  for (int i = 0; i < rows; ++i) {
    values[i] = frexp(values[i], &rows);
    ++turns;
  }
  return turns;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  columns = 40 + argc, rows = 8 + argc;
  above = (rank + 1) % size, below = (rank + size - 1) % size;
  size_t cells = (size_t)(rows + 2) * (columns + 2);
  old = calloc(cells, sizeof(double)), new = calloc(cells, sizeof(double));
  for (size_t i = 0; i < cells; ++i)
    old[i] = (double)((i * 31 + (size_t)rank * 7) % 101);
  iterate(5);
  struct Grid grid = {old, new, rows, columns};
  iterateGrid(&grid);
  double sum = 0;
  for (size_t i = 0; i < cells; ++i)
    sum += new[i] * (double)(i % 5);
  say("cells", (long)(sum * 1000));
  double values[80];
  for (int i = 0; i < 80; ++i)
    values[i] = i == 2 ? -1.0 : i + rank;
  int *(*locate)(void) = (int *(*)(void))dlsym(RTLD_DEFAULT, "__errno_location");
  int *error = locate();
  *error = 5;
  say("errno", countTo(values, error));
  for (int i = 0; i < 80; ++i)
    values[i] = 32.0;
  say("frexp", shrink(values));
  free(old), free(new);
  MPI_Finalize();
  return 0;
}
