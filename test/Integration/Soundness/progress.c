// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI progresses in loops between starts and their waits: messages of the program's own and of calls that Comm splits,
// long and short, loops of any number of iterations, nests, statuses that are looked at, tests, and whatever else the
// program does to its requests meanwhile.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
// RUN: FileCheck %s < %t.extended.remarks
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
enum { most = 400000 };
static int rank, size, left, right;
static double *in, *out, *a, *b;

static void fill(int n) {
  for (int i = 0; i < n; ++i) {
    in[i] = rank * 1000.0 + i % 977;
    out[i] = -1;
  }
}

static double sum(const double *numbers, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += numbers[i] * (i % 13);
  return total;
}

static void print(const char *what, int bytes, int n, const MPI_Status *status) {
  int count = -7;
  MPI_Get_count(status, MPI_DOUBLE, &count);
  printf("%s %d %d: %.17g %.17g from %d tag %d count %d\n", what, bytes, n, sum(out, bytes / 8), sum(a, most),
         status->MPI_SOURCE, status->MPI_TAG, count);
}

/// A blocking call that Comm splits, with a loop that is vectorized.
// CHECK-DAG: progress.c:[[#@LINE+3]]:{{[0-9]+}}: remark: MPI_Sendrecv at progress.c:[[#@LINE+3]] progresses in the loop at progress.c:[[#@LINE+4]]
NOINLINE static void simple(double *restrict x, const double *restrict y, int count, int n) {
  MPI_Status status;
  MPI_Sendrecv(in, count, MPI_DOUBLE, right, 1, out, count, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &status);
  for (int i = 0; i < n; ++i)
    x[i] = 2 * y[i] + 1;
  print("simple", 8 * count, n, &status);
}

/// Loops that count down, by other steps, with other tests, and ends in the middle.
NOINLINE static void steps(double *restrict x, int count, int n) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(out, count, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(in, count, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  for (int i = n; i > 0; --i)
    x[i] += i;
  for (int i = 0; i < n; i += 3)
    x[i] += 2;
  for (unsigned char i = 0; i != (unsigned char)n; i += 5)
    x[i] += 1;
  for (long i = n - 1; i >= 0; i -= 7)
    x[i] *= 1.5;
  int found = 0;
  for (int i = 0; i < n; ++i) {
    x[i] += 0.5;
    if (x[i] > 1e8) {
      found = i;
      break;
    }
  }
  unsigned collatz = n + 1, turns = 0;
  while (collatz != 1) {
    collatz = collatz % 2 ? 3 * collatz + 1 : collatz / 2;
    ++turns;
  }
  MPI_Waitall(2, requests, statuses);
  printf("found %d turns %u\n", found, turns);
  print("steps", 8 * count, n, &statuses[0]);
}

/// Numbers that iterations carry, and nests with empty inner loops.
NOINLINE static double nest(const double *restrict x, int count, int n) {
  MPI_Status status;
  double carried = 1, largest = 0;
  long whole = 0;
  MPI_Sendrecv(in, count, MPI_DOUBLE, right, 3, out, count, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &status);
  for (int i = 0; i < n; ++i) {
    for (int j = i % 3 ? 0 : 5; j < i % 50; ++j)
      carried = carried * 0.999 + x[j] * 1e-3;
    for (int j = 0; j < 2000; ++j) {
      largest = fmax(largest, x[j] + i);
      whole += (long)x[j] ^ i;
    }
  }
  print("nest", 8 * count, n, &status);
  return carried + largest + whole;
}

/// The program tests, waits for some of its requests early, frees others, and has null ones.
// CHECK-DAG: remark: MPI_Irecv at progress.c:[[#@LINE+7]] progresses in the loop at
NOINLINE static void own(MPI_Request *requests, double *restrict x, int count, int n, int parts) {
  MPI_Status status;
  int flag = 0, part = count / parts;
  for (int i = 0; i < 2 * parts + 1; ++i)
    requests[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < parts; ++i)
    MPI_Irecv(out + i * part, part, MPI_DOUBLE, left, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < parts; ++i)
    MPI_Isend(in + i * part, part, MPI_DOUBLE, right, i, MPI_COMM_WORLD, &requests[parts + i]);
  for (int i = 0; i < n; ++i)
    x[i] += 3;
  MPI_Test(&requests[0], &flag, &status);
  if (!flag)
    MPI_Wait(&requests[0], &status);
  int active = 0;
  for (int i = 0; i < 2 * parts + 1; ++i)
    active += requests[i] != MPI_REQUEST_NULL;
  for (int i = 0; i < n; ++i)
    x[i] -= 1;
  for (int i = 1; i < parts; ++i)
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    x[i] *= 1.25;
  MPI_Waitall(2 * parts + 1, requests, MPI_STATUSES_IGNORE);
  printf("active %d\n", active);
  print("own", 8 * part, n, &status);
}

/// Starts in branches that some processes do not take, and a loop in between that all run.
NOINLINE static void branch(double *restrict x, int count, int n) {
  MPI_Status status = {.MPI_SOURCE = -5, .MPI_TAG = -5};
  if (rank % 2 == 0 && rank + 1 < size)
    MPI_Send(in, count, MPI_DOUBLE, rank + 1, 4, MPI_COMM_WORLD);
  if (rank % 2)
    MPI_Recv(out, count, MPI_DOUBLE, rank - 1, 4, MPI_COMM_WORLD, &status);
  for (int i = 0; i < n; ++i)
    x[i] += i;
  printf("branch %d %d: %.17g %.17g from %d\n", count, n, sum(out, count), sum(x, n), status.MPI_SOURCE);
}

/// Collectives, the program's own; and a loop within a loop around all.
NOINLINE static void collective(double *restrict x, int count, int n) {
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Request request;
    MPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    for (int i = 0; i < n; ++i)
      x[i] += turn;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("collective %d %d: %.17g %.17g\n", count, n, sum(out, count), sum(x, n));
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size, right = (rank + 1) % size;
  in = calloc(most, sizeof(double)), out = calloc(most, sizeof(double));
  a = calloc(most, sizeof(double)), b = calloc(most, sizeof(double));
  MPI_Request requests[9];
  const int counts[] = {0, 1, 1000, 100000}, lengths[] = {0, 1, 255, 256, 257, 300000};
  for (int c = 0; c < 4; ++c)
    for (int l = 0; l < 6; ++l) {
      fill(counts[c]);
      simple(a, b, counts[c], lengths[l]);
      fill(counts[c]);
      steps(a, counts[c], lengths[l]);
      fill(counts[c]);
      printf("nest %.17g\n", nest(b, counts[c], lengths[l] % 1000));
      fill(counts[c]);
      own(requests, b, counts[c], lengths[l], 1 + l % 4);
      fill(counts[c]);
      branch(b, counts[c], lengths[l]);
      fill(counts[c]);
      collective(b, counts[c], lengths[l]);
    }
  MPI_Finalize();
  return 0;
}
