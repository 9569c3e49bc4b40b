// A barrier publishes files and shared memory, although they are not its arguments.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

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

NOINLINE static void publish(void) {
  nap(150);
  for (int i = 0; i < few; ++i)
    shared[i] = i + 200;
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Iterations that touch nothing in flight read what the barrier publishes.
NOINLINE static void look(int *sums, int *data, int n) {
  MPI_Sendrecv(data + 1, 1, MPI_INT, 0, 0, data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i < n; ++i)
    sums[i] = data[i] + data[i - 1] + shared[i];
  say("sum", total(sums, n));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  char name[4096];
  snprintf(name, sizeof name, "%s.shared", argv[0]);
  int file = open(name, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, few * sizeof(int)) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  // As a library would map it: a file that calls mmap itself stays as it is.
  shared = (int *)syscall(SYS_mmap, NULL, few * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
  if (rank == 0)
    memset(shared, 0, few * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    first();
  else
    second();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    publish();
  else
    look(calloc(few, sizeof(int)), calloc(few, sizeof(int)), few - (argc > 1));
  MPI_Finalize();
  return 0;
}
