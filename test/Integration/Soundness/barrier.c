// A barrier publishes files and shared memory, which no argument of it names.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];
static MPI_Win window;
static int *shared;

NOINLINE static void first(void) {
  int data[few], got[few];
  fill(data, few, 1);
  nap(150);
  MPI_Sendrecv(data, few, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (int i = 0; i < few; ++i)
    shared[i] = i + 100;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  work(values);
  say("got", total(got, few));
}

NOINLINE static void second(void) {
  int data[few], got[few];
  fill(data, few, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  for (int i = 0; i < few; ++i)
    data[i] += shared[i];
  MPI_Sendrecv(data, few, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  work(values);
  say("got", total(got, few));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int unit, *mine;
  MPI_Aint bytes;
  MPI_Win_allocate_shared(few * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &shared);
  MPI_Win_lock_all(0, window);
  if (rank == 0)
    first();
  else
    second();
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
