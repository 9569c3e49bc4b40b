// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that a rank starts is not a rank.
#include <mpi.h>
#include <pthread.h>

static void *callMPI(void *argument) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return argument;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  pthread_t thread;
  pthread_create(&thread, 0, callMPI, 0);
  pthread_join(thread, 0);
  MPI_Finalize();
  return 0;
}
