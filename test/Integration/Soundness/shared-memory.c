// A message says that memory was written that both processes have mapped.
// RUN: %same %s -o %t -n 2,3
#define _GNU_SOURCE
#include "Inputs/soundness.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { n = 500 };

int main(int argc, char **argv) {
  begin(&argc, &argv);
  char name[64];
  snprintf(name, sizeof name, "/comm-test-%d", (int)getppid());
  int file = shm_open(name, O_CREAT | O_RDWR, 0600), token = 0, got;
  if (file < 0 || (rank == 0 && ftruncate(file, n * 8 * 4) != 0))
    return 1;
  MPI_Barrier(MPI_COMM_WORLD);
  double *all = mmap(0, n * 8 * 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  double *mine = all + rank * n, *theirs = all + (rank + 1) % size * n, *copy = malloc(n * sizeof *copy);
  if (rank == 1)
    nap(50);
  for (int i = 0; i < n; ++i)
    mine[i] = i + rank;
  MPI_Sendrecv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, &got, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    copy[i] = theirs[i];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += copy[i];
  say("sum", (long)sum);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    shm_unlink(name);
  free(copy);
  MPI_Finalize();
}
