// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and minima that take NaN (a macro MAX(max, x), Fortran's MAX), in nests of which rows and columns are left
// out. Their parts alternate, so the program repeats the loops in order where it has met a NaN. All small sizes, with
// NaN and infinities anywhere, and with all kinds of initial values.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Isend -- -lm
// RUN: %commcc -O2 -g -Rcomm -Werror %s -o %t.remarks -lm 2>&1 | FileCheck %s
#include "Inputs/rows.h"
#include <math.h>

enum { most = 5 };

static int west, east;
static MPI_Datatype column;

static inline __attribute__((always_inline)) void exchange(double *u, int m, int w) {
  MPI_Request q[8];
  MPI_Irecv(u + 1, w - 2, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(u + (m + 1) * w + 1, w - 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &q[1]);
  MPI_Irecv(u + w, 1, column, west, 2, MPI_COMM_WORLD, &q[2]);
  MPI_Irecv(u + w + w - 1, 1, column, east, 3, MPI_COMM_WORLD, &q[3]);
  MPI_Isend(u + m * w + 1, w - 2, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &q[4]);
  MPI_Isend(u + w + 1, w - 2, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &q[5]);
  MPI_Isend(u + w + w - 2, 1, column, east, 2, MPI_COMM_WORLD, &q[6]);
  MPI_Isend(u + w + 1, 1, column, west, 3, MPI_COMM_WORLD, &q[7]);
  MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
}

#define SWEEP(update)                                                                                                  \
  for (int i = 1; i <= m; ++i)                                                                                         \
    for (int j = 1; j < w - 1; ++j) {                                                                                  \
      long at = i * w + j;                                                                                             \
      v[at] = u[at - w] + u[at + w] - u[at - 1] + u[at + 1];                                                           \
      update;                                                                                                          \
    }

/// A loop after an exchange, one before it, and one with selected and guarded updates.
#define LOOPS(name, CHOOSE)                                                                                            \
  NOINLINE static double name##After(double *restrict v, double *restrict u, int m, int w, double from) {              \
    double best = from;                                                                                                \
    exchange(u, m, w);                                                                                                 \
    SWEEP(best = CHOOSE(best, fabs(v[at] - u[at])))                                                                    \
    return best;                                                                                                       \
  }                                                                                                                    \
  NOINLINE static double name##Before(double *restrict v, const double *restrict u, int m, int w, double from) {       \
    double best = from > 0 ? 3 : 0;                                                                                    \
    SWEEP(best = CHOOSE(best, fabs(v[at] - u[at])))                                                                    \
    exchange(v, m, w);                                                                                                 \
    return best;                                                                                                       \
  }                                                                                                                    \
  NOINLINE static double name##Guarded(double *restrict v, double *restrict u, int m, int w, double from) {            \
    double best = -from;                                                                                               \
    exchange(u, m, w);                                                                                                 \
    if (w > 4) {                                                                                                       \
      best = from;                                                                                                     \
      SWEEP(if (j & 1) best = CHOOSE(best, fabs(u[at])); best = CHOOSE(best, fabs(v[at])))                             \
    }                                                                                                                  \
    return best;                                                                                                       \
  }

#define LARGER(a, x) ((a) > (x) ? (a) : (x))
#define LARGER_OR_EQUAL(a, x) ((a) >= (x) ? (a) : (x))
#define SMALLER(a, x) ((a) < (x) ? (a) : (x))

// CHECK-DAG: repeated.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested loops that touch nothing in
// CHECK-DAG: repeated.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested {{.*}} no start needs them
LOOPS(larger, LARGER)
// CHECK-DAG: repeated.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested loops that touch nothing in
// CHECK-DAG: repeated.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested {{.*}} no start needs them
LOOPS(orEqual, LARGER_OR_EQUAL)
// CHECK-DAG: repeated.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested loops that touch nothing in
// CHECK-DAG: repeated.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested {{.*}} no start needs them
LOOPS(smaller, SMALLER)

/// Two of them in one loop.
// CHECK-DAG: repeated.c:[[#@LINE+5]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested loops that touch nothing in
NOINLINE static double both(double *restrict v, double *restrict u, int m, int w, double from) {
  double most = from, least = from;
  int number = 0;
  exchange(u, m, w);
  SWEEP(most = LARGER(most, fabs(v[at])); least = SMALLER(least, fabs(u[at - 1])); number += v[at] > 1)
  return most * 3 + least + number;
}

