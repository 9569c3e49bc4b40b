// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory without a declared type takes the type of the stored value (C11, 6.5): a pool holds integers in one phase and
// doubles in the next. Accesses to the integers stay before stores of the doubles, although types differ and addresses
// prove nothing. Iterations of one loop that do so are not reordered either.
// RUN: %same %s -o %t -n 1,2 --overlaps "MPI_Sendrecv at pools.c:[0-9]+"
#include "Inputs/soundness.h"

enum { tokens = 4 };

static void exchange(double first, double *got) {
  double token[tokens] = {first, 1, 2, 3};
  MPI_Sendrecv(token, tokens, MPI_DOUBLE, (rank + 1) % size, 0, got, tokens, MPI_DOUBLE, (rank + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// The integers are read after the message, by its number; the doubles need no message.
NOINLINE static double readFirst(void *pool, double *got, int n) {
  double sum = 0;
  for (int step = 0; step < 3; ++step) {
    int *numbers = pool;
    for (int i = 0; i < n; ++i)
      numbers[i] = i * 3 + step;
    exchange(step + rank, got);
    for (int i = 0; i < n; ++i)
      sum = sum * 0.5 + numbers[i] * got[i % tokens];
    double *values = pool;
    for (int i = 0; i < n / 2; ++i)
      values[i] = i * 0.25 + step;
    for (int i = 0; i < n / 2; ++i)
      sum += values[i];
  }
  return sum;
}

/// The integers are stored after the message.
NOINLINE static double storeFirst(int *numbers, double *values, double *got, int n) {
  double sum = 0;
  for (int step = 0; step < 3; ++step) {
    exchange(step + rank, got);
    for (int i = 0; i < n; ++i)
      numbers[i] = i * 3 + (int)got[0];
    for (int i = 0; i < n; ++i)
      sum = sum * 0.5 + numbers[i];
    for (int i = 0; i < n / 2; ++i)
      values[i] = i * 0.25 + step;
    exchange(step, got);
    for (int i = 0; i < n / 2; ++i)
      sum += values[i] * got[1];
  }
  return sum;
}

/// Stored before a branch, and again in one arm.
NOINLINE static double storeTwice(long *number, long long *other, double *got, double *values, int again) {
  double sum = 0;
  for (int step = 0; step < 3; ++step) {
    sum += *(volatile unsigned char *)number;
    *other = step + 5;
    if (again)
      *number = 7;
    exchange(step + rank, got);
    for (int i = 1; i < 40; ++i)
      values[i] = values[i - 1] * 0.5 + i;
    int n = 3;
    if (again)
      n = (int)*number;
    exchange(step, got);
    for (int i = 1; i < n; ++i)
      sum += values[i] * got[0];
  }
  return sum;
}

/// Each iteration stores integers where the next one has read numbers, some of which were received.
NOINLINE static double converted(double *numbers, long *integers, int rows, int columns) {
  double sum = 0, mine[64];
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < rows * columns; ++i)
      numbers[i] = (i * 7 + step + rank * 3) % 101 * 0.5;
    for (int j = 0; j < columns; ++j)
      mine[j] = j + rank + step;
    MPI_Sendrecv(mine, columns, MPI_DOUBLE, (rank + 1) % size, 0, &numbers[(rows - 2) * columns], columns, MPI_DOUBLE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = rows - 1; i > 0; --i)
      for (int j = 0; j < columns; ++j)
        integers[i * columns + j] = (long)(numbers[(i - 1) * columns + j] * 2);
    for (int i = columns; i < rows * columns; ++i)
      sum = sum * 0.99 + (double)integers[i];
  }
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  enum { rows = 50, columns = 60, count = rows * columns };
  double *pool = malloc(count * sizeof *pool), *got = malloc(tokens * sizeof *got),
         *values = calloc(40, sizeof *values);
  say("read first", (long)readFirst(pool, got, count));
  say("store first", (long)storeFirst((int *)pool, pool, got, count));
  say("converted", (long)(converted(pool, (long *)pool, rows, columns) * 1000));
  void *number = malloc(sizeof(long long));
  *(long *)number = 9;
  say("store twice", (long)(storeTwice(number, number, got, values, argc) * 1000));
  free(pool), free(got), free(values), free(number);
  MPI_Finalize();
  return 0;
}
