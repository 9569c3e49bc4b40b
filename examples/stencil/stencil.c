// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's iteration on a square grid whose rows are spread over the ranks: compute, exchange the halo, again. It has
// the shape of the microbenchmark of the virtualization ratio (Nigay, Schneider, Hoefler: TinyMPI, Listing 1), in four
// variants of the same calculation.
//
//   stencil [-m MODE] [-n N] [-i ITERATIONS] [-w WORK] [-r REPETITIONS]
//
//   -m blocking     MPI_Sendrecv with one neighbour, then with the other (default)
//      nonblocking  Listing 1: receives, sends, one MPI_Waitall, then the computation
//      overlapped   by hand: the rows that need no halo are computed between the sends and MPI_Waitall
//      alone        no communication: the time of the computation, with one rank a core (and another checksum)
//   -n N            N x N points in all, for any number of ranks up to N (1024)
//   -i ITERATIONS   (50)
//   -w WORK         relaxations of each point in an iteration: longer computation, same communication (1)
//   -r REPETITIONS  of the whole; the shortest is the time (1)
//
// On stdout: a checksum over all bits of the result, which does not depend on the number of ranks. On stderr: the time.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum Mode { BLOCKING, NONBLOCKING, OVERLAPPED, ALONE, MODES };
static const char *const mode_names[MODES] = {"blocking", "nonblocking", "overlapped", "alone"};

struct Problem {
  int n, iterations, work, repetitions;
  enum Mode mode;
};

struct Slab { // rows 1 to `rows` are the rank's own, 0 and rows + 1 the halo
  int n, rows, first, above, below, parity;
  double *old, *new;
};

static double initial(int row, int column, int n) {
  if (row == 0 || row == n - 1 || column == 0 || column == n - 1)
    return 1.0 + (double)((row * 7 + column * 3) % 11);
  return (double)((row * 13 + column * 5) % 17) / 16.0;
}

static void relax_rows(const struct Slab *slab, int from, int to, int work) {
  const int n = slab->n;
  for (int row = from; row <= to; ++row) {
    double *restrict out = slab->new + (size_t)row * n;
    const double *restrict in = slab->old + (size_t)row * n;
    const double *restrict north = in - n, *restrict south = in + n;
    int global = slab->first + row - 1;
    if (global == 0 || global == n - 1) { // the border of the grid keeps its values
      memcpy(out, in, (size_t)n * sizeof(double));
      continue;
    }
    out[0] = in[0];
    out[n - 1] = in[n - 1];
    for (int column = 1; column < n - 1; ++column)
      out[column] = 0.25 * (north[column] + south[column] + in[column - 1] + in[column + 1]);
    for (int more = 1; more < work; ++more)
      for (int column = 1; column < n - 1; ++column)
        out[column] = 0.5 * out[column] + 0.12 * (north[column] + south[column] + in[column - 1] + in[column + 1]);
  }
}

