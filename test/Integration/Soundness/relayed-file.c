// A message says that a file is written, through a third process: its message starts after it received the other one.
// RUN: %same %s -o %t -n 3
// RUN: %same %s -o %t.opaque -n 3 -- -DOPAQUE
// RUN: %same %s -o %t.communicator -n 3 -- -DCOMMUNICATOR
// In branches: an early wait asks whether the second one is entered.
// RUN: %same %s -o %t.branches -n 3 --overlaps "MPI_Recv at relayed-file.c" -- -DBRANCHES -DOPAQUE
// A receive that starts early is seen by who sends in synchronous mode.
// RUN: %same %s -o %t.ssend -n 3 -- -DSSEND
// RUN: %same %s -o %t.issend -n 3 -- -DSSEND -DISSEND
#include "Inputs/soundness.h"

static double values[steps];
static char name[4096];

#ifdef SSEND
NOINLINE static void relay(int from, int to) {
  int data[few], more[few];
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(more, few, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("data", total(data, few) + total(more, few) + from + to);
}

NOINLINE static void read_file(void) {
  int data[few];
  fill(data, few, 5);
#ifdef ISSEND
  MPI_Request request;
  MPI_Issend(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
  MPI_Ssend(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
#endif
  sayFound(name);
}
#else
#ifdef COMMUNICATOR
// Another communicator has other processes by the same number: 2, 0, 1 of the world.
static MPI_Comm turned;
#define FROM 2
#define FROM_COMM turned
#else
#define FROM from
#define FROM_COMM MPI_COMM_WORLD
#endif

#ifdef BRANCHES
NOINLINE static void relay(int from, int to) {
  int data[few], token = 1;
  fill(data, few, rank);
  if (from >= 0)
    MPI_Recv(data, few, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (to > 0)
    MPI_Send(&token, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  work(values);
  say("data", total(data, few));
}
#else
NOINLINE static void relay(int from, int to) {
  int data[few], token = 1;
  if (from < 0)
    return;
  MPI_Recv(data, few, MPI_INT, FROM, 0, FROM_COMM, MPI_STATUS_IGNORE);
  MPI_Send(&token, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  work(values);
  say("data", total(data, few));
}
#endif

NOINLINE static void read_file(void) {
  int token;
  MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sayFound(name);
}
#endif

NOINLINE static void write_file(void) {
  int data[few];
  fill(data, few, 3);
  nap(300);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d\n", 42);
  fclose(file);
#ifdef COMMUNICATOR
  MPI_Send(data, few, MPI_INT, 1, 0, turned);
#else
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
#endif
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
#ifdef COMMUNICATOR
  MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + 1) % size, &turned);
#endif
  int from = 1, to = 2;
#ifdef OPAQUE
  from = argc, to = argc + 1;
#endif
  snprintf(name, sizeof name, "%s.relayed", argv[0]);
  if (rank == 0)
    remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    relay(from, to);
  else if (rank == 1)
    write_file();
  else
    read_file();
  MPI_Finalize();
  return 0;
}
