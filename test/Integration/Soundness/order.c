// Messages that could be matched with one another start in their order: same tag, MPI_ANY_TAG.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void first(void) {
  int a[few], b[few];
  for (int i = 0; i < few; ++i) // the first start needs this loop, the second does not
    a[i] = i * i + 1;
  fill(b, few, 500);
  MPI_Send(a, few, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Send(b, few, MPI_INT, 1, 0, MPI_COMM_WORLD);
  work(values);
  say("values", values[7] > 0);
}

NOINLINE static void second(void) {
  int a[few], b[few];
  long sum = 0;
  for (int i = 0; i < few; ++i)
    sum += a[i] = values[i] > 0;
  MPI_Recv(a, few - (int)sum, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(b, few, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("a", total(a, few));
  say("b", total(b, few));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
