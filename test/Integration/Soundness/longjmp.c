// A call that may jump away is not crossed.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"
#include <setjmp.h>

static double values[steps];
static int buffer[few];
static jmp_buf back;

NOINLINE static void leave(int really) {
  if (really)
    longjmp(back, 1);
}

NOINLINE static void body(int really) {
  MPI_Recv(buffer, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  leave(really);
  work(values);
}

NOINLINE static void first(void) {
  if (setjmp(back) == 0)
    body(size > 0);
  say("after the jump", total(buffer, few));
}

NOINLINE static void second(void) {
  int data[few];
  fill(data, few, 5);
  nap(100);
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
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
