// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that writes and then throws does not end the program if the exception is caught.
// RUN: %commcxx -O2 -g -Rcomm %s -o %t 2>&1 | FileCheck --check-prefix=CHANNEL %s
// RUN: %commcxx -O2 -g -Rcomm -DENDS %s -o %t 2>&1 | FileCheck --check-prefix=NONE %s
// CHANNEL: puts may communicate with another process other than by messages
// NONE-NOT: may communicate with another process
// NONE: overlaps
#include <mpi.h>
#include <stdio.h>

enum { n = 400 };
static double u[n + 2][n + 2], v[n + 2][n + 2];

__attribute__((noinline)) static void report(int code) {
  puts("wrong");
  throw code;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  for (int t = 0; t < 10; ++t) {
    MPI_Sendrecv(u[1], n + 2, MPI_DOUBLE, up, 1, u[n + 1], n + 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        u[i][j] = v[i][j];
#ifndef ENDS
    try {
      if (u[1][1] != 0)
        report(t);
    } catch (int) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
#endif
  }
#ifdef ENDS
  try {
    if (u[1][1] != 0)
      report(1);
  } catch (int) {
    puts("caught");
  }
#endif
  MPI_Finalize();
}
