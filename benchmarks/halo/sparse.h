// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix of 27 points on slabs of a cube, as in finite elements, in compressed rows. In a vector, the packed values
// of other processes ("ghosts") follow the owned ones.
#ifndef HALO_SPARSE_H
#define HALO_SPARSE_H

#include "bench.h"

typedef struct {
  int rows, ghosts;
  int *begin, *column; // of row i: begin[i] to begin[i + 1]
  double *value;
  int neighbors;
  int *neighbor, *send_begin, *send_row, *receive_begin; // of neighbor k: send_begin[k] to send_begin[k + 1]
  double *send_buffer;
  int interior, *order; // by hand: rows without ghosts come first
} Matrix;

/// N x N x N rows a process, in slabs along the first axis.
static Matrix make_matrix(int n, int rank, int size) {
  Matrix a = {.rows = n * n * n};
  const int plane = n * n, lower = rank > 0, upper = rank < size - 1;
  a.neighbors = lower + upper;
  a.ghosts = a.neighbors * plane;
  a.begin = allocate(sizeof(int) * (a.rows + 1));
  a.column = allocate(sizeof(int) * 27 * a.rows);
  a.value = allocate(sizeof(double) * 27 * a.rows);
  a.neighbor = allocate(sizeof(int) * 2);
  a.send_begin = allocate(sizeof(int) * 3);
  a.receive_begin = allocate(sizeof(int) * 3);
  a.send_row = allocate(sizeof(int) * 2 * plane);
  a.send_buffer = allocate(sizeof(double) * 2 * plane);
  a.order = allocate(sizeof(int) * a.rows);
  int k = 0;
  for (int side = 0; side < 2; ++side)
    if (side ? upper : lower) {
      a.neighbor[k] = side ? rank + 1 : rank - 1;
      for (int i = 0; i < plane; ++i)
        a.send_row[k * plane + i] = (side ? a.rows - plane : 0) + i;
      ++k;
      a.send_begin[k] = a.receive_begin[k] = k * plane;
    }
  int entries = 0, last = a.rows;
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y)
      for (int z = 0; z < n; ++z) {
        const int row = (x * n + y) * n + z;
        int has_ghost = 0;
        for (int d = 0; d < 27; ++d) {
          const int i = x + d / 9 - 1, j = y + d / 3 % 3 - 1, l = z + d % 3 - 1;
          if (j < 0 || j >= n || l < 0 || l >= n || (i < 0 && !lower) || (i >= n && !upper))
            continue;
          has_ghost |= i < 0 || i >= n;
          a.column[entries] = i < 0    ? a.rows + j * n + l
                              : i >= n ? a.rows + lower * plane + j * n + l
                                       : (i * n + j) * n + l;
          a.value[entries++] = d == 13 ? 27.0 : -1.0;
        }
        a.begin[row + 1] = entries;
        if (has_ghost)
          a.order[--last] = row;
        else
          a.order[a.interior++] = row;
      }
  return a;
}

static void free_matrix(Matrix *a) {
  free(a->begin);
  free(a->column);
  free(a->value);
  free(a->neighbor);
  free(a->send_begin);
  free(a->receive_begin);
  free(a->send_row);
  free(a->send_buffer);
  free(a->order);
}

static double row_times(const Matrix *a, const double *x, int row) {
  double sum = 0;
  for (int k = a->begin[row]; k < a->begin[row + 1]; ++k)
    sum += a->value[k] * x[a->column[k]];
  return sum;
}

/// Computes y = A x, after receiving the ghosts of x.
static void multiply(const Matrix *a, double *x, double *restrict y) {
  MPI_Request receives[2];
  for (int k = 0; k < a->neighbors; ++k)
    MPI_Irecv(&x[a->rows + a->receive_begin[k]], a->receive_begin[k + 1] - a->receive_begin[k], MPI_DOUBLE,
              a->neighbor[k], 5, MPI_COMM_WORLD, &receives[k]);
  for (int i = 0; i < a->send_begin[a->neighbors]; ++i)
    a->send_buffer[i] = x[a->send_row[i]];
#ifdef BY_HAND
  MPI_Request sends[2];
  for (int k = 0; k < a->neighbors; ++k)
    MPI_Isend(&a->send_buffer[a->send_begin[k]], a->send_begin[k + 1] - a->send_begin[k], MPI_DOUBLE, a->neighbor[k], 5,
              MPI_COMM_WORLD, &sends[k]);
  for (int i = 0; i < a->interior; ++i)
    y[a->order[i]] = row_times(a, x, a->order[i]);
  MPI_Waitall(a->neighbors, receives, MPI_STATUSES_IGNORE);
  for (int i = a->interior; i < a->rows; ++i)
    y[a->order[i]] = row_times(a, x, a->order[i]);
  MPI_Waitall(a->neighbors, sends, MPI_STATUSES_IGNORE);
#else
  for (int k = 0; k < a->neighbors; ++k)
    MPI_Send(&a->send_buffer[a->send_begin[k]], a->send_begin[k + 1] - a->send_begin[k], MPI_DOUBLE, a->neighbor[k], 5,
             MPI_COMM_WORLD);
  MPI_Waitall(a->neighbors, receives, MPI_STATUSES_IGNORE);
  for (int i = 0; i < a->rows; ++i)
    y[i] = row_times(a, x, i);
#endif
}

#endif
