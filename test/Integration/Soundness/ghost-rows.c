// Rows of one array that are sent, received and computed are different bytes if they are different rows. Tests all ways
// in which the rows of two exchanges and of the code between them can coincide.
// RUN: %same %s -o %t -n 1,2,3 --overlaps MPI_Sendrecv
#include "Inputs/soundness.h"

enum { columns = 64, rows = 3 };
static double u[rows * columns];
static int up, down;

NOINLINE static void exchange(double *u, int a, int b, int c, int d) {
  MPI_Sendrecv(&u[a * columns], columns, MPI_DOUBLE, up, 0, &u[b * columns], columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[c * columns], columns, MPI_DOUBLE, down, 1, &u[d * columns], columns, MPI_DOUBLE, up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

NOINLINE static void change(double *u, int a, int b, int c, int d, int k) {
  MPI_Sendrecv(&u[a * columns], columns, MPI_DOUBLE, up, 0, &u[b * columns], columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int j = 0; j < columns; ++j)
    u[k * columns + j] = u[k * columns + j] * 0.5 + k;
  MPI_Sendrecv(&u[c * columns], columns, MPI_DOUBLE, down, 1, &u[d * columns], columns, MPI_DOUBLE, up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Column k of the middle rows: separate from the sent and received data, or not.
NOINLINE static void columnwise(double *u, int a, int b, int k) {
  MPI_Sendrecv(&u[a * columns + 1], columns - 2, MPI_DOUBLE, up, 0, &u[b * columns + 1], columns - 2, MPI_DOUBLE, down,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < rows; ++i)
    u[i * columns + k] += 1 + i;
  MPI_Sendrecv(&u[b * columns + 1], columns - 2, MPI_DOUBLE, down, 1, &u[a * columns + 1], columns - 2, MPI_DOUBLE, up,
               1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static long hash(void) {
  double sum = 0;
  for (int i = 0; i < rows * columns; ++i)
    sum = sum * 0.75 + u[i];
  return (long)(sum * 1e6);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int i = 0; i < rows * columns; ++i)
    u[i] = (rank * 31 + i * 7) % 17;
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < rows; ++b)
      for (int c = 0; c < rows && a != b; ++c)
        for (int d = 0; d < rows; ++d) {
          if (c == d)
            continue;
          // Ranks are out of step, so that late messages are covered.
          if ((a + c + d) % 3 == rank)
            nap(2);
          exchange(u, a, b, c, d);
          say("hash", hash());
          for (int k = 0; k < rows; ++k)
            change(u, a, b, c, d, k);
          columnwise(u, a, b, c * (columns / 2) + d - c);
          say("hash", hash());
        }
  MPI_Finalize();
  return 0;
}
