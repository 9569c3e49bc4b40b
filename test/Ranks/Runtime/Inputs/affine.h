// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator of the program that does not commute.
#ifndef COMM_TEST_RANKS_AFFINE_H
#define COMM_TEST_RANKS_AFFINE_H

#include <mpi.h>

/// Affine maps (a, b): their composition, from the first rank to the last one, does not commute.
static inline void composeMaps(const long *x, long *y, MPI_Count count) {
  for (MPI_Count i = 0; i < count; ++i, x += 2, y += 2) {
    long a = x[0] * y[0], b = x[0] * y[1] + x[1];
    y[0] = a % 10007;
    y[1] = b % 10007;
  }
}

static inline void compose(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  composeMaps(in, inout, *count);
}

/// The same with a large count.
static inline void composeMany(void *in, void *inout, MPI_Count *count, MPI_Datatype *type) {
  (void)type;
  composeMaps(in, inout, *count);
}

#endif
