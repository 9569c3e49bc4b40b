// Two loops that run if there are rows, with messages in between: LLVM would test once and copy the messages into both
// branches, where nothing is left to overlap.
// RUN: %commcc -O2 -g -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include <mpi.h>

// CHECK: call-copies.c:[[#@LINE+6]]:{{[0-9]+}}: remark: splits the loop at
void step(double *restrict e, double *restrict h, const double *restrict c, int rows, int columns, int up, int down,
          int steps) {
  for (int t = 0; t < steps; ++t) {
    MPI_Send(e + columns, columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD);
    MPI_Recv(e + (rows + 1) * columns, columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns - 1; ++j)
        h[i * columns + j] += 0.5 * (e[(i + 1) * columns + j] - e[i * columns + j]);
    MPI_Send(h + rows * columns, columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
    MPI_Recv(h, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= rows; ++i)
      for (int j = 1; j < columns; ++j)
        e[i * columns + j] += c[i * columns + j] * (h[i * columns + j] - h[(i - 1) * columns + j]);
  }
}
