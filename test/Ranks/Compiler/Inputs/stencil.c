// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ring of ranks that average with their neighbors; all state in variables of the file and of stencil-other.c.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cells = 1000 };
static double old[cells + 2], new[cells + 2];
extern double *current, *next;
extern int rank, ranks;
extern long calls;
double step(const double *from, double *to);
static int iterations = 10;

static void exchange(double *a) {
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  static int count;
  MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, left, 0, &a[cells + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&a[cells], 1, MPI_DOUBLE, right, 1, &a[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  calls += ++count;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1)
    iterations = atoi(argv[1]);
  srand(rank + 1);
  for (int i = 1; i <= cells; ++i)
    old[i] = rand() % 1000;
  current = old;
  next = new;
  double difference = 0, all = 0, local = 0;
  for (int i = 0; i < iterations; ++i) {
    exchange(current);
    local = step(current, next);
    MPI_Allreduce(&local, &difference, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double *swap = current;
    current = next;
    next = swap;
  }
  for (int i = 1; i <= cells; ++i)
    all += current[i];
  char line[200], *lines = malloc(sizeof line * ranks);
  snprintf(line, sizeof line, "rank %d of %d: sum %.9g difference %.9g calls %ld", rank, ranks, all, difference, calls);
  MPI_Gather(line, sizeof line, MPI_CHAR, lines, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (int i = 0; i < ranks; ++i)
      puts(lines + i * sizeof line);
  free(lines);
  MPI_Finalize();
  return 0;
}
