// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Residuals that stay in memory, because messages send them and loops store to arrays that the program swaps. Loops
// carry them as values if no other pointer to them exists (CarryVariables.cpp).
// RUN: %samexx %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { columns = 40, rows = 6 };

/// Overlaps work, so that the function does not run as written.
static inline void exchange(double *u, double *own, int m, int up, int down) {
  MPI_Sendrecv(u + columns, columns, MPI_DOUBLE, up, 0, u + (m + 1) * columns, columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(own);
}

// The largest change, and the number of changes, next to each other.
NOINLINE double residual(double *u, double *v, int m, int turns, int up, int down) {
  double local[2], all[2] = {0, 0};
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Sendrecv(u + columns, columns, MPI_DOUBLE, up, 0, u + (m + 1) * columns, columns, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    local[0] = local[1] = 0;
    // CHECK-DAG: remark: splits the loop at carried.cpp:[[#@LINE+1]]
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j < columns - 1; ++j) {
        double value = 0.25 * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j] + u[i * columns + j - 1]);
        double d = __builtin_fabs(value - u[i * columns + j]);
        v[i * columns + j] = value;
        if (d > local[0])
          local[0] = d;
      }
    MPI_Allreduce(local, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (all[0] < 1e-3)
      break;
    double *t = u;
    u = v;
    v = t;
  }
  return all[0] + u[columns + 3];
}

// A maximum that clang carries over rows and stores after each, as these arrays are not swapped: two of one value.
static double field[(rows + 2) * columns], next[(rows + 2) * columns];

NOINLINE double stored(int m, int turns, int up, int down) {
  double all = 0;
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Sendrecv(field + columns, columns, MPI_DOUBLE, up, 0, field + (m + 1) * columns, columns, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double change = 0;
    // CHECK-DAG: remark: splits the loop at carried.cpp:[[#@LINE+1]]
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j < columns - 1; ++j) {
        next[i * columns + j] = 0.25 * (field[(i - 1) * columns + j] + field[(i + 1) * columns + j]);
        change = __builtin_fmax(change, __builtin_fabs(next[i * columns + j] - field[i * columns + j]));
      }
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j < columns - 1; ++j)
        field[i * columns + j] = next[i * columns + j];
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  return all + field[columns + 3];
}

// The loop does not start with the value stored before it, because a message intervenes.
NOINLINE double received(double *u, double *v, int m, int turns, int up, int down) {
  double all = 0;
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Sendrecv(u + columns, columns, MPI_DOUBLE, up, 0, u + (m + 1) * columns, columns, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double change = 0, seed = 40 + 10 * turn + rank;
    MPI_Sendrecv(&seed, 1, MPI_DOUBLE, up, 1, &change, 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j < columns - 1; ++j) {
        v[i * columns + j] = 0.25 * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j]);
        change = __builtin_fmax(change, __builtin_fabs(v[i * columns + j] - u[i * columns + j]));
      }
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double *t = u;
    u = v;
    v = t;
  }
  return all + u[columns + 3];
}

// Another pointer to the variable exists, through which the loop also adds to it.
static double *kept;
static NOINLINE void keep(double *p) { kept = p; }

NOINLINE double known(double *u, double *v, int m, int turns, int up, int down) {
  double own[steps] = {1};
  double sum = 1, all = 0;
  keep(&sum);
  for (int turn = 0; turn < turns; ++turn) {
    exchange(u, own, m, up, down);
    double *other = kept;
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < columns; ++j) {
        v[i * columns + j] = u[i * columns + j];
        *other += 1;
        sum *= 1.0625;
      }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double *t = u;
    u = v;
    v = t;
  }
  return all + own[steps - 1];
}

// An exception leaves the loop: its handler sees the stored value.
static NOINLINE int check(double value) {
  if (value > 90)
    throw 1;
  return value > 50;
}

NOINLINE double thrown(double *u, double *v, int m, int turns, int up, int down) {
  double own[steps] = {1};
  int count = 0, all = 0;
  for (int turn = 0; turn < turns; ++turn) {
    exchange(u, own, m, up, down);
    try {
      for (int i = 1; i <= m; ++i)
        for (int j = 0; j < columns; ++j) {
          v[i * columns + j] = u[i * columns + j] + turn;
          count += 1 + check(v[i * columns + j]);
        }
    } catch (int) {
      count *= 3;
    }
    MPI_Allreduce(&count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    count = all % 1001;
    double *t = u;
    u = v;
    v = t;
  }
  return all + own[steps - 1];
}

// The same bytes accessed as two types.
NOINLINE double both(long *u, long *v, int m, int turns, int up, int down) {
  double own[steps] = {1};
  union {
    long number;
    int half[2];
  } sum;
  long all = 0;
  sum.number = 5;
  for (int turn = 0; turn < turns; ++turn) {
    exchange((double *)u, own, m, up, down);
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < columns; ++j) {
        v[i * columns + j] = u[i * columns + j] + 1;
        sum.number += 77777777 * (j + 1);
        sum.half[1] ^= j;
      }
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    long *t = u;
    u = v;
    v = t;
  }
  return (double)all + own[steps - 1];
}

// One of them is chosen at run time.
NOINLINE double chosen(double *u, double *v, int m, int turns, int up, int down) {
  double own[steps] = {1};
  double local[4] = {0, 1, 2, 3}, all[4] = {0, 0, 0, 0};
  for (int turn = 0; turn < turns; ++turn) {
    exchange(u, own, m, up, down);
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < columns; ++j) {
        local[0] = local[0] * 0.5 + u[i * columns + j];
        v[i * columns + j] = u[i * columns + j] + local[(i + j) & 3];
      }
    MPI_Allreduce(local, all, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double *t = u;
    u = v;
    v = t;
  }
  return all[0] + u[columns + 5] + own[steps - 1];
}

// A new variable in each iteration, which only some loops see.
NOINLINE double living(double *u, double *v, int m, int turns, int up, int down) {
  double own[steps] = {1};
  double result = 0;
  for (int turn = 0; turn < turns; ++turn) {
    exchange(u, own, m, up, down);
    for (int i = 1; i <= m; ++i) {
      double here = 1, there = 0;
      for (int j = 0; j < columns; ++j) {
        v[i * columns + j] = u[i * columns + j] * 0.5;
        if (v[i * columns + j] > 20)
          here += 1;
      }
      MPI_Allreduce(&here, &there, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
      result = result * 0.5 + there;
    }
    double *t = u;
    u = v;
    v = t;
  }
  return result + own[steps - 1];
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  static double fields[2][(rows + 2) * columns];
  static long numbers[2][(rows + 2) * columns];
  for (int m = 1; m <= rows; m += 2)
    for (int turns = 1; turns < 6; turns += 2) {
      for (int i = 0; i < (rows + 2) * columns; ++i)
        fields[0][i] = fields[1][i] = field[i] = (i * 37 + rank * 11) % 89, numbers[0][i] = numbers[1][i] = i;
      double values[] = {residual(fields[0], fields[1], m, turns, up, down), known(fields[0], fields[1], m, turns, up, down),
                         thrown(fields[0], fields[1], m, turns, up, down), both(numbers[0], numbers[1], m, turns, up, down),
                         chosen(fields[0], fields[1], m, turns, up, down),
                         living(fields[0], fields[1], m, turns, up, down), stored(m, turns, up, down),
                         received(fields[0], fields[1], m, turns, up, down)};
      for (double value : values)
        printf("rank %d: %d rows, %d turns: %a\n", rank, m, turns, value);
    }
  MPI_Finalize();
  return 0;
}
