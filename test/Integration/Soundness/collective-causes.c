// A collective that everybody takes part in before it is over anywhere may start before an earlier one is complete. A
// broadcast is over when its root has started it: that start stays.
// RUN: %same %s -o %t -n 3
// RUN: %same %s -o %t.all -n 3 --overlaps MPI_Iallreduce --modes extended -- -DALL
#include "Inputs/soundness.h"

static double values[steps];
static char name[4096];
static int sums[2];

#ifdef ALL
#define SECOND(token, request)                                                                                         \
  MPI_Iallreduce(token, &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request)
#else
#define SECOND(token, request) MPI_Ibcast(token, 1, MPI_INT, 0, MPI_COMM_WORLD, request)
#endif

NOINLINE static void begins(void) {
  int one = 1, token = 7;
  MPI_Request first, second;
  MPI_Iallreduce(&one, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &first);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  SECOND(&token, &second);
  work(values);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  say("sum", sums[0]);
}

NOINLINE static void writes(void) {
  int one = 1, token = 7;
  MPI_Request first, second;
  nap(300);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d\n", 42);
  fclose(file);
  MPI_Iallreduce(&one, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &first);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  SECOND(&token, &second);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
}

// It needs the first sum only in the end.
NOINLINE static void reads(void) {
  int one = 1, token = 7, found = -1;
  MPI_Request first, second;
  MPI_Iallreduce(&one, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &first);
  SECOND(&token, &second);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  FILE *file = fopen(name, "r");
  if (file) {
    if (fscanf(file, "%d", &found) != 1)
      found = -2;
    fclose(file);
  }
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  say("found", found);
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
