// A barrier publishes files and shared memory, although they are not its arguments.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"
#include <fcntl.h>
#include <sys/mman.h>

static double values[steps];
static int *shared; // memory of both processes

NOINLINE static void first(void) {
  int data[few], got[few];
  fill(data, few, 1);
  nap(150);
  MPI_Sendrecv(data, few, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (int i = 0; i < few; ++i)
    shared[i] = i + 100;
  MPI_Barrier(MPI_COMM_WORLD);
  work(values);
  say("got", total(got, few));
}

NOINLINE static void second(void) {
  int data[few], got[few];
  fill(data, few, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < few; ++i)
    data[i] += shared[i];
  MPI_Sendrecv(data, few, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  work(values);
  say("got", total(got, few));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  char name[4096];
  snprintf(name, sizeof name, "%s.shared", argv[0]);
  int file = open(name, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, few * sizeof(int)) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  shared = (int *)mmap(NULL, few * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (rank == 0)
    memset(shared, 0, few * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
