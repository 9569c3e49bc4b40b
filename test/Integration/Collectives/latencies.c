// A sum of few numbers takes twice the latencies in its nonblocking form, and stays blocking between nodes; one of many
// numbers, with a longer transfer, is nonblocking. The launcher's variable puts each process on its own node.
// REQUIRES: openmpi
// RUN: env COMM_COST=measured %commcc -O2 -Rcomm %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK-COUNT-2: MPI_Allreduce at {{.*}} overlaps 1 loop
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck --check-prefix=NODES %s
// NODES: few 0 many 1 sum 3 196608
//
// Within a node both are blocking; if costs do not count, and nothing was measured, both are nonblocking.
// RUN: %brief -n 2 %t | FileCheck --check-prefix=NODE %s
// NODE: few 0 many 0 sum 3 196608
// RUN: %commcc -O2 %s -o %t.free
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t.free | FileCheck --check-prefix=FREE %s
// FREE: few 1 many 1 sum 3 196608
#include <mpi.h>
#include <stdio.h>

enum { many = 1 << 16, steps = 1 << 20 };
static int started;
static long in[many], out[many];
static double room[steps];

// Like a tool between program and MPI.
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
  ++started;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

static void work(void) {
  for (int i = 0; i < steps; ++i)
    room[i] = room[i] * 0.5 + i;
}

__attribute__((noinline)) static long few(void) {
  long mine = in[0], sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  work();
  return sum;
}

__attribute__((noinline)) static long all(void) {
  MPI_Allreduce(in, out, many, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  work();
  long sum = 0;
  for (int i = 0; i < many; ++i)
    sum += out[i];
  return sum;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < many; ++i)
    in[i] = rank + 1;
  long sum = few();
  int startedFew = started;
  long sums = all();
  if (rank == 0)
    printf("few %d many %d sum %ld %ld\n", startedFew, started - startedFew, sum, sums);
  MPI_Finalize();
  return 0;
}
