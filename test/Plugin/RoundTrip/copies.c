// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only a function that overlaps something has a copy as it was written: to compile one for each function that
// communicates took half as long again as clang. A wait of the program's own does not move for a few statements.
//
// RUN: commcc -O2 -S -emit-llvm -fcomm-cost=none %s -o %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: commcc -O2 -g -S -emit-llvm -Rcomm %s -o %t.measured.ll 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s --check-prefix=OWN < %t.measured.ll

#include <mpi.h>

// CHECK-DAG: define internal {{.*}}@overlaps.comm.original(
// CHECK-NOT: @waits.comm.original
double overlaps(double *x, double *restrict y, int n) {
  double sum = 0;
  MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    y[i] = y[i] * y[i] + 1.0;
  return x[0] + y[n - 1] + sum;
}

double waits(double *x, int n) {
  double sum = 0, all;
  for (int i = 0; i < n; i++)
    sum += x[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

// CHECK-DAG: define internal {{.*}}@own.comm.original(
// CHECK-DAG: define internal {{.*}}@own_array.comm.original(
// OWN-NOT: @own.comm.original
// OWN-NOT: @own_array.comm.original
double own(double *restrict x, double *restrict y, int from, int n) {
  MPI_Request request;
  // REMARK-DAG: copies.c:[[@LINE+1]]:{{.*}} MPI_Irecv gains nothing: the additional work that it could overlap takes at most about {{[0-9]+}} ns
  MPI_Irecv(x, n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  y[0] = y[1] + 1;
  y[2] = y[3] + 1;
  y[4] = y[5] + 1;
  y[6] = y[7] + 1;
  return x[0];
}

double own_array(double *restrict x, double *restrict y, const int *restrict from, int n) {
  MPI_Request requests[16];
  for (int i = 0; i < n; i++)
    MPI_Irecv(x + i, 1, MPI_DOUBLE, from[i], 0, MPI_COMM_WORLD, &requests[i]);
  // REMARK-DAG: MPI_Waitall at copies.c:[[@LINE+1]]{{.*}} gains nothing: the additional work that it could overlap takes at most about {{[0-9]+}} ns
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  y[0] = y[1] + 1;
  y[2] = y[3] + 1;
  y[4] = y[5] + 1;
  y[6] = y[7] + 1;
  return x[0];
}
