// A buffer in flight is neither freed nor reallocated. The source of strdup is freed after the copy.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Send
#include "Inputs/soundness.h"

static double values[steps];
static int *volatile again;

NOINLINE static void reuse(int n, int first) {
  again = (int *)malloc(n * sizeof(int));
  fill(again, n, first);
}

enum { middle = 1 << 14 }; // from the heap's free lists, so that it is reused at once

NOINLINE static void first(void) {
  int *buffer = (int *)malloc(middle * sizeof(int));
  fill(buffer, middle, 1);
  MPI_Send(buffer, middle, MPI_INT, 1, 0, MPI_COMM_WORLD);
  work(values);
  free(buffer);
  int *next = (int *)malloc(middle * sizeof(int));
  fill(next, middle, 77);
  say("next", total(next, middle));
  MPI_Send(next, middle, MPI_INT, 1, 1, MPI_COMM_WORLD);
  work(values);
  next = (int *)realloc(next, 2 * many * sizeof(int));
  reuse(middle, 99);
  say("grown", next[3] + again[2]);
  free(next);
}

NOINLINE static void second(void) {
  int *buffer = (int *)malloc(middle * sizeof(int));
  for (int tag = 0; tag < 2; ++tag) {
    nap(60);
    MPI_Recv(buffer, middle, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("received", total(buffer, middle));
  }
  free(buffer);
}

/// The copied data depends on the message, the freed memory does not.
NOINLINE static void copied(void) {
  long sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    char *text = (char *)malloc(64);
    memset(text, 'a' + turn, 63);
    text[63] = 0;
    int mine = turn, begin = 9;
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 2, &begin, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char *copy = strdup(text + begin);
    free(text);
    for (int i = 0; i < 20; ++i)
      sum = sum * 3 % 1000003 + copy[i];
    free(copy);
  }
  say("copied", sum);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  copied();
  MPI_Finalize();
  return 0;
}
