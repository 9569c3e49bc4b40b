// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of iterations that actually run before the first wait, compared with a handwritten version: a loop may be
// split, but its interior may be empty at run time.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -Rcomm %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-5: 0 before the first wait
#include "Inputs/cells.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// A cube in a structure on the heap
//===----------------------------------------------------------------------===//

typedef struct {
  int nx, ny, nz, neighbors[6];
  MPI_Comm comm;
  MPI_Datatype faces[3];
  double *now, *next;
} Grid;
#define AT(g, i, j, k) (((i) * ((g)->ny + 2) + (j)) * ((g)->nz + 2) + (k))

static Grid *makeGrid(int n) {
  Grid *g = malloc(sizeof *g);
  g->nx = n, g->ny = n + 1, g->nz = n + 2;
  int processes[3] = {size, 1, 1}, periodic[3] = {1, 1, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 3, processes, periodic, 0, &g->comm);
  for (int d = 0; d < 3; ++d)
    MPI_Cart_shift(g->comm, d, 1, &g->neighbors[2 * d], &g->neighbors[2 * d + 1]);
  int sizes[3] = {g->nx + 2, g->ny + 2, g->nz + 2}, none[3] = {0, 0, 0};
  for (int d = 0; d < 3; ++d) {
    int face[3] = {d == 0 ? 1 : g->nx, d == 1 ? 1 : g->ny, d == 2 ? 1 : g->nz};
    MPI_Type_create_subarray(3, sizes, face, none, MPI_ORDER_C, MPI_DOUBLE, &g->faces[d]);
    MPI_Type_commit(&g->faces[d]);
  }
  long number = (long)sizes[0] * sizes[1] * sizes[2];
  g->now = fill(number, rank + 1);
  g->next = fill(number, NAN);
  return g;
}

static void exchangeFaces(Grid *g) {
  MPI_Request q[12];
  double *u = g->now;
  int x = g->nx, y = g->ny, z = g->nz;
  MPI_Irecv(u + AT(g, 0, 1, 1), 1, g->faces[0], g->neighbors[0], 0, g->comm, &q[0]);
  MPI_Irecv(u + AT(g, x + 1, 1, 1), 1, g->faces[0], g->neighbors[1], 1, g->comm, &q[1]);
  MPI_Irecv(u + AT(g, 1, 0, 1), 1, g->faces[1], g->neighbors[2], 2, g->comm, &q[2]);
  MPI_Irecv(u + AT(g, 1, y + 1, 1), 1, g->faces[1], g->neighbors[3], 3, g->comm, &q[3]);
  MPI_Irecv(u + AT(g, 1, 1, 0), 1, g->faces[2], g->neighbors[4], 4, g->comm, &q[4]);
  MPI_Irecv(u + AT(g, 1, 1, z + 1), 1, g->faces[2], g->neighbors[5], 5, g->comm, &q[5]);
  MPI_Isend(u + AT(g, 1, 1, 1), 1, g->faces[0], g->neighbors[0], 1, g->comm, &q[6]);
  MPI_Isend(u + AT(g, x, 1, 1), 1, g->faces[0], g->neighbors[1], 0, g->comm, &q[7]);
  MPI_Isend(u + AT(g, 1, 1, 1), 1, g->faces[1], g->neighbors[2], 3, g->comm, &q[8]);
  MPI_Isend(u + AT(g, 1, y, 1), 1, g->faces[1], g->neighbors[3], 2, g->comm, &q[9]);
  MPI_Isend(u + AT(g, 1, 1, 1), 1, g->faces[2], g->neighbors[4], 5, g->comm, &q[10]);
  MPI_Isend(u + AT(g, 1, 1, z), 1, g->faces[2], g->neighbors[5], 4, g->comm, &q[11]);
  MPI_Waitall(12, q, MPI_STATUSES_IGNORE);
}

/// The sizes are loaded again, those of inner loops where there are iterations of the outer ones.
static void sweepGrid(Grid *g) {
  const double *restrict u = g->now;
  double *restrict v = g->next;
  for (int i = 1; i <= g->nx; ++i)
    for (int j = 1; j <= g->ny; ++j)
      for (int k = 1; k <= g->nz; ++k)
        v[AT(g, i, j, k)] = u[AT(g, i - 1, j, k)] + u[AT(g, i + 1, j, k)] + u[AT(g, i, j - 1, k)] +
                            u[AT(g, i, j + 1, k)] + u[AT(g, i, j, k - 1)] + u[AT(g, i, j, k + 1)] -
                            6 * u[AT(g, i, j, k)];
}

