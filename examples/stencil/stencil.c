// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's iteration on a square grid that is distributed over the ranks in blocks: compute, exchange the halo with
// four neighbors, repeat. The microbenchmark of the virtualization ratio (Nigay, Schneider, Hoefler: TinyMPI, Listing
// 1), in four variants of the same calculation. Blocks of one process are side by side, in rows of blocks.
//
//   stencil [-m MODE] [-n N] [-b BLOCKS] [-i ITERATIONS] [-w WORK] [-r REPETITIONS]
//
//   -m blocking     MPI_Sendrecv with one neighbor after another (default)
//      nonblocking  Listing 1: receives, sends, one MPI_Waitall, then the computation
//      overlapped   by hand: the points that need no halo are computed between the sends and MPI_Waitall
//      alone        no communication: the time of the computation, with one rank per core (and another checksum)
//   -n N            N x N points in total; each block needs at least one point per side (1024)
//   -b BLOCKS       blocks side by side in a row (default: those of MPI_Dims_create, nearly square blocks): with fewer,
//                   there are fewer and longer messages between processes
//   -i ITERATIONS   (50)
//   -w WORK         relaxations of each point per iteration: longer computation, same communication (1)
//   -r REPETITIONS  of the whole program; the minimum is reported (1)
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
  int n, blocks, iterations, work, repetitions;
  enum Mode mode;
};

// Also the tag of a message that travels in that direction; the opposite one is direction ^ 1.
enum Direction { NORTH, SOUTH, WEST, EAST, DIRECTIONS };

struct Block { // rows 1 to `rows` and columns 1 to `columns` belong to the rank; the halo surrounds them
  int n, rows, columns, first_row, first_column;
  int neighbors[DIRECTIONS], parity[2]; // parity: of the block's place, by axis
  double *old, *new;
  double *edges_out[DIRECTIONS], *edges_in[DIRECTIONS]; // west and east: columns, packed
};

static double *at(const struct Block *block, double *field, int row, int column) {
  return field + (size_t)row * (size_t)(block->columns + 2) + column;
}

static double initial(int row, int column, int n) {
  if (row == 0 || row == n - 1 || column == 0 || column == n - 1)
    return 1.0 + (double)((row * 7 + column * 3) % 11);
  return (double)((row * 13 + column * 5) % 17) / 16.0;
}

// Relaxes the block's points in a rectangle, both ends included. The border of the grid keeps its values.
static void relax(const struct Block *block, int top, int bottom, int left, int right, int work) {
  const int n = block->n, stride = block->columns + 2;
  for (int row = top; row <= bottom; ++row) {
    double *restrict out = at(block, block->new, row, 0);
    const double *restrict in = at(block, block->old, row, 0);
    const double *restrict north = in - stride, *restrict south = in + stride;
    int from = left, to = right, global = block->first_row + row - 1;
    if (global == 0 || global == n - 1)
      continue;
    if (block->first_column + from - 1 == 0)
      ++from;
    if (block->first_column + to - 1 == n - 1)
      --to;
    for (int column = from; column <= to; ++column)
      out[column] = 0.25 * (north[column] + south[column] + in[column - 1] + in[column + 1]);
    for (int more = 1; more < work; ++more)
      for (int column = from; column <= to; ++column)
        out[column] = 0.5 * out[column] + 0.12 * (north[column] + south[column] + in[column - 1] + in[column + 1]);
  }
}

static int edge_length(const struct Block *block, int direction) {
  return direction < WEST ? block->columns : block->rows;
}

// Rows are sent in place, columns are packed.
static void pack(struct Block *block) {
  block->edges_out[NORTH] = at(block, block->old, 1, 1);
  block->edges_out[SOUTH] = at(block, block->old, block->rows, 1);
  block->edges_in[NORTH] = at(block, block->old, 0, 1);
  block->edges_in[SOUTH] = at(block, block->old, block->rows + 1, 1);
  for (int row = 1; row <= block->rows; ++row) {
    block->edges_out[WEST][row - 1] = *at(block, block->old, row, 1);
    block->edges_out[EAST][row - 1] = *at(block, block->old, row, block->columns);
  }
}

static void unpack(struct Block *block) {
  for (int row = 1; row <= block->rows; ++row) {
    *at(block, block->old, row, 0) = block->edges_in[WEST][row - 1];
    *at(block, block->old, row, block->columns + 1) = block->edges_in[EAST][row - 1];
  }
}

