// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and minima that depend on the order of the iterations: NaN is taken, and so is the value after it (a macro
// MAX(max, x), Fortran's MAX), or one of two zeros remains. A loop that is split computes them for each part, and
// combines the parts in the program's order. All small sizes, with and without NaN, with parts that are empty or
// contain only NaN, and with all kinds of initial values.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Isend -- -lm
// RUN: %commcc -O2 -g -Rcomm -Werror %s -o %t.remarks -lm 2>&1 | FileCheck %s
#include "Inputs/rows.h"
#include <math.h>

enum { most = 7 };

/// A loop after an exchange, one before it, and one with selected and guarded updates.
#define LOOPS(name, type, mpi, CHOOSE)                                                                                 \
  NOINLINE static type name##After(type *restrict v, type *restrict u, int m, int n, type from) {                      \
    type best = from;                                                                                                  \
    EXCHANGE(mpi, u, m, n);                                                                                            \
    for (int i = 1; i <= m; ++i)                                                                                       \
      for (int j = 0; j < n; ++j) {                                                                                    \
        v[i * n + j] = u[(i - 1) * n + j];                                                                             \
        best = CHOOSE(best, u[(i + 1) * n + j]);                                                                       \
      }                                                                                                                \
    return best;                                                                                                       \
  }                                                                                                                    \
  NOINLINE static type name##Before(type *restrict v, const type *restrict u, int m, int n, type from) {               \
    type best = from;                                                                                                  \
    for (int i = 1; i <= m; ++i)                                                                                       \
      for (int j = 0; j < n; ++j) {                                                                                    \
        v[i * n + j] = u[(i - 1) * n + j];                                                                             \
        best = CHOOSE(best, u[(i + 1) * n + j]);                                                                       \
      }                                                                                                                \
    EXCHANGE(mpi, v, m, n);                                                                                            \
    return best;                                                                                                       \
  }                                                                                                                    \
  NOINLINE static type name##Guarded(type *restrict v, const type *restrict u, int m, int n, type from) {              \
    type best = -from;                                                                                                 \
    if (n > 2) {                                                                                                       \
      best = from;                                                                                                     \
      for (int i = 1; i <= m; ++i)                                                                                     \
        for (int j = 0; j < n; ++j) {                                                                                  \
          type x = u[(i + 1) * n + j], y = u[i * n + j] * 2;                                                           \
          v[i * n + j] = x;                                                                                            \
          if (j & 1)                                                                                                   \
            best = CHOOSE(best, x);                                                                                    \
          best = CHOOSE(best, y);                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    EXCHANGE(mpi, v, m, n);                                                                                            \
    return best;                                                                                                       \
  }

#define LARGER(a, x) ((a) > (x) ? (a) : (x))
#define LARGER_OR_EQUAL(a, x) ((a) >= (x) ? (a) : (x))
#define LARGER_NUMBER(a, x) ((x) > (a) ? (x) : (a))
#define LARGER_NUMBER_OR_EQUAL(a, x) ((x) >= (a) ? (x) : (a))
#define SMALLER(a, x) ((a) < (x) ? (a) : (x))
#define NOT_LARGER(a, x) (!((a) > (x)) ? (a) : (x))

// CHECK-DAG: ordered.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} that touch nothing in flight
// CHECK-DAG: ordered.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
LOOPS(larger, double, MPI_DOUBLE, LARGER)
// CHECK-DAG: ordered.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} that touch nothing in flight
// CHECK-DAG: ordered.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
LOOPS(orEqual, double, MPI_DOUBLE, LARGER_OR_EQUAL)
// CHECK-DAG: ordered.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} that touch nothing in flight
// CHECK-DAG: ordered.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
LOOPS(number, double, MPI_DOUBLE, LARGER_NUMBER)
// CHECK-DAG: ordered.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} that touch nothing in flight
// CHECK-DAG: ordered.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
LOOPS(numberOrEqual, double, MPI_DOUBLE, LARGER_NUMBER_OR_EQUAL)
// CHECK-DAG: ordered.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} that touch nothing in flight
// CHECK-DAG: ordered.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
LOOPS(smaller, float, MPI_FLOAT, SMALLER)
// CHECK-DAG: ordered.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop at {{.*}} that touch nothing in flight
// CHECK-DAG: ordered.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
LOOPS(notLarger, float, MPI_FLOAT, NOT_LARGER)

/// Columns are not consecutive parts: the loop waits.
// CHECK-DAG: ordered.c:[[#@LINE+6]]:{{[0-9]+}}: remark: the loop at {{.*}} waits as a whole
NOINLINE static double columns(double *restrict v, double *restrict u, int m, int n) {
  double best = 0;
  MPI_Datatype column;
  MPI_Type_vector(m, 1, n, MPI_DOUBLE, &column), MPI_Type_commit(&column);
  MPI_Sendrecv(&u[n + n - 2], 1, column, down, 3, &u[n], 1, column, up, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n; ++j) {
      v[i * n + j] = u[i * n + j - 1];
      best = LARGER(best, u[i * n + j - 1]);
    }
  MPI_Type_free(&column);
  return best;
}

/// A vector is several maxima: the loop waits.
typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
typedef long Mask __attribute__((vector_size(2 * sizeof(long))));
// CHECK-DAG: ordered.c:[[#@LINE+4]]:{{[0-9]+}}: remark: the loop at {{.*}} waits as a whole: it carries a value
NOINLINE static double pairs(double *restrict v, double *restrict u, int m, int n) {
  Pair best = {0, 1};
  EXCHANGE(MPI_DOUBLE, u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      Pair next = {u[(i - 1) * n + j], u[i * n + j]};
      v[i * n + j] = next[0];
      Mask isLarger = best > next;
      best = (Pair)((isLarger & (Mask)best) | (~isLarger & (Mask)next));
    }
  return best[0] + 3 * best[1];
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
    return mixed % 11 == 0 ? NAN : mixed % 100;
  case 3:
    return others[4 + mixed % 2];
  case 4:
    return -INFINITY;
  case 5:
    return mixed % 5 == 0 ? INFINITY : mixed % 7 == 0 ? NAN : 2.0 + mixed % 3;
  default:
    return mixed % 29 == 0 ? NAN : -(double)(mixed % 10);
  }
}

