// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the programs of this folder. Ranks run functions of their own, so that the nap of one does not prevent
// motion in another.
#ifndef COMM_TEST_SOUNDNESS_H
#define COMM_TEST_SOUNDNESS_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  few = 16,       // sent at once: buffered by any implementation
  many = 1 << 18, // 1 MiB of int: sent when the receiver is ready
  steps = 2000
};
static int rank, size;

#define NOINLINE __attribute__((noinline))

static inline void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/// A rank's line of output.
static NOINLINE void say(const char *what, long value) { printf("rank %d: %s %ld\n", rank, what, value); }

/// Returns the number that another process has written into the file, or -1 if there is none yet.
static inline void sayFound(const char *name) {
  int found = -1;
  FILE *file = fopen(name, "r");
  if (file) {
    if (fscanf(file, "%d", &found) != 1)
      found = -2;
    fclose(file);
  }
  say("found", found);
}

/// Late by that many milliseconds.
static NOINLINE void nap(int milliseconds) { usleep(1000 * milliseconds); }

static inline void fill(int *values, int n, int first) {
  for (int i = 0; i < n; ++i)
    values[i] = first + i;
}

static inline long total(const int *values, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum * 3 + values[i];
  return sum;
}

/// Work without any relation to communication, over which an interval can grow.
static inline void work(double *values) {
  for (int step = 1; step < steps; ++step)
    values[step] = values[step - 1] * 0.5 + step;
}
#endif
