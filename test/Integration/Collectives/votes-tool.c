// A tool between the program and MPI, whose calls ask as well: one that goes through the tool counts once, like one
// that does not.
// REQUIRES: openmpi
// DEFINE: %{flags} = -O2 -I%S/Inputs -I%soundness
// RUN: %mpicc -O2 -c %S/Inputs/network.c -o %t.network.o
// RUN: env COMM_COST=measured %commcc %{flags} -c -DTOOL %s -o %t.tool.o
// RUN: env COMM_COST=measured %commcc %{flags} -c -DDIRECTLY %s -o %t.directly.o
// RUN: env COMM_COST=measured %commcc %{flags} %s %t.directly.o %t.tool.o -o %t
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck %s
// CHECK-DAG: rank 0: through the tool 5018{{$}}
// CHECK-DAG: rank 1: through the tool 0{{$}}
// CHECK-DAG: rank 0: sum [[SUM:[0-9]+]]
// CHECK-DAG: rank 1: sum [[SUM]]
#include "gathers.h"

extern int through;
unsigned gatherDirectly(MPI_Comm comm, int times);

#if defined(TOOL)
int through, started;
long now;

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int each, MPI_Datatype of, MPI_Comm comm) {
  ++through;
  return PMPI_Allgather(from, count, type, to, each, of, comm);
}
#elif defined(DIRECTLY)
unsigned gatherDirectly(MPI_Comm comm, int times) {
  unsigned sum = 0;
  for (int i = 0; i < times; ++i) {
    PMPI_Allgather(&in, 1, MPI_INT, out, 1, MPI_INT, comm);
    in = next(i);
    sum = sum * 3 + in;
  }
  return sum;
}
#else
int main(int argc, char **argv) {
  begin(&argc, &argv);
  unsigned sum = 0;
  for (int i = 0; i < 100; ++i)
    sum = sum * 3 + (rank == 0 ? gather(MPI_COMM_WORLD, 1 + i, none) : gatherDirectly(MPI_COMM_WORLD, 1 + i));
  say("through the tool", through);
  say("sum", sum);
  MPI_Finalize();
  return 0;
}
#endif
