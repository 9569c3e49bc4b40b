// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat in three dimensions. Faces are subarray datatypes in a structure, exchanged one direction after
// another.
//
//   cube [N] [ITERATIONS]     N x N x N points in all processes
#include "bench.h"

typedef struct {
  int n[3], before[3], after[3];
  MPI_Comm grid;
  MPI_Datatype face[3];
  double *now, *next;
} Block;

static size_t at(const Block *b, int i, int j, int k) { return ((size_t)i * (b->n[1] + 2) + j) * (b->n[2] + 2) + k; }

static void create(Block *b, int n) {
  int size, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, whole[3], origin[3] = {0, 0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &b->grid);
  for (int d = 0; d < 3; ++d) {
    MPI_Cart_shift(b->grid, d, 1, &b->before[d], &b->after[d]);
    b->n[d] = n / dims[d];
    whole[d] = b->n[d] + 2;
  }
  for (int d = 0; d < 3; ++d) {
    int part[3] = {b->n[0], b->n[1], b->n[2]};
    part[d] = 1;
    MPI_Type_create_subarray(3, whole, part, origin, MPI_ORDER_C, MPI_DOUBLE, &b->face[d]);
    MPI_Type_commit(&b->face[d]);
  }
  size_t points = (size_t)whole[0] * whole[1] * whole[2];
  int rank;
  MPI_Comm_rank(b->grid, &rank);
  b->now = allocate(sizeof(double) * points);
  b->next = allocate(sizeof(double) * points);
  for (size_t p = 0; p < points; ++p)
    b->now[p] = (p * 13 + rank * 7) % 17 / 16.0;
}

static void relax(const Block *b, int i0, int i1, int j0, int j1, int k0, int k1) {
  const double *restrict u = b->now;
  double *restrict v = b->next;
  for (int i = i0; i <= i1; ++i)
    for (int j = j0; j <= j1; ++j)
      for (int k = k0; k <= k1; ++k)
        v[at(b, i, j, k)] =
            u[at(b, i, j, k)] +
            0.1 * (u[at(b, i - 1, j, k)] + u[at(b, i + 1, j, k)] + u[at(b, i, j - 1, k)] + u[at(b, i, j + 1, k)] +
                   u[at(b, i, j, k - 1)] + u[at(b, i, j, k + 1)] - 6 * u[at(b, i, j, k)]);
}

#ifdef BY_HAND
static void step(Block *b) {
  const int x = b->n[0], y = b->n[1], z = b->n[2];
  const size_t inner[3][2] = {
      {at(b, 1, 1, 1), at(b, x, 1, 1)}, {at(b, 1, 1, 1), at(b, 1, y, 1)}, {at(b, 1, 1, 1), at(b, 1, 1, z)}};
  const size_t outer[3][2] = {
      {at(b, 0, 1, 1), at(b, x + 1, 1, 1)}, {at(b, 1, 0, 1), at(b, 1, y + 1, 1)}, {at(b, 1, 1, 0), at(b, 1, 1, z + 1)}};
  MPI_Request requests[12];
  double *u = b->now;
  for (int d = 0; d < 3; ++d) {
    MPI_Irecv(u + outer[d][1], 1, b->face[d], b->after[d], 0, b->grid, &requests[4 * d]);
    MPI_Irecv(u + outer[d][0], 1, b->face[d], b->before[d], 1, b->grid, &requests[4 * d + 1]);
    MPI_Isend(u + inner[d][0], 1, b->face[d], b->before[d], 0, b->grid, &requests[4 * d + 2]);
    MPI_Isend(u + inner[d][1], 1, b->face[d], b->after[d], 1, b->grid, &requests[4 * d + 3]);
  }
  relax(b, 2, x - 1, 2, y - 1, 2, z - 1);
  MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
  relax(b, 1, 1, 1, y, 1, z);
  relax(b, x, x, 1, y, 1, z);
  relax(b, 2, x - 1, 1, 1, 1, z);
  relax(b, 2, x - 1, y, y, 1, z);
  relax(b, 2, x - 1, 2, y - 1, 1, 1);
  relax(b, 2, x - 1, 2, y - 1, z, z);
}
#else
/// Sends one face to the preceding neighbor, receives the opposite one from the following neighbor, and vice versa.
static void exchange(Block *b, int d, size_t first, size_t ghostAfter, size_t last, size_t ghostBefore) {
  MPI_Sendrecv(b->now + first, 1, b->face[d], b->before[d], 0, b->now + ghostAfter, 1, b->face[d], b->after[d], 0,
               b->grid, MPI_STATUS_IGNORE);
  MPI_Sendrecv(b->now + last, 1, b->face[d], b->after[d], 1, b->now + ghostBefore, 1, b->face[d], b->before[d], 1,
               b->grid, MPI_STATUS_IGNORE);
}

static void step(Block *b) {
  const int x = b->n[0], y = b->n[1], z = b->n[2];
  exchange(b, 0, at(b, 1, 1, 1), at(b, x + 1, 1, 1), at(b, x, 1, 1), at(b, 0, 1, 1));
  exchange(b, 1, at(b, 1, 1, 1), at(b, 1, y + 1, 1), at(b, 1, y, 1), at(b, 1, 0, 1));
  exchange(b, 2, at(b, 1, 1, 1), at(b, 1, 1, z + 1), at(b, 1, 1, z), at(b, 1, 1, 0));
  relax(b, 1, x, 1, y, 1, z);
}
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Block b;
  create(&b, argument(argc, argv, 1, 96));
  const int iterations = argument(argc, argv, 2, 30);
  MPI_Barrier(b.grid);
  double begin = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    step(&b);
    double *old = b.now;
    b.now = b.next;
    b.next = old;
  }
  double seconds = MPI_Wtime() - begin;
  uint64_t sum = 0;
  for (int i = 1; i <= b.n[0]; ++i)
    for (int j = 1; j <= b.n[1]; ++j)
      sum += checksum(&b.now[at(&b, i, j, 1)], b.n[2]);
  finish(seconds, iterations, sum);
  for (int d = 0; d < 3; ++d)
    MPI_Type_free(&b.face[d]);
  free(b.now);
  free(b.next);
  MPI_Comm_free(&b.grid);
  MPI_Finalize();
  return 0;
}
