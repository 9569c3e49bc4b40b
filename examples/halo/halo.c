// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A five-point stencil on a grid that is distributed over ranks in two dimensions. In each step every rank exchanges
// the edges of its block with four neighbors, updates the interior, which does not need the received data, and then the
// boundary, which does.
//
//   halo [N [STEPS]]        N x N points a rank (default 64), STEPS steps (default 20)
//
// Received edges are in separate arrays, not in a halo around the block: the interior's loop reads `old` and writes
// `new`, and no MPI call in flight writes either of them, so the whole loop overlaps. In a loop over a block with a
// halo Comm runs the iterations that do not touch the halo early (docs/iterations.md).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NORTH, SOUTH, WEST, EAST, SIDES };

static double *allocate(int count) {
  double *memory = calloc((size_t)count, sizeof(double));
  if (!memory)
    MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

// The new value of a point from its own and its neighbors'.
static double relax(double own, double north, double south, double west, double east) {
  return 0.5 * own + 0.125 * (north + south + west + east);
}

static double simulate(MPI_Comm grid, int n, int steps) {
  int peer[SIDES], rank;
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_shift(grid, 0, 1, &peer[NORTH], &peer[SOUTH]);
  MPI_Cart_shift(grid, 1, 1, &peer[WEST], &peer[EAST]);
  double *old = allocate(n * n), *new = allocate(n * n);
  double *north = allocate(n), *south = allocate(n), *west = allocate(n), *east = allocate(n);
  double *west_edge = allocate(n), *east_edge = allocate(n), *north_edge = allocate(n), *south_edge = allocate(n);
  for (int i = 0; i < n * n; ++i)
    old[i] = (double)((i * 13 + rank * 5) % 17);

  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) {
      north_edge[i] = old[i];
      south_edge[i] = old[(n - 1) * n + i];
      west_edge[i] = old[i * n];
      east_edge[i] = old[i * n + n - 1];
    }
    // A neighbor that does not exist is MPI_PROC_NULL, and its array keeps the zeros of the grid's border.
    MPI_Sendrecv(north_edge, n, MPI_DOUBLE, peer[NORTH], 0, south, n, MPI_DOUBLE, peer[SOUTH], 0, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(south_edge, n, MPI_DOUBLE, peer[SOUTH], 1, north, n, MPI_DOUBLE, peer[NORTH], 1, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(west_edge, n, MPI_DOUBLE, peer[WEST], 2, east, n, MPI_DOUBLE, peer[EAST], 2, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(east_edge, n, MPI_DOUBLE, peer[EAST], 3, west, n, MPI_DOUBLE, peer[WEST], 3, grid, MPI_STATUS_IGNORE);

    for (int row = 1; row < n - 1; ++row)
      for (int column = 1; column < n - 1; ++column) {
        int i = row * n + column;
        new[i] = relax(old[i], old[i - n], old[i + n], old[i - 1], old[i + 1]);
      }

    for (int i = 0; i < n; ++i) {
      int top = i, bottom = (n - 1) * n + i, left = i * n, right = i * n + n - 1;
      new[top] = relax(old[top], north[i], n > 1 ? old[top + n] : south[i], i ? old[top - 1] : west[0],
                       i < n - 1 ? old[top + 1] : east[0]);
      new[bottom] = relax(old[bottom], n > 1 ? old[bottom - n] : north[i], south[i], i ? old[bottom - 1] : west[n - 1],
                          i < n - 1 ? old[bottom + 1] : east[n - 1]);
      if (i == 0 || i == n - 1)
        continue; // corners are done
      new[left] = relax(old[left], old[left - n], old[left + n], west[i], n > 1 ? old[left + 1] : east[i]);
      new[right] = relax(old[right], old[right - n], old[right + n], n > 1 ? old[right - 1] : west[i], east[i]);
    }
    double *swapped = old;
    old = new;
    new = swapped;
  }

  double sum = 0, total = 0;
  for (int i = 0; i < n * n; ++i)
    sum += old[i] * (i % 7 + 1);
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  free(old), free(new), free(north), free(south), free(west), free(east);
  free(north_edge), free(south_edge), free(west_edge), free(east_edge);
  return total;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int n = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 20;
  int ranks, rank, dims[2] = {0, 0}, periods[2] = {0, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  if (n < 1 || n > 10000 || steps < 0) {
    if (rank == 0)
      fprintf(stderr, "halo: error: usage: halo [N [STEPS]], N from 1 to 10000\n");
    MPI_Finalize();
    return 2;
  }
  double total = simulate(grid, n, steps);
  if (rank == 0)
    printf("%d x %d ranks, %d x %d points each, %d steps: %.17g\n", dims[0], dims[1], n, n, steps, total);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
