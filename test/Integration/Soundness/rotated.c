// Pointers that a loop rotates each point into one of several objects: communication overlaps accesses through them if
// its buffers are none of these objects; otherwise the addresses are compared at run time, or nothing overlaps.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Allreduce
// RUN: FileCheck %s < %t.extended.remarks
// CHECK-DAG: rotated.c:[[#@LINE+14]]:{{[0-9]+}}: remark: MPI_Allreduce at rotated.c:{{[0-9]+}} overlaps {{[1-9]}} loop
// CHECK-DAG: rotated.c:[[#@LINE+30]]:{{[0-9]+}}: remark: MPI_Allreduce at rotated.c:{{[0-9]+}} overlaps {{[1-9]}} loop
// CHECK-DAG: remark: MPI_Sendrecv at rotated.c:[[#@LINE+70]] overlaps 1 loop
// CHECK-DAG: rotated.c:[[#@LINE+48]]:{{[0-9]+}}: remark: MPI_Bcast at rotated.c:{{[0-9]+}} overlaps 1 loop
#include "Inputs/soundness.h"

/// The waves of three times, and a step that all ranks agree upon.
NOINLINE static double apart(int rounds) {
  double *old = calloc(steps, sizeof(double)), *now = calloc(steps, sizeof(double)), *next = calloc(steps, sizeof(double));
  double sum = 0;
  for (int i = 0; i < steps; ++i)
    now[i] = i % 17 + rank;
  for (int round = 0; round < rounds; ++round) {
    double mine = now[round] + 1, step;
    MPI_Allreduce(&mine, &step, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 1; i < steps - 1; ++i)
      next[i] = 2 * now[i] - old[i] + 0.25 * (now[i - 1] + now[i + 1]);
    sum += step * next[round + 1];
    double *last = old;
    old = now, now = next, next = last;
  }
  free(old), free(now), free(next);
  return sum;
}

/// The result of the reduction is one of the objects that go round.
NOINLINE static double among(int rounds) {
  double fixed[steps] = {0}, *old = calloc(steps, sizeof(double)), *now = fixed;
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    double mine[2] = {round, rank};
    MPI_Allreduce(mine, fixed, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 1; i < steps; ++i)
      old[i] = now[i - 1] + now[i];
    sum += fixed[0] + fixed[1] + old[1] + now[2];
    double *last = old;
    old = now, now = last;
  }
  free(old == fixed ? now : old);
  return sum;
}

/// So is the sent data, which may be freed: after the wait, while new memory is filled before it.
NOINLINE static int freed(int rounds) {
  int *a = malloc(many * sizeof(int)), *b = malloc(many * sizeof(int));
  fill(a, many, 3 * rank);
  fill(b, many, 5 * rank);
  for (int round = 0; round < rounds; ++round) {
    int *last = a;
    a = b, b = last;
  }
  MPI_Bcast(a, many, MPI_INT, 0, MPI_COMM_WORLD);
  free(rounds % 3 ? a : b);
  int *again = malloc(many * sizeof(int));
  fill(again, many, 7);
  int result = again[many - 1];
  free(again);
  free(rounds % 3 ? b : a);
  return result;
}

/// The last iteration skips the shift: both pointers depend on one condition, and the block is in flight during the
/// computation on it.
NOINLINE static double shifted(int rounds, int last, int next) {
  double *block = calloc(steps, sizeof(double)), *other = calloc(steps, sizeof(double));
  double *sums = calloc(steps, sizeof(double));
  for (int i = 0; i < steps; ++i)
    block[i] = i % 13 + rank;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < steps; ++i)
      sums[i] += block[i] * (round + 1);
    if (round < rounds - 1) {
      MPI_Sendrecv(block, steps, MPI_DOUBLE, next, 0, other, steps, MPI_DOUBLE, last, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      double *swap = block;
      block = other, other = swap;
    }
  }
  double sum = 0;
  for (int i = 0; i < steps; ++i)
    sum += sums[i] * (i % 7);
  free(block), free(other), free(sums);
  return sum;
}

/// The two are chosen by two conditions, and may be one.
NOINLINE static double chosen(const int *first, const int *second, int rounds, int last, int next) {
  double *a = calloc(steps, sizeof(double)), *b = calloc(steps, sizeof(double)), *c = calloc(steps, sizeof(double));
  double *here = a, *there = b, sum = 0;
  for (int i = 0; i < steps; ++i)
    a[i] = i % 13 + rank, b[i] = i % 11 - rank;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < steps; ++i)
      c[i] = 2 * here[i] + round;
    nap(20 * rank);
    MPI_Sendrecv(c, steps, MPI_DOUBLE, next, 0, there, steps, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < steps; ++i)
      sum += here[i] * (i % 5);
    double *old = here, *other = there;
    here = first[round] ? other : old;
    there = second[round] ? old : other;
  }
  free(a), free(b), free(c);
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  printf("rank %d: apart %a\n", rank, apart(20));
  printf("rank %d: among %a\n", rank, among(20));
  printf("rank %d: among %a\n", rank, among(21));
  say("freed", freed(argc + 6));
  int last = (rank + size - 1) % size, next = (rank + 1) % size;
  const int ones[] = {1, 0, 1, 1, 0, 1}, others[] = {1, 1, 0, 1, 0, 0};
  printf("rank %d: shifted %a\n", rank, shifted(5, last, next));
  printf("rank %d: chosen %a %a\n", rank, chosen(ones, ones, 6, last, next), chosen(ones, others, 6, last, next));
  MPI_Finalize();
  return 0;
}