static void iterate(struct Block *block, enum Mode mode, int work) {
  const int rows = block->rows, columns = block->columns;
  MPI_Request requests[2 * DIRECTIONS];
  if (mode != ALONE)
    pack(block);
  if (mode == BLOCKING) {
    // Even blocks start on one side and odd ones on the other, so that pairs exchange at the same time and no chain of
    // waits forms.
    for (int turn = 0; turn < DIRECTIONS; ++turn) {
      int axis = turn / 2, d = 2 * axis + (turn % 2 == block->parity[axis]), count = edge_length(block, d);
      MPI_Sendrecv(block->edges_out[d], count, MPI_DOUBLE, block->neighbors[d], d, block->edges_in[d], count,
                   MPI_DOUBLE, block->neighbors[d], d ^ 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else if (mode != ALONE) {
    for (int d = 0; d < DIRECTIONS; ++d)
      MPI_Irecv(block->edges_in[d], edge_length(block, d), MPI_DOUBLE, block->neighbors[d], d ^ 1, MPI_COMM_WORLD,
                &requests[d]);
    for (int d = 0; d < DIRECTIONS; ++d)
      MPI_Isend(block->edges_out[d], edge_length(block, d), MPI_DOUBLE, block->neighbors[d], d, MPI_COMM_WORLD,
                &requests[DIRECTIONS + d]);
    if (mode == OVERLAPPED)
      relax(block, 2, rows - 1, 2, columns - 1, work);
    MPI_Waitall(2 * DIRECTIONS, requests, MPI_STATUSES_IGNORE);
  }
  if (mode != ALONE)
    unpack(block);
  if (mode == OVERLAPPED) {
    relax(block, 1, 1, 1, columns, work);
    if (rows > 1)
      relax(block, rows, rows, 1, columns, work);
    relax(block, 2, rows - 1, 1, 1, work);
    if (columns > 1)
      relax(block, 2, rows - 1, columns, columns, work);
  } else {
    relax(block, 1, rows, 1, columns, work);
  }
  double *swap = block->old;
  block->old = block->new;
  block->new = swap;
}

// Returns the bits of all values, weighted by position, modulo 2^64. The order of addition does not matter.
static uint64_t checksum(const struct Block *block) {
  uint64_t sum = 0;
  for (int row = 1; row <= block->rows; ++row)
    for (int column = 1; column <= block->columns; ++column) {
      uint64_t bits, place = (uint64_t)(block->first_row + row) * block->n + block->first_column + column - 1;
      memcpy(&bits, at(block, block->old, row, column), sizeof(bits));
      sum += bits * (2 * place + 1);
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
    case 'b':
      problem->blocks = (int)value;
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
  struct Problem problem = {1024, 0, 50, 1, 1, BLOCKING};
  const char *wrong = "";
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int usable = parse(argc, argv, &problem, &wrong);
  int blocks[2] = {0, problem.blocks}, n = problem.n, whole = !problem.blocks || ranks % problem.blocks == 0;
  if (usable && whole)
    MPI_Dims_create(ranks, 2, blocks);
  if (!usable || !whole || n < blocks[0] || n < blocks[1]) {
    if (rank == 0 && !usable)
      fprintf(stderr,
              "stencil: error: cannot use '%s' and what follows: stencil [-m blocking|nonblocking|overlapped|alone] "
              "[-n N] [-b BLOCKS] [-i ITERATIONS] [-w WORK] [-r REPETITIONS]\n",
              wrong);
    else if (rank == 0 && !whole)
      fprintf(stderr, "stencil: error: -b %d: %d ranks do not make whole rows of that many blocks\n", problem.blocks,
              ranks);
    else if (rank == 0)
      fprintf(stderr, "stencil: error: %d x %d blocks for %d x %d points: use fewer ranks\n", blocks[0], blocks[1], n,
              n);
    MPI_Finalize();
    return 2;
  }

  struct Block block = {.n = n};
  int row = rank / blocks[1], column = rank % blocks[1];
  block.first_row = (int)((long long)n * row / blocks[0]);
  block.rows = (int)((long long)n * (row + 1) / blocks[0]) - block.first_row;
  block.first_column = (int)((long long)n * column / blocks[1]);
  block.columns = (int)((long long)n * (column + 1) / blocks[1]) - block.first_column;
  block.parity[0] = row % 2;
  block.parity[1] = column % 2;
  block.neighbors[NORTH] = row > 0 ? rank - blocks[1] : MPI_PROC_NULL;
  block.neighbors[SOUTH] = row + 1 < blocks[0] ? rank + blocks[1] : MPI_PROC_NULL;
  block.neighbors[WEST] = column > 0 ? rank - 1 : MPI_PROC_NULL;
  block.neighbors[EAST] = column + 1 < blocks[1] ? rank + 1 : MPI_PROC_NULL;
  size_t points = (size_t)(block.rows + 2) * (size_t)(block.columns + 2), edge = (size_t)block.rows;
  double *memory = calloc(2 * points + 4 * edge, sizeof(double));
  if (!memory) {
    fprintf(stderr, "stencil: error: rank %d has no memory for %zu points\n", rank, 2 * points);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int d = WEST; d <= EAST; ++d) {
    block.edges_out[d] = memory + 2 * points + (size_t)(d - WEST) * 2 * edge;
    block.edges_in[d] = block.edges_out[d] + edge;
  }

  double best = 0;
  for (int repetition = 0; repetition < problem.repetitions; ++repetition) {
    block.old = memory;
    block.new = memory + points;
    for (int i = 0; i < block.rows + 2; ++i)
      for (int j = 0; j < block.columns + 2; ++j)
        *at(&block, block.old, i, j) = initial(block.first_row + i - 1, block.first_column + j - 1, n);
    memcpy(block.new, block.old, points * sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < problem.iterations; ++i)
      iterate(&block, problem.mode, problem.work);
    double took = MPI_Wtime() - start, longest = 0;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repetition == 0 || longest < best)
      best = longest;
  }
  uint64_t sum = checksum(&block), total = 0;
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
