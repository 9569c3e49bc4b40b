// Data written to a file before a barrier is read after it.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];
static const char *name;

NOINLINE static void first(void) {
  int one = 1, got = 0;
  nap(150);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d\n", 42);
  fclose(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv(&one, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  work(values);
  say("got", got);
}

NOINLINE static void second(void) {
  int found = -1, got = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  FILE *file = fopen(name, "r");
  if (file) {
    if (fscanf(file, "%d", &found) != 1)
      found = -2;
    fclose(file);
  }
  MPI_Sendrecv(&found, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  work(values);
  say("found", got);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  char text[4096];
  snprintf(text, sizeof text, "%s.file", argv[0]);
  name = text;
  if (rank == 0)
    remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
