// Processes vote together whether their calls are in the program or in a library that one of them opens and closes.
// REQUIRES: openmpi
// DEFINE: %{flags} = -O2 -I%S/Inputs -I%soundness
// RUN: %mpicc -O2 -c %S/Inputs/network.c -o %t.network.o
// RUN: env COMM_COST=measured %commcc %{flags} -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: env COMM_COST=measured %commcc %{flags} -Wl,--export-dynamic %s %t.network.o -ldl -o %t
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t %t.so | FileCheck %s
// CHECK-DAG: rank 0: in two forms 1{{$}}
// CHECK-DAG: rank 1: in two forms 1{{$}}
// CHECK-DAG: rank 0: sum [[SUM:[0-9]+]]
// CHECK-DAG: rank 1: sum [[SUM]]
#include "gathers.h"

unsigned gatherThere(MPI_Comm comm, int times, int microseconds);

#ifdef LIBRARY
unsigned gatherThere(MPI_Comm comm, int times, int microseconds) { return gather(comm, times, microseconds); }
#else
#include <dlfcn.h>

typedef unsigned Gather(MPI_Comm comm, int times, int microseconds);

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  unsigned sum = 0;
  // The library makes the first call on the copy, which outlives it.
  void *library = rank == 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  Gather *there = library ? (Gather *)dlsym(library, "gatherThere") : gather;
  for (int i = 0; i < 50; ++i) {
    sum = sum * 3 + there(comm, 1 + i % 10, i < 25 ? none : much) + gather(MPI_COMM_WORLD, 1, none);
    sum = sum * 3 + gather(comm, 1, none) + there(MPI_COMM_WORLD, 1 + i % 10, none);
  }
  if (library)
    dlclose(library);
  sum += gather(comm, 5 * first, none);
  MPI_Comm_free(&comm);
  say("in two forms", started > first && started < 800);
  say("sum", sum);
  MPI_Finalize();
  return 0;
}
#endif
