// The processor's clock brackets a communication as MPI_Wtime does.
// RUN: %same %s -o %t -n 2
// RUN: %same %s -o %t.wtime -n 2 -- -DCLOCK=MPI_Wtime
#include "Inputs/soundness.h"

static double values[steps];

#ifndef CLOCK
NOINLINE static double perSecond(void) {
  unsigned long long before = __builtin_readcyclecounter();
  double start = MPI_Wtime();
  nap(50);
  return (double)(__builtin_readcyclecounter() - before) / (MPI_Wtime() - start);
}
#define CLOCK() (double)__builtin_readcyclecounter()
#else
#define perSecond() 1.0
#endif

NOINLINE static void receiver(double unit) {
  int data[few];
  double start = CLOCK();
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double end = CLOCK();
  work(values);
  say("data", total(data, few));
  say("waited", (end - start) / unit > 0.1);
}

NOINLINE static void sender(void) {
  int data[few];
  fill(data, few, 3);
  nap(300);
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double unit = perSecond();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    receiver(unit);
  else
    sender();
  MPI_Finalize();
  return 0;
}
