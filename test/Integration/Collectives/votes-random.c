// Many calls on communicators that come and go. Each process makes each call at a place of its own, some of them in a
// library, and computes for a time of its own.
// REQUIRES: openmpi
// DEFINE: %{flags} = -O2 -I%S/Inputs -I%soundness
// RUN: %mpicc -O2 -c %S/Inputs/network.c -o %t.network.o
// RUN: env COMM_COST=measured %commcc %{flags} -c %S/Inputs/gather-first.c -o %t.first.o
// RUN: env COMM_COST=measured %commcc %{flags} -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: env COMM_COST=measured %commcc %{flags} -Wl,--export-dynamic %s %t.first.o %t.network.o -ldl -o %t
// RUN: %brief -n 4 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t %t.so | FileCheck %s
// CHECK-DAG: rank 0: wrong 0{{$}}
// CHECK-DAG: rank 1: wrong 0{{$}}
// CHECK-DAG: rank 2: wrong 0{{$}}
// CHECK-DAG: rank 3: wrong 0{{$}}
#include "gathers.h"

unsigned gatherThere(MPI_Comm comm, int times, int microseconds);

#ifdef LIBRARY
unsigned gatherThere(MPI_Comm comm, int times, int microseconds) { return gather(comm, times, microseconds); }
#else
#include <dlfcn.h>

typedef unsigned Gather(MPI_Comm comm, int times, int microseconds);

/// The next one of a sequence of numbers.
static int draw(unsigned *state, int end) {
  *state = *state * 1103515245 + 12345;
  return (int)((*state >> 16) % (unsigned)end);
}

int main(int argc, char **argv) {
  enum { comms = 5, steps = 3000 };
  begin(&argc, &argv);
  unsigned common = 1, own = 100 + (unsigned)rank, sum = 0;
  void *library = rank % 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  Gather *there = library ? (Gather *)dlsym(library, "gatherThere") : gather;
  Gather *const places[] = {gather, gatherFirst, there};
  MPI_Comm all[comms];
  for (int i = 0; i < comms; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
  all[0] = MPI_COMM_WORLD;
  for (int step = 0; step < steps; ++step) {
    int i = draw(&common, comms), times = 1 + draw(&common, 10);
    int computes = draw(&common, 8) < step * 8 / steps; // later in the program
    sum = sum * 3 + places[draw(&own, 3)](all[i], times, computes ? draw(&own, 2 * much) : none);
    if (i > 0 && draw(&common, 100) == 0) {
      MPI_Comm_free(&all[i]);
      // Its processes in another order.
      MPI_Comm_split(all[(i + 1) % comms], 0, draw(&common, 2) ? rank : -rank, &all[i]);
    }
  }
  unsigned least, most;
  MPI_Reduce(&sum, &least, 1, MPI_UNSIGNED, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&sum, &most, 1, MPI_UNSIGNED, MPI_MAX, 0, MPI_COMM_WORLD);
  // CHECK-DAG: rank 0: in two forms 1{{$}}
  say("wrong", rank == 0 && least != most);
  say("in two forms", started > 1000 && started < 4 * steps);
  MPI_Finalize();
  return 0;
}
#endif
