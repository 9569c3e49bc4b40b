// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiled loops: a tile ends at the end of the array at the latest, and LLVM has made the counters of the loops over
// tiles longer. The interior is the tiles between those with ghosts: the first and the last row of tiles. The sends are
// waited for after the sweep, by the requests from a place on. Counts the cells that are computed before the first
// wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 %s %t.early.o -lm -o %t
// RUN: %commcc -O3 %s %t.early.o -lm -o %t.o3
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpirun -n 2 %t.o3 | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.o3 | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 1 %t 3 | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain 3 | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t 3 1 | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 4 %t.plain 3 1 | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-3: 0 before the first wait
#include "Inputs/cells.h"

enum { tile = 8 };
#define MIN(A, B) ((A) < (B) ? (A) : (B))

INLINE static void sweep(int rows, int columns, const double *restrict u, double *restrict v) {
  const int w = columns + 2;
  for (int ii = 1; ii <= rows; ii += tile)
    for (int jj = 1; jj <= columns; jj += tile)
      for (int i = ii; i < MIN(ii + tile, rows + 1); ++i)
        for (int j = jj; j < MIN(jj + tile, columns + 1); ++j)
          v[i * w + j] = u[i * w + j] + u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1];
}

/// By rows of tiles alone.
INLINE static void sweepRows(int rows, int columns, const double *restrict u, double *restrict v) {
  const int w = columns + 2;
  for (int ii = 1; ii < rows + 1; ii += tile)
    for (int i = ii; i < MIN(ii + tile, rows + 1); ++i)
      for (int j = 1; j <= columns; ++j)
        v[i * w + j] = u[i * w + j] + u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1];
}

/// In place: tiles depend on each other, and all of them wait.
INLINE static void relax(int rows, int columns, double *u, double *v) {
  const int w = columns + 2;
  for (int ii = 1; ii <= rows; ii += tile)
    for (int jj = 1; jj <= columns; jj += tile)
      for (int i = ii; i < MIN(ii + tile, rows + 1); ++i)
        for (int j = jj; j < MIN(jj + tile, columns + 1); ++j) {
          u[i * w + j] += u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1];
          v[i * w + j] = u[i * w + j];
        }
}

// 30 rows are tiles of 8, 8, 8 and 6 rows of 21 cells, two of which have no ghosts.
// CHECK: tiles: 336 before the first wait, of 630
// CHECK: byRows: 336 before the first wait, of 630
// CHECK: inPlace: 0 before the first wait, of 630
#define RUN(NAME, SWEEP)                                                                                               \
  NOINLINE static void NAME(int rows, int columns) {                                                                   \
    const int w = columns + 2, number = (rows + 2) * w;                                                                \
    double *u = fill(number, rank), *v = fill(number, NAN);                                                            \
    MPI_Request requests[4];                                                                                           \
    watch(v, number);                                                                                                  \
    int n = 0;                                                                                                         \
    MPI_Irecv(u, w, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &requests[n++]);                                              \
    MPI_Irecv(u + (rows + 1) * w, w, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[n++]);                             \
    MPI_Isend(u + w, w, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &requests[n++]);                                          \
    MPI_Isend(u + rows * w, w, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[n++]);                                   \
    MPI_Waitall(IN_PLACE(NAME) ? n : 2, requests, MPI_STATUSES_IGNORE);                                                \
    SWEEP(rows, columns, u, v);                                                                                        \
    MPI_Waitall(IN_PLACE(NAME) ? 0 : n - 2, &requests[2], MPI_STATUSES_IGNORE);                                        \
    tell(#NAME, v, number, (long)rows * columns);                                                                      \
    free(u);                                                                                                           \
    free(v);                                                                                                           \
  }
#define IN_PLACE(NAME) (#NAME[0] == 'i')
RUN(tiles, sweep)
RUN(byRows, sweepRows)
RUN(inPlace, relax)

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int rows = argc > 1 ? atoi(argv[1]) : 30, columns = argc > 2 ? atoi(argv[2]) : 21;
  tiles(rows, columns);
  byRows(rows, columns);
  inPlace(rows, columns);
  MPI_Finalize();
  return 0;
}
