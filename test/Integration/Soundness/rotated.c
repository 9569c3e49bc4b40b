// Pointers that a loop rotates point into one of several objects each: communication overlaps what goes through them where
// its buffers are none of these objects; where one may be, the addresses are asked at run time, or nothing overlaps.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Allreduce
// RUN: %commcc -O2 -g -Rcomm %s -o %t.remarks 2>&1 | FileCheck %s
// CHECK-DAG: rotated.c:[[#@LINE+13]]:{{[0-9]+}}: remark: MPI_Allreduce at rotated.c:{{[0-9]+}} overlaps {{[1-9]}} loop
// CHECK-DAG: rotated.c:[[#@LINE+29]]:{{[0-9]+}}: remark: MPI_Allreduce at rotated.c:{{[0-9]+}} overlaps {{[1-9]}} loop
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

/// So is what is sent, and it may be freed: after the wait, while new memory is filled before it.
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

int main(int argc, char **argv) {
  begin(&argc, &argv);
  printf("rank %d: apart %a\n", rank, apart(20));
  printf("rank %d: among %a\n", rank, among(20));
  printf("rank %d: among %a\n", rank, among(21));
  say("freed", freed(argc + 6));
  MPI_Finalize();
  return 0;
}
