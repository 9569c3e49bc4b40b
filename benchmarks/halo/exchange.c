// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchange of heat.c in a separate file, as in a program with a library.
#include <mpi.h>

void exchange(double *u, int rows, int columns, int up, int down) {
  MPI_Sendrecv(&u[1 * columns], columns, MPI_DOUBLE, up, 0, &u[(rows + 1) * columns], columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[rows * columns], columns, MPI_DOUBLE, down, 1, &u[0], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