#define COUNT(call, type)                                                                                              \
  do {                                                                                                                 \
    type result = call;                                                                                                \
    unsigned long bits = 0;                                                                                            \
    memcpy(&bits, &result, sizeof result);                                                                             \
    sum = sum * 31 + bits;                                                                                             \
  } while (0)

#define ALL(name, type, u, v)                                                                                          \
  do {                                                                                                                 \
    COUNT(name##After(v, u, m, n, from), type);                                                                        \
    COUNT(name##Before(v, u, m, n, from), type);                                                                       \
    COUNT(name##Guarded(v, u, m, n, from), type);                                                                      \
  } while (0)

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 2) * most };
  double u[cells], v[cells];
  float s[cells], t[cells];
  static const double begins[] = {0.0, -0.0, NAN, -INFINITY, INFINITY, -5.0};
  for (int kind = 0; kind < 7; ++kind)
    for (int m = 1; m < most; ++m)
      for (int n = 0; n < most; ++n) {
        unsigned long sum = 0;
        for (int seed = 0; seed < 6; ++seed) {
          double from = begins[seed];
          for (int i = 0; i < cells; ++i) {
            u[i] = pick(i * 7 + seed * 1009 + m * 31 + n * 57 + rank * 3, kind);
            s[i] = u[i];
            v[i] = t[i] = 0;
          }
          ALL(larger, double, u, v);
          ALL(orEqual, double, u, v);
          ALL(number, double, u, v);
          ALL(numberOrEqual, double, u, v);
          ALL(smaller, float, s, t);
          ALL(notLarger, float, s, t);
          if (n > 2)
            COUNT(columns(v, u, m, n), double);
          COUNT(pairs(v, u, m, n), double);
        }
        printf("rank %d: %d %d %d %lx\n", rank, kind, m, n, sum);
      }
  MPI_Finalize();
  return 0;
}
