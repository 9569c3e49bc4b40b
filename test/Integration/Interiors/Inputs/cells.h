// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the programs of this folder.
#ifndef COMM_TEST_CELLS_H
#define COMM_TEST_CELLS_H
#include "early.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define INLINE __attribute__((always_inline)) inline

static int rank, size, next, last;

static inline void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size, last = (rank + size - 1) % size;
}

/// The output of rank 0 for cells that were computed in `steps` steps: the second step counts.
static inline void tell(const char *name, const double *cells, long number, long total) {
  long before = early();
  double sum = 0;
  for (long i = 0; i < number; ++i)
    sum += isnan(cells[i]) ? 0 : cells[i] * (i % 7);
  if (!rank)
    printf("%s: %ld before the first wait, of %ld; sum %.17g\n", name, before, total, sum);
  if (!rank)
    fflush(stdout);
}

static inline double *fill(long number, double value) {
  double *cells = (double *)malloc(sizeof(double) * number);
  for (long i = 0; i < number; ++i)
    cells[i] = isnan(value) ? value : value + i % 11;
  return cells;
}
#endif