/// What each point is computed from is no longer there: the loop waits.
// CHECK-DAG: repeated.c:[[#@LINE+4]]:{{[0-9]+}}: remark: the loop {{.*}} waits as a whole: it has a maximum or minimum
NOINLINE static double inPlace(double *restrict v, double *restrict u, int m, int w, double from) {
  double best = from;
  exchange(u, m, w);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < w - 1; ++j) {
      long at = i * w + j;
      double new = u[at - w] - u[at - 1] + u[at + 1] * v[at];
      best = LARGER(best, fabs(new - v[at]));
      v[at] = new;
    }
  return best;
}

/// Likewise, if the program finds out at run time that two pointers are one.
// CHECK-DAG: repeated.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop at {{.*}} 2 nested loops that touch nothing in
NOINLINE static double maybeInPlace(double *v, const double *old, double *u, int m, int w, double from) {
  double best = from;
  exchange(u, m, w);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < w - 1; ++j) {
      long at = i * w + j;
      double new = u[at - w] - u[at - 1] + u[at + 1] * old[at];
      best = LARGER(best, fabs(new - old[at]));
      v[at] = new;
    }
  return best;
}

/// One of two zeros remains: the loop waits.
// CHECK-DAG: repeated.c:[[#@LINE+4]]:{{[0-9]+}}: remark: the loop at {{.*}} waits as a whole: it carries a value
NOINLINE static double zeros(double *restrict v, double *restrict u, int m, int w, double from) {
  double best = from;
  exchange(u, m, w);
  SWEEP(best = LARGER(best, u[at - 1] * 0))
  return best;
}

/// Numbers, zeros of both signs, infinities, and several NaNs, selected by the kind.
static double pick(unsigned number, int kind) {
  static const double others[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1.0, -1.0};
  unsigned mixed = (number * 2654435761u) >> 13;
  switch (kind) {
  case 0:
    return others[mixed % 2];
  case 1:
    return others[mixed % 8];
  case 2:
    return mixed % 41 == 0 ? NAN : mixed % 100;
  case 3:
    return mixed % 37 == 0 ? INFINITY : mixed % 31 == 0 ? NAN : 2.0 + mixed % 30;
  default:
    return mixed % 100;
  }
}

static unsigned long sum;

/// Which of two NaNs a sum returns is up to the compiler.
static void count(double result) {
  unsigned long bits = 1;
  if (!isnan(result))
    memcpy(&bits, &result, sizeof result);
  sum = sum * 31 + bits;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = west = (rank + size - 1) % size;
  down = east = (rank + 1) % size;
  enum { cells = (most + 2) * (most + 2) };
  double u[cells], v[cells];
  static const double begins[] = {0.0, -0.0, NAN, -INFINITY, INFINITY, -5.0};
  for (int kind = 0; kind < 5; ++kind)
    for (int m = 1; m < most; ++m)
      for (int w = 2; w < most + 2; w += 1 + w / 4) {
        MPI_Type_vector(m, 1, w, MPI_DOUBLE, &column), MPI_Type_commit(&column);
        sum = 0;
        for (int seed = 0; seed < 6; seed += 1 + kind % 2) {
          double from = begins[seed];
          for (int i = 0; i < cells; ++i) {
            u[i] = pick(i * 7 + seed * 1009 + m * 31 + w * 57 + rank * 3, kind);
            v[i] = i % 5;
          }
          count(inPlace(v, u, m, w, from));
          count(maybeInPlace(v, v, u, m, w, from));
          for (int i = 0; i < cells; ++i)
            count(v[i]);
          count(largerAfter(v, u, m, w, from));
          count(largerBefore(v, u, m, w, from));
          count(largerGuarded(v, u, m, w, from));
          count(orEqualAfter(v, u, m, w, from));
          count(orEqualBefore(v, u, m, w, from));
          count(orEqualGuarded(v, u, m, w, from));
          count(smallerAfter(v, u, m, w, from));
          count(smallerBefore(v, u, m, w, from));
          count(smallerGuarded(v, u, m, w, from));
          count(both(v, u, m, w, from));
          count(zeros(v, u, m, w, from));
          for (int i = 0; i < cells; ++i)
            count(v[i]);
        }
        printf("rank %d: %d %d %d %lx\n", rank, kind, m, w, sum);
        MPI_Type_free(&column);
      }
  MPI_Finalize();
  return 0;
}