/// 10 * 11 * 12 points, of which 8 * 9 * 10 have no remote neighbor.
// CHECK: cube: 720 before the first wait, of 1320
static void cube(int n) {
  Grid *g = makeGrid(n);
  long number = (long)(g->nx + 2) * (g->ny + 2) * (g->nz + 2);
  watch(g->next, number);
  for (int step = 0; step < 2; ++step) {
    exchangeFaces(g);
    sweepGrid(g);
  }
  tell("cube", g->next, number, (long)g->nx * g->ny * g->nz);
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

/// Ghost rows in the array.
// CHECK: rows: 800 before the first wait, of 1000
NOINLINE static void rows(double *restrict u, double *restrict v, int m, int n) {
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, last, 0, u + (m + 1) * n, n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + m * n, n, MPI_DOUBLE, next, 1, u, n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] - u[i * n + j];
}

/// In a structure from elsewhere: its members are reloaded after each call.
typedef struct {
  int rows, columns, up, down;
  MPI_Comm comm;
  double *now, *next;
} Block;
// CHECK: handed: 800 before the first wait, of 1000
NOINLINE void handed(Block *b) {
  int n = b->columns;
  MPI_Sendrecv(b->now + n, n, MPI_DOUBLE, b->up, 0, b->now + (b->rows + 1) * n, n, MPI_DOUBLE, b->down, 0, b->comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(b->now + b->rows * n, n, MPI_DOUBLE, b->down, 1, b->now, n, MPI_DOUBLE, b->up, 1, b->comm,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= b->rows; ++i)
    for (int j = 0; j < b->columns; ++j)
      b->next[i * n + j] = b->now[(i - 1) * n + j] + b->now[(i + 1) * n + j] - b->now[i * n + j];
}

static MPI_Datatype column;

INLINE static void exchangeColumns(double *u, int n) {
  MPI_Request q[4];
  MPI_Irecv(u, 1, column, last, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(u + n - 1, 1, column, next, 1, MPI_COMM_WORLD, &q[1]);
  MPI_Isend(u + 1, 1, column, last, 1, MPI_COMM_WORLD, &q[2]);
  MPI_Isend(u + n - 2, 1, column, next, 0, MPI_COMM_WORLD, &q[3]);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

INLINE static void betweenColumns(double *u, double *v, int m, int n) {
  for (int i = 0; i < m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i * n + j] = u[i * n + j - 1] + u[i * n + j + 1] - u[i * n + j];
}

/// A datatype at file scope.
// CHECK: columns: 256 before the first wait, of 288
NOINLINE static void columns(double *restrict u, double *restrict v, int m, int n) {
  exchangeColumns(u, n);
  betweenColumns(u, v, m, n);
}

/// The computed array is a different one, which only its address shows.
// CHECK: pointers: 256 before the first wait, of 288
NOINLINE static void pointers(double *u, double *v, int m, int n) {
  exchangeColumns(u, n);
  betweenColumns(u, v, m, n);
}

//===----------------------------------------------------------------------===//
// Packed neighbors
//===----------------------------------------------------------------------===//

static const int dx[8] = {-1, -1, -1, 0, 0, 1, 1, 1}, dy[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
static int nx, ny, neighbors[8];
static double *u, *v, *sent[8], *arrived[8];
static MPI_Request requests[16];
#define U(i, j) u[(i) * (ny + 2) + (j)]

static void exchangeAll(void) {
  for (int k = 0; k < 8; ++k) {
    int n = dx[k] == 0 ? nx : dy[k] == 0 ? ny : 1;
    MPI_Irecv(arrived[k], n, MPI_DOUBLE, neighbors[k], 7 - k, MPI_COMM_WORLD, &requests[k]);
  }
  for (int k = 0; k < 8; ++k) {
    int n = 0;
    if (dx[k] == 0) {
      int j = dy[k] < 0 ? 1 : ny;
      for (int i = 1; i <= nx; ++i)
        sent[k][n++] = U(i, j);
    } else if (dy[k] == 0) {
      memcpy(sent[k], &U(dx[k] < 0 ? 1 : nx, 1), ny * sizeof(double));
      n = ny;
    } else {
      sent[k][n++] = U(dx[k] < 0 ? 1 : nx, dy[k] < 0 ? 1 : ny);
    }
    MPI_Isend(sent[k], n, MPI_DOUBLE, neighbors[k], k, MPI_COMM_WORLD, &requests[8 + k]);
  }
  MPI_Waitall(16, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < 8; ++k) {
    if (neighbors[k] == MPI_PROC_NULL)
      continue;
    if (dx[k] == 0) {
      int j = dy[k] < 0 ? 0 : ny + 1;
      for (int i = 1; i <= nx; ++i)
        U(i, j) = arrived[k][i - 1];
    } else if (dy[k] == 0) {
      memcpy(&U(dx[k] < 0 ? 0 : nx + 1, 1), arrived[k], ny * sizeof(double));
    } else {
      U(dx[k] < 0 ? 0 : nx + 1, dy[k] < 0 ? 0 : ny + 1) = arrived[k][0];
    }
  }
}

/// Eight neighbors in tables, six of which do not exist. 12 * 14 points, of which 10 * 14 have no remote neighbor.
// CHECK: tables: 140 before the first wait, of 168
static void tables(int m, int n) {
  nx = m, ny = n;
  long number = (long)(nx + 2) * (ny + 2);
  u = fill(number, rank), v = fill(number, NAN);
  for (int k = 0; k < 8; ++k) {
    neighbors[k] = dy[k] != 0 ? MPI_PROC_NULL : dx[k] < 0 ? last : next;
    sent[k] = fill(nx + ny, 0), arrived[k] = fill(nx + ny, 0);
  }
  watch(v, number);
  for (int step = 0; step < 2; ++step) {
    exchangeAll();
    for (int i = 1; i <= nx; ++i)
      for (int j = 1; j <= ny; ++j) {
        double s = 0;
        for (int a = -1; a <= 1; ++a)
          for (int b = -1; b <= 1; ++b)
            s += U(i + a, j + b) * (a == 0 && b == 0 ? 2 : 1);
        v[i * (ny + 2) + j] = s;
      }
  }
  tell("tables", v, number, (long)nx * ny);
}

/// Columns that are unpacked where there is a neighbor: their loops and the stencil have one guard, which optimizers
/// ask once. 16 rows of 20 points.
// CHECK: unpacked: 288 before the first wait, of 320
NOINLINE static void unpacked(double *restrict a, double *restrict b, double *out, double *in, int m, int n, int left,
                              int right) {
  MPI_Request q[4];
  int length = n + 2;
  for (int i = 1; i <= m; ++i)
    out[i] = a[i * length + 1], out[m + i] = a[i * length + n];
  MPI_Irecv(in + 1, m, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(in + m + 1, m, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &q[1]);
  MPI_Isend(out + 1, m, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &q[2]);
  MPI_Isend(out + m + 1, m, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &q[3]);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  if (left != MPI_PROC_NULL)
    for (int i = 1; i <= m; ++i)
      a[i * length] = in[i];
  if (right != MPI_PROC_NULL)
    for (int i = 1; i <= m; ++i)
      a[i * length + n + 1] = in[m + i];
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      b[i * length + j] = a[i * length + j - 1] + a[i * length + j + 1] - a[i * length + j];
}

/// A block that is worked on while it travels, in a branch that the last turn does not enter: all of the sums.
// CHECK: ring: 500 before the first wait, of 500
static void ring(int n) {
  double *block = fill(n, rank), *other = fill(n, 0), *sums = fill(n, NAN);
  watch(sums, n);
  for (int turn = 0; turn < size; ++turn) {
    for (int i = 0; i < n; ++i)
      sums[i] = turn ? sums[i] + block[i] * 0.5 : block[i];
    if (turn < size - 1) {
      MPI_Sendrecv(block, n, MPI_DOUBLE, next, 0, other, n, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      double *swap = block;
      block = other, other = swap;
    }
  }
  tell("ring", sums, n, n);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  cube(10 + argc - 1);

  int m = 10 + argc - 1, n = 100;
  u = fill((m + 2) * n, rank), v = fill((m + 2) * n, NAN);
  watch(v, (m + 2) * n);
  rows(u, v, m, n);
  tell("rows", v, (m + 2) * n, m * n);

  Block block = {m, n, last, next, MPI_COMM_WORLD, fill((m + 2) * n, rank), fill((m + 2) * n, NAN)};
  watch(block.next, (m + 2) * n);
  handed(&block);
  tell("handed", block.next, (m + 2) * n, m * n);

  m = 16 + argc - 1, n = 20 + argc - 1;
  MPI_Type_vector(m, 1, n, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  void (*sweeps[])(double *, double *, int, int) = {columns, pointers};
  const char *names[] = {"columns", "pointers"};
  for (int i = 0; i < 2; ++i) {
    u = fill(m * n, rank), v = fill(m * n, NAN);
    watch(v, m * n);
    sweeps[i](u, v, m, n);
    tell(names[i], v, m * n, m * (n - 2));
  }
  tables(12 + argc - 1, 14);

  double *out = fill(2 * m + 1, 0), *in = fill(2 * m + 1, 0);
  u = fill((m + 2) * (n + 2), rank), v = fill((m + 2) * (n + 2), NAN);
  watch(v, (m + 2) * (n + 2));
  unpacked(u, v, out, in, m, n, last, next);
  tell("unpacked", v, (m + 2) * (n + 2), m * n);
  ring(500 + argc - 1);
  MPI_Finalize();
}
