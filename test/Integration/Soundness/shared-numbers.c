// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All iterations of a stencil read one number of a structure. If the message may write it, there is no interior; if it
// is elsewhere there is one. (The same for a number that the loop reads through a pointer.)
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at shared-numbers.c:[0-9]+"
#include "Inputs/soundness.h"

struct domain {
  double *u, *v;
  long rows, columns;
};

/// `weight` may be anywhere in the array.
static NOINLINE void step(struct domain *d, const double *weight, int up, int down) {
  if (rank == size - 1)
    nap(20);
  MPI_Sendrecv(d->u + d->columns, d->columns, MPI_DOUBLE, up, 0, d->u + (d->rows + 1) * d->columns, d->columns,
               MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i <= d->rows; ++i)
    for (long j = 1; j < d->columns - 1; ++j)
      d->v[i * d->columns + j] = *weight * d->u[i * d->columns + j] + d->u[(i + 1) * d->columns + j] * 0.5;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  enum { rows = 60, columns = 200 };
  static double u[(rows + 2) * columns], v[(rows + 2) * columns];
  struct domain d = {u, v, rows, columns};
  double weight = 0.25;
  int up = (rank + size - 1) % size, down = (rank + 1) % size;
  const double *places[] = {&weight, &u[(rows + 1) * columns], &u[(rows + 2) * columns - 1], &u[(rows + 1) * columns - 1],
                            &u[5]};
  for (unsigned place = 0; place < sizeof places / sizeof *places; ++place)
    for (int turn = 0; turn < 3; ++turn) {
      for (int i = 0; i < (rows + 2) * columns; ++i)
        u[i] = (i * 7 + turn + rank) % 11;
      step(&d, places[place], up, down);
      double sum = 0;
      for (int i = 0; i < (rows + 2) * columns; ++i)
        sum += v[i] * (i % 13);
      say("step", (long)(sum * 1000));
    }
  MPI_Finalize();
  return 0;
}
