// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is profiled with 1, 2 and 4 processes, in both forms. The profiles are merged, and the program is compiled
// with each of them and with all: its output never changes. Inputs/check.py checks the profile.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/profile.c && cd %t
// RUN: %mpicc -O2 profile.c -o plain
// RUN: %commcc -O2 -fcomm-cost=none -fcomm-profile-generate=runs/ profile.c -o measured
// RUN: %commcc -O2 -fcomm-cost=none -fcomm-mode=off -fcomm-profile-generate=blocking.json profile.c -o blocking
// RUN: %mpirun -n 1 ./plain > 1.txt && %mpirun -n 2 ./plain > 2.txt && %mpirun -n 4 ./plain > 4.txt
// RUN: %mpirun -n 1 ./measured > 1.out && cmp 1.txt 1.out
// RUN: %mpirun -n 2 ./measured > 2.out && cmp 2.txt 2.out
// RUN: env COMM_REPORT_FILE=four.json %mpirun -n 4 ./measured > 4.out && cmp 4.txt 4.out
// RUN: %mpirun -n 4 ./blocking > 4.out && cmp 4.txt 4.out
// RUN: %python %S/Inputs/check.py four.json blocking.json runs
// RUN: %commreport merge runs/*.json four.json blocking.json -o all.json
// RUN: %commreport show all.json | FileCheck %s --check-prefix=SHOW
// SHOW: 4 ranks on 1 node, 4 runs,
// SHOW: Saveable (s){{ +}}Saved (s){{ +}}Lost (s)
// SHOW-DAG: MPI_Allreduce{{ +}}profile.c
// SHOW-DAG: MPI_Sendrecv{{ +}}profile.c{{ +}}{{[0-9]+}} (in profile.c:{{[0-9]+}}:5)
// SHOW-DAG: MPI_Waitall
// SHOW: All Ranks
//
// RUN: %commcc -O2 -fcomm-profile-use=all.json profile.c -o used 2>&1 | count 0
// RUN: %mpirun -n 1 ./used > 1.out && cmp 1.txt 1.out
// RUN: %mpirun -n 2 ./used > 2.out && cmp 2.txt 2.out
// RUN: %mpirun -n 4 ./used > 4.out && cmp 4.txt 4.out
//
// As if run on two nodes, so that the figures count for collectives: all forms that the profile selects are used.
// RUN: sed 's/"nodes": 1/"nodes": 2/' all.json > nodes.json
// RUN: %python %S/Inputs/scale.py nodes.json 1000 long.json
// RUN: %python %S/Inputs/scale.py nodes.json 0.000001 short.json
// RUN: %commcc -O2 -Rcomm -fcomm-profile-use=long.json profile.c -o used 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: %mpirun -n 2 ./used > 2.out && cmp 2.txt 2.out
// RUN: %mpirun -n 4 ./used > 4.out && cmp 4.txt 4.out
// RUN: %commcc -O2 -Rcomm -fcomm-profile-use=short.json profile.c -o used 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: %mpirun -n 2 ./used > 2.out && cmp 2.txt 2.out
// RUN: %mpirun -n 4 ./used > 4.out && cmp 4.txt 4.out
// LONG: MPI_Allreduce at profile.c:{{[0-9]+}} overlaps
// SHORT: MPI_Allreduce stays blocking: its interval {{.*}}in the profile

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 100, rows = 8, work = 20000 };

static void exchange(double *u, int up, int down) {
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 0, u + 7 * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void all(double *u, int up, int down, MPI_Datatype half) {
  MPI_Request *requests = malloc(2 * sizeof *requests);
  MPI_Irecv(u, 2, half, up, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(u + 6 * n, 2, half, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double *u = malloc(rows * n * sizeof *u), *w = malloc(work * sizeof *w);
  long sum = rank, most = 0, sums = 0;
  MPI_Datatype half;
  MPI_Type_contiguous(n / 2, MPI_DOUBLE, &half);
  MPI_Type_commit(&half);
  for (int i = 0; i < rows * n; ++i)
    u[i] = i * (rank + 1);
  for (int i = 0; i < work; ++i)
    w[i] = i;
  for (int step = 0; step < 10; ++step) {
    MPI_Allreduce(&sum, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < work; ++i)
      w[i] = w[i] * 0.5 + 2 * i;
    u[n + 3] += most;
    exchange(u, up, down);
    for (int i = 0; i < work; ++i)
      w[i] = w[i] * 1.5 + 1;
    u[n + 5] += u[7 * n + 3];
    exchange(u, up, down);
    all(u, up, down, half);
    long sent = sum + step, got = 0;
    if (rank % 2)
      MPI_Send(&sent, 1, MPI_LONG, rank - 1, 5, MPI_COMM_WORLD);
    else if (rank + 1 < size)
      MPI_Recv(&got, 1, MPI_LONG, rank + 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < work; ++i)
      w[i] = w[i] * 0.75 + 3;
    sum = sum * 3 + most % 7 + got % 3;
    MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    sums += sum;
  }
  if (argc > 5)
    MPI_Barrier(MPI_COMM_WORLD);
  double total = 0, ofAll = 0;
  for (int i = 0; i < work; ++i)
    total += w[i];
  for (int i = 0; i < rows * n; ++i)
    total += u[i] * (rank + 1);
  double *totals = malloc(size * sizeof *totals);
  MPI_Gather(&total, 1, MPI_DOUBLE, totals, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i)
    ofAll = ofAll * 0.5 + totals[i];
  if (rank == 0)
    printf("%.17g %ld %ld\n", ofAll, sums, most);
  MPI_Finalize();
  return 0;
}
