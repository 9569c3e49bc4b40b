// A receive from any source takes a message that the program's causal order allows: no start passes a completion that
// another process was waiting for.
// RUN: %same %s -o %t -n 4
// RUN: %same %s -o %t.ssend -n 4 -- -DSSEND
#include "Inputs/soundness.h"

static double values[steps];

// Rank 1 expects rank 3's message first, because rank 2 sends only after rank 0 has heard of rank 1.
NOINLINE static void zero(void) {
  int data[few], token = 1;
  fill(data, few, 3);
#ifdef SSEND
  MPI_Ssend(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD);
#else
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
  work(values);
  say("data", total(data, few));
}

NOINLINE static void one(void) {
  int a = 0, b = 0, data[few];
  fill(data, few, 8);
  MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef SSEND
  MPI_Recv(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
#endif
  MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("order", 10 * a + b);
}

NOINLINE static void two(void) {
  int token;
  MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  token = 2;
  MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

NOINLINE static void three(void) {
  int token = 3;
  nap(300);
  MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  void (*const roles[])(void) = {zero, one, two, three};
  roles[rank]();
  MPI_Finalize();
  return 0;
}
