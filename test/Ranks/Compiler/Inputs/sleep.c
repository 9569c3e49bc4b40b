// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of one core sleep at the same time.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int c, char **v) {
  MPI_Init(&c, &v);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  MPI_Barrier(MPI_COMM_WORLD);
  double t = MPI_Wtime();
  usleep(300000);
  MPI_Barrier(MPI_COMM_WORLD);
  t = MPI_Wtime() - t;
  if (r == 0)
    printf("%s %.3f\n", t < 0.6 ? "together" : "one after the other", t);
  MPI_Finalize();
  usleep(1000);
  return 0;
}
