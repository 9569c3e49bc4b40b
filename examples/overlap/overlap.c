// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The motivating example of "Automatic Code Motion to Extend MPI Nonblocking Overlap Window" (Nguyen et al., 2020,
// Listing 1.1), as a program of our own: an alltoall, a matrix product, a touch of the buffer that is being sent, and a
// second matrix product.
//
//   overlap [--duration US | --size N] [--iterations K] [--bytes B]
//
//   --duration US    make one matrix product last about US microseconds: rank 0 measures the matrix size for that,
//                    and tells the others (default 2500, the paper's)
//   --size N         use N x N matrices without measuring: the output is then the same in every run
//   --iterations K   how often the four statements run (default 40)
//   --bytes B        bytes that each rank sends to each other rank (default 1024)
//
// It prints checksums but no times: after Comm has changed the program, its output must be the same. The times are in
// the report that -fcomm-report produces.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DURATION_US = 2500, DEFAULT_ITERATIONS = 40, DEFAULT_BYTES = 1024 };
enum { LINE_BYTES = 200 };
enum { SMALLEST_MATRIX = 8, LARGEST_MATRIX = 2048 };

struct Settings {
  int duration_us;
  int size; // 0: measure
  int iterations;
  int bytes;
};

// Computes res += a * b, all n x n. It is in this file and calls nothing, so a compiler sees its memory accesses.
static void matrix_multiply(const double *a, const double *b, double *res, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        res[i * n + j] += a[i * n + k] * b[k * n + j];
}

// Writes every byte of a buffer, like a program that prepares its next message. Only valid after the alltoall that
// sends this buffer has completed.
static void touch(unsigned char *buffer, int bytes) {
  for (int i = 0; i < bytes; ++i)
    buffer[i] = (unsigned char)(buffer[i] * 5 + 1);
}

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) {
    fprintf(stderr, "overlap: error: no memory for %zu bytes\n", bytes);
    exit(EXIT_FAILURE);
  }
  return memory;
}

static double *make_matrix(int n, int seed) {
  double *matrix = allocate(sizeof(double) * (size_t)n * (size_t)n);
  for (int i = 0; i < n * n; ++i)
    matrix[i] = (double)((i * 7 + seed) % 11) / 8; // sums of these are exact
  return matrix;
}

// Returns the time of one product of n x n matrices here, in microseconds: the minimum of several, because disturbances
// only ever add time.
static double product_us(int n) {
  double *a = make_matrix(n, 1), *b = make_matrix(n, 2), *res = make_matrix(n, 3);
  double shortest = HUGE_VAL;
  for (int repetition = 0; repetition < 7; ++repetition) {
    double before = MPI_Wtime();
    matrix_multiply(a, b, res, n);
    double us = (MPI_Wtime() - before) * 1e6;
    shortest = us < shortest ? us : shortest;
  }
  free(a), free(b), free(res);
  return shortest;
}

// Returns the matrix size for which one product takes the given time on rank 0; the same on all ranks.
static int calibrate(int duration_us, int rank) {
  int n = 96;
  // The time grows with n cubed, apart from cache effects: three steps are close enough.
  for (int step = 0; rank == 0 && step < 3; ++step) {
    double us = product_us(n);
    double next = n * cbrt(duration_us / (us > 0.1 ? us : 0.1));
    next = fmin(fmax(next, SMALLEST_MATRIX), LARGEST_MATRIX);
    n = (int)(next + 4) / 8 * 8; // whole vectors
  }
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return n;
}

static unsigned long checksum_bytes(const unsigned char *bytes, int count) {
  unsigned long sum = 1;
  for (int i = 0; i < count; ++i)
    sum = sum * 31 + bytes[i];
  return sum;
}

static double checksum_matrix(const double *matrix, int n) {
  double sum = 0;
  for (int i = 0; i < n * n; ++i)
    sum += matrix[i] * (i % 5 + 1);
  return sum;
}

// Prints a line of each rank. Rank 0 prints all of them, because the output of different ranks has no order.
static void print_in_order(const char *line, int rank, int ranks) {
  char *lines = allocate((size_t)ranks * LINE_BYTES);
  MPI_Gather(line, LINE_BYTES, MPI_CHAR, lines, LINE_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; ++i)
    printf("%s\n", lines + (size_t)i * LINE_BYTES);
  free(lines);
}

// Listing 1.1, `iterations` times.
static void motivating_example(int rank, int ranks, int n, int bytes, int iterations) {
  int total = bytes * ranks;
  unsigned char *d1 = allocate((size_t)total), *d2 = allocate((size_t)total);
  double *a = make_matrix(n, rank), *b = make_matrix(n, rank + 1), *res = make_matrix(n, 0);
  double *a2 = make_matrix(n, rank + 2), *b2 = make_matrix(n, rank + 3), *res2 = make_matrix(n, 0);
  for (int i = 0; i < total; ++i) {
    d1[i] = (unsigned char)(i * 3 + i / bytes * 7 + rank); // blocks differ
    d2[i] = 0;
  }

  for (int iteration = 0; iteration < iterations; ++iteration) {
    MPI_Alltoall(d1, bytes, MPI_BYTE, d2, bytes, MPI_BYTE, MPI_COMM_WORLD);
    matrix_multiply(a, b, res, n);
    touch(d1, total);
    matrix_multiply(a2, b2, res2, n);
  }

  char line[LINE_BYTES] = "";
  snprintf(line, sizeof line, "rank %d of %d: sent %016lx received %016lx products %.17g %.17g", rank, ranks,
           checksum_bytes(d1, total), checksum_bytes(d2, total), checksum_matrix(res, n), checksum_matrix(res2, n));
  print_in_order(line, rank, ranks);
  free(d1), free(d2), free(a), free(b), free(res), free(a2), free(b2), free(res2);
}

static int parse_number(const char *option, const char *text, int least, int most) {
  char *end = NULL;
  errno = 0;
  long value = text ? strtol(text, &end, 10) : 0;
  if (!text || errno || end == text || *end || value < least || value > most) {
    fprintf(stderr, "overlap: error: %s needs a number from %d to %d\n", option, least, most);
    exit(2);
  }
  return (int)value;
}

static struct Settings parse_arguments(int argc, char **argv) {
  struct Settings settings = {DEFAULT_DURATION_US, 0, DEFAULT_ITERATIONS, DEFAULT_BYTES};
  for (int i = 1; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(argv[i], "--duration"))
      settings.duration_us = parse_number(argv[i], value, 1, 1000000);
    else if (!strcmp(argv[i], "--size"))
      settings.size = parse_number(argv[i], value, 1, LARGEST_MATRIX);
    else if (!strcmp(argv[i], "--iterations"))
      settings.iterations = parse_number(argv[i], value, 1, 1000000);
    else if (!strcmp(argv[i], "--bytes"))
      settings.bytes = parse_number(argv[i], value, 1, 1 << 20);
    else {
      fprintf(stderr,
              "overlap: error: unknown argument '%s'; usage: overlap [--duration US | --size N] [--iterations K]"
              " [--bytes B]\n",
              argv[i]);
      exit(2);
    }
  }
  return settings;
}

int main(int argc, char **argv) {
  struct Settings settings = parse_arguments(argc, argv); // before MPI, so that errors do not need MPI_Abort
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int n = settings.size ? settings.size : calibrate(settings.duration_us, rank);
  if (rank == 0)
    printf("matrix size %d\n", n);
  motivating_example(rank, ranks, n, settings.bytes, settings.iterations);
  MPI_Finalize();
  return 0;
}
