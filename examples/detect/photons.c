// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Photons leave a sphere of gas: a Monte Carlo code in the shape of LLNL's SPhot. Processes compute independently, and
// process 0 collects the tallies by receiving from one process after another.
//
//   commcc -O2 -fcomm-detect -Rcomm photons.c -lm -o photons
//   mpirun -n 4 ./photons [photons a process] [runs]
//
// With -fcomm-detect, Comm finds that the receives and sends of collect() are a graph, and at run time two gathers.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { bins = 64 };

typedef struct {
  double energy[bins]; // energy that left, by the number of collisions
  long escaped, collided;
} Tally;

static unsigned long long seed;

static double draw(void) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return ((seed >> 11) + 1) * (1.0 / 9007199254740993.0);
}

/// Traces one photon from the middle of a sphere that is two mean free paths thick.
static void fly(Tally *tally) {
  double x = 0, y = 0, z = 0, weight = 1;
  for (int collisions = 0;; ++collisions) {
    double cosine = 2 * draw() - 1, angle = 6.283185307179586 * draw(), path = -log(draw());
    double sine = sqrt(1 - cosine * cosine);
    x += path * sine * cos(angle);
    y += path * sine * sin(angle);
    z += path * cosine;
    if (x * x + y * y + z * z > 4) {
      tally->energy[collisions < bins ? collisions : bins - 1] += weight;
      ++tally->escaped;
      return;
    }
    ++tally->collided;
    weight *= 0.9;
  }
}

/// Collects the tallies of all processes on process 0: energies and counts, process by process.
static void collect(const Tally *mine, double *energies, long *counts, int rank, int size) {
  if (rank == 0) {
    for (int i = 0; i < bins; ++i)
      energies[i] = mine->energy[i];
    counts[0] = mine->escaped;
    counts[1] = mine->collided;
    for (int p = 1; p < size; ++p) {
      MPI_Recv(energies + p * bins, bins, MPI_DOUBLE, p, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(counts + p * 2, 2, MPI_LONG, p, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    MPI_Send(mine->energy, bins, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Send(&mine->escaped, 2, MPI_LONG, 0, 2, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int photons = argc > 1 ? atoi(argv[1]) : 2000, runs = argc > 2 ? atoi(argv[2]) : 10;
  double *energies = calloc((size_t)size * bins, sizeof(double));
  long *counts = calloc((size_t)size * 2, sizeof(long));
  if (photons <= 0 || runs <= 0 || !energies || !counts) {
    if (rank == 0)
      fprintf(stderr, "photons: error: usage: photons [photons a process > 0] [runs > 0]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  seed = 88172645463325252ull + 977 * rank;
  double total = 0, elapsed = -MPI_Wtime();
  long escaped = 0, collided = 0;
  for (int run = 0; run < runs; ++run) {
    Tally tally = {{0}, 0, 0};
    for (int i = 0; i < photons; ++i)
      fly(&tally);
    collect(&tally, energies, counts, rank, size);
    if (rank == 0)
      for (int p = 0; p < size; ++p) {
        for (int i = 0; i < bins; ++i)
          total += energies[p * bins + i];
        escaped += counts[p * 2];
        collided += counts[p * 2 + 1];
      }
  }
  elapsed += MPI_Wtime();

  if (rank == 0) {
    printf("%d processes, %d runs: %ld photons escaped after %.4f collisions with %.6f of their energy\n", size, runs,
           escaped, (double)collided / escaped, total / escaped);
    fprintf(stderr, "%.3f ms a run\n", elapsed * 1e3 / runs);
  }
  free(energies);
  free(counts);
  MPI_Finalize();
  return 0;
}
