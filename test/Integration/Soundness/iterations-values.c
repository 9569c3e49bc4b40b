// Loops that run iterations before the wait, and compute a value: counts, maxima, the last value. Digits and signs
// of zero are those of the program's order. Neighbors wait before they send, so code before its wait sees old
// values.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv -- -lm
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcc -O2 -g -fcomm-check -fcomm-known-sources %s -o %t.checked -lm
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/cells.h"
#include <math.h>

enum { most = 7 };
static int up, down;

NOINLINE static double *makeOdd(int cells, int seed) {
  static const double odd[4] = {0.0, -0.0, NAN, -1.5};
  double *cell = malloc(sizeof(double) * cells);
  for (int i = 0; i < cells; ++i) {
    int value = ((i + 1) * 37 + seed * 11 + rank * 5) % 101;
    cell[i] = value % 9 == 0 ? odd[value % 4] : value / 7.0;
  }
  return cell;
}

#define START(u, m, n)                                                                                                 \
  MPI_Request request[4];                                                                                              \
  MPI_Irecv(&u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);                                                 \
  MPI_Irecv(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);                                     \
  MPI_Isend(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);                                                 \
  MPI_Isend(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);                                           \
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE)

/// Integers: a count under a condition, a sum that would overflow in another order, the bits of all.
// CHECK-DAG: iterations-values.c:[[#@LINE+5]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static unsigned long counts(double *restrict v, double *restrict u, const int *restrict terms, int m, int n) {
  int count = 0, sum = 0;
  unsigned bits = 0;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      v[i * n + j] = u[(i - 1) * n + j] + 2 * u[i * n + j] + u[(i + 1) * n + j];
      if (v[i * n + j] > 20)
        ++count;
      sum += terms[i];
      bits ^= (unsigned)i * j;
    }
  return count * 7ul + sum * 31ul + bits;
}

/// A maximum from 0 on: the change of the field.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static double change(double *restrict v, double *restrict u, int m, int n) {
  double most = 0;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      double now = u[(i - 1) * n + j] + u[(i + 1) * n + j], difference = fabs(now - u[i * n + j]);
      v[i * n + j] = now;
      most = difference > most ? difference : most;
    }
  return most;
}

/// The same by the library's function.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static double changeByLibrary(double *restrict v, double *restrict u, int m, int n) {
  double most = 0;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      double now = u[(i - 1) * n + j] + u[(i + 1) * n + j];
      v[i * n + j] = now;
      most = fmax(most, fabs(now - u[i * n + j]));
    }
  return most;
}

/// The result depends on the order: after a NaN any value counts (iterations-ordered.c).
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static double changeOrNone(double *restrict v, double *restrict u, int m, int n) {
  double most = 0;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      double now = u[(i - 1) * n + j] + u[(i + 1) * n + j], difference = fabs(now - u[i * n + j]);
      v[i * n + j] = now;
      most = most > difference ? most : difference;
    }
  return most;
}

/// A minimum of zeros: the first one stays.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static double leastOf(double *restrict v, double *restrict u, int m, int n) {
  double least = 1e9;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      double now = u[(i - 1) * n + j] * 0.0;
      v[i * n + j] = now;
      least = now < least ? now : least;
    }
  return least;
}

/// A sum that rounds.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: the loop at iterations-values.c:{{[0-9]+}} waits as a whole: it carries a value from one iteration to the next, so splitting
NOINLINE static double norm(double *restrict v, double *restrict u, int m, int n) {
  double sum = 0;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      double now = u[(i - 1) * n + j] + u[(i + 1) * n + j];
      v[i * n + j] = now;
      sum += now == now ? (now - u[i * n + j]) * 0.1 : 0.0;
    }
  return sum;
}

/// How far the count is, in each cell.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: the loop at iterations-values.c:{{[0-9]+}} waits as a whole: it carries a value
NOINLINE static int numbered(double *restrict v, double *restrict u, int m, int n) {
  int count = 0;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      count += u[(i - 1) * n + j] + u[(i + 1) * n + j] > 3;
      v[i * n + j] = count;
    }
  return count;
}

/// The last value, which is that of the last iteration.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static double last(double *restrict v, double *restrict u, int m) {
  double now = 0;
  START(u, m, 1);
  for (int i = 1; i <= m; ++i) {
    now = u[i - 1] + 2 * u[i + 1];
    v[i] = now;
  }
  return now;
}

/// The last one of those for which something holds may be any.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: the loop at iterations-values.c:{{[0-9]+}} waits as a whole: it carries a value
NOINLINE static double lastLarge(double *restrict v, double *restrict u, int m) {
  double large = 0;
  START(u, m, 1);
  for (int i = 1; i <= m; ++i) {
    double now = u[i - 1] + 2 * u[i + 1];
    v[i] = now;
    if (now > 12)
      large = now;
  }
  return large;
}

/// A pointer that walks, and where it ends.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static long walk(double *restrict v, double *restrict u, int m) {
  double *to = v;
  START(u, m, 1);
  for (int i = 1; i <= m; ++i) {
    *to = u[i - 1] + u[i + 1];
    to += 2;
  }
  return to - v;
}

/// Functions of the math library, which set errno where it is not read.
// CHECK-DAG: iterations-values.c:[[#@LINE+4]]:{{[0-9]+}}: remark: splits the loop
NOINLINE static double speeds(double *restrict v, double *restrict u, int m, int n) {
  double most = 0;
  START(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      double now = sqrt(u[(i - 1) * n + j]) + pow(u[i * n + j], 1.4) - exp(u[(i + 1) * n + j]);
      v[i * n + j] = now;
      most = fmax(most, fabs(now));
    }
  return most;
}

/// Rows and columns: data received for columns is unpacked.
// CHECK-DAG: iterations-values.c:[[#@LINE+8]]:{{[0-9]+}}: remark: splits the loop at iterations-values.c:[[#@LINE+8]]: iterations of 2 nested loops
NOINLINE static double both(double *restrict v, double *restrict u, double *restrict west, int m, int n) {
  int s = n + 2, count = 0;
  double most = 0;
  MPI_Request request[2];
  MPI_Irecv(west, m, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(v, m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    u[i * s] = west[i - 1];
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      double now = u[i * s + j - 1] + u[i * s + j + 1];
      v[i * s + j] = now;
      if (now > 4)
        ++count;
      if (fabs(now) > most)
        most = fabs(now);
    }
  return count + most;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  enum { cells = (most + 2) * (most + 2) };
  static const int terms[most] = {0, 2000000000, -2000000000, 1900000000, -1900000000, 1500000000, -1500000000};
  for (int m = 1; m < most; ++m)
    for (int n = 0; n < most; ++n)
      for (int seed = 0; seed < 5; ++seed) {
        double *u = makeOdd(cells, m + seed), *v = makeOdd(cells, n), *west = makeOdd(cells, 5), result;
        unsigned long sum = 0;
        sum += counts(v, u, terms, m, n <= 1 ? n : 0) + digits(v, cells);
        result = change(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        result = changeByLibrary(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        result = changeOrNone(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        result = leastOf(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        result = norm(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        sum = sum * 3 + numbered(v, u, m, n) + digits(v, cells);
        result = last(v, u, m), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        result = lastLarge(v, u, m), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        sum = sum * 3 + walk(v, u, m) + digits(v, cells);
        result = speeds(v, u, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        result = both(v, u, west, m, n), sum = sum * 3 + digits(&result, 1) + digits(v, cells);
        printf("rank %d: %d %d %d %lx\n", rank, m, n, seed, sum);
        free(u), free(v), free(west);
      }
  MPI_Finalize();
  return 0;
}
