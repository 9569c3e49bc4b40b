// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one-way time of a message of 8 bytes between the first and the last rank, in microseconds: median and minimum
// over ROUNDS rounds of COUNT messages in each direction.
//
//   pingpong ROUNDS COUNT
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 20, count = argc > 2 ? atoi(argv[2]) : 50;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rounds < 1 || count < 1) {
    if (rank == 0)
      fprintf(stderr, "pingpong: error: usage: pingpong ROUNDS COUNT\n");
    MPI_Finalize();
    return 2;
  }
  double *times = malloc((size_t)rounds * sizeof(double));
  int last = size - 1;
  long value = 0;
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < count; ++i) {
      if (rank == 0) {
        MPI_Send(&value, 1, MPI_LONG, last, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_LONG, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == last) {
        MPI_Recv(&value, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ++value;
        MPI_Send(&value, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
      }
    }
    times[round] = (MPI_Wtime() - start) / count / 2 * 1e6;
  }
  if (rank == 0) {
    qsort(times, (size_t)rounds, sizeof(double), compare);
    printf("pingpong: %.3f us, least %.3f us%s\n", times[rounds / 2], times[0],
           size > 1 && value != (long)rounds * count ? ": WRONG" : "");
  }
  free(times);
  MPI_Finalize();
  return 0;
}
