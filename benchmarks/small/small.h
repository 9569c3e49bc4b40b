// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_BENCHMARKS_SMALL_H
#define COMM_BENCHMARKS_SMALL_H
#include <mpi.h>

enum { MOST = 64 * 64 };
struct setting {
  MPI_Comm comm;
  int rank, size, left, right, partner, elements;
  long rounds; // of computation
};

#define FOR_ALL_KERNELS(X)                                                                                             \
  X(allreduce) X(constant_allreduce) X(bcast) X(reduce) X(alltoall) X(allgather) X(sendrecv) X(pingpong) X(pipeline)
#define FOR_ALL_FORMS(X, kernel) X(kernel, off) X(kernel, control) X(kernel, basic) X(kernel, extended)
#endif
