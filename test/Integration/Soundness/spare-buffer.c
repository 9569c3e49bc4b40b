// MPI_Sendrecv_replace with a spare buffer: readers of the buffer overlap the message; the received data is copied to
// the buffer at the original call, and no more than was received.
// RUN: %same %s -o %t -n 1,2,3 --overlaps MPI_Sendrecv_replace
#include "Inputs/soundness.h"

static int next, previous;

// Reads the block: the message travels meanwhile.
NOINLINE static double turn(double *restrict sums, double *block, int n) {
  for (int i = 0; i < n; ++i)
    sums[i] += block[n - 1 - i] * 0.5 + i;
  MPI_Sendrecv_replace(block, n, MPI_DOUBLE, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return block[0];
}

// Changes it: the message has the new content.
NOINLINE static void change(double *block, int n) {
  for (int i = 0; i < n; ++i)
    block[i] = block[i] * 0.5 + i;
  MPI_Sendrecv_replace(block, n, MPI_DOUBLE, next, 1, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The received message has `sent` elements, and later elements are unchanged.
NOINLINE static int shorter(int *restrict sums, int *block, int n, int sent) {
  MPI_Status status;
  int count;
  MPI_Request request;
  MPI_Isend(sums, sent, MPI_INT, next, 2, MPI_COMM_WORLD, &request);
  for (int i = 0; i < n; ++i)
    sums[n + i] += block[i];
  MPI_Sendrecv_replace(block, n, MPI_INT, MPI_PROC_NULL, 2, previous, 2, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get_count(&status, MPI_INT, &count);
  return count;
}

// Nothing is sent, so everything is unchanged.
NOINLINE static void nothing(int *restrict sums, int *block, int n) {
  for (int i = 0; i < n; ++i)
    sums[i] += block[i];
  MPI_Sendrecv_replace(block, n, MPI_INT, MPI_PROC_NULL, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Two blocks that are one another's halves, and one that is sent twice.
NOINLINE static void both(double *restrict sums, double *a, double *b, int n) {
  for (int i = 0; i < n; ++i)
    sums[i] += a[i] - b[i];
  MPI_Sendrecv_replace(a, n, MPI_DOUBLE, next, 4, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(b, n, MPI_DOUBLE, previous, 5, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    sums[i] += a[i] * b[i];
}

static double hash(const double *values, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum * 0.75 + values[i];
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int n = 0; n < 40; n += 13) {
    double *block = malloc(sizeof(double) * (n + 20)), *sums = calloc(n + 1, sizeof(double));
    int *numbers = malloc(sizeof(int) * (n + 1)), *counts = calloc(2 * n + 1, sizeof(int));
    for (int i = 0; i < n + 20; ++i)
      block[i] = (rank * 31 + i * 7) % 17;
    fill(numbers, n, rank * 10);
    for (int step = 0; step < 4; ++step) {
      if (step % 3 == rank)
        nap(5);
      say("first", (long)(n ? turn(sums, block, n) * 1e6 : 0));
      change(block, n);
      both(sums, block, block + 20, n);
      both(sums, block, block + 5, n);
      say("count", shorter(counts, numbers, n, step < n ? step : n));
      nothing(counts, numbers, n);
      say("sums", (long)(hash(sums, n) * 1e3));
      say("block", (long)(hash(block, n + 20) * 1e3));
      say("numbers", total(numbers, n) + total(counts, 2 * n));
    }
    free(block);
    free(sums);
    free(numbers);
    free(counts);
  }
  MPI_Finalize();
}
