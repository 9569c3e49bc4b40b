// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs all forms of each kernel alternately: main BATCH_US BATCHES (KERNELS | all) MAX_ELEMENTS..., where KERNELS are
// names with commas in between. For each kernel, number of elements and computation prints a line
// "kernel elements computation_us" and, for each form, the microseconds per iteration of its batches.
#include "small.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(kernel, form) void kernel##_##form(const struct setting *, int);
#define DECLARE_ALL(kernel) FOR_ALL_FORMS(DECLARE, kernel)
FOR_ALL_KERNELS(DECLARE_ALL)

enum { FORMS = 4 };
#define ENTRY(kernel, form) kernel##_##form,
#define ENTRIES(kernel) {#kernel, {FOR_ALL_FORMS(ENTRY, kernel)}},
static const struct {
  const char *name;
  void (*run[FORMS])(const struct setting *, int);
} all[] = {FOR_ALL_KERNELS(ENTRIES)};

/// Returns the microseconds per iteration of the slowest process.
static double run(void (*kernel)(const struct setting *, int), const struct setting *s, int times) {
  double most;
  MPI_Barrier(s->comm);
  double taken = MPI_Wtime();
  kernel(s, times);
  taken = (MPI_Wtime() - taken) * 1e6 / times;
  MPI_Allreduce(&taken, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm);
  return most;
}

/// Returns whether the name is one of those with commas.
static int isOneOf(const char *name, const char *names) {
  size_t length = strlen(name);
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0))
      return 1;
  return strcmp(names, "all") == 0;
}

/// Returns the rounds of computation per microsecond.
static double calibrate(void) {
  struct setting alone = {MPI_COMM_SELF, 0, 1, 0, 0, 0, 1, 200000};
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    double taken = MPI_Wtime();
    pipeline_off(&alone, 1);
    taken = MPI_Wtime() - taken;
    best = taken < best ? taken : best;
  }
  double rounds = alone.rounds / (best * 1e6);
  MPI_Bcast(&rounds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return rounds;
}

int main(int argc, char **argv) {
  static const double computations[] = {0, 1, 10, 100, 1000};
  MPI_Init(&argc, &argv);
  struct setting s = {.comm = MPI_COMM_WORLD};
  MPI_Comm_rank(s.comm, &s.rank);
  MPI_Comm_size(s.comm, &s.size);
  s.left = (s.rank + s.size - 1) % s.size, s.right = (s.rank + 1) % s.size, s.partner = s.rank ^ 1;
  double rounds = calibrate(), batch_us = atof(argv[1]);
  int batches = atoi(argv[2]);
  for (int k = 0; k < (int)(sizeof all / sizeof *all); ++k)
    for (int arg = isOneOf(all[k].name, argv[3]) ? 4 : argc; arg < argc; ++arg)
      for (int c = 0; c < (int)(sizeof computations / sizeof *computations); ++c) {
        if (s.partner >= s.size && all[k].run[0] == pingpong_off)
          continue;
        s.elements = atoi(argv[arg]), s.rounds = (long)(computations[c] * rounds);
        double once = run(all[k].run[0], &s, 4);
        int times = once * 4 > batch_us ? 4 : (int)(batch_us / once);
        double taken[FORMS][1000];
        for (int form = 0; form < FORMS; ++form)
          run(all[k].run[form], &s, times < 20 ? times : 20);
        // Rotate the order.
        for (int batch = 0; batch < batches; ++batch)
          for (int i = 0; i < FORMS; ++i)
            taken[(batch + i) % FORMS][batch] = run(all[k].run[(batch + i) % FORMS], &s, times);
        for (int form = 0; s.rank == 0 && form < FORMS; ++form) {
          printf("%s %d %g %d", all[k].name, s.elements, computations[c], form);
          for (int batch = 0; batch < batches; ++batch)
            printf(" %.6f", taken[form][batch]);
          printf("\n");
        }
      }
  MPI_Finalize();
  return 0;
}
