// Iterations and calls of the same function meet: a pointer swapped in a loop, a[i] against a[i-1], recursion.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];

/// Two buffers change places in each round.
NOINLINE static long swapping(int peer, int *a, int *b) {
  long sum = 0;
  for (int round = 0; round < 5; ++round) {
    MPI_Sendrecv(a, few, MPI_INT, peer, 0, b, few, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(values);
    for (int i = 0; i < few; ++i)
      b[i] += a[i] * round;
    sum += total(b, few);
    int *c = a;
    a = b;
    b = c;
  }
  return sum;
}

/// The loop stores to elements that the message fills, each through a pointer that moves.
NOINLINE static long shifting(int peer, int *a) {
  MPI_Sendrecv(a, 1, MPI_INT, peer, 0, a + few - 1, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int *p = a;
  for (int i = 1; i < few; ++i, ++p)
    p[1] = p[0] + p[1];
  work(values);
  MPI_Sendrecv(p, 1, MPI_INT, peer, 1, a, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  for (int *q = a + few - 1; q > a; --q)
    q[-1] -= q[0];
  return total(a, few);
}

NOINLINE static long deeper(int peer, int depth, int *outer) {
  int local[few];
  fill(local, few, depth * 10 + rank);
  MPI_Sendrecv(local, few, MPI_INT, peer, depth, outer, few, MPI_INT, peer, depth, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  long sum = depth ? deeper(peer, depth - 1, local) : 0;
  return sum + total(local, few) + 3 * total(outer, few);
}

static void both(void) {
  int a[few], b[few];
  fill(a, few, rank);
  fill(b, few, 100);
  say("swapping", swapping(1 - rank, a, b));
  fill(a, few, rank + 2);
  say("shifting", shifting(1 - rank, a));
  say("deeper", deeper(1 - rank, 3, b));
}

#define first both
#define second both

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
