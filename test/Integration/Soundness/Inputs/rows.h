// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ghost rows of arrays: m rows of n elements, with one before and one after them.
#ifndef COMM_TEST_ROWS_H
#define COMM_TEST_ROWS_H
#include "cells.h"

/// The processes that have the rows before and after.
static int up, down;

/// Exchanges them with requests of its own; `datatype` is that of an element.
#define EXCHANGE(datatype, u, m, n)                                                                                    \
  do {                                                                                                                 \
    MPI_Request request[4];                                                                                            \
    MPI_Irecv(&u[0], n, datatype, up, 0, MPI_COMM_WORLD, &request[0]);                                                 \
    MPI_Irecv(&u[(m + 1) * n], n, datatype, down, 1, MPI_COMM_WORLD, &request[1]);                                     \
    MPI_Isend(&u[n], n, datatype, up, 1, MPI_COMM_WORLD, &request[2]);                                                 \
    MPI_Isend(&u[m * n], n, datatype, down, 0, MPI_COMM_WORLD, &request[3]);                                           \
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);                                                                      \
  } while (0)

#endif
