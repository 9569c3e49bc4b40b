// Threads that call a collective on communicators of their own vote on each of them.
// REQUIRES: openmpi
// RUN: env COMM_COST=measured %commcc -O2 -pthread -I%soundness %s -o %t
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck %s
// CHECK-DAG: rank 0: sum [[SUM:[0-9]+]]
// CHECK-DAG: rank 1: sum [[SUM]]
#include "soundness.h"

#include <pthread.h>

enum { threads = 3, times = 300 };
// What a thread does.
static struct {
  MPI_Comm comm;
  int in, out[2];
  double values[64];
  unsigned sum;
} mine[threads];

static void *run(void *data) {
  long i = (long)data;
  for (int k = 0; k < times; ++k) {
    MPI_Allgather(&mine[i].in, 1, MPI_INT, mine[i].out, 1, MPI_INT, mine[i].comm);
    for (long round = 0; round < (k / 100 + i) % 2 * 1000; ++round)
      mine[i].values[round & 63] = mine[i].values[round & 63] * 0.5 + 1;
    mine[i].in = (mine[i].out[0] + 2 * mine[i].out[1] + k) & 7;
    mine[i].sum = mine[i].sum * 3 + mine[i].in;
  }
  return NULL;
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t others[threads];
  for (long i = 0; i < threads; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, &mine[i].comm);
  for (long i = 0; i < threads && level == MPI_THREAD_MULTIPLE; ++i)
    pthread_create(&others[i], NULL, run, (void *)i);
  unsigned sum = 0;
  for (int i = 0; i < threads && level == MPI_THREAD_MULTIPLE; ++i) {
    pthread_join(others[i], NULL);
    sum += mine[i].sum;
  }
  for (int i = 0; i < threads; ++i)
    MPI_Comm_free(&mine[i].comm);
  say("sum", sum);
  MPI_Finalize();
  return 0;
}
