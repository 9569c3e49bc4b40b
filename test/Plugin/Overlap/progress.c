// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in which MPI may progress are vectorized as before, innermost ones and those of a nest.
// RUN: %commcc -O2 -Rpass=loop-vectorize -fcomm-progress=off -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 "-Rpass=(loop-vectorize|comm-insert-progress)" -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,PROGRESS
// A rank that waits lets others run: no calls in loops.
// RUN: %commcc -O2 -fcomm-ranks -fcomm-mode=extended -Rpass=comm-insert-progress -c %s -o %t.o 2>&1 | count 0
// RUN: not %commcc -O2 -fcomm-progress=sometimes -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: invalid value 'sometimes' for {{.*}}; valid values are off, auto
#include <mpi.h>

// PROGRESS-DAG: MPI_Irecv at progress.c:[[#@LINE+4]] progresses in the loop at progress.c:[[#@LINE+5]]
// CHECK-DAG: progress.c:[[#@LINE+4]]:{{[0-9]+}}: remark: vectorized loop
void sweep(double *restrict in, double *restrict x, const double *restrict y, int n, int count) {
  MPI_Request request;
  MPI_Irecv(in, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < n; ++i)
    x[i] = 2 * y[i] + 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// PROGRESS-DAG: MPI_Irecv at progress.c:[[#@LINE+4]] progresses in the loop at progress.c:[[#@LINE+5]]
// CHECK-DAG: progress.c:[[#@LINE+5]]:{{[0-9]+}}: remark: vectorized loop
void nest(double *restrict in, double *restrict x, const double *restrict y, int n, int m, int count) {
  MPI_Request request;
  MPI_Irecv(in, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      x[i * m + j] = 2 * y[i * m + j] + 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
