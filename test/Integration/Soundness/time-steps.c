// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction between an exchange and its sweep, which needs its result: the time step, from the maximum speed of
// the process's own cells. The wait passes the reduction, and the loop before it if that does not access ghost
// cells.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/rows.h"

static double fastest(const double *u, int first, int last) {
  double most = 0;
  for (int i = first; i < last; ++i)
    most = u[i] > most ? u[i] : most;
  return most;
}

#define SWEEP(v, u, m, n, dt)                                                                                          \
  for (int i = 1; i <= m; ++i)                                                                                         \
    for (int j = 1; j < n - 1; ++j)                                                                                    \
  v[i * n + j] = u[i * n + j] + dt * (u[(i - 1) * n + j] + u[(i + 1) * n + j] - 2 * u[i * n + j])

NOINLINE static void courant(double *restrict v, double *restrict u, int m, int n) {
  double speed, all;
  EXCHANGE(MPI_DOUBLE, u, m, n);
  // CHECK-NOT: splits the loop at time-steps.c:11
  speed = fastest(u, n, (m + 1) * n);
  MPI_Allreduce(&speed, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double dt = 0.125 / (1 + all);
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}} remark: splits the loop at time-steps.c:[[#@LINE+1]]
  SWEEP(v, u, m, n, dt);
}

/// Including ghost cells: everything waits, whatever the tests say.
NOINLINE static void ofGhosts(double *restrict v, double *restrict u, int m, int n) {
  double speed = 0, all;
  EXCHANGE(MPI_DOUBLE, u, m, n);
  for (int i = 0; i < (m + 2) * n; ++i)
    speed = u[i] > speed ? u[i] : speed;
  MPI_Allreduce(&speed, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double dt = 0.125 / (1 + all);
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}} remark: the loop at time-steps.c:[[#@LINE+1]] waits as a whole
  SWEEP(v, u, m, n, dt);
}

/// From a row on that is not known: whether it is a ghost row is asked.
NOINLINE static void fromRow(double *restrict v, double *restrict u, int m, int n, int first) {
  double speed, all;
  EXCHANGE(MPI_DOUBLE, u, m, n);
  speed = fastest(u, first * n, (m + 1) * n);
  MPI_Allreduce(&speed, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double dt = 0.125 / (1 + all);
  SWEEP(v, u, m, n, dt);
}

/// The reduced data has been received.
NOINLINE static void arrived(double *restrict v, double *restrict u, int m, int n) {
  double all;
  EXCHANGE(MPI_DOUBLE, u, m, n);
  MPI_Allreduce(&u[(m + 1) * n], &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double dt = 0.125 / (1 + all);
  SWEEP(v, u, m, n, dt);
}

/// Blocking messages.
NOINLINE static void blocking(double *restrict v, double *restrict u, int m, int n) {
  double speed, all;
  MPI_Sendrecv(&u[n], n, MPI_DOUBLE, up, 1, &u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[m * n], n, MPI_DOUBLE, down, 0, &u[0], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  speed = fastest(u, n, (m + 1) * n);
  MPI_Allreduce(&speed, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double dt = 0.125 / (1 + all);
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}} remark: splits the loop at time-steps.c:[[#@LINE+1]]
  SWEEP(v, u, m, n, dt);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int m = 1; m < 8; m += 1 + m / 3)
    for (int n = 1; n < 6; ++n) {
      int cells = (m + 2) * n;
      double *u = make(cells, 1), *v = make(cells, 2);
      for (int step = 0; step < 2; ++step) {
        courant(v, u, m, n);
        ofGhosts(u, v, m, n);
        fromRow(v, u, m, n, step);
        arrived(u, v, m, n);
        blocking(v, u, m, n);
        fromRow(u, v, m, n, 1 - step);
      }
      say("digits", digits(u, cells) ^ digits(v, cells) * 3);
      free(u), free(v);
    }
  MPI_Finalize();
  return 0;
}
