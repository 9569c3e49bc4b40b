// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The basic mode moves what the extended one moves, less far: the program's own requests, and past calls that may
// throw.
//
// RUN: %commcxx -O2 -g -fcomm-cost=none -fcomm-mode=basic -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,BASIC
// RUN: %commcxx -O2 -g -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,EXTENDED

#define OMPI_SKIP_MPICXX
#include <mpi.h>
#include <vector>

// CHECK: remark: MPI_Irecv at {{.*}} overlaps 1 loop
double waits(double *ghost, double *__restrict__ own, int n) {
  MPI_Request requests[2];
  MPI_Irecv(ghost, 8, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(own, 8, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += own[i] * own[i];
  return sum + ghost[0];
}

// The allocation may throw.
// CHECK: remark: MPI_Bcast at {{.*}} overlaps 1 loop
std::vector<double> throws(double *__restrict__ all, int n) {
  double first[4];
  MPI_Bcast(first, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  std::vector<double> squares(n);
  for (int i = 0; i < n; ++i)
    squares[i] = all[i] * all[i];
  all[0] = first[0];
  return squares;
}

// The next statement needs the result, and only the extended mode moves it, too.
// BASIC: remark: MPI_Wait at {{.*}}, which completes MPI_Iallreduce at {{.*}}, stays where it is
// EXTENDED: remark: MPI_Wait at {{.*}}, which completes MPI_Iallreduce at {{.*}}, overlaps 1 loop
int slice(int *__restrict__ own, int n) {
  int most = n, all;
  MPI_Request request;
  MPI_Iallreduce(&most, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int twice = 2 * all + all % 3;
  for (int i = 0; i < n; ++i)
    own[i] *= 3;
  return twice + own[0];
}
