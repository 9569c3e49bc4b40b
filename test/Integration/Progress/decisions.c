// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether loops call MPI is decided at run time: between nodes, for messages that do not arrive by themselves, until
// they are complete. The launcher's variable says that each process has its own node.
// REQUIRES: openmpi
// RUN: %commcc -O2 -Rcomm %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK-DAG: MPI_Sendrecv at decisions.c:[[#]] progresses in the loop at decisions.c:[[#]]
// REMARK-DAG: MPI_Iallreduce at decisions.c:[[#]] progresses in the loop at decisions.c:[[#]]
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck --check-prefixes=NODES,TWO %s
// RUN: %brief -n 4 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck --check-prefixes=NODES,FOUR %s
// RUN: %brief -n 2 %t | FileCheck --check-prefix=NODE %s
// RUN: %commcc -O2 -fcomm-progress=off %s -o %t.off
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t.off | FileCheck --check-prefix=NODE %s
// RUN: %commcc -O2 -fcomm-mode=basic %s -o %t.basic
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t.basic | FileCheck --check-prefix=NODES %s
//
// NODES: short: asks nothing
// NODES: long: asks{{$}}
// NODES: memory short: asks nothing
// NODES: memory long: asks{{$}}
// The root leaves its block in place and passes no datatype for it: querying its size would end the program.
// NODES: scatter: asks{{$}}
// TWO: rounds: asks nothing
// FOUR: rounds: asks{{$}}
// NODES: over: at most a few
// NODE: short: asks nothing
// NODE: long: asks nothing
// NODE: memory short: asks nothing
// NODE: memory long: asks nothing
// NODE: scatter: asks nothing
// NODE: rounds: asks nothing
#include "Inputs/count.h"
#include <unistd.h>

enum { most = 1 << 19 };
static int left, right;
static double *in, *out;

static NOINLINE double compute(int bytes, long rounds) {
  double x = 1;
  MPI_Sendrecv(in, bytes, MPI_BYTE, right, 0, out, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 0; i < rounds; ++i)
    x = x * 0.999999 + 0.5;
  return x;
}

static NOINLINE double inMemory(MPI_Request *requests, int parts, int bytes, long rounds) {
  double x = 1;
  for (int i = 0; i < parts; ++i) {
    MPI_Irecv((char *)out + i * bytes, bytes, MPI_BYTE, left, i, MPI_COMM_WORLD, &requests[2 * i]);
    MPI_Isend((char *)in + i * bytes, bytes, MPI_BYTE, right, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
  }
  for (long i = 0; i < rounds; ++i)
    x = x * 0.999999 + 0.5;
  MPI_Waitall(2 * parts, requests, MPI_STATUSES_IGNORE);
  return x;
}

static NOINLINE double scatter(int bytes, long rounds) {
  double x = 1;
  MPI_Request request;
  void *to = rank == 0 ? MPI_IN_PLACE : out;
  MPI_Datatype type = rank == 0 ? (MPI_Datatype)(long)16 : MPI_BYTE;
  MPI_Iscatter(in, bytes, MPI_BYTE, to, bytes, type, 0, MPI_COMM_WORLD, &request);
  for (long i = 0; i < rounds; ++i)
    x = x * 0.999999 + 0.5;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return x;
}

static NOINLINE double manyRounds(long rounds) {
  double x = 1;
  int mine = rank, most = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  for (long i = 0; i < rounds; ++i)
    x = x * 0.999999 + 0.5;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return x + most;
}

int main(int argc, char **argv) {
  long rounds = 20000000;
  double sum = 0;
  MPI_Request requests[16];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size, right = (rank + 1) % size;
  in = calloc(most, sizeof(double)), out = calloc(most, sizeof(double));
  sum += compute(1000, rounds);
  say("short");
  sum += compute(1 << 20, rounds);
  say("long");
  sum += inMemory(requests, 4, 1000, rounds);
  say("memory short");
  sum += inMemory(requests, 4, 1 << 18, rounds);
  say("memory long");
  sum += scatter(100000, rounds);
  say("scatter");
  sum += manyRounds(rounds);
  say("rounds");
  // A loop of a second, and a message that is over after some milliseconds.
  MPI_Barrier(MPI_COMM_WORLD);
  sum += compute(1 << 20, 20 * rounds);
  if (rank == 0)
    printf("over: %s %d\n", asked < 4000 ? "at most a few" : "many", sum > 0);
  MPI_Finalize();
  return 0;
}
