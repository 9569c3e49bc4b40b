// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exchange that is called once is inlined as if it were static, unless its caller would become very large: a driver
// of phases, each with its own exchanges and loops, is not made one function. Small exchanges and computation are
// inlined there, too.
// RUN: %commcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %commcc -O2 -S -emit-llvm -DDRIVER %s -o - | FileCheck %s --check-prefix=DRIVER
#include <mpi.h>

#define FOUR(x) x x x x
#define STEPS FOUR(FOUR(sum = sum * 3 + n; sum ^= sum >> 7;))

// More instructions before optimization than LLVM's limit and Comm's for functions with several callers.
void phase(double *row, int n, int peer, unsigned *seed) {
  unsigned sum = *seed;
  FOUR(STEPS)
  *seed = sum;
  for (int i = 0; i < n; ++i)
    row[i] = row[i] * sum + i;
  MPI_Sendrecv(row, n, MPI_DOUBLE, peer, 0, row + n, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void exchange(double *row, int n, int peer) {
  MPI_Sendrecv(row, n, MPI_DOUBLE, peer, 1, row + n, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// CHECK-LABEL: define {{.*}} @drive(
// CHECK-NOT: call {{.*}} @phase(
// CHECK-NOT: call {{.*}} @exchange(
// DRIVER-LABEL: define {{.*}} @drive(
// DRIVER-NOT: call {{.*}} @exchange(
// DRIVER: call {{.*}} @phase(
// DRIVER-NOT: call {{.*}} @exchange(
unsigned drive(double *row, int n, int peer) {
  unsigned sum = n;
#ifdef DRIVER
  FOUR(FOUR(STEPS))
#endif
  phase(row, n, peer, &sum);
  exchange(row, n, peer);
  return sum;
}
