// A parallel region's accesses to a message: through arguments, by name, through pointers in memory, in called
// functions, in nested regions, and in threads' private variables.
// RUN: env OMP_NUM_THREADS=2 %same %s -o %t -n 2 --overlaps MPI_Recv -- -fopenmp
#include "Inputs/soundness.h"
#include <omp.h>

enum { messages = 12 };
static double values[steps];
static int everywhere[few], parts[64], *saved;
static int mine[few];
#pragma omp threadprivate(mine)
struct Holder {
  int *buffer, n;
};



/// Overlaps: it is the only one that must.
NOINLINE static void needsNothing(void) {
  int buffer[few];
  MPI_Recv(buffer, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 1; i < steps; ++i)
    values[i] = values[i] * 0.5 + i;
  say("apart", total(buffer, few));
}

NOINLINE static void byArgument(int *buffer) {
  MPI_Recv(buffer, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    parts[i] = buffer[i % few] + i;
  say("by argument", total(parts, 64));
}

NOINLINE static void byName(void) {
  MPI_Recv(everywhere, few, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 64; ++i)
    parts[i] = everywhere[i % few] - i;
  say("by name", total(parts, 64));
}

/// By another pointer to the variable that the region names.
NOINLINE static void byPointer(int *pointer) {
  MPI_Recv(pointer, few, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    parts[i] = everywhere[i % few] * i;
  say("by pointer", total(parts, 64));
}

NOINLINE static void throughMemory(struct Holder *holder) {
  MPI_Recv(holder->buffer, few, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    parts[i] = holder->buffer[i % holder->n] ^ i;
  say("through memory", total(parts, 64));
}

NOINLINE static int get(const int *buffer, int i) { return buffer[i % few] + 2 * everywhere[i % few]; }

NOINLINE static void inCalls(int *buffer) {
  MPI_Recv(buffer, few, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    parts[i] = get(buffer, i);
  say("in calls", total(parts, 64));
}

NOINLINE static void nested(int *buffer) {
  MPI_Recv(buffer, few, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel
  {
#pragma omp single
#pragma omp parallel for
    for (int i = 0; i < 64; ++i)
      parts[i] = buffer[i % few] - 3 * i;
  }
  say("nested", total(parts, 64));
}

NOINLINE static void reduced(int *buffer) {
  int sum = 0;
  MPI_Recv(&sum, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 64; ++i)
    sum += buffer[i % few];
  say("reduced", sum);
}

NOINLINE static void copied(void) {
  MPI_Recv(mine, few, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel copyin(mine)
  parts[omp_get_thread_num()] = total(mine, few);
  say("copied", total(parts, 2));
}

NOINLINE static void ofThreads(void) {
  MPI_Recv(mine, few, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel
  {
#pragma omp master
    parts[0] = total(mine, few);
  }
  say("of threads", parts[0]);
}

NOINLINE static void tasks(int *buffer) {
  MPI_Recv(buffer, few, MPI_INT, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i)
#pragma omp task
    parts[i] = buffer[i] + 5;
  say("tasks", total(parts, 8));
}

NOINLINE static int lookUp(void) { return saved[0]; }

/// The region keeps an address that a function looks at later.
NOINLINE static void kept(void) {
  int buffer[few];
  fill(buffer, few, 1);
#pragma omp parallel
#pragma omp single
  saved = buffer;
  MPI_Recv(buffer, few, MPI_INT, 1, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int found = lookUp();
  say("kept", found);
  say("kept", total(buffer, few));
}

NOINLINE static void first(void) {
  int buffer[few] = {0};
  struct Holder holder = {buffer, few};
  fill(everywhere, few, 3);
  needsNothing();
  byArgument(buffer);
  byName();
  byPointer(everywhere);
  throughMemory(&holder);
  inCalls(buffer);
  nested(buffer);
  reduced(buffer);
  copied();
  ofThreads();
  tasks(buffer);
  kept();
}

NOINLINE static void second(void) {
  int data[few];
  for (int tag = 0; tag < messages; ++tag) {
    fill(data, few, 5 + tag);
    nap(30);
    MPI_Send(data, tag == 7 ? 1 : few, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
