// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the kernels: arguments, the clock, and one line of results. None of this is timed.
#ifndef HALO_BENCH_H
#define HALO_BENCH_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Returns argument `index` of the command line, or the default.
static inline int argument(int argc, char **argv, int index, int standard) {
  return argc > index ? atoi(argv[index]) : standard;
}

static inline void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/// Returns a checksum over all bits of n doubles, which does not depend on their distribution over processes.
static inline uint64_t checksum(const double *values, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    sum += bits * 0x9e3779b97f4a7c15u;
  }
  return sum;
}

/// Rank 0 prints the milliseconds per iteration of the slowest process, and the checksum over all processes.
static inline void finish(double seconds, int iterations, uint64_t sum) {
  double slowest;
  uint64_t total;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f %016llx\n", slowest * 1e3 / iterations, (unsigned long long)total);
}

#endif
