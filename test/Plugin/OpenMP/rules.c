// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that are not a loop with thread-independent iterations stay unchanged, next to one that is. The wrong results
// that they would compute: test/Integration/Soundness/openmp-iterations.c.
//
// RUN: env COMM_COST=none %commcc -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
#include <mpi.h>
#include <omp.h>

static void exchange(double *u, int n, int m, int up, int down) {
  MPI_Sendrecv(u + m, m, MPI_DOUBLE, up, 0, u + (n - 1) * m, m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int own;
#pragma omp threadprivate(own)
int ask(int i);

#define PARAMETERS double *restrict u, double *restrict v, int *restrict marks, int n, int m, int up, int down
#define ROW                                                                                                            \
  for (int j = 1; j < m - 1; ++j)                                                                                      \
    v[i * m + j] = u[(i - 1) * m + j] + u[(i + 1) * m + j];

// CHECK-LABEL: define {{.*}}void @split(
// CHECK: @split.omp_outlined.comm
// CHECK: @split.omp_outlined.comm
// CHECK: ret void
void split(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    ROW
}

// CHECK-LABEL: define {{.*}}void @number(
// CHECK: @number.omp_outlined,
void number(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    ROW
    marks[i] = omp_get_thread_num();
  }
}

// CHECK-LABEL: define {{.*}}void @calls(
// CHECK: @calls.omp_outlined,
void calls(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    ROW
    marks[i] = ask(i);
  }
}

// CHECK-LABEL: define {{.*}}void @counted(
// CHECK: @counted.omp_outlined,
void counted(PARAMETERS) {
  int count = 0;
  exchange(u, n, m, up, down);
#pragma omp parallel for firstprivate(count)
  for (int i = 1; i < n - 1; ++i) {
    ROW
    marks[i] = count++;
  }
}

// CHECK-LABEL: define {{.*}}void @ofThread(
// CHECK: @ofThread.omp_outlined,
void ofThread(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    ROW
    marks[i] = own;
  }
}

// CHECK-LABEL: define {{.*}}void @array(
// CHECK: @array.omp_outlined,
void array(PARAMETERS) {
  int few[4] = {n, m, up, down};
  exchange(u, n, m, up, down);
#pragma omp parallel for firstprivate(few)
  for (int i = 1; i < n - 1; ++i) {
    ROW
    marks[i] = few[i % 4]++;
  }
}

// CHECK-LABEL: define {{.*}}double @reduced(
// CHECK: @reduced.omp_outlined,
double reduced(PARAMETERS) {
  double sum = 0;
  exchange(u, n, m, up, down);
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i < n - 1; ++i) {
    ROW
    sum += v[i * m + 1];
  }
  return sum;
}

// CHECK-LABEL: define {{.*}}i32 @lastOne(
// CHECK: @lastOne.omp_outlined,
int lastOne(PARAMETERS) {
  int x = 0;
  exchange(u, n, m, up, down);
#pragma omp parallel for lastprivate(x)
  for (int i = 1; i < n - 1; ++i) {
    ROW
    x = marks[i];
  }
  return x;
}

// CHECK-LABEL: define {{.*}}void @chunks(
// CHECK: @chunks.omp_outlined,
void chunks(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for schedule(static, 4)
  for (int i = 1; i < n - 1; ++i)
    ROW
}

// CHECK-LABEL: define {{.*}}void @dynamic(
// CHECK: @dynamic.omp_outlined,
void dynamic(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i < n - 1; ++i)
    ROW
}

// CHECK-LABEL: define {{.*}}void @threads(
// CHECK: @threads.omp_outlined,
void threads(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for num_threads(2)
  for (int i = 1; i < n - 1; ++i)
    ROW
}

// CHECK-LABEL: define {{.*}}void @maybe(
// CHECK: @maybe.omp_outlined,
void maybe(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for if (n > 100)
  for (int i = 1; i < n - 1; ++i)
    ROW
}

// CHECK-LABEL: define {{.*}}void @within(
// CHECK: @within.omp_outlined,
void within(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
#pragma omp parallel for
    ROW
  }
}

// CHECK-LABEL: define {{.*}}void @critical(
// CHECK: @critical.omp_outlined,
void critical(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    ROW
#pragma omp critical
    marks[0] += marks[i];
  }
}

// CHECK-LABEL: define {{.*}}void @atomic(
// CHECK: @atomic.omp_outlined,
void atomic(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    ROW
#pragma omp atomic
    marks[0] += 1;
  }
}

// CHECK-LABEL: define {{.*}}void @collapsed(
// CHECK: @collapsed.omp_outlined,
void collapsed(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n - 1; ++i)
    ROW
}

// CHECK-LABEL: define {{.*}}void @single(
// CHECK: @single.omp_outlined,
void single(PARAMETERS) {
  exchange(u, n, m, up, down);
#pragma omp parallel
  {
#pragma omp single
    marks[0] = n;
#pragma omp for
    for (int i = 1; i < n - 1; ++i)
      ROW
  }
}
