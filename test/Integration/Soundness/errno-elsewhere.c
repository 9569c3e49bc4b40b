// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A called function reads errno: of two errors in a loop the last one must remain, so its iterations keep their
// order.
// RUN: %same %s -o %t -n 1,2 -- -lm
#include "Inputs/cells.h"

#include <errno.h>
#include <math.h>

enum { rows = 20, columns = 100, cells = (rows + 2) * columns };

NOINLINE static void tell(void) { say("which error", errno == ERANGE ? 1 : errno == EDOM ? 2 : 0); }

NOINLINE static void step(double *restrict u, double *restrict v, int most) {
  int up = (rank + size - 1) % size, down = (rank + 1) % size;
  MPI_Sendrecv(u + columns, columns, MPI_DOUBLE, up, 0, u + (most + 1) * columns, columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + most * columns, columns, MPI_DOUBLE, down, 1, u, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= most; ++i)
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = exp(u[(i - 1) * columns + j]) + log(u[(i + 1) * columns + j]);
  tell();
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *u = make(cells, 1), *v = make(cells, 2);
  for (int i = 0; i < cells; ++i)
    u[i] = 1 + u[i] / 7;
  u[2 * columns] = -1;   // log, in the first row
  u[10 * columns] = 1e6; // exp, in the middle
  step(u, v, rows);
  say("digits", digits(v, cells));
  free(u);
  free(v);
  MPI_Finalize();
  return 0;
}
