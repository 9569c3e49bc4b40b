// A call that fails in one process, which repeats it, counts once. The other process may wait for a message that comes
// between a wrong call and the next one, so nobody votes before a call is executed.
// REQUIRES: openmpi
// DEFINE: %{flags} = -O2 -I%S/Inputs -I%soundness
// RUN: %mpicc -O2 -c %S/Inputs/network.c -o %t.network.o
// RUN: env COMM_COST=measured %commcc %{flags} -c %S/Inputs/gather-first.c -o %t.first.o
// RUN: env COMM_COST=measured %commcc %{flags} %s %t.first.o %t.network.o -o %t
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck %s
// CHECK-DAG: rank 0: calls 32{{$}}
// CHECK-DAG: rank 1: calls 32{{$}}
// CHECK-DAG: rank 0: sum [[SUM:[0-9]+]]
// CHECK-DAG: rank 1: sum [[SUM]]
#include "gathers.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  unsigned sum = 0;
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    int token = 0;
    if (rank == 1) {
      wrong += gatherWrongly(MPI_COMM_WORLD) != MPI_SUCCESS;
      MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    started -= rank == 1 && 4 * i < first; // those that failed
    sum = sum * 3 + gather(MPI_COMM_WORLD, 4, little); // a wrong call follows each vote
  }
  sayStarted("calls");
  // CHECK-DAG: rank 1: wrong 100{{$}}
  say("wrong", wrong);
  say("sum", sum);
  MPI_Finalize();
  return 0;
}
