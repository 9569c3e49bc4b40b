// While a process waits outside MPI its messages make no progress, and the event it waits for may need one of them.
// Over TCP, where no other process can read the data from this one's memory; there not even a small message is sent
// before the process calls MPI again, if it is the first one to its receiver.
// RUN: %same %s -o %t -n 4 --overlaps "MPI_Send at waits-outside.c" --mpirun-options="--mca btl tcp,self"
// RUN: %same %s -o %t.poll -n 4 --overlaps "MPI_Send at waits-outside.c" --mpirun-options="--mca btl tcp,self" -- -DPOLL
// RUN: %same %s -o %t.output -n 4 --overlaps "MPI_Send at waits-outside.c" --mpirun-options="--mca btl tcp,self" -- -DOUTPUT
// RUN: %same %s -o %t.small -n 4 --overlaps "MPI_Send at waits-outside.c" --mpirun-options="--mca btl tcp,self" -- -DELEMENTS=few
#include "Inputs/soundness.h"
#include <sys/stat.h>

#ifndef ELEMENTS
#define ELEMENTS many
#endif
static double values[steps];
static char path[64];

NOINLINE static void sender(FILE *file) {
  char text[64] = "";
  int data[ELEMENTS]; // nothing but the order of waits keeps the wait where it is
  fill(data, ELEMENTS, 3);
  MPI_Send(data, ELEMENTS, MPI_INT, 2, 0, MPI_COMM_WORLD);
  work(values);
#ifdef POLL
  struct stat status;
  while (stat(path, &status) != 0)
    ;
#elif defined(OUTPUT)
  file = fopen(path, "w"); // waits for a reader
  fputs("42\n", file);
  fclose(file);
#else
  say("line", fgets(text, sizeof text, file) ? atoi(text) : -1);
#endif
  say("work", (long)values[steps - 1]);
}

// The answer comes through the file system, after the message has arrived.
NOINLINE static void receiver(void) {
  int *data = malloc(ELEMENTS * sizeof *data);
  MPI_Recv(data, ELEMENTS, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("data", total(data, few));
  free(data);
#ifdef OUTPUT
  char text[64] = "";
  FILE *file = fopen(path, "r");
  say("line", fgets(text, sizeof text, file) ? atoi(text) : -1);
#else
  FILE *file = fopen(path, "w");
  fputs("42\n", file);
#endif
  fclose(file);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  snprintf(path, sizeof path, "/tmp/comm-waits-outside-%d", (int)getppid());
  FILE *file = NULL;
#ifndef POLL
  if (rank == 1)
    mkfifo(path, 0600);
#ifndef OUTPUT
  if (rank == 1)
    file = fopen(path, "r+"); // does not wait for the other end
#endif
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1)
    sender(file);
  else if (rank == 2)
    receiver();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1)
    unlink(path);
  MPI_Finalize();
  return 0;
}
