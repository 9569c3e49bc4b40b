// A call without the query, because its declaration is not the standard's, keeps all calls of the function blocking.
// RUN: %mpicc -O2 -c %S/Inputs/count.c -o %t.count.o
// RUN: %commcc -O2 -c -DPART=1 -I%S/Inputs -I%soundness %s -o %t.1.o
// RUN: %commcc -O2 -c -DPART=2 %s -o %t.2.o
// RUN: %commcc %t.1.o %t.2.o %t.count.o -o %t
// RUN: %brief -n 2 %t | FileCheck %s
// CHECK-DAG: rank 0: sum 161429191
// CHECK-DAG: rank 1: sum 161429191
// CHECK-DAG: rank 0: started 0
#if PART == 1
#include "places.h"

int broadcast(void *buffer, long count, void *datatype, void *comm);

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0) {
    say("sum", here(0, MPI_COMM_WORLD));
  } else {
    int c = 0, d[few];
    broadcast(&c, 1, MPI_INT, MPI_COMM_WORLD);
    broadcast(d, few, MPI_INT, MPI_COMM_WORLD);
    work(room);
    say("sum", total(d, few) + c + (long)room[steps - 1]);
  }
  MPI_Finalize();
  return 0;
}
#else
// As declared by a language with wider integers.
int MPI_Bcast(void *buffer, long count, void *datatype, long root, void *comm);

int broadcast(void *buffer, long count, void *datatype, void *comm) { return MPI_Bcast(buffer, count, datatype, 0, comm); }
#endif
