// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of the C library between an exchange and its sweep. It can access its arguments, but not the sizes at file
// scope: the interior, and the loads that it needs, precede the progress output. Not before output that stores its
// length (%n), wherever the format comes from.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/rows.h"
#include <stdarg.h>

static int rows, columns;
int defined = 6, known = 6, listed = 6;
int *place[2] = {&known, &defined};

#define SWEEP(v, u, m, n)                                                                                              \
  for (int i = 1; i <= m; ++i)                                                                                         \
    for (int j = 1; j < n - 1; ++j)                                                                                    \
  v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] + 0.5 * u[i * n + j - 1]

NOINLINE static void progress(double *restrict v, double *restrict u, int step) {
  EXCHANGE(MPI_DOUBLE, u, rows, columns);
  if (rank == 0 && step % 2 == 0)
    printf("rank 0: step %d\n", step);
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}} remark: splits the loop at output-between.c:[[#@LINE+1]]
  SWEEP(v, u, rows, columns);
}

/// Pointers to another file's variables may exist, but printf does not get them.
NOINLINE static void ofFile(double *restrict v, double *restrict u, int step) {
  EXCHANGE(MPI_DOUBLE, u, rows, columns);
  fprintf(stderr, "rank 0: step %d\n", step);
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}} remark: splits the loop at output-between.c:[[#@LINE+1]]
  SWEEP(v, u, defined, columns);
}

NOINLINE static void counts(double *restrict v, double *restrict u, int step) {
  EXCHANGE(MPI_DOUBLE, u, rows, columns);
  printf("%s%n\n", step % 2 ? "even" : "sweep", &defined);
  // CHECK-DAG: remark: the loop at output-between.c:[[#@LINE+1]] waits as a whole
  SWEEP(v, u, defined, columns);
  defined = 6;
}

/// Through a pointer that other code may have set.
NOINLINE static void countsThere(double *restrict v, double *restrict u, int **there, int step) {
  EXCHANGE(MPI_DOUBLE, u, rows, columns);
  printf("%s%n\n", step % 2 ? "even" : "sweep", *there);
  // CHECK-DAG: remark: the loop at output-between.c:[[#@LINE+1]] waits as a whole
  SWEEP(v, u, known, columns);
  known = 6;
}

/// Through a list of arguments.
NOINLINE static void countsListed(double *restrict v, double *restrict u, const char *format, ...) {
  va_list list;
  va_start(list, format);
  EXCHANGE(MPI_DOUBLE, u, rows, columns);
  vprintf(format, list);
  // CHECK-DAG: remark: the loop at output-between.c:[[#@LINE+1]] waits as a whole
  SWEEP(v, u, listed, columns);
  listed = 6;
  va_end(list);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (rows = 6; rows < 9; ++rows)
    for (columns = 1; columns < 6; ++columns) {
      int cells = (rows + 2) * columns;
      double *u = make(cells, 1), *v = make(cells, 2);
      for (int step = 0; step < 4; ++step) {
        progress(v, u, step);
        ofFile(u, v, step);
        counts(v, u, step);
        countsThere(u, v, place, step);
        countsListed(v, u, "%s%n\n", step % 2 ? "even" : "sweep", &listed);
      }
      say("digits", digits(u, cells) ^ digits(v, cells) * 3);
      free(u), free(v);
    }
  MPI_Finalize();
  return 0;
}
