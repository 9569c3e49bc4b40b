// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The received data is copied out of its buffer as characters: such a load has no type that distinguishes it from the
// message, whatever LLVM turns it into, and whatever the type of other accesses of these bytes.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

enum { n = 1000 };
static double *results;

/// A pointer that the neighbor gives back.
static NOINLINE void cookie(const double *right, const double *wrong, int *out, int *back, int *in, int peer) {
  double sum = 0;
  memcpy(out, &right, sizeof right);
  memcpy(in, &wrong, sizeof wrong);
  MPI_Sendrecv(out, n, MPI_INT, peer, 0, back, n, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank)
    nap(50);
  MPI_Sendrecv(back, n, MPI_INT, peer, 1, in, n, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double *given;
  memcpy(&given, in, sizeof given);
  for (int i = 0; i < n; ++i)
    results[i] = given[i];
  for (int i = 0; i < n; ++i)
    sum += results[i];
  say("cookie", (long)sum);
}

struct node {
  int number;
  struct node *next;
};

/// Memory of a structure with a pointer that becomes one of numbers.
static NOINLINE void reused(double *out, char *memory, const double *x, int peer) {
  int before = ((struct node *)memory)->number, number;
  double *numbers = (double *)memory, sum = 0;
  for (int i = 0; i < n; ++i)
    numbers[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank)
    nap(50);
  MPI_Sendrecv(out, n, MPI_DOUBLE, peer, 0, numbers, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  memcpy(&number, memory, sizeof number);
  for (int i = 0; i < (number & 1023); ++i)
    results[i] = 2 * x[i];
  for (int i = 0; i < (number & 1023); ++i)
    sum += results[i];
  say("reused", before + number + (long)sum);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int peer = rank ^ 1, *out = calloc(n, sizeof *out), *back = calloc(n, sizeof *back), *in = calloc(n, sizeof *in);
  double *right = malloc(n * sizeof *right), *wrong = calloc(n, sizeof *wrong), *x = malloc(2 * n * sizeof *x);
  results = malloc(2 * n * sizeof *results);
  for (int i = 0; i < n; ++i)
    right[i] = 1.1 * (i + 2);
  for (int i = 0; i < 2 * n; ++i)
    x[i] = i;
  cookie(right, wrong, out, back, in, peer);
  char *memory = malloc(2 * n * sizeof(double));
  ((struct node *)memory)->number = 5;
  reused(right, memory, x, peer);
  MPI_Finalize();
  return 0;
}
