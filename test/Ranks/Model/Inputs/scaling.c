// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs whose ranks wait for each other, for commrun -nv auto: a token goes around, and its holder computes. A model
// of them always recommends more ranks.
//
//   scaling WHAT [NUMBER]
//
//   same        a fixed problem, divided among the ranks; an MPI_Allreduce in each iteration
//   grows       the same problem for each rank
//   messages    `same` without collectives in the loop, and without memory as evidence
//   memory      `grows` without collectives in the loop: each rank takes NUMBER MiB
//   shared      `memory`, divided among the ranks
//   accepts     `same`, for NUMBER ranks only: otherwise prints this, and returns 3
//   refuses     `same`, for fewer than NUMBER ranks: otherwise prints this on stdout, and aborts
//   silent      `same`, for fewer than NUMBER ranks: otherwise prints this, and returns 0 without MPI_Init
//   crashes     writes to an invalid address
//   input       `same`, with the number of iterations from standard input
//   never       computes forever, without communication
//   endless     `same` without an end
//   writes      `same`, and a file written-by-RANKS in the folder where it runs
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { points = 1 << 19 };

static double work(int count) {
  volatile double sum = 0;
  for (int i = 0; i < count; ++i)
    sum = sum + 0.5 * i;
  return sum;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "same";
  int number = argc > 2 ? atoi(argv[2]) : 0, rank, size, iterations = 20;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#define IS(NAME) (!strcmp(what, NAME))
  if (IS("accepts") && size != number) {
    if (rank == 0)
      fprintf(stderr, "scaling: needs %d ranks, not %d\n", number, size);
    MPI_Finalize();
    return 3;
  }
  if (IS("refuses") && size >= number) {
    if (rank == 0) {
      printf("hello\nscaling: at most %d ranks\n", number - 1);
      MPI_Abort(MPI_COMM_WORLD, 255);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (IS("silent") && size >= number) {
    if (rank == 0)
      printf("scaling: %d ranks are too many\n", size);
    MPI_Finalize();
    return 0;
  }
  if (IS("crashes")) {
    signal(SIGSEGV, SIG_DFL); // a sanitizer has a handler that exits
    *(volatile int *)(size_t)(size - size) = 1;
  }
  if (IS("input")) {
    if (rank == 0 && scanf("%d", &iterations) != 1) {
      fprintf(stderr, "scaling: no number of iterations on standard input\n");
      MPI_Abort(MPI_COMM_WORLD, 4);
    }
    MPI_Bcast(&iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (IS("writes") && rank == 0) {
    char name[64];
    snprintf(name, sizeof(name), "written-by-%d", size);
    FILE *file = fopen(name, "w");
    if (file)
      fclose(file);
  }
  while (IS("never"))
    work(points);
  if (IS("endless"))
    iterations = 1000000000;
  int share = IS("grows") || IS("memory") ? points : points / size, is_apart = IS("messages");
  char *memory = NULL;
  if (IS("memory") || IS("shared")) {
    size_t bytes = ((size_t)number << 20) / (IS("shared") ? (size_t)size : 1);
    memory = malloc(bytes);
    memset(memory, rank + 1, bytes);
    is_apart = 1;
    iterations = 1000000000;
  }
  if (IS("messages"))
    iterations = 1000000000;
  double token = 0, sum = 0;
  for (int i = 0; i < iterations; ++i) {
    if (rank || i)
      MPI_Recv(&token, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += work(share);
    MPI_Send(&token, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
    if (!is_apart)
      MPI_Allreduce(&sum, &token, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    MPI_Recv(&token, 1, MPI_DOUBLE, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0)
    printf("scaling: %s, %d iterations\n", what, iterations);
  free(memory);
  MPI_Finalize();
  return 0;
}
