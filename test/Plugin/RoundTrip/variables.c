// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of the function stay at its beginning, before questions to the runtime. In another block they would be
// allocated again, and jump threading would make two of one, whose lifetimes then have no variable: with -flto, the
// linker ended with "lifetime.start/end can only be used on alloca".
// RUN: %commcc -O2 -fcomm-errors-are-fatal -fcomm-cost=measured -S -emit-llvm %s -o - | FileCheck %s
#include <mpi.h>

static int np;

// CHECK-LABEL: define {{.*}} @collect(
// CHECK-NOT: {{^[0-9]+:}}
// CHECK: alloca %struct.ompi_status_public_t
// CHECK: {{^}}}
__attribute__((noinline)) static void collect(int n, int count, double *r, double *totals, unsigned *numbers) {
  MPI_Recv(r, count, MPI_DOUBLE, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    numbers[i] = (numbers[i] * 5 + 3) % 1000;
  for (int k = 1; k < np; ++k) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 25, MPI_COMM_WORLD, &status);
    totals[status.MPI_SOURCE] += r[count - 1];
  }
}

void run(int kind, int n, int count, double *r, double *totals, unsigned *numbers) {
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  if (kind == 1)
    collect(n, count, r, totals, numbers);
}
