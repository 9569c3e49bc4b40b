// A collective in which all processes take part before it completes anywhere may start before an earlier one is
// complete. A broadcast is complete when its root has started it, so that start stays.
// RUN: %same %s -o %t -n 3
// RUN: %same %s -o %t.all -n 3 --overlaps MPI_Allreduce -- -DALL
#include "Inputs/soundness.h"

static double values[steps];
static char name[4096];
static int sums[2];

static void two(int *one, int *token) {
#ifdef ALL
  MPI_Allreduce(one, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(token, &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#else
  MPI_Reduce(one, &sums[0], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(token, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
}

NOINLINE static void begins(void) {
  int one = 1, token = 7;
  two(&one, &token);
  work(values);
  say("sum", sums[0]);
}

NOINLINE static void writes(void) {
  int one = 1, token = 7;
  nap(300);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d\n", 42);
  fclose(file);
  two(&one, &token);
}

// Its contribution to the first sum is away at once.
NOINLINE static void reads(void) {
  int one = 1, token = 7;
  two(&one, &token);
  sayFound(name);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  snprintf(name, sizeof name, "%s.caused", argv[0]);
  if (rank == 0)
    remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  void (*const roles[])(void) = {begins, writes, reads};
  roles[rank]();
  MPI_Finalize();
  return 0;
}
