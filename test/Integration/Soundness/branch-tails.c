// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exchange in one arm of a branch, which unpacks the received data, and a loop after the branch: the arm gets a
// copy of that loop (CopyTails.cpp), some of whose iterations run before the wait. Values that the loop computes come
// out of both copies, and a loop after another exchange stays in place. Several fields in one array need many
// comparisons.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Irecv at branch-tails.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { fields = 4, halo = 2 };
int columns, rows, left, right;
double *toLeft, *toRight, *fromLeft, *fromRight;

static long place(int field, int row, int column) {
  return (field * (rows + 2 * halo) + row + halo) * (columns + 2 * halo) + column;
}

// CHECK-DAG: branch-tails.c:[[#@LINE+32]]:{{[0-9]+}}: remark: splits the loop {{.*}} of 2 nested loops
NOINLINE static long step(double *cells, double *flows, long last) {
  if (size == 1) {
    for (int field = 0; field < fields; ++field)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < halo; ++j) {
          cells[place(field, i, j)] = cells[place(field, i, columns + j)];
          cells[place(field, i, columns + halo + j)] = cells[place(field, i, halo + j)];
        }
    last += 1;
  } else {
    MPI_Request receives[2], sends[2];
    int count = fields * rows * halo;
    MPI_Irecv(fromLeft, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &receives[0]);
    MPI_Irecv(fromRight, count, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &receives[1]);
    for (int field = 0; field < fields; ++field)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < halo; ++j) {
          toLeft[(field * rows + i) * halo + j] = cells[place(field, i, halo + j)];
          toRight[(field * rows + i) * halo + j] = cells[place(field, i, columns + j)];
        }
    MPI_Isend(toLeft, count, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(toRight, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &sends[1]);
    MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
    for (int field = 0; field < fields; ++field)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < halo; ++j) {
          cells[place(field, i, j)] = fromLeft[(field * rows + i) * halo + j];
          cells[place(field, i, columns + halo + j)] = fromRight[(field * rows + i) * halo + j];
        }
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j <= columns; ++j) {
      double values[fields];
      for (int field = 0; field < fields; ++field) {
        values[field] = 0;
        for (int k = 0; k < 2 * halo; ++k)
          values[field] += (k + 1.0) * cells[place(field, i, j + k)];
      }
      for (int field = 0; field < fields; ++field)
        flows[(field * (rows + 1) + i) * (columns + 1) + j] = values[field] * 0.1 + values[0];
    }
  for (int field = 0; field < fields; ++field)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        long flow = (field * (rows + 1) + i) * (long)(columns + 1) + j;
        cells[place(field, i, j + halo)] += 0.01 * (flows[flow] - flows[flow + 1]);
      }
  return last;
}

/// The count of the loop after the branch differs on each path, and its result is sent.
NOINLINE static long counted(double *cells, double *results) {
  int end = 60;
  if (size > 1) {
    MPI_Request requests[2];
    MPI_Irecv(fromLeft, 8, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&cells[8], 8, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 8; ++i)
      cells[i] = fromLeft[i] + 1;
    end = 50 + (int)fromLeft[3] % 7;
  }
  long found = -1;
  for (int i = 1; i < end; ++i) {
    results[i] = cells[i - 1] + cells[i + 1];
    found = results[i] > 40 ? i : found;
  }
  MPI_Sendrecv(&found, 1, MPI_LONG, right, 3, &cells[0], 1, MPI_LONG, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < end; ++i)
    found = found * 3 + (long)results[i];
  return found + end;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  columns = 36 + argc, rows = 20 + argc;
  left = (rank + size - 1) % size, right = (rank + 1) % size;
  size_t all = (size_t)fields * (rows + 2 * halo) * (columns + 2 * halo), edge = (size_t)fields * rows * halo;
  double *cells = calloc(all, sizeof(double));
  double *flows = calloc((size_t)fields * (rows + 1) * (columns + 1), sizeof(double));
  toLeft = calloc(edge, sizeof(double)), toRight = calloc(edge, sizeof(double));
  fromLeft = calloc(edge, sizeof(double)), fromRight = calloc(edge, sizeof(double));
  for (size_t i = 0; i < all; ++i)
    cells[i] = (double)((i * 31 + (size_t)rank * 7) % 101);
  long last = 0;
  for (int n = 0; n < 5; ++n)
    last = step(cells, flows, last);
  // If the two arrays are the same, iterations depend on each other.
  last = step(cells, cells, last);
  double sum = 0;
  for (size_t i = 0; i < all; ++i)
    sum += cells[i] * (double)(i % 5);
  say("cells", (long)(sum * 1000) + last);
  double values[80], results[80] = {0};
  for (int i = 0; i < 80; ++i)
    values[i] = (double)((i * 13 + rank * 5) % 37);
  say("counted", counted(values, results));
  free(cells), free(flows), free(toLeft), free(toRight), free(fromLeft), free(fromRight);
  MPI_Finalize();
  return 0;
}
