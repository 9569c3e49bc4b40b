// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of a vector is a difference of addresses, which does not lead to its memory: later results of a function are
// other memory. An address that escapes as a number does: `run<true>` receives into memory that the stencil writes.
//
// RUN: %samexx %s -o %t -n 1,2,4 -- -no-pie
// RUN: %commcxx -O2 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

#include <cstdint>
#include <vector>

struct Field {
  int n;
  std::vector<double> values;
  explicit Field(int n) : n(n), values((n + 2) * (n + 2) * (n + 2)) {}
  double &operator()(int i, int j, int k) { return values[((size_t)i * (n + 2) + j) * (n + 2) + k]; }
};

static uintptr_t kept;

NOINLINE double *get(int n) {
  static double *pool = (double *)malloc(100000 * sizeof(double));
  static int used = 0;
  used += n;
  return kept ? reinterpret_cast<double *>(kept) : pool + used % 50000 - n % 50000;
}

static double add(Field &u, int n) {
  double sum = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++)
        sum += u(i, j, k) * (i + 3 * j - k);
  return sum;
}

static void start(Field &u) {
  for (size_t i = 0; i < u.values.size(); i++)
    u.values[i] = (i * 13 + rank * 7) % 17 / 16.0;
}

template <bool isShared> NOINLINE double run(int n) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  Field u(n), v(n);
  start(u);
  double *sent = get(n * n);
  if (isShared)
    kept = reinterpret_cast<uintptr_t>(&v(1, 1, 1));
  double *received = get(n * n);
  kept = 0;
  for (int t = 0; t < 4; t++) {
    MPI_Request requests[2];
    size_t p = 0;
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++)
        sent[p++] = u(1, j, k);
    MPI_Irecv(received, n * n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, n * n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // CHECK: remark: splits the loop at vector-sizes.cpp:[[#@LINE+2]]
    p = 0;
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++)
        u(n + 1, j, k) = received[p++];
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        for (int k = 1; k <= n; k++)
          v(i, j, k) = 0.25 * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k));
    if (isShared)
      break;
    std::swap(u, v);
  }
  return isShared ? add(v, n) : add(u, n);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int n : {1, 2, 5, 16}) {
    double first = run<false>(n), second = run<true>(n);
    printf("rank %d: %d: %.17g %.17g\n", rank, n, first, second);
  }
  MPI_Finalize();
  return 0;
}
