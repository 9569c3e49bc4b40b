// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that are unpacked as they arrive, by MPI_Waitany, before a sweep over a block; some neighbors do not exist.
// Comm waits for them in the order of their requests, which is an order that MPI allows, so that it knows what each
// iteration unpacks. Counts cells that are computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' | diff - %t.sums
// CHECK: block: {{[1-9][0-9][0-9]}} before the first wait, of 1024
// CHECK: countdown: {{[1-9][0-9][0-9]}} before the first wait, of 1024
// CHECK: called: {{[1-9][0-9][0-9]}} before the first wait, of 1024
#include "Inputs/cells.h"

enum { rows = 32, columns = 32, width = columns + 2 };

typedef struct {
  int neighbor[4], length[4];
  double *out[4], *in[4];
} Halo;

INLINE static void start(Halo *halo, double *u, MPI_Request *receives, MPI_Request *sends) {
  for (int k = 0; k < 4; ++k)
    MPI_Irecv(halo->in[k], halo->length[k], MPI_DOUBLE, halo->neighbor[k], k ^ 1, MPI_COMM_WORLD, &receives[k]);
  for (int j = 0; j < columns; ++j) {
    halo->out[0][j] = u[width + j + 1];
    halo->out[1][j] = u[rows * width + j + 1];
  }
  for (int i = 0; i < rows; ++i) {
    halo->out[2][i] = u[(i + 1) * width + 1];
    halo->out[3][i] = u[(i + 1) * width + columns];
  }
  for (int k = 0; k < 4; ++k)
    MPI_Isend(halo->out[k], halo->length[k], MPI_DOUBLE, halo->neighbor[k], k, MPI_COMM_WORLD, &sends[k]);
}

INLINE static void unpack(Halo *halo, double *u, int which) {
  if (halo->neighbor[which] == MPI_PROC_NULL)
    return;
  double *to = which == 0   ? u + 1
               : which == 1 ? u + (rows + 1) * width + 1
               : which == 2 ? u + width
                            : u + width + columns + 1;
  int stride = which < 2 ? 1 : width;
  for (int i = 0; i < halo->length[which]; ++i)
    to[i * stride] = halo->in[which][i];
}

INLINE static void sweep(double *v, const double *u) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      v[i * width + j] = 0.2 * (u[i * width + j] + u[(i - 1) * width + j] + u[(i + 1) * width + j] +
                                u[i * width + j - 1] + u[i * width + j + 1]);
}

INLINE static void makeHalo(Halo *halo) {
  for (int k = 0; k < 4; ++k) {
    halo->neighbor[k] = MPI_PROC_NULL;
    halo->length[k] = k < 2 ? columns : rows;
    halo->out[k] = malloc(sizeof(double) * halo->length[k]);
    halo->in[k] = malloc(sizeof(double) * halo->length[k]);
  }
  if (rank > 0)
    halo->neighbor[0] = rank - 1;
  if (rank + 1 < size)
    halo->neighbor[1] = rank + 1;
  // Messages to itself.
  halo->neighbor[2] = halo->neighbor[3] = rank;
}

NOINLINE static void block(void) {
  Halo halo;
  makeHalo(&halo);
  double *u = fill((rows + 2) * width, 1), *v = fill((rows + 2) * width, NAN);
  watch(v, (rows + 2) * width);
  for (int step = 0; step < 5; ++step) {
    MPI_Request receives[4], sends[4];
    start(&halo, u, receives, sends);
    for (int k = 0; k < 4; ++k) {
      int which;
      MPI_Waitany(4, receives, &which, MPI_STATUS_IGNORE);
      unpack(&halo, u, which);
    }
    MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
    sweep(v, u);
    double *swap = u;
    u = v;
    v = swap;
  }
  tell("block", u, (rows + 2) * width, rows * columns);
}

/// With a counter that goes down, and a status that nobody reads.
NOINLINE static void countdown(void) {
  Halo halo;
  makeHalo(&halo);
  double *u = fill((rows + 2) * width, 1), *v = fill((rows + 2) * width, NAN);
  MPI_Request receives[4], sends[4];
  watch(v, (rows + 2) * width);
  start(&halo, u, receives, sends);
  for (int left = 4; left > 0; --left) {
    int which;
    MPI_Status status;
    MPI_Waitany(4, receives, &which, &status);
    unpack(&halo, u, which);
  }
  MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
  sweep(v, u);
  tell("countdown", v, (rows + 2) * width, rows * columns);
}

/// In a function that LLVM inlines after it has simplified it: only the caller knows the tables.
static void exchange(Halo *halo, double *u) {
  MPI_Request receives[4], sends[4];
  start(halo, u, receives, sends);
  for (int k = 0; k < 4; ++k) {
    int which;
    MPI_Waitany(4, receives, &which, MPI_STATUS_IGNORE);
    unpack(halo, u, which);
  }
  MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
}

NOINLINE static void called(void) {
  Halo halo;
  makeHalo(&halo);
  double *u = fill((rows + 2) * width, 1), *v = fill((rows + 2) * width, NAN);
  watch(v, (rows + 2) * width);
  exchange(&halo, u);
  sweep(v, u);
  tell("called", v, (rows + 2) * width, rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  block();
  countdown();
  called();
  MPI_Finalize();
  return 0;
}
