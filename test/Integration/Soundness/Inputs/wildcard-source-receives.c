// The receiving half of wildcard-source.c, as a communication layer in a file of its own.
#include "soundness.h"

void one(int source, int *a, int *b) {
  int data[few];
  fill(data, few, 8);
  MPI_Recv(a, 1, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Recv(b, 1, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
