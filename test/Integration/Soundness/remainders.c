// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns that wrap around with `%`: the range of a remainder is known for a positive divisor and a nonnegative
// dividend (ScalarTranslation.cpp), which is tested at run time. Here divisors are negative, and so are dividends.
// RUN: %same %s -o %t -n 1,2,4
// RUN: commcc -O2 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

enum { columns = 64, rows = 6, ghosts = 4, places = (rows + 2 * ghosts) * columns };

// CHECK-DAG: remark: splits the loop at remainders.c:[[#@LINE+4]]
NOINLINE static void wrapped(const int *u, int *restrict v, int *ghost, int m, int n, int up, int down) {
  MPI_Sendrecv(u + columns, columns, MPI_INT, up, 0, ghost, columns, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = u[i * columns + (j + 1) % n] + 3 * u[(i - 1) * columns + j] - u[(i + 1) * columns + (j - 1 + n) % n];
}

// CHECK-DAG: remark: splits the loop at remainders.c:[[#@LINE+4]]
NOINLINE static void shifted(int *u, int *restrict v, int m, int n, int by, int up, int down) {
  MPI_Sendrecv(u + columns, columns, MPI_INT, up, 0, u, columns, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = u[i * columns + (j + by) % n] * 5 + j;
}

// CHECK-DAG: remark: splits the loop at remainders.c:[[#@LINE+4]]
NOINLINE static void masked(int *u, int *restrict v, int m, unsigned by, int up, int down) {
  MPI_Sendrecv(u + columns, columns, MPI_INT, up, 0, u, columns, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
#pragma clang loop vectorize(disable) // clang 22 vectorizes such masks wrongly
    for (unsigned j = 0; j < columns; ++j)
      v[i * columns + j] = u[i * columns + (j * 3 + by & columns - 1)] * 7 + u[i * columns + (j + by) % columns];
}

// The ghost row is the last one, which only negative divisors reach from two rows before it.
// CHECK-DAG: remark: splits the loop at remainders.c:[[#@LINE+4]]
NOINLINE static void reached(int *u, int *restrict v, int m, int n, int by, int up, int down) {
  MPI_Sendrecv(u + columns, columns, MPI_INT, up, 0, u + (m + 1) * columns, columns, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = u[i * columns + (j + by) % n] * 3 + j;
}

// Dividends that are negative.
// CHECK-DAG: remark: splits the loop at remainders.c:[[#@LINE+4]]
NOINLINE static void backward(int *u, int *restrict v, int m, int n, int up, int down) {
  MPI_Sendrecv(u + columns, columns, MPI_INT, up, 0, u, columns, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = u[i * columns + (j - columns) % n] * 9 + j;
}

// A remainder selects the written elements.
NOINLINE static void scattered(int *u, int m, int n, int by, int up, int down) {
  MPI_Sendrecv(u + columns, columns, MPI_INT, up, 0, u, columns, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      u[(i + 1) * columns + (j + by) % n] += i * u[i * columns + j] % 31;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  static const int divisors[] = {columns, -columns, 3, -3, 1, columns + 3, 3 * columns, -3 * columns};
  static const int shifts[] = {0, 1, -1, columns - 1, -columns, 2 * columns, -3 * columns};
  static int space[places], other[places];
  for (unsigned d = 0; d < sizeof(divisors) / sizeof(int); ++d)
    for (unsigned s = 0; s < sizeof(shifts) / sizeof(int); ++s)
      for (int m = 1; m <= rows; m += rows - 1) {
        for (int i = 0; i < places; ++i)
          space[i] = (i * 37 + rank * 11) % 101, other[i] = i;
        int *u = space + ghosts * columns, *v = other + ghosts * columns;
        wrapped(u, v, u, m, divisors[d], up, down);
        shifted(u, v + 1, m, divisors[d], shifts[s], up, down);
        masked(v, u, m, (unsigned)shifts[s], up, down);
        reached(u, v + 2, m, divisors[d], shifts[s], up, down);
        backward(u, v + 3 * columns / 2, m, divisors[d], up, down);
        scattered(u, m, divisors[d], shifts[s], up, down);
        unsigned long sum = 0;
        for (int i = 0; i < places; ++i)
          sum = sum * 3 + (unsigned)space[i] + 7ul * (unsigned)other[i];
        printf("rank %d: %% %d + %d, %d rows: %lu\n", rank, divisors[d], shifts[s], m, sum);
      }
  MPI_Finalize();
  return 0;
}
