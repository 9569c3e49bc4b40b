// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A field passed by reference: clang declares its members dereferenceable, so LLVM would load them before the exchange,
// and the loop after it would wait.
// RUN: %commcxx -O2 -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include <mpi.h>
#include <utility>

struct Field {
  int columns, rows, steps, up, down;
  double *u, *w;
  MPI_Comm comm;
};

static void exchange(Field *f) {
  MPI_Request requests[4];
  int n = f->columns + 2;
  // CHECK-DAG: MPI_Irecv at references.cpp:[[# @LINE + 1]] overlaps 1 loop
  MPI_Irecv(f->u, n, MPI_DOUBLE, f->down, 1, f->comm, &requests[0]);
  // CHECK-DAG: MPI_Irecv at references.cpp:[[# @LINE + 1]] overlaps 1 loop
  MPI_Irecv(f->u + (f->rows + 1) * n, n, MPI_DOUBLE, f->up, 2, f->comm, &requests[1]);
  MPI_Isend(f->u + n, n, MPI_DOUBLE, f->down, 2, f->comm, &requests[2]);
  MPI_Isend(f->u + f->rows * n, n, MPI_DOUBLE, f->up, 1, f->comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void relax(Field *f) {
  int w = f->columns + 2;
  // CHECK-DAG: splits the loop at references.cpp:[[# @LINE + 1]]
  for (int j = 1; j <= f->rows; j++)
    for (int i = 1; i <= f->columns; i++) {
      int at = j * w + i;
      f->w[at] = 0.25 * (f->u[at - 1] + f->u[at + 1] + f->u[at - w] + f->u[at + w]);
    }
}

void run(Field &field) {
  Field *f = &field;
  for (int k = 0; k < f->steps; k++) {
    exchange(f);
    relax(f);
    std::swap(f->u, f->w);
  }
}
