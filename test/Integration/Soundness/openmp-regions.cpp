// Parallel regions overlap communication: reductions, schedules, barriers, single, sections, regions within regions.
// RUN: env OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=2 %samexx %s -o %t -n 1,2,4 --overlaps 'MPI_Allreduce' -- -fopenmp
// RUN: %commcxx -O2 -fopenmp -fcomm-cost=none -Rpass=comm-move-slices -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"
#include <omp.h>
#include <vector>

static const int n = 600;

/// Data of a message, and computations of a region in the meantime.
NOINLINE static void report(const char *what, double mine, const double *a, long found) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum * 0.75 + a[i];
  printf("rank %d: %s %.17g %.17g %ld\n", rank, what, mine, sum, found);
}

NOINLINE static void plain(double *a) {
  double mine = a[3] + rank, most = 0;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 1 OpenMP region
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a[i] = 0.5 * a[i] + i;
  report("plain", most, a, 0);
}

NOINLINE static void dynamic(double *a) {
  double mine = a[3] - rank, least = 0;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 1 OpenMP region
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
#pragma omp parallel for schedule(dynamic, 7) num_threads(2)
  for (int i = 0; i < n; ++i)
    a[i] = 0.25 * a[i] - i;
  report("dynamic", least, a, 0);
}

NOINLINE static void reduced(double *a) {
  long sum = 0, mine = rank + 2, all = 0;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 1 OpenMP region
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  int highest = -1;
#pragma omp parallel for reduction(+ : sum) reduction(max : highest)
  for (int i = 0; i < n; ++i) {
    sum += i * (a[i] > 0);
    highest = a[i] > 2 && i > highest ? i : highest;
  }
  report("reduced", all, a, sum + highest);
}

/// Threads wait for each other, and one of them works for all.
NOINLINE static void together(double *a) {
  long mine = rank + 3, all = 0;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 1 OpenMP region
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i)
      a[i] += 1;
#pragma omp barrier
#pragma omp single
    a[0] = a[n - 1] + 2;
#pragma omp master
    a[1] = a[n - 2] - 2;
#pragma omp barrier
#pragma omp for
    for (int i = 2; i < n; ++i)
      a[i] = a[i] * 0.5 + a[0] - a[1];
#pragma omp sections
    {
#pragma omp section
      a[5] += 3;
#pragma omp section
      a[6] += 4;
    }
#pragma omp for ordered
    for (int i = 0; i < 8; ++i) {
#pragma omp ordered
      a[7] = a[7] * 0.5 + i;
    }
  }
  report("together", all, a, 0);
}

NOINLINE static void within(double *a) {
  long mine = rank + 4, all = 0;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 1 OpenMP region
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int part = 0; part < 2; ++part) {
#pragma omp parallel for
    for (int i = part * n / 2; i < (part + 1) * n / 2; ++i)
      a[i] = 0.75 * a[i] + part;
  }
  report("within", all, a, 0);
}

/// Functions that contain regions are computations as well.
NOINLINE static void scale(double *a, double factor) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a[i] *= factor;
}

NOINLINE static void called(double *a) {
  long mine = rank + 5, all = 0;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 0 loops, 1 statement
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  scale(a, 0.5);
  report("called", all, a, 0);
}

/// A start rises over the region before it.
NOINLINE static void before(double *__restrict a, long *__restrict mine) {
  long all = 0;
  *mine = rank + 6;
#pragma omp parallel for if (n > 100)
  for (int i = 0; i < n; ++i)
    a[i] += 0.125 * i;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 1 OpenMP region
  MPI_Allreduce(mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  report("before", all, a, 0);
}

/// Messages of the program's own.
NOINLINE static void own(std::vector<double> &a) {
  int mine = rank + 7, theirs = -1;
  MPI_Request requests[2];
  MPI_Irecv(&theirs, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a[i] -= 0.5;
  report("own", theirs, a.data(), 0);
}

/// Regions in a row, and one in a loop.
NOINLINE static void inRow(double *a, double *b) {
  long mine = rank + 8, all = 0;
  // CHECK: regions.cpp:[[# @LINE + 1]]:{{.*}} MPI_Allreduce at {{.*}} overlaps 7 OpenMP regions
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a[i] += 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    b[i] += a[i];
  for (int turn = 0; turn < 5; ++turn) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      a[i] = 0.5 * (a[i] + b[n - 1 - i]);
  }
  report("many", all, a, 0);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  std::vector<double> a(n), b(n);
  for (int i = 0; i < n; ++i)
    a[i] = 0.01 * i - rank, b[i] = i % 7;
  long number;
  plain(a.data());
  dynamic(a.data());
  reduced(a.data());
  together(a.data());
  within(a.data());
  called(a.data());
  before(a.data(), &number);
  own(a);
  inRow(a.data(), b.data());
  MPI_Finalize();
  return 0;
}
