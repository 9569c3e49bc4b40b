// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transpose.c in one-sided form, like NAS FT in UPC: each process gets its block from the window of every other
// process, between two fences.
//
//   commcc -O2 -fcomm-detect -Rcomm transpose_gets.c -o transpose_gets
//   mpirun -n 4 ./transpose_gets [rows a process] [steps]
//
// With -fcomm-detect, Comm finds that the gets are a graph, and at run time an all-to-all.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/// Gets this process's block of process p's window into block p of `in`.
static void exchange(MPI_Win win, double *in, int count, int rank, int size) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * count, count, MPI_DOUBLE, p, (MPI_Aint)rank * count, count, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int rows = argc > 1 ? atoi(argv[1]) : 16, steps = argc > 2 ? atoi(argv[2]) : 20;
  if (rows <= 0 || rows > 4096 || steps <= 0) {
    if (rank == 0)
      fprintf(stderr, "transpose_gets: error: usage: transpose_gets [1 to 4096 rows a process] [steps > 0]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  int n = rows * size, count = rows * rows;
  double *matrix = malloc(sizeof(double) * rows * n), *in = malloc(sizeof(double) * rows * n), *out;
  if (!matrix || !in)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < rows * n; ++i)
    matrix[i] = (rank * rows * n + i) % 1009;
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)sizeof(double) * rows * n, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &out, &win);

  double elapsed = -MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    for (int p = 0; p < size; ++p)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
          out[p * count + j * rows + i] = matrix[i * n + p * rows + j];
    exchange(win, in, count, rank, size);
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
  MPI_Win_free(&win);
  free(matrix);
  free(in);
  MPI_Finalize();
  return 0;
}
