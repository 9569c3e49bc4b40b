// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline of batches through ranks that process blocks of unequal size: rank 0 distributes a batch (MPI_Scatterv),
// all ranks process their blocks and exchange results (MPI_Allgatherv), and rank 0 collects the results (MPI_Gatherv).
//
//   pipeline [N [BATCHES]]       rank r takes N * (r + 1) values of a batch (default N = 500), BATCHES batches (default
//   8)
//
// While a batch is distributed, each rank smooths its own model, which no communication touches; the statistics of the
// received data follow.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FOUND = 4, MODEL = 4096 };

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory)
    MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

static void run(int n, int batches, int rank, int ranks) {
  int *counts = allocate((size_t)ranks, sizeof(int)), *starts = allocate((size_t)ranks, sizeof(int));
  int *found_counts = allocate((size_t)ranks, sizeof(int)), *found_starts = allocate((size_t)ranks, sizeof(int));
  int total = 0, found_total = 0;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = n * (r + 1), starts[r] = total, total += counts[r];
    found_counts[r] = r % FOUND + 1, found_starts[r] = found_total, found_total += found_counts[r];
  }
  int mine = counts[rank], mine_found = found_counts[rank];
  double *batch = allocate((size_t)total, sizeof(double)), *result = allocate((size_t)total, sizeof(double));
  double *block = allocate((size_t)mine, sizeof(double)), *all_found = allocate((size_t)found_total, sizeof(double));
  double *model = allocate(MODEL, sizeof(double)), *found = allocate(FOUND, sizeof(double));
  for (int i = 0; i < MODEL; ++i)
    model[i] = (double)((i * 11 + rank) % 23);
  double sum = 0;

  for (int number = 0; number < batches; ++number) {
    for (int i = 0; rank == 0 && i < total; ++i)
      batch[i] = (double)((i * 7 + number * 3) % 19);
    MPI_Scatterv(batch, counts, starts, MPI_DOUBLE, block, mine, MPI_DOUBLE, 0, MPI_COMM_WORLD);

    for (int i = 1; i < MODEL - 1; ++i) // does not need the batch
      model[i] = 0.5 * model[i] + 0.25 * (model[i - 1] + model[i + 1]);

    for (int i = 0; i < FOUND; ++i)
      found[i] = 0;
    for (int i = 0; i < mine; ++i) {
      block[i] = block[i] * 0.5 + model[i % MODEL];
      found[i % mine_found] += block[i];
    }
    MPI_Allgatherv(found, mine_found, MPI_DOUBLE, all_found, found_counts, found_starts, MPI_DOUBLE, MPI_COMM_WORLD);

    double scale = 1;
    for (int i = 0; i < found_total; ++i)
      scale += all_found[i] / total;
    for (int i = 0; i < mine; ++i)
      block[i] /= scale;
    MPI_Gatherv(block, mine, MPI_DOUBLE, result, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);

    for (int i = 1; i < MODEL - 1; ++i) // nor does this
      model[i] = 0.75 * model[i] + 0.125 * (model[i - 1] + model[i + 1]);
    for (int i = 0; rank == 0 && i < total; ++i)
      sum += result[i] * (i % 3 + 1);
  }

  double own = 0, models = 0;
  for (int i = 0; i < MODEL; ++i)
    own += model[i] * (i % 5);
  MPI_Reduce(&own, &models, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, %d batches of %d values: results %.17g, models %.17g\n", ranks, batches, total, sum, models);
  free(counts), free(starts), free(found_counts), free(found_starts);
  free(batch), free(result), free(block), free(all_found), free(model), free(found);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, n = argc > 1 ? atoi(argv[1]) : 500, batches = argc > 2 ? atoi(argv[2]) : 8;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (n < 1 || n > 100000 || batches < 0) {
    if (rank == 0)
      fprintf(stderr, "pipeline: error: usage: pipeline [N [BATCHES]], N from 1 to 100000\n");
    MPI_Finalize();
    return 2;
  }
  run(n, batches, rank, ranks);
  MPI_Finalize();
  return 0;
}
