// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message that two processes exchange, and a computation after it that does not need it.
//
//   kernels calibrate US                     prints how many rounds of each computation take US microseconds
//   kernels run ROUNDS ROWS ITERATIONS BYTES ...    prints "KERNEL BYTES MS": milliseconds an iteration, of the slowest
//                                            process, the fastest of three batches; and in the end a digest of all
//                                            digits
//
// Compiled as it is, it is the usual program. With BY_HAND it is an expert's version: start, the computation in blocks
// with MPI_Testall in between, wait.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { columns = 2000, most_rows = 64, batches = 3 };
static int rank;
static char *in, *out;
// Aligned to cache lines: otherwise the linker places them differently in each form, and vectors cross lines.
static __attribute__((aligned(64))) double a[columns * most_rows], b[columns * most_rows];

#ifdef BY_HAND
enum { blocks = 160 };
#define EXCHANGE(bytes)                                                                                                \
  MPI_Request requests[2];                                                                                             \
  MPI_Irecv(out, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);                                          \
  MPI_Isend(in, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1])
#define TEST()                                                                                                         \
  do {                                                                                                                 \
    int flag;                                                                                                          \
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);                                                              \
  } while (0)
#define FINISH() MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
#else
enum { blocks = 1 };
#define EXCHANGE(bytes)                                                                                                \
  MPI_Sendrecv(in, bytes, MPI_BYTE, 1 - rank, 0, out, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#define TEST() (void)0
#define FINISH() (void)0
#endif

// A loop in which each iteration depends on the previous one.
__attribute__((noinline)) static double chain(int bytes, long rounds) {
  double x = 1;
  EXCHANGE(bytes);
#ifdef BY_HAND
  for (long block = 0; block < blocks; ++block) {
    for (long i = block * rounds / blocks; i < (block + 1) * rounds / blocks; ++i)
      x = x * 0.999999 + 0.5;
    TEST();
  }
#else
  for (long i = 0; i < rounds; ++i)
    x = x * 0.999999 + 0.5;
#endif
  FINISH();
  return x;
}

// A loop nest whose inner loop is vectorized.
__attribute__((noinline)) static double rows(int bytes, long count) {
  EXCHANGE(bytes);
  for (long i = 0; i < count; ++i) {
    for (long j = 0; j < columns; ++j)
      a[i % most_rows * columns + j] += 0.25 * b[(i + 1) % most_rows * columns + j];
#ifdef BY_HAND
    if (i % (count / blocks + 1) == 0)
      TEST();
#endif
  }
  FINISH();
  return a[columns / 2];
}

static double measure(double (*kernel)(int, long), int bytes, long rounds, int iterations, double *digest) {
  double least = 1e9, most;
  for (int batch = 0; batch < batches; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    double taken = MPI_Wtime();
    for (int i = 0; i < iterations; ++i) {
      *digest += kernel(bytes, rounds) + out[bytes - 1];
      in[bytes - 1] = (char)(i + batch);
    }
    taken = (MPI_Wtime() - taken) / iterations;
    least = taken < least ? taken : least;
  }
  MPI_Reduce(&least, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

static long calibrate(double (*kernel)(int, long), double microseconds) {
  long rounds = 100;
  while (1) {
    double taken = MPI_Wtime();
    volatile double result = kernel(1, rounds);
    (void)result;
    taken = MPI_Wtime() - taken;
    if (taken > 0.02)
      return (long)(rounds * microseconds * 1e-6 / taken) + 1;
    rounds *= 2;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int bytes = 1 << 22;
  in = calloc((size_t)bytes, 1), out = calloc((size_t)bytes, 1);
  for (int i = 0; i < columns * most_rows; ++i)
    b[i] = i % 7;
  if (argc == 3 && strcmp(argv[1], "calibrate") == 0) {
    rank = 1; // its partner is itself
    printf("%ld %ld\n", calibrate(chain, atof(argv[2])), calibrate(rows, atof(argv[2])));
  } else if (argc > 5) {
    double digest = 0;
    for (int arg = 5; arg < argc; ++arg) {
      bytes = atoi(argv[arg]);
      double first = measure(chain, bytes, atol(argv[2]), atoi(argv[4]), &digest);
      double second = measure(rows, bytes, atol(argv[3]), atoi(argv[4]), &digest);
      if (rank == 0)
        printf("chain %d %.3f\nrows %d %.3f\n", bytes, first * 1e3, bytes, second * 1e3);
    }
    if (rank == 0)
      printf("digest %a\n", digest);
  }
  MPI_Finalize();
  return 0;
}
