// A message says that a file is written: the file is read after the message has arrived, and written before it is sent.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void reader(const char *name) {
  int token = 0;
  MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  sayFound(name);
  say("token", token);
}

NOINLINE static void writer(const char *name) {
  int token = 1, number = 42;
  nap(200);
  work(values);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d\n", number);
  fclose(file);
  MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  work(values);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  char name[4096];
  snprintf(name, sizeof name, "%s.token", argv[0]);
  if (rank == 0)
    remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    reader(name);
  else
    writer(name);
  MPI_Finalize();
  return 0;
}
