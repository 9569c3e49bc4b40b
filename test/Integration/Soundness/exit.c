// A call that may exit is not crossed: functions registered with atexit see every message that came before.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];
static int buffer[few];

static void atEnd(void) {
  say("at exit", total(buffer, few));
  MPI_Finalize();
}

NOINLINE static void finish(int code) {
  if (code == 0)
    exit(0);
}

NOINLINE static void first(int code) {
  MPI_Recv(buffer, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  finish(code);
  work(values);
  say("not here", 1);
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
    atexit(atEnd), first(argc - 1);
  else
    second();
  MPI_Finalize();
  return 0;
}
