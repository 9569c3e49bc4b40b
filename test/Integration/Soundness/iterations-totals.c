// Loops that compute data that is sent next, and a total: iterations that are not sent run after the start, and each
// part has a separate total. Some iterations do not run, some values start with one of two zeros, and some totals are
// skipped by the loop's guard, at all small sizes. Each of several consecutive loops avoids the accesses of later ones
// before the start.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Isend -- -lm
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcc -O2 -g -fcomm-check -fcomm-known-sources %s -o %t.checked -lm
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/rows.h"
#include <math.h>

enum { most = 8 };

/// The change of a field that is sent afterwards.
// CHECK-DAG: iterations-totals.c:[[#@LINE+3]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
NOINLINE static double change(double *restrict v, const double *restrict u, int m, int n) {
  double large = 0;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] - u[i * n + j];
      large = fmax(large, fabs(v[i * n + j] - u[i * n + j]));
    }
  EXCHANGE(MPI_DOUBLE, v, m, n);
  return large;
}

/// Integers: a total that is not a maximum includes its initial value once.
// CHECK-DAG: iterations-totals.c:[[#@LINE+3]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
NOINLINE static long counts(double *restrict v, const double *restrict u, int m, int n, long from) {
  long count = from, product = from | 1, least = from + 10, bits = ~from;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      double now = u[(i - 1) * n + j] + u[(i + 1) * n + j];
      v[i * n + j] = now;
      count += now > 9;
      product *= 2 * i + 3;
      long whole = now;
      least = whole < least ? whole : least;
      bits &= whole | j;
    }
  EXCHANGE(MPI_DOUBLE, v, m, n);
  return count * 5 + product * 3 + least + bits;
}

/// The guard of the loop has a value of its own, larger than any total.
NOINLINE static double guarded(double *restrict v, const double *restrict u, int m, int n) {
  double large = 1e3;
  if (n > 3) {
    large = 0;
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < n; ++j) {
        v[i * n + j] = u[(i - 1) * n + j] * 2;
        large = v[i * n + j] > large ? v[i * n + j] : large;
      }
  }
  EXCHANGE(MPI_DOUBLE, v, m, n);
  return large;
}

/// A flag that one of many iterations may change.
// CHECK-DAG: iterations-totals.c:[[#@LINE+3]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
NOINLINE static int flag(double *restrict v, const double *restrict u, int m, int n, double limit, int set) {
  int found = set;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      v[i * n + j] = u[(i - 1) * n + j] * 2;
      if (v[i * n + j] > limit)
        found = 7;
    }
  EXCHANGE(MPI_DOUBLE, v, m, n);
  return found;
}

/// Two flags in one: the later one counts.
// CHECK-DAG: iterations-totals.c:[[#@LINE+3]]:{{[0-9]+}}: remark: the loop at {{.*}} is finished before its results are sent: it carries a value
NOINLINE static int either(double *restrict v, const double *restrict u, int m, int n, double limit) {
  int found = 0;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      v[i * n + j] = u[(i - 1) * n + j] * 2;
      if (v[i * n + j] > limit)
        found = 1;
      else if (v[i * n + j] < -limit)
        found = 2;
    }
  EXCHANGE(MPI_DOUBLE, v, m, n);
  return found;
}

/// A flag that ends the search: later iterations have another value.
NOINLINE static int untilFound(double *restrict v, const double *restrict u, int m, int n, double limit) {
  int found = 0;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      v[i * n + j] = found ? 1.0 : u[(i - 1) * n + j] * 2;
      if (u[i * n + j] > limit)
        found = 1;
    }
  EXCHANGE(MPI_DOUBLE, v, m, n);
  return found;
}

/// Of equal zeros the later one is taken, and it may be that the first one is below.
// CHECK-DAG: iterations-totals.c:[[#@LINE+3]]:{{[0-9]+}}: remark: the loop at {{.*}} is finished before its results are sent: it computes a value
NOINLINE static double zeros(double *restrict v, const double *restrict u, int m, int n, double from) {
  double large = from;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      v[i * n + j] = u[(i - 1) * n + j] * 2;
      double now = fabs(u[i * n + j] * 0.0);
      large = now >= large ? now : large;
    }
  EXCHANGE(MPI_DOUBLE, v, m, n);
  return large;
}

/// The new values replace the old ones, which the first loop reads; the new ones are sent.
// CHECK-DAG: iterations-totals.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop at {{.*}} no start needs them
// (Both loops have this line, and one remark.)
NOINLINE static double copied(double *restrict v, double *restrict u, int m, int n) {
  double large = 0;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] - u[i * n + j];
      large = fmax(large, fabs(v[i * n + j] - u[i * n + j]));
    }
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      u[i * n + j] = v[i * n + j] * 0.5;
  EXCHANGE(MPI_DOUBLE, u, m, n);
  return large;
}

/// Three consecutive loops, the last of which reads two rows ahead.
NOINLINE static int chained(double *restrict v, double *restrict u, double *restrict w, int m, int n) {
  int count = 0;
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j];
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      w[i * n + j] = v[(i - 1) * n + j] - v[(i + 1) * n + j];
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      u[i * n + j] = w[i * n + j] + v[(i > 2 ? i - 2 : 0) * n + j];
      count += u[i * n + j] > 3;
    }
  EXCHANGE(MPI_DOUBLE, u, m, n);
  return count;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 3) * (most + 3) };
  for (int m = 1; m < most; ++m)
    for (int n = 0; n < most; ++n)
      for (int seed = 0; seed < 3; ++seed) {
        double *u = make(cells, m + seed), *v = make(cells, n), *w = make(cells, 5), result;
        unsigned long sum = 0;
        result = change(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        sum = sum * 3 + counts(v, u, m, n, seed) + digits(v, cells);
        result = guarded(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        sum = sum * 3 + flag(v, u, m, n, 25, seed) + digits(v, cells);
        sum = sum * 3 + flag(v, u, m, n, 99, 7) + digits(v, cells);
        sum = sum * 3 + either(v, u, m, n, 8) + digits(v, cells);
        sum = sum * 3 + untilFound(v, u, m, n, 10) + digits(v, cells);
        result = zeros(v, u, m, n, seed ? 0.0 : -0.0), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        result = copied(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(u, cells) + digits(v, cells);
        sum = sum * 3 + chained(v, u, w, m, n) + digits(u, cells) + digits(v, cells) + digits(w, cells);
        printf("rank %d: %d %d %d %lx\n", rank, m, n, seed, sum);
        free(u), free(v), free(w);
      }
  MPI_Finalize();
  return 0;
}
