// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's iteration on blocks of a square: columns are vector datatypes, and the requests of an exchange are an array
// in a structure.
//
//   blocks [N] [ITERATIONS]     N x N points
#include "bench.h"

typedef struct {
  int rows, columns, stride; // without and with the halo
  int neighbors[4];          // north, south, west, east
  MPI_Comm grid;
  MPI_Datatype column;
  MPI_Request requests[8];
  int pending;
} Block;

static void start_exchange(Block *b, double *u) {
  double *const first = &u[b->stride + 1];
  double *const last_row = &u[b->rows * b->stride + 1], *const last_column = &u[b->stride + b->columns];
  b->pending = 0;
  MPI_Irecv(&u[1], b->columns, MPI_DOUBLE, b->neighbors[0], 0, b->grid, &b->requests[b->pending++]);
  MPI_Irecv(&u[(b->rows + 1) * b->stride + 1], b->columns, MPI_DOUBLE, b->neighbors[1], 1, b->grid,
            &b->requests[b->pending++]);
  MPI_Irecv(&u[b->stride], 1, b->column, b->neighbors[2], 2, b->grid, &b->requests[b->pending++]);
  MPI_Irecv(&u[b->stride + b->columns + 1], 1, b->column, b->neighbors[3], 3, b->grid, &b->requests[b->pending++]);
  MPI_Isend(first, b->columns, MPI_DOUBLE, b->neighbors[0], 1, b->grid, &b->requests[b->pending++]);
  MPI_Isend(last_row, b->columns, MPI_DOUBLE, b->neighbors[1], 0, b->grid, &b->requests[b->pending++]);
  MPI_Isend(first, 1, b->column, b->neighbors[2], 3, b->grid, &b->requests[b->pending++]);
  MPI_Isend(last_column, 1, b->column, b->neighbors[3], 2, b->grid, &b->requests[b->pending++]);
}

static void finish_exchange(Block *b) { MPI_Waitall(b->pending, b->requests, MPI_STATUSES_IGNORE); }

static void relax(double *restrict to, const double *restrict from, int stride, int top, int bottom, int left,
                  int right) {
  for (int i = top; i <= bottom; ++i)
    for (int j = left; j <= right; ++j)
      to[i * stride + j] = 0.25 * (from[(i - 1) * stride + j] + from[(i + 1) * stride + j] + from[i * stride + j - 1] +
                                   from[i * stride + j + 1]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int n = argument(argc, argv, 1, 2048), iterations = argument(argc, argv, 2, 30);
  int size, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, place[2];
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  // Arrange processes in columns, so that messages are columns.
  const int across = dims[1] > dims[0] ? dims[1] : dims[0];
  dims[1] = across;
  dims[0] = size / across;
  Block b = {.rows = n / dims[0], .columns = n / dims[1], .stride = n / dims[1] + 2};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &b.grid);
  MPI_Comm_rank(b.grid, &rank);
  MPI_Cart_coords(b.grid, rank, 2, place);
  MPI_Cart_shift(b.grid, 0, 1, &b.neighbors[0], &b.neighbors[1]);
  MPI_Cart_shift(b.grid, 1, 1, &b.neighbors[2], &b.neighbors[3]);
  MPI_Type_vector(b.rows, 1, b.stride, MPI_DOUBLE, &b.column);
  MPI_Type_commit(&b.column);
  const size_t points = (size_t)(b.rows + 2) * b.stride;
  double *u = allocate(sizeof(double) * points), *v = allocate(sizeof(double) * points);
  for (int i = 0; i < b.rows + 2; ++i)
    for (int j = 0; j < b.stride; ++j)
      u[i * b.stride + j] = v[i * b.stride + j] =
          ((place[0] * b.rows + i) * 13 + (place[1] * b.columns + j) * 5) % 17 / 16.0;

  MPI_Barrier(b.grid);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    start_exchange(&b, u);
#ifdef BY_HAND
    relax(v, u, b.stride, 2, b.rows - 1, 2, b.columns - 1);
    finish_exchange(&b);
    relax(v, u, b.stride, 1, 1, 1, b.columns);
    relax(v, u, b.stride, b.rows, b.rows, 1, b.columns);
    relax(v, u, b.stride, 2, b.rows - 1, 1, 1);
    relax(v, u, b.stride, 2, b.rows - 1, b.columns, b.columns);
#else
    finish_exchange(&b);
    relax(v, u, b.stride, 1, b.rows, 1, b.columns);
#endif
    double *old = u;
    u = v;
    v = old;
  }
  double seconds = MPI_Wtime() - start;
  uint64_t sum = 0;
  for (int i = 1; i <= b.rows; ++i)
    sum += checksum(&u[i * b.stride + 1], b.columns);
  finish(seconds, iterations, sum);
  free(u);
  free(v);
  MPI_Type_free(&b.column);
  MPI_Comm_free(&b.grid);
  MPI_Finalize();
  return 0;
}
