// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix that is distributed by rows is transposed repeatedly, as in the NAS benchmark FT between its transforms
// along the two dimensions: each process exchanges a block with every other one, using sends and receives.
//
//   commcc -O2 -fcomm-detect -Rcomm transpose.c -o transpose
//   mpirun -n 4 ./transpose [rows a process] [steps]
//
// With -fcomm-detect, Comm finds that the exchange is a graph, and at run time an all-to-all.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/// Exchanges block p of `out` with process p, whose block arrives in block p of `in`.
static void exchange(const double *out, double *in, int count, int size) {
  MPI_Request *requests = malloc(2 * size * sizeof(MPI_Request));
  for (int p = 0; p < size; ++p) {
    MPI_Irecv(in + p * count, count, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, &requests[p]);
    MPI_Isend(out + p * count, count, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, &requests[size + p]);
  }
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int rows = argc > 1 ? atoi(argv[1]) : 16, steps = argc > 2 ? atoi(argv[2]) : 20;
  if (rows <= 0 || rows > 4096 || steps <= 0) {
    if (rank == 0)
      fprintf(stderr, "transpose: error: usage: transpose [1 to 4096 rows a process] [steps > 0]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  int n = rows * size, count = rows * rows;
  double *matrix = malloc(sizeof(double) * rows * n), *out = malloc(sizeof(double) * rows * n),
         *in = malloc(sizeof(double) * rows * n);
  if (!matrix || !out || !in)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < rows * n; ++i)
    matrix[i] = (rank * rows * n + i) % 1009;

  double elapsed = -MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    for (int p = 0; p < size; ++p)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
          out[p * count + j * rows + i] = matrix[i * n + p * rows + j];
    exchange(out, in, count, size);
    for (int p = 0; p < size; ++p)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
          matrix[i * n + p * rows + j] = in[p * count + i * rows + j] * 0.5 + (i == j);
  }
  elapsed += MPI_Wtime();

  double sum = 0, all = 0;
  for (int i = 0; i < rows * n; ++i)
    sum += matrix[i] * ((rank * rows * n + i) % 7);
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d processes, %d x %d matrix, %d steps: %.9g\n", size, n, n, steps, all);
    fprintf(stderr, "%.3f ms a step\n", elapsed * 1e3 / steps);
  }
  free(matrix);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
