// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls the functions of illegal.mlir, which call touch() with their buffers in flight.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

void exchange(int *in, int *out, int n, int peer);
void vary(int *in, int *out, int *counts, int *displs);
void spread(int *buf, int n);
static const char *mode;
static int rank;
volatile int sink;

__attribute__((noinline)) void touch(int *in, int *out) {
  if (!strcmp(mode, "read")) sink = out[3]; // line 15
  if (!strcmp(mode, "write") || !strcmp(mode, "counts")) in[1] += 1;
  if (!strcmp(mode, "root") && rank == 0) sink = in[3]; // MPI also reads it
  if (!strcmp(mode, "bcast") && rank == 1) sink = in[3];
}

int main(int argc, char **argv) {
  int in[64] = {0}, out[64] = {0}, counts[2] = {8, 8}, displs[2] = {0, 16};
  MPI_Init(&argc, &argv);
  mode = argv[1];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  in[0] = 1;
  if (!strcmp(mode, "counts"))
    vary(in, out, counts, displs);
  else if (!strcmp(mode, "root") || !strcmp(mode, "bcast"))
    spread(in, 64);
  else
    exchange(in, out, 64, 1 - rank);
  if (rank == 0) printf("received %d\n", in[0]);
  MPI_Finalize();
  return 0;
}
