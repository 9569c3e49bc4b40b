// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ghost rows are packed into arrays at file scope, whose addresses nonblocking calls get. Fields are elsewhere on the
// heap: tested at run time, since a field could be in these arrays.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/rows.h"

enum { most = 9, width = most + 2 };
static double toUp[width], toDown[width], fromUp[2 * width * width], fromDown[width];

typedef struct {
  int rows, columns;
  double *cells;
} Field;

#define AT(f, i, j) (f)->cells[(i) * ((f)->columns + 2) + (j)]

static void exchange(Field *f) {
  MPI_Request request[4];
  for (int j = 0; j < f->columns; ++j)
    toUp[j] = AT(f, 1, j + 1), toDown[j] = AT(f, f->rows, j + 1);
  MPI_Irecv(fromUp, f->columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(fromDown, f->columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(toUp, f->columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(toDown, f->columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
  for (int j = 0; j < f->columns; ++j)
    AT(f, 0, j + 1) = fromUp[j], AT(f, f->rows + 1, j + 1) = fromDown[j];
}

NOINLINE static void step(Field *from, Field *to) {
  exchange(from);
  // CHECK: remark: splits the loop at static-buffers.c:[[#@LINE+1]]
  for (int i = 1; i <= from->rows; ++i)
    for (int j = 1; j <= from->columns; ++j)
      AT(to, i, j) = AT(from, i - 1, j) + 0.5 * AT(from, i + 1, j) - 0.25 * AT(from, i, j);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  for (int rows = 1; rows < most; ++rows)
    for (int place = 0; place < 5; ++place) {
      // On the heap, and from several rows of the array on that the row before is received in.
      double *own = make(width * width, 1), *other = make(width * width, 2);
      Field a = {rows, 5, own}, b = {rows, 5, other};
      memset(fromUp, 0, sizeof fromUp);
      if (place) {
        a.cells = fromUp + 7 * (place - 1);
        memcpy(a.cells, own, sizeof(double) * width * width);
      }
      for (int turn = 0; turn < 3; ++turn)
        step(&a, &b), step(&b, &a);
      say("cells", digits(a.cells, width * width) ^ digits(b.cells, width * width) * 3);
      free(own), free(other);
    }
  MPI_Finalize();
  return 0;
}
