// A source that is passed in may be MPI_ANY_SOURCE: no start of the file passes a completion, whichever rank it is of.
// RUN: %same %s -o %t -n 4 --overlaps "MPI_Recv at wildcard-source.c"
// So may one that is loaded.
// RUN: %same %s -o %t.global -n 4 --overlaps "MPI_Recv at wildcard-source.c" -- -DGLOBAL
// The receives are in another file than the starts that must stay: these ask the linker.
// RUN: %same %s -o %t.files -n 4 -- -DRECEIVES=2 %S/Inputs/wildcard-source-receives.c
// Link-time optimization sees both, and inlines them.
// RUN: %if lld %{ %same %s -o %t.lto -n 4 -- -flto -DRECEIVES=2 %S/Inputs/wildcard-source-receives.c %}
#include "Inputs/soundness.h"

static double values[steps];

#ifdef RECEIVES
void one(int source, int *a, int *b);
#else
// Rank 1 expects rank 3's message first: rank 2 sends only after a message from rank 1 to rank 0, and one from 0 to 2.
#ifdef GLOBAL
int source; // any file may change it
NOINLINE static void choose(int given) { source = given; }
NOINLINE void one(int given, int *a, int *b) {
  choose(given);
#else
NOINLINE void one(int source, int *a, int *b) {
#endif
  int data[few];
  fill(data, few, 8);
  MPI_Recv(a, 1, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Recv(b, 1, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#endif

NOINLINE static void zero(void) {
  int data[few], token = 1;
  fill(data, few, 3);
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
  work(values);
  say("data", total(data, few));
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
  int a = 0, b = 0;
  if (rank == 0)
    zero();
  else if (rank == 1)
    one(argc > 9 ? argc : MPI_ANY_SOURCE, &a, &b), say("order", 10 * a + b);
  else if (rank == 2)
    two();
  else
    three();
  MPI_Finalize();
  return 0;
}
