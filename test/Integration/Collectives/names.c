// A call with its PMPI name is the same collective, and so is one with a large count if that exists; a communicator
// that the program creates has the same processes.
// RUN: %mpicc -O2 -c %S/Inputs/count.c -o %t.count.o
// RUN: %commcc -O2 -I%S/Inputs -I%soundness %s %t.count.o -o %t
// RUN: %brief -n 2 %t | FileCheck %s
// CHECK-DAG: rank 0: world 161429191
// CHECK-DAG: rank 1: world 161429191
// CHECK-DAG: rank 0: copy 161429191
// CHECK-DAG: rank 1: copy 161429191
// CHECK-DAG: rank 0: halves 161429191
// CHECK-DAG: rank 1: halves 161429191
// CHECK-DAG: rank 0: started 6
#include "places.h"

static NOINLINE long profiled(int root, MPI_Comm comm) {
  int c = 3, d[few];
  fill(d, few, 7);
  PMPI_Bcast(&c, 1, MPI_INT, root, comm);
  PMPI_Bcast(d, few, MPI_INT, root, comm);
  work(room);
  return total(d, few) + c + (long)room[steps - 1];
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  say("world", rank ? profiled(0, MPI_COMM_WORLD) : here(0, MPI_COMM_WORLD));
  MPI_Comm copy, alone, between;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  say("copy", rank ? profiled(0, copy) : here(0, copy));
  MPI_Comm_split(copy, rank, 0, &alone);
  MPI_Intercomm_create(alone, 0, copy, 1 - rank, 5, &between);
  say("halves", rank ? profiled(0, between) : here(MPI_ROOT, between));
  MPI_Comm_free(&between);
  MPI_Comm_free(&alone);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
