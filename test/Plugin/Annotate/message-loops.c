// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short loops over messages become statements in a row, which are under way together.
//
// RUN: %commcc -O2 -g -fcomm-cost=none -fcomm-known-sources -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
// RUN: %commcc -O2 -fcomm-mode=off -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
#include <mpi.h>

// Fields by their addresses, as many as nobody unrolls otherwise.
// CHECK-DAG: remark: MPI_Sendrecv at message-loops.c:[[#@LINE+6]] overlaps 8 other communications
// OFF-LABEL: @fields(
// OFF-COUNT-1: call i32 @MPI_Sendrecv(
// OFF-NOT: call i32 @MPI_Sendrecv(
void fields(double *field[12], int rows, int up, int down) {
  for (int k = 0; k < 12; ++k)
    MPI_Sendrecv(field[k] + 64, 64, MPI_DOUBLE, up, k, field[k] + rows * 64, 64, MPI_DOUBLE, down, k, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// The program says that this one stays.
// OFF-LABEL: @stays(
// IR-LABEL: define {{.*}}@stays(
// IR-COUNT-1: call i32 @MPI_Sendrecv(
// IR-NOT: call i32 @MPI_Sendrecv(
// IR-LABEL: define {{.*}}@steps(
void stays(double (*field)[256], int up, int down) {
#pragma nounroll
  for (int k = 0; k < 12; ++k)
    MPI_Sendrecv(field[k] + 64, 64, MPI_DOUBLE, up, k, field[k], 64, MPI_DOUBLE, down, k, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// Time steps, with loops in them: once is enough.
// IR-COUNT-1: call i32 @MPI_Send(
// IR-NOT: call i32 @MPI_Send(
// IR-LABEL: define {{.*}}@many(
void steps(double *u, double *v, int n, int up, int down) {
  for (int step = 0; step < 10; ++step) {
    MPI_Send(u, n, MPI_DOUBLE, up, step, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i)
      v[i] += u[i];
  }
}

// More than a few.
// IR-COUNT-1: call i32 @MPI_Send(
// IR-NOT: call i32 @MPI_Send(
// IR: declare
void many(double *u, int up) {
  for (int k = 0; k < 1000; ++k)
    MPI_Send(u + k, 1, MPI_DOUBLE, up, k, MPI_COMM_WORLD);
}
