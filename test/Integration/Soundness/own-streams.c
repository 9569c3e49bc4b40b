// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output into the program's memory: when a character is printed, the library writes a number of the file there.
// RUN: %same %s -o %t -n 1,2
// RUN: FileCheck %s < %t.extended.remarks
#define _GNU_SOURCE
#include "Inputs/rows.h"

enum { columns = 5, most = 8 };
size_t written = 0;

NOINLINE static void step(double *restrict v, double *restrict u) {
  EXCHANGE(MPI_DOUBLE, u, most, columns);
  putchar('x');
  fflush(stdout);
  // CHECK: remark: the loop at own-streams.c:[[#@LINE+1]] waits as a whole
  for (size_t i = 1; i <= written; ++i)
    for (int j = 1; j < columns - 1; ++j)
      v[i * columns + j] = u[(i - 1) * columns + j] + u[(i + 1) * columns + j] + 0.5 * u[i * columns + j - 1];
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int cells = (most + 2) * columns;
  double *u = make(cells, 1), *v = make(cells, 2);
  char *text = NULL;
  FILE *output = stdout;
  stdout = open_memstream(&text, &written);
  for (int turn = 0; turn < most; ++turn)
    turn % 2 ? step(u, v) : step(v, u);
  fclose(stdout);
  stdout = output;
  say("digits", digits(u, cells) ^ digits(v, cells) * 3);
  free(text), free(u), free(v);
  MPI_Finalize();
  return 0;
}