static void iterate(struct Slab *slab, enum Mode mode, int work) {
  const int n = slab->n, rows = slab->rows;
  double *halo_above = slab->old, *first = slab->old + n;
  double *last = slab->old + (size_t)rows * n, *halo_below = slab->old + (size_t)(rows + 1) * n;
  MPI_Request requests[4];
  if (mode == BLOCKING) {
    // Even ranks begin below and odd ones above, so that pairs exchange at the same time and no chain of waits forms.
    for (int turn = 0; turn < 2; ++turn)
      if (turn == slab->parity)
        MPI_Sendrecv(last, n, MPI_DOUBLE, slab->below, 0, halo_below, n, MPI_DOUBLE, slab->below, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
      else
        MPI_Sendrecv(first, n, MPI_DOUBLE, slab->above, 0, halo_above, n, MPI_DOUBLE, slab->above, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
  } else if (mode != ALONE) {
    MPI_Irecv(halo_below, n, MPI_DOUBLE, slab->below, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(halo_above, n, MPI_DOUBLE, slab->above, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(first, n, MPI_DOUBLE, slab->above, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(last, n, MPI_DOUBLE, slab->below, 1, MPI_COMM_WORLD, &requests[3]);
    if (mode == OVERLAPPED)
      relax_rows(slab, 2, rows - 1, work);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  if (mode == OVERLAPPED) {
    relax_rows(slab, 1, 1, work);
    if (rows > 1)
      relax_rows(slab, rows, rows, work);
  } else {
    relax_rows(slab, 1, rows, work);
  }
  double *swap = slab->old;
  slab->old = slab->new;
  slab->new = swap;
}

// The bits of all values, weighted by place, modulo 2^64: no order of addition changes it.
static uint64_t checksum(const struct Slab *slab) {
  uint64_t sum = 0;
  for (int row = 1; row <= slab->rows; ++row)
    for (int column = 0; column < slab->n; ++column) {
      uint64_t bits;
      memcpy(&bits, slab->old + (size_t)row * slab->n + column, sizeof(bits));
      sum += bits * (2 * ((uint64_t)(slab->first + row) * slab->n + column) + 1);
    }
  return sum;
}

static int parse(int argc, char **argv, struct Problem *problem, const char **wrong) {
  for (int i = 1; i < argc; i += 2) {
    *wrong = argv[i];
    if (argv[i][0] != '-' || !argv[i][1] || argv[i][2] || i + 1 == argc)
      return 0;
    char *end;
    long value = strtol(argv[i + 1], &end, 10);
    int good = !*end && end != argv[i + 1] && value > 0 && value <= 1000000;
    switch (argv[i][1]) {
    case 'm':
      for (good = 0; good < MODES && strcmp(argv[i + 1], mode_names[good]); ++good)
        ;
      problem->mode = (enum Mode)good;
      good = good < MODES;
      break;
    case 'n':
      problem->n = (int)value;
      good = good && value >= 3 && value <= 30000;
      break;
    case 'i':
      problem->iterations = (int)value;
      break;
    case 'w':
      problem->work = (int)value;
      break;
    case 'r':
      problem->repetitions = (int)value;
      break;
    default:
      return 0;
    }
    if (!good)
      return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  struct Problem problem = {1024, 50, 1, 1, BLOCKING};
  const char *wrong = "";
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int usable = parse(argc, argv, &problem, &wrong);
  if (!usable || problem.n < ranks) {
    if (rank == 0 && !usable)
      fprintf(stderr,
              "stencil: error: cannot use '%s' and what follows: stencil [-m blocking|nonblocking|overlapped|alone] "
              "[-n N] [-i ITERATIONS] [-w WORK] [-r REPETITIONS]\n",
              wrong);
    else if (rank == 0)
      fprintf(stderr, "stencil: error: %d ranks for %d rows: use as many ranks as rows at most\n", ranks, problem.n);
    MPI_Finalize();
    return 2;
  }

  struct Slab slab = {.n = problem.n};
  slab.first = (int)((long long)problem.n * rank / ranks);
  slab.rows = (int)((long long)problem.n * (rank + 1) / ranks) - slab.first;
  slab.parity = rank % 2;
  slab.above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  slab.below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  size_t points = (size_t)(slab.rows + 2) * slab.n;
  double *memory = calloc(2 * points, sizeof(double));
  if (!memory) {
    fprintf(stderr, "stencil: error: rank %d has no memory for %zu points\n", rank, 2 * points);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  double best = 0;
  for (int repetition = 0; repetition < problem.repetitions; ++repetition) {
    slab.old = memory;
    slab.new = memory + points;
    for (int row = 0; row < slab.rows + 2; ++row)
      for (int column = 0; column < slab.n; ++column)
        slab.old[(size_t)row * slab.n + column] = initial(slab.first + row - 1, column, slab.n);
    memcpy(slab.new, slab.old, points * sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < problem.iterations; ++i)
      iterate(&slab, problem.mode, problem.work);
    double took = MPI_Wtime() - start, longest = 0;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repetition == 0 || longest < best)
      best = longest;
  }
  uint64_t sum = checksum(&slab), total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d x %d points, %d iterations: checksum %016llx\n", problem.n, problem.n, problem.iterations,
           (unsigned long long)total);
    fprintf(stderr, "time: %.6f s, %.4f ms an iteration (%s, %d ranks)\n", best, best / problem.iterations * 1e3,
            mode_names[problem.mode], ranks);
  }
  free(memory);
  MPI_Finalize();
  return 0;
}
