// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ranks end: exit, _exit, _Exit and quick_exit, each with the functions that it runs; and the child of a fork,
// whose _exit does not write its parent's buffers.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

static void atExit(void) { printf("rank %d: exit\n", rank); }
static void atQuickExit(void) { printf("rank %d: quick exit\n", rank); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  atexit(atExit);
  at_quick_exit(atQuickExit);
  printf("rank %d: begins\n", rank);
  if (rank == 0) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    waitpid(child, NULL, 0);
  }
  MPI_Finalize();
  switch (rank) {
  case 0:
    exit(0);
  case 1:
    _exit(0);
  case 2:
    _Exit(0);
  default:
    quick_exit(0);
  }
}
