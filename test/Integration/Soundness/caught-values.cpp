// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler changes a variable, and continues where a guard ends: the guard's result is neither that of its loop nor
// that of the path around it.
// RUN: %samexx %s -o %t -n 1,2 --overlaps "MPI_Sendrecv at"
#include <cstdio>
#include <functional>
#include <mpi.h>
#include <vector>

static void count(int n, int steps, int peer, long *a, long *b, long *c) {
  long caught = 0, sent = 1, received = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(&sent, 1, MPI_LONG, peer, 1, &received, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::swap(b, c);
    for (int j = 1; j <= n; ++j)
      b[j] = a[j];
    try {
      for (int j = 1; j <= n; ++j) {
        if (a[j] > 50)
          throw 1;
        c[j] = a[j];
      }
    } catch (...) {
      ++caught;
    }
    std::function<long(int)> shifted = [&](int j) { return a[j - 1] + 3; };
    for (int j = 1; j <= n; ++j)
      c[j] = shifted(j);
    sent += received;
  }
  printf("caught %ld, received %ld, c %ld\n", caught, received, c[n]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int n : {0, 1, 40, 60}) {
    std::vector<long> a(n + 1), b(n + 1), c(n + 1);
    for (int j = 0; j <= n; ++j)
      a[j] = j;
    count(n, 3 + argc, (rank + 1) % 2 % size, a.data(), b.data(), c.data());
  }
  MPI_Finalize();
}
