// The output of a rank keeps its order, including volatile accesses.
// RUN: %same %s -o %t -n 1
#include "Inputs/soundness.h"

static double values[steps];
static volatile int device;

NOINLINE static void first(void) {
  int data[few], got[few], more[few];
  fill(data, few, 1);
  MPI_Sendrecv(data, few, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  printf("rank 0: got %d\n", got[3]); // needs the message
  puts("rank 0: one");                // does not
  device = got[1];
  int seen = device;
  work(values);
  fprintf(stdout, "rank 0: two %d\n", seen);
  fill(more, few, scanf(" ") + 3); // needed by the next start
  putchar('r'), puts("ank 0: three");
  MPI_Sendrecv(more, few, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  work(values);
  printf("rank 0: four %ld\n", total(got, few));
}
static void second(void) {}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
