// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inspector whose result is not kept, of a loop that takes much longer than the message: it looks at the first rows
// and not at all of them. The others wait, whatever they read: the last ones read ghosts, or what earlier ones have
// written.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: env COMM_COST=measured %commcc -O2 %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 env OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// CHECK: product: the sums are right, some rows before the wait
// CHECK: dependent: the sums are right, some rows before the wait
// CHECK: smooth: the sums are right, some rows before the wait
// PLAIN-COUNT-3: the sums are right, no rows before the wait
#include "Inputs/cells.h"

#include <string.h>
#include <time.h>

enum { rows = 2000000, ghosts = 1000, entries = 3, calls = 12, milliseconds = 2 };

typedef struct {
  int rows, *begin, *column;
} Matrix;

/// Each row reads itself and the one before. Each 1000th row if `each`, and all rows from `others` on, read something
/// else: ghosts in turns, or row `first + i`.
static Matrix makeMatrix(int each, int others, int first) {
  Matrix a = {rows, malloc(sizeof(int) * (rows + 1)), malloc(sizeof(int) * entries * rows)};
  int n = 0;
  for (int i = 0; i < rows; ++i) {
    a.begin[i] = n;
    a.column[n++] = i;
    a.column[n++] = i ? i - 1 : 0;
    if (i >= others)
      a.column[n++] = first ? first + i : rows + i % ghosts;
    else if (each && i % 1000 == 999)
      a.column[n++] = rows + i / 1000 % ghosts;
  }
  a.begin[rows] = n;
  return a;
}

NOINLINE static void product(const Matrix *a, double *y, double *x) {
  MPI_Request q;
  MPI_Irecv(x + rows, ghosts, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  for (int i = 0; i < a->rows; ++i) {
    double sum = 0;
    for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
      sum += x[a->column[k]] * 0.25;
    y[i] = sum;
  }
}

NOINLINE static void smooth(const Matrix *a, double *y, double *x) {
  MPI_Request q;
  MPI_Irecv(x + rows, ghosts, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  for (int i = 0; i < a->rows; ++i) {
    double sum = 0;
    for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
      sum += x[a->column[k]] * 0.25;
    x[i] = sum;
    y[i] = sum;
  }
}

NOINLINE static void compute(const Matrix *a, double *y, double *x, int inPlace) {
  for (int i = 0; i < a->rows; ++i) {
    double sum = 0;
    for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
      sum += x[a->column[k]] * 0.25;
    if (inPlace)
      x[i] = sum;
    y[i] = sum;
  }
}

/// The other process sends late.
static void sendGhosts(void) {
  static double out[ghosts];
  for (int turn = 0; turn < calls; ++turn) {
    for (int i = 0; i < ghosts; ++i)
      out[i] = turn + i % 5;
    MPI_Recv(NULL, 0, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
    MPI_Send(out, ghosts, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
  }
}

enum { numbers = rows + ghosts + rows };

/// y is behind the ghosts of x.
static void run(const char *name, void (*loop)(const Matrix *, double *, double *), int inPlace, const Matrix *a) {
  double *x = fill(numbers, 1), *expected = malloc(sizeof(double) * numbers), *y = x + rows + ghosts;
  long before = 0;
  int areRight = 1;
  for (int turn = 0; turn < calls; ++turn) {
    for (int i = 0; i < rows; ++i)
      y[i] = NAN;
    memcpy(expected, x, sizeof(double) * numbers);
    for (int i = 0; i < ghosts; ++i)
      expected[rows + i] = turn + i % 5;
    compute(a, expected + rows + ghosts, expected, inPlace);
    watch(y, rows);
    MPI_Send(NULL, 0, MPI_INT, next, 1, MPI_COMM_WORLD);
    loop(a, y, x);
    before = early();
    areRight &= !memcmp(x, expected, sizeof(double) * numbers);
  }
  printf("%s: the sums are %s, %s rows before the wait\n", name, areRight ? "right" : "wrong",
         before == rows ? "all"
         : before > 0   ? "some"
                        : "no");
  fflush(stdout);
  free(x);
  free(expected);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank) {
    for (int i = 0; i < 3; ++i)
      sendGhosts();
  } else {
    Matrix withGhosts = makeMatrix(1, rows / 10 * 9, 0), dependent = makeMatrix(1, rows / 10 * 9, rows + ghosts - 5);
    Matrix late = makeMatrix(0, rows / 10 * 9, 0);
    run("product", product, 0, &withGhosts);
    run("dependent", product, 0, &dependent);
    run("smooth", smooth, 1, &late);
  }
  MPI_Finalize();
  return 0;
}
