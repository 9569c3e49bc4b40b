// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lattice Boltzmann code: a loop over directions with the messages is unrolled; each point has a private
// array on the stack; columns wrap around using a mask of eight bits; and all planes of an array are written in
// each row. Not if the array carries values to the next point, if it does so within a row, or if planes
// overlap.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { directions = 5, columns = 256, most = 20, plane = (most + 3) * columns };
static const int toRow[directions] = {0, 1, -1, 0, 0}, toColumn[directions] = {0, 0, 0, 1, -1};
static int one[directions * plane], other[directions * plane];

// CHECK-DAG: remark: MPI_Sendrecv at lattice.c:[[#@LINE+5]] overlaps
static void exchange(int *u, int rows, int apart) {
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  for (int k = 0; k < directions; ++k) {
    if (toRow[k] > 0)
      MPI_Sendrecv(u + k * apart + rows * columns, columns, MPI_INT, down, k, u + k * apart, columns, MPI_INT, up, k,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (toRow[k] < 0)
      MPI_Sendrecv(u + k * apart + columns, columns, MPI_INT, up, k, u + k * apart + (rows + 1) * columns, columns,
                   MPI_INT, down, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

NOINLINE void collide(int *u, int *v, int rows, int more) {
  int apart = (rows + 2 + more) * columns;
  exchange(u, rows, apart);
  // CHECK-DAG: remark: splits the loop at lattice.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < columns; ++j) {
      int in[directions], sum = 0;
      for (int k = 0; k < directions; ++k) {
        in[k] = u[k * apart + (i - toRow[k]) * columns + ((j - toColumn[k]) & (columns - 1))];
        sum += in[k];
      }
#pragma nounroll
      for (int k = 0; k < directions; ++k)
        v[k * apart + i * columns + j] = (in[k] * 3 + sum) % 1009;
    }
}

// The next point reads values of this one.
NOINLINE void remember(int *u, int *v, int rows, int at) {
  int last[4] = {1, 2, 3, 4};
  exchange(u, rows, plane);
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < columns; ++j) {
      last[(j + at) & 3] += u[plane + (i - 1) * columns + j];
      v[i * columns + j] = last[(j * at) & 3] % 1009;
    }
}

// The next point of a row does: rows may change places, columns may not.
NOINLINE void rememberInRow(int *u, int *v, int rows, int at) {
  exchange(u, rows, plane);
  // CHECK-DAG: remark: splits the loop at lattice.c:[[#@LINE+1]]: iterations that
  for (int i = 1; i <= rows; ++i) {
    int last[4] = {1, 2, 3, 4};
    for (int j = 0; j < columns; ++j) {
      last[(j + at) & 3] += u[plane + (i - 1) * columns + j] + u[2 * plane + (i + 1) * columns + j];
      v[i * columns + j] = last[(j * at) & 3] % 1009;
    }
  }
}

// A column is in flight.
NOINLINE void rememberInColumns(int *u, int *v, int rows, int at) {
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(u + plane + 7, 1, column, rank, 0, u + plane, 1, column, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < rows; ++i) {
    int last[4] = {1, 2, 3, 4};
    for (int j = 0; j < columns; ++j) {
      last[(j + at) & 3] += u[plane + i * columns + j];
      v[i * columns + j] = last[(j * at) & 3] % 1009;
    }
  }
  MPI_Type_free(&column);
}

// One of all planes is in flight: the ratio of a known and an unknown number selects it.
NOINLINE void fromOnePlane(int *restrict u, int *restrict v, int rows) {
  int up = (rank + 1) % size, down = (rank + size - 1) % size, apart = (rows + 2) * columns;
  int *plane = u + apart;
  MPI_Sendrecv(plane + columns, columns, MPI_INT, up, 1, plane + (rows + 1) * columns, columns, MPI_INT, down, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(plane + rows * columns, columns, MPI_INT, down, 2, plane, columns, MPI_INT, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK-DAG: remark: splits the loop at lattice.c:[[#@LINE+1]]
  for (int k = 0; k < directions; ++k)
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns; ++j)
        v[k * apart + i * columns + j] =
            (u[k * apart + (i - 1) * columns + (j ? j - 1 : columns - 1)] + 3 * u[(i + 1) * columns + j]) % 1009;
}

static void fillBoth(void) {
  for (int i = 0; i < directions * plane; ++i) {
    one[i] = (i * 37 + rank * 11) % 101;
    other[i] = i % 7;
  }
}

static void tellSum(const char *what, int rows) {
  unsigned long sum = 0;
  for (int i = 0; i < directions * plane; ++i)
    sum = sum * 3 + (unsigned)one[i] * 5 + (unsigned)other[i];
  printf("rank %d: %s, %d rows: %lu\n", rank, what, rows, sum);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  static const int distances[] = {0, 1, -1, -3, -14};
  for (int rows = 1; rows <= most; rows += rows < 3 ? 1 : most - 3) {
    for (unsigned d = 0; d < sizeof(distances) / sizeof(int); ++d) {
      if (rows + 2 + distances[d] <= 0)
        continue;
      fillBoth();
      collide(one, other, rows, distances[d]);
      tellSum("planes", rows);
      collide(one, one, rows, distances[d]);
      tellSum("in place", rows);
    }
    fillBoth();
    remember(one, other, rows, rows);
    rememberInRow(other, one, rows, rows);
    rememberInColumns(one, other, rows, rows);
    tellSum("remembers", rows);
    fromOnePlane(one, other, rows);
    tellSum("one plane", rows);
  }
  MPI_Finalize();
  return 0;
}
