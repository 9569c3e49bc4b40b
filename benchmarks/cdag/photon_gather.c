/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The shape of SPhot (ASC Sequoia): every process traces photons through a
 * cylinder, without communication, and then sends its tallies to process 0,
 * which receives them one after another. That loop is a gather.
 *
 *   photon_gather [BATCHES [PHOTONS [BINS]]]
 */
#include <mpi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double next_uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* Traces photons until they leave or are absorbed, and counts where. */
static void follow(int photons, int bins, uint64_t *state, double *tally) {
  for (int bin = 0; bin < bins; ++bin)
    tally[bin] = 0;
  for (int i = 0; i < photons; ++i) {
    double radius = 0, weight = 1;
    while (radius < 1 && weight > 1e-3) {
      double angle = 6.283185307179586 * next_uniform(state);
      double step = -0.2 * log(1 - next_uniform(state));
      double x = radius + step * cos(angle), y = step * sin(angle);
      radius = sqrt(x * x + y * y);
      weight *= 0.7;
    }
    int bin = (int)(radius * bins / 2);
    tally[bin < bins ? bin : bins - 1] += weight;
  }
}

/* Collects the tallies of all processes on process 0, one after another. */
static void collect(const double *tally, int bins, double *all, int rank, int size) {
  if (rank == 0) {
    for (int bin = 0; bin < bins; ++bin)
      all[bin] = tally[bin];
    for (int from = 1; from < size; ++from)
      MPI_Recv(all + (size_t)from * (size_t)bins, bins, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(tally, bins, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int rank, size;
  int batches = argc > 1 ? atoi(argv[1]) : 20;
  int photons = argc > 2 ? atoi(argv[2]) : 1000;
  int bins = argc > 3 ? atoi(argv[3]) : 512;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (batches < 1 || photons < 1 || bins < 1) {
    fprintf(stderr, "photon_gather: all arguments are positive numbers\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  double *tally = malloc(sizeof(double) * (size_t)bins);
  double *all = malloc(sizeof(double) * (size_t)bins * (size_t)size);
  uint64_t state = 12345u + (uint64_t)rank;
  double sum = 0;
  for (int batch = 0; batch < batches; ++batch) {
    follow(photons, bins, &state, tally);
    collect(tally, bins, all, rank, size);
    if (rank == 0)
      for (int i = 0; i < bins * size; ++i)
        sum += all[i] * (i % 7 + 1);
  }
  if (rank == 0)
    printf("%d batches on %d processes: %.6f\n", batches, size, sum);
  free(tally);
  free(all);
  MPI_Finalize();
  return 0;
}
