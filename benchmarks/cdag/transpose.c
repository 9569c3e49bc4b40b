/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The shape of NAS FT: a matrix is distributed by rows. Each process works on
 * its rows, then the matrix is transposed, and the processes work on the
 * former columns. The transpose uses sends and receives or, as in the UPC
 * version, one-sided gets between two fences. Both are an
 * alltoall.
 *
 *   transpose [ITERATIONS [CHUNK]]   chunk: rows and columns per pair of processes
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* One pass over the rows, in place of an FFT. */
static void work(double *rows, int count, int length) {
  for (int r = 0; r < count; ++r) {
    double *row = rows + (size_t)r * (size_t)length;
    for (int stride = 1; stride < length; stride <<= 1)
      for (int i = 0; i + stride < length; ++i) {
        double a = row[i], b = row[i + stride];
        row[i] = 0.5 * (a + b);
        row[i + stride] = 0.5 * (a - b) + 0.25 * (double)(i % 3);
      }
  }
}

/* Packs the transposed blocks of a row band, one for each process. */
static void pack(const double *rows, int chunk, double *blocks) {
  int length = chunk * size;
  for (int p = 0; p < size; ++p)
    for (int c = 0; c < chunk; ++c)
      for (int r = 0; r < chunk; ++r)
        blocks[(p * chunk + c) * chunk + r] = rows[r * length + p * chunk + c];
}

static void unpack(const double *blocks, int chunk, double *rows) {
  int length = chunk * size;
  for (int p = 0; p < size; ++p)
    for (int r = 0; r < chunk; ++r)
      memcpy(rows + r * length + p * chunk, blocks + (p * chunk + r) * chunk, sizeof(double) * (size_t)chunk);
}

static void exchange_messages(double *out, double *in, int chunk) {
  int n = chunk * chunk;
  MPI_Request *requests = malloc(2 * sizeof(MPI_Request) * (size_t)size);
  for (int p = 0; p < size; ++p)
    MPI_Irecv(in + p * n, n, MPI_DOUBLE, p, 1, MPI_COMM_WORLD, &requests[p]);
  for (int p = 0; p < size; ++p)
    MPI_Isend(out + p * n, n, MPI_DOUBLE, p, 1, MPI_COMM_WORLD, &requests[size + p]);
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

static void exchange_gets(MPI_Win window, double *in, int chunk) {
  int n = chunk * chunk;
  MPI_Win_fence(0, window);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, (MPI_Aint)rank * n, n, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
}

static double run(int iterations, int chunk, int one_sided) {
  size_t cells = (size_t)chunk * (size_t)chunk * (size_t)size;
  double *rows = malloc(sizeof(double) * cells);
  double *out = malloc(sizeof(double) * cells);
  double *in = malloc(sizeof(double) * cells);
  MPI_Win window;
  MPI_Win_create(out, (MPI_Aint)(sizeof(double) * cells), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (size_t i = 0; i < cells; ++i)
    rows[i] = (double)((i * 31 + (size_t)rank * 17) % 101);
  for (int k = 0; k < iterations; ++k) {
    work(rows, chunk, chunk * size);
    pack(rows, chunk, out);
    if (one_sided)
      exchange_gets(window, in, chunk);
    else
      exchange_messages(out, in, chunk);
    unpack(in, chunk, rows);
  }
  double sum = 0, all = 0;
  for (size_t i = 0; i < cells; ++i)
    sum += rows[i] * (double)(i % 5 + 1);
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Win_free(&window);
  free(rows);
  free(out);
  free(in);
  return all;
}

int main(int argc, char **argv) {
  int iterations = argc > 1 ? atoi(argv[1]) : 20;
  int chunk = argc > 2 ? atoi(argv[2]) : 16;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (iterations < 1 || chunk < 1) {
    fprintf(stderr, "transpose: all arguments are positive numbers\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  double messages = run(iterations, chunk, 0), gets = run(iterations, chunk, 1);
  if (rank == 0)
    printf("%d iterations on %d processes: %.6f with messages, %.6f with "
           "gets\n",
           iterations, size, messages, gets);
  MPI_Finalize();
  return 0;
}
