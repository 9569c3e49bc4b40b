// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that only test until the flag is set wait; loops that do or look at anything else are left alone.
// RUN: %commcc -O2 -fcomm-mode=basic -fcomm-progress=off -S -emit-llvm -fno-inline %s -o - | FileCheck %s --check-prefix=IR
// RUN: %commcc -O2 -Rcomm -g %s -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %mpirun -n 2 %t | FileCheck %s
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { n = 1000 };

// IR-LABEL: define {{.*}} @test(
// IR-NOT: @MPI_Test(
// IR: call {{.*}} @MPI_Wait(
// REMARK-DAG: remark: MPI_Irecv at polling-loops.c:[[#@LINE+4]] overlaps 1 loop
int test(double *restrict in, double *restrict own, int from) {
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(in, n, MPI_DOUBLE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  int flag = 0;
  while (!flag)
    MPI_Test(&request, &flag, &status);
  int tag = status.MPI_TAG;
  for (int i = 0; i < n; ++i)
    own[i] = own[i] * 2 + 1;
  return tag + flag;
}

// If a request fails, MPI_Waitall returns while others are pending, and MPI_Testall does not set its flag.
// IR-LABEL: define {{.*}} @all(
// IR: call {{.*}} @MPI_Testall(
// IR: ret
int all(double *in, int from) {
  MPI_Request requests[2];
  MPI_Irecv(in, n / 2, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + n / 2, n / 2, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, &requests[1]);
  int flag;
  do
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  while (!flag);
  return flag;
}

// It counts.
// IR-LABEL: define {{.*}} @counts(
// IR: call {{.*}} @MPI_Test(
// IR: ret
int counts(double *in, int from) {
  MPI_Request request;
  MPI_Irecv(in, n, MPI_DOUBLE, from, 4, MPI_COMM_WORLD, &request);
  int flag = 0, turns = 0;
  for (; !flag; ++turns)
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return turns;
}

// It leaves after an error.
// IR-LABEL: define {{.*}} @checks(
// IR: call {{.*}} @MPI_Test(
// IR: ret
int checks(double *in, int from) {
  MPI_Request request;
  MPI_Irecv(in, n, MPI_DOUBLE, from, 5, MPI_COMM_WORLD, &request);
  int flag = 0;
  while (!flag)
    if (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return 0;
  return flag;
}

// It lets others run.
// IR-LABEL: define {{.*}} @sleeps(
// IR: call {{.*}} @MPI_Test(
// IR: ret
int sleeps(double *in, int from) {
  MPI_Request request;
  MPI_Irecv(in, n, MPI_DOUBLE, from, 6, MPI_COMM_WORLD, &request);
  int flag = 0;
  while (!flag) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    usleep(10);
  }
  return flag;
}

// It stops when another flag is set.
// IR-LABEL: define {{.*}} @gives_up(
// IR: call {{.*}} @MPI_Test(
// IR: ret
int gives_up(MPI_Request *request, volatile int *stop) {
  int flag = 0;
  while (!flag && !*stop)
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
  return flag;
}

// It goes on while the flag is set.
// IR-LABEL: define {{.*}} @inverse(
// IR: call {{.*}} @MPI_Test(
// IR: ret
int inverse(MPI_Request *request) {
  int flag;
  do
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
  while (flag);
  return flag;
}

// CHECK: 8 1 1 1 1 1 1000 1
int main(int argc, char **argv) {
  double *in = calloc(n, sizeof *in), *own = calloc(n, sizeof *own);
  int rank, stop = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    int a = test(in, own, 1), b = all(in, 1), c = counts(in, 1), d = checks(in, 1), e = sleeps(in, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    printf("%d %d %d %d %d %d %g %g\n", a, b, c > 0, d, e, gives_up(&request, &stop) == 0, in[n - 1] * n, own[0]);
    if (argc > 5)
      inverse(&request);
  } else {
    for (int i = 0; i < n; ++i)
      in[i] = 1;
    usleep(20000);
    MPI_Send(in, n, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    MPI_Send(in, n / 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    MPI_Send(in, n / 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    for (int tag = 4; tag <= 6; ++tag)
      MPI_Send(in, n, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
