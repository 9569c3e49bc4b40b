// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction may start before an earlier receive: the sender has started the reduction after its send. Not if another
// thread of the sender starts it earlier, or if the sender does not take part.
// RUN: %same %s -o %t -n 3 --overlaps MPI_Recv
// RUN: %same %s -o %t.part -n 3 -- -DPART
// RUN: %same %s -o %t.thread -n 3 -- -DTHREAD -pthread
// The actual level may differ from the program's: Open MPI's environment sets it.
// RUN: env OMPI_MPI_THREAD_LEVEL=3 %same %s -o %t.environment -n 3 -- -DTHREAD -DENVIRONMENT -pthread
#include "Inputs/soundness.h"
#include <pthread.h>

static double values[steps];
static char name[4096];
static MPI_Comm readers;
#ifdef PART
#define GROUP readers
#else
#define GROUP MPI_COMM_WORLD
#endif

static void *writeAndTell(void *unused) {
  int token = 7;
  nap(300);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d\n", 42);
  fclose(file);
  MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  return unused;
}

static void reduce(int *one, int *sum) { MPI_Allreduce(one, sum, 1, MPI_INT, MPI_SUM, GROUP); }

NOINLINE static void writes(void) {
  int one = 1, sum = 0;
#ifdef THREAD
  pthread_t thread;
  pthread_create(&thread, 0, writeAndTell, 0);
  reduce(&one, &sum);
  pthread_join(thread, 0);
#elif defined PART
  writeAndTell(0);
  sum = 2;
#else
  writeAndTell(0);
  reduce(&one, &sum);
#endif
  say("sum", sum);
}

NOINLINE static void answers(void) {
  int one = 1, token = 0, sum = 0;
  MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  reduce(&one, &sum);
  values[0] = sum; // so that the work stays after the reduction
  work(values);
  say("sum", sum + token);
}

NOINLINE static void reads(void) {
  int one = 1, sum = 0;
  reduce(&one, &sum);
  sayFound(name);
}

int main(int argc, char **argv) {
  int provided = 0;
#if defined THREAD && !defined ENVIRONMENT
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#else
  begin(&argc, &argv);
#endif
#ifdef THREAD
  MPI_Query_thread(&provided);
  if (provided != MPI_THREAD_MULTIPLE)
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
  readers = MPI_COMM_WORLD;
#ifdef PART
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &readers);
#endif
  snprintf(name, sizeof name, "%s.caused", argv[0]);
  if (rank == 0)
    remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  void (*const roles[])(void) = {writes, answers, reads};
  roles[rank]();
  MPI_Finalize();
  return provided < 0;
}
