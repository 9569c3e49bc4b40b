// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of applications: code between an exchange and a loop, and calls in a loop.
// RUN: %commcxx -O2 -g1 -fcomm-cost=none -fcomm-known-sources -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcxx -O2 -g1 -fcomm-known-sources -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s

#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

#define NOINLINE __attribute__((noinline))
extern int rank, size, up, down;

static void exchange(double *u, int m, int n) {
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 0, u + (m + 1) * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + m * n, n, MPI_DOUBLE, down, 1, u, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Walls write columns of the array that is exchanged: a small loop that the sweep depends on.
NOINLINE void walls(double *u, double *v, int m, int n) {
  exchange(u, m, n);
  assert(n > 2);
  // CHECK-DAG: splits the loop at application-forms.cpp:[[#@LINE+1]]
  for (int i = 0; i <= m + 1; ++i) {
    u[i * n] = u[i * n + n - 2];
    u[i * n + n - 1] = u[i * n + 1];
  }
  // CHECK-DAG: splits the loop at application-forms.cpp:[[#@LINE+1]]
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] - u[i * n + j - 1] - u[i * n + j + 1];
}

/// A function that gets vectors, none of which contains the message.
NOINLINE static void relax(std::vector<double> &values) {
  for (double &value : values)
    value = std::sqrt(value) / (1 + value);
}
NOINLINE double calls(int n) {
  std::vector<double> out(n, rank), in(n), others(n, 2.0);
  for (int step = 0; step < 10; ++step) {
    // CHECK-DAG: MPI_Sendrecv at application-forms.cpp:[[#@LINE+1]] overlaps
    MPI_Sendrecv(out.data(), n, MPI_DOUBLE, down, 0, in.data(), n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    relax(others);
    for (int i = 0; i < n; ++i)
      out[i] += in[i] * others[i];
  }
  return out[0];
}

/// Products of complex numbers are calls.
NOINLINE void turns(std::complex<double> *__restrict own, const std::complex<double> *factors, int n,
                    double *__restrict in, double *__restrict out) {
  // CHECK-DAG: MPI_Sendrecv at application-forms.cpp:[[#@LINE+1]] overlaps
  MPI_Sendrecv(out, n, MPI_DOUBLE, down, 0, in, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    own[i] *= factors[i];
  for (int i = 0; i < n; ++i)
    own[i] += in[i];
}

/// Two exchanges before a loop that gathers by indices.
NOINLINE void gathers(double *u, double *r, const int *first, const int *other, int n, int steps) {
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(u, 1, MPI_DOUBLE, up, 0, u + n + 1, 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(u + n - 1, 1, MPI_DOUBLE, down, 1, u + n, 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // CHECK-DAG: splits the loop at application-forms.cpp:[[#@LINE+1]]: {{.*}} are found at run time
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = first[i]; k < first[i + 1]; ++k)
        sum += u[other[k]];
      r[i] = sum;
    }
    for (int i = 0; i < n; ++i)
      u[i] += 0.1 * r[i];
  }
}

/// The blocks of processes are uneven: the first row is a minimum.
NOINLINE void colors(double *u, int m, int n, int share, int left, int me, int color) {
  const int firstRow = me * share + (me < left ? me : left), length = n + 2;
  exchange(u, m, length);
  // CHECK-DAG: splits the loop at application-forms.cpp:[[#@LINE+1]]
  for (int i = 1; i <= m; ++i)
    for (int j = 1 + ((i + firstRow + color) & 1); j <= n; j += 2) {
      int k = i * length + j;
      u[k] = 0.25 * (u[k - length] + u[k + length] + u[k - 1] + u[k + 1]);
    }
}

/// Without a neighbor the row is computed, in a loop in the other arm.
NOINLINE void mirrors(double *u, double *v, int m, int n) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (down != MPI_PROC_NULL)
    MPI_Isend(u + m * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request);
  if (up != MPI_PROC_NULL)
    // CHECK-DAG: MPI_Recv at application-forms.cpp:[[#@LINE+1]] overlaps
    MPI_Recv(u, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    for (int j = 0; j < n; ++j)
      u[j] = u[n + j];
  // CHECK-DAG: splits the loop at application-forms.cpp:[[#@LINE+1]]
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] - u[i * n + j];
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// A function that does not return, because of its last call.
static void die(const char *why);
NOINLINE void aborts(double *u, double *v, int m, int n) {
  exchange(u, m, n);
  auto *weights = static_cast<double *>(std::malloc(n * sizeof(double)));
  if (!weights)
    die("no memory");
  for (int j = 0; j < n; ++j)
    weights[j] = 1.0 / (j + 1);
  // CHECK-DAG: splits the loop at application-forms.cpp:[[#@LINE+1]]
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = weights[j] * u[(i - 1) * n + j] + u[(i + 1) * n + j];
  std::free(weights);
}
NOINLINE static void die(const char *why) {
  std::fprintf(stderr, "%s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
