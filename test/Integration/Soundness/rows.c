// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays with pointers to their rows: the address of a row is loaded. Loops are split if the rows turn out to be evenly
// spaced (RowCheck.cpp), and addresses are loaded before earlier messages if those do not write them
// (HoistAddresses.cpp).
// The tables of all processes have the same address (-no-pie), so that they can send each other pointers.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at rows.c" -- -no-pie
// RUN: %commcc -O2 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { columns = 24, most = 9, tables = 3 };

NOINLINE void stencil(int **u, int **v, int m, int n, int number, int up, int down) {
  for (int turn = 0; turn < number; ++turn) {
    MPI_Sendrecv(u[1], n, MPI_INT, up, 0, u[m + 1], n, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(u[m], n, MPI_INT, down, 1, u[0], n, MPI_INT, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // CHECK: remark: splits the loop at rows.c:[[#@LINE+1]]: {{.*}}, if its rows are evenly spaced in memory
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j < n - 1; ++j)
        v[i][j] = (u[i - 1][j] * 3 + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] * 5) % 1001;
    int **t = u;
    u = v;
    v = t;
  }
}

/// In place: the row before is already new.
NOINLINE void inPlace(int **u, int m, int n, int up, int down) {
  MPI_Sendrecv(u[1], n, MPI_INT, up, 0, u[m + 1], n, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      u[i][j] = (u[i - 1][j] * 3 + u[i + 1][j]) % 1001;
}

/// The message has pointers to rows in it.
NOINLINE void received(int **u, int **v, int **other, int m, int n, int first, int number, int up, int down) {
  MPI_Sendrecv(other, number * (int)sizeof(int *), MPI_BYTE, up, 0, u + first, number * (int)sizeof(int *), MPI_BYTE,
               down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // CHECK: remark: splits the loop at rows.c:[[#@LINE+1]]
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i][j] = (u[i - 1][j] * 3 + u[i + 1][j]) % 1001;
}

/// The address of the second message is not known earlier either.
NOINLINE void sent(int **u, int **other, int *restrict row, int *restrict mine, int n, int first, int up, int down) {
  MPI_Sendrecv(other, sizeof(int *), MPI_BYTE, up, 0, u + first, sizeof(int *), MPI_BYTE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u[1], n, MPI_INT, up, 0, row, n, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int j = 0; j < n; ++j)
    mine[j] = mine[j] * 3 + j;
}

/// Nothing is loaded where the loops do not run.
NOINLINE void guarded(int **u, int **v, int *row, int m, int n, int runs, int up, int down) {
  MPI_Sendrecv(row, columns, MPI_INT, up, 0, v[1], columns, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // CHECK: remark: splits the loop at rows.c:[[#@LINE+1]]
  if (runs)
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < n; ++j)
        v[i][j] = (u[i][j] * 3 + v[i][j]) % 1001;
}

/// Nor if an iteration does not.
NOINLINE void masked(int **u, int **v, const int *mask, int *row, int m, int n, int up, int down) {
  MPI_Sendrecv(row, columns, MPI_INT, up, 0, v[1], columns, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    if (mask[i])
      for (int j = 0; j < n; ++j)
        v[i][j] = (u[i][j] * 3 + v[i][j]) % 1001;
}

/// The loop hands its rows on.
NOINLINE void moved(int **u, int **v, int *row, int m, int n, int up, int down) {
  MPI_Sendrecv(row, columns, MPI_INT, up, 0, v[1], columns, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i) {
    int *from = u[i], *to = v[i];
    for (int j = 0; j < n; ++j)
      to[j] = (from[j] * 3 + to[j]) % 1001;
    u[i + 1] = to;
  }
}

struct mesh {
  int *old, *new;
  int **rows, **others;
};

/// Pointers in a structure, which the loop reloads.
NOINLINE void member(struct mesh *mesh, int m, int n, int up, int down) {
  MPI_Sendrecv(mesh->old + n, n, MPI_INT, up, 0, mesh->old + (m + 1) * n, n, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK: remark: splits the loop at rows.c:[[#@LINE+1]]: iterations that touch nothing in flight need not wait [
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      mesh->new[i * n + j] = (mesh->old[(i - 1) * n + j] * 3 + mesh->old[(i + 1) * n + j]) % 1001;
}

/// Another process sends them.
NOINLINE void memberReceived(struct mesh *mesh, struct mesh *other, int m, int n, int up, int down) {
  MPI_Sendrecv(&other->old, sizeof(int *), MPI_BYTE, up, 0, &mesh->old, sizeof(int *), MPI_BYTE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      mesh->new[i * n + j] = (mesh->old[(i - 1) * n + j] * 3 + mesh->old[(i + 1) * n + j]) % 1001;
}

/// A table that is found in a structure.
NOINLINE void nested(struct mesh *mesh, int m, int n, int up, int down) {
  MPI_Sendrecv(mesh->rows[1], n, MPI_INT, up, 0, mesh->rows[m + 1], n, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK: remark: splits the loop at rows.c:[[#@LINE+1]]: {{.*}}, if its rows are evenly spaced in memory
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      mesh->others[i][j] = (mesh->rows[i - 1][j] * 3 + mesh->rows[i + 1][j]) % 1001;
}

/// The table comes with the message.
NOINLINE void nestedReceived(struct mesh *mesh, struct mesh *other, int m, int n, int up, int down) {
  MPI_Sendrecv(&other->rows, sizeof(int **), MPI_BYTE, up, 0, &mesh->rows, sizeof(int **), MPI_BYTE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      mesh->others[i][j] = (mesh->rows[i - 1][j] * 3 + mesh->rows[i + 1][j]) % 1001;
}

/// The pointer changes in the loop.
NOINLINE void advanced(struct mesh *mesh, int *row, int m, int n, int up, int down) {
  MPI_Sendrecv(row, columns, MPI_INT, up, 0, mesh->old, columns, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j < n; ++j)
      mesh->new[j] = (mesh->old[j] * 3 + mesh->new[j]) % 1001;
    mesh->new += n;
  }
}

/// Unpacks the first column of some rows, of which the sweep may look up fewer: the others may be anywhere.
NOINLINE void unpacked(int **u, int **v, const int *sent, int *column, int m, int n, int last, int up, int down) {
  MPI_Sendrecv(sent, last, MPI_INT, up, 0, column, last, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= last; ++i)
    u[i][0] = column[i - 1];
  // CHECK: remark: splits the loop at rows.c:[[#@LINE+1]]: {{.*}}, if its rows are evenly spaced in memory
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i][j] = (u[i - 1][j] * 3 + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] * 5) % 1001;
}

/// Two rows change places before the sweep, after they have been unpacked.
NOINLINE void swapped(int **u, int **v, const int *sent, int *column, int m, int n, int last, int up, int down) {
  MPI_Sendrecv(sent, last, MPI_INT, up, 0, column, last, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= last; ++i)
    u[i][0] = column[i - 1];
  int *row = u[1];
  u[1] = u[last];
  u[last] = row;
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i][j] = (u[i - 1][j] * 3 + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] * 5) % 1001;
}

static int space[64 * columns];
static struct mesh meshes[2];
static int *table[tables][most + 3];

/// How tables are laid out.
enum Layout { Even, Wide, Down, Gap, Twice, Shifted, Woven, Near, Again, layouts };

static void lay(enum Layout layout) {
  for (unsigned i = 0; i < sizeof(space) / sizeof(int); ++i)
    space[i] = (i * 37 + rank * 11) % 101;
  for (int k = 0; k < tables; ++k)
    for (int i = 0; i < most + 3; ++i) {
      int row = k * (most + 3) + i;
      switch (layout) {
      case Wide:
        row = k * 20 + i + i / 2;
        break;
      case Down:
        row = k * (most + 3) + most + 2 - i;
        break;
      case Gap:
        row = k * 20 + i + (i > 3) * 2;
        break;
      case Twice:
        row = k * (most + 3) + i - (i > 4);
        break;
      case Shifted:
        row = 2 * k + i;
        break;
      case Woven:
        row = tables * i + k;
        break;
      case Again:
        row = k * (most + 3) + i % 8;
        break;
      default:
        break;
      }
      table[k][i] = space + row * (layout == Near ? columns - 1 : columns) + (layout == Again && i >= 8 ? 5 : 0);
    }
}

static void tell(const char *what, int layout, int m, int n) {
  unsigned long sum = 0;
  for (unsigned i = 0; i < sizeof(space) / sizeof(int); ++i)
    sum = sum * 3 + (unsigned)space[i];
  printf("rank %d: %s, layout %d, %d rows of %d: %lu\n", rank, what, layout, m, n, sum);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  int row[2 * columns];
  for (int i = 0; i < 2 * columns; ++i)
    row[i] = i + rank;
  for (int layout = 0; layout < layouts; ++layout)
    // Rows that are sent and received at the same time differ.
    for (int m = layout == Near ? 2 : 1; m <= most; m += m < 3 ? 1 : 3)
      for (int n = columns - 1; n <= columns; ++n) {
        lay(layout);
        stencil(table[0], table[1], m, n, 3, up, down);
        tell("stencil", layout, m, n);
        lay(layout);
        stencil(table[1], table[0], m, n, 2, up, down);
        tell("back", layout, m, n);
        lay(layout);
        inPlace(table[0], m, n, up, down);
        tell("in place", layout, m, n);
        // Some start late: their messages do not arrive at once.
        for (int first = 0; first + 3 <= m; ++first) {
          lay(layout);
          MPI_Barrier(MPI_COMM_WORLD);
          if (rank % 2)
            nap(1);
          // A row that the loop writes.
          received(table[0], table[1], table[1] + first + 3, m, n, first, 1, up, down);
          tell("received", layout, m, n);
          lay(layout);
          sent(table[0], table[2] + first, row, row + columns, n, first, up, down);
          say("sent", row[5] + row[columns + 5]);
        }
        for (int test = 0; test < 5; ++test) {
          lay(layout);
          for (int k = 0; k < 2; ++k)
            meshes[k] = (struct mesh){table[2 * k][0], table[1][0], table[2 * k], table[1]};
          MPI_Barrier(MPI_COMM_WORLD);
          if (rank % 2)
            nap(1);
          if (test == 0)
            member(&meshes[0], m, n, up, down);
          else if (test == 1)
            memberReceived(&meshes[0], &meshes[1], m, n, up, down);
          else if (test == 2)
            nested(&meshes[0], m, n, up, down);
          else if (test == 3)
            nestedReceived(&meshes[0], &meshes[1], m, n, up, down);
          else
            advanced(&meshes[0], row, m, n, up, down);
          tell("member", layout, m, n);
        }
        for (int test = 0; test < 4; ++test) {
          lay(layout);
          MPI_Barrier(MPI_COMM_WORLD);
          if (rank % 2)
            nap(1);
          int last = test % 2 ? most + 2 : m;
          (test < 2 ? unpacked : swapped)(table[0], table[1], row, row + columns, m, n, last, up, down);
          tell(test < 2 ? "unpacked" : "swapped", layout, m, n);
        }
        lay(layout);
        moved(table[0], table[1], row, m, n, up, down);
        tell("moved", layout, m, n);
      }
  // There is no memory after the third entry.
  long page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || munmap(pages + page, page))
    return 1;
  int **few = (int **)(pages + page) - 3, mask[most + 3] = {0, 1, 1};
  lay(Even);
  memcpy(few, table[0], 3 * sizeof(int *));
  masked(few, table[1], mask, row, most, columns, up, down);
  tell("masked", Even, most, columns);
  guarded(0, table[1], row, most, columns, 0, up, down);
  guarded(0, table[1], row, most, 0, 1, up, down);
  guarded(few, table[1], row, 2, columns, 1, up, down);
  tell("guarded", Even, most, columns);
  MPI_Finalize();
  return 0;
}
