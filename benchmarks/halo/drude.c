// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Electromagnetic waves in a metal (TM, finite differences in time, Drude's currents) in slabs of rows, with OpenMP in
// each process. Each exchange precedes a parallel region that does not need it: the currents after the magnetic field
// has been sent, the intensity after the electric field.
//
//   drude [N] [ITERATIONS]     N x N points
#include "bench.h"

#ifdef BY_HAND
static void exchange(double *ghost, const double *row, int columns, int from, int to, MPI_Request requests[2]) {
  MPI_Irecv(ghost, columns, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(row, columns, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &requests[1]);
}
#endif

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = argument(argc, argv, 1, 768), iterations = argument(argc, argv, 2, 50);
  const int rows = columns / size;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  const size_t bytes = sizeof(double) * (rows + 2) * columns;
  double *e = allocate(bytes), *hx = allocate(bytes), *hy = allocate(bytes), *current = allocate(bytes),
         *intensity = allocate(bytes);
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < columns; ++j)
      e[i * columns + j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
#pragma omp parallel for
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns - 1; ++j) {
        const int k = i * columns + j;
        hx[k] -= 0.5 * (e[k + columns] - e[k]);
        hy[k] += 0.5 * (e[k + 1] - e[k]);
      }
#ifdef BY_HAND
    MPI_Request requests[2];
    exchange(hx, &hx[rows * columns], columns, up, down, requests);
#else
    MPI_Sendrecv(&hx[rows * columns], columns, MPI_DOUBLE, down, 0, hx, columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#endif
#pragma omp parallel for
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns; ++j)
        current[i * columns + j] = 0.875 * current[i * columns + j] + 0.03125 * e[i * columns + j];
#ifdef BY_HAND
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
#pragma omp parallel for
    for (int i = 1; i <= rows; ++i)
      for (int j = 1; j < columns - 1; ++j) {
        const int k = i * columns + j;
        e[k] += 0.5 * (hy[k] - hy[k - 1] - hx[k] + hx[k - columns]) - current[k];
      }
#ifdef BY_HAND
    exchange(&e[(rows + 1) * columns], &e[columns], columns, down, up, requests);
#else
    MPI_Sendrecv(&e[columns], columns, MPI_DOUBLE, up, 0, &e[(rows + 1) * columns], columns, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
#pragma omp parallel for
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns; ++j)
        intensity[i * columns + j] +=
            hx[i * columns + j] * hx[i * columns + j] + hy[i * columns + j] * hy[i * columns + j];
#ifdef BY_HAND
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
  }
  double seconds = MPI_Wtime() - start;
  finish(seconds, iterations,
         checksum(&e[columns], (size_t)rows * columns) + checksum(&intensity[columns], (size_t)rows * columns));
  free(e);
  free(hx);
  free(hy);
  free(current);
  free(intensity);
  MPI_Finalize();
  return 0;
}
