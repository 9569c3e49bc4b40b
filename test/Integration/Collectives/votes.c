// The processes of a communicator vote on the form of a collective, by what their intervals hide. The launcher's
// variable puts each process on its own node.
// REQUIRES: openmpi
// DEFINE: %{flags} = -O2 -I%S/Inputs -I%soundness
// DEFINE: %{nodes} = env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1
// RUN: %mpicc -O2 -c %S/Inputs/network.c -o %t.network.o
// RUN: env COMM_COST=measured %commcc %{flags} -c %S/Inputs/gather-first.c -o %t.first.o
// RUN: env COMM_COST=measured %commcc %{flags} -Rcomm %s %t.first.o %t.network.o -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: MPI_Allgather at gathers.h:{{[0-9]+}} overlaps 1 loop
// RUN: %brief -n 2 %{nodes} %t | FileCheck --check-prefixes=CHECK,PLACES %s
// RUN: %brief -n 4 %{nodes} %t | FileCheck --check-prefixes=CHECK,PLACES %s
// A promise leaves blocking calls as they are, and all starts vote.
// RUN: env COMM_COST=measured %commcc %{flags} -fcomm-uniform-collectives %s %t.first.o %t.network.o -o %t.uniform
// RUN: %brief -n 2 %{nodes} %t.uniform uniform | FileCheck %s
//
// Nobody votes where costs do not count, or where other programs may run.
// RUN: %commcc %{flags} %s %t.first.o %t.network.o -o %t.free
// RUN: %brief -n 2 %{nodes} %t.free uniform | FileCheck --check-prefix=FREE %s
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=0 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t.uniform uniform | FileCheck --check-prefix=FREE %s
#include "gathers.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int isUniform = argc > 1;
  MPI_Comm comm, copy, half, between;

  // Little is hidden, so calls are blocking after the first vote.
  unsigned sum = gather(MPI_COMM_WORLD, 3 * first, little);
  // CHECK-DAG: rank 0: little 32{{$}}
  // CHECK-DAG: rank 1: little 32{{$}}
  // FREE: rank 0: little 96{{$}}
  sayStarted("little");
  // Then much is, so calls are nonblocking after the next vote.
  sum += gather(MPI_COMM_WORLD, first, much);
  // CHECK-DAG: rank 0: waits 0{{$}}
  sayStarted("waits");
  sum += gather(MPI_COMM_WORLD, first, much);
  // CHECK-DAG: rank 0: much 32{{$}}
  // CHECK-DAG: rank 1: much 32{{$}}
  sayStarted("much");

  // One process hides much. It votes for all.
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  sum += gather(comm, 2 * first, rank == 0 ? much : none);
  // CHECK-DAG: rank 0: one 64{{$}}
  // CHECK-DAG: rank 1: one 64{{$}}
  sayStarted("one");
  // One long interval does not count.
  sum += gather(comm, 1, 100 * much) + gather(comm, 2 * first - 1, none);
  started = 0;
  sum += gather(comm, first, none);
  // CHECK-DAG: rank 0: longest 0{{$}}
  sayStarted("longest");

  // Copies of a communicator vote for themselves, whenever they are made and freed.
  for (int calls = first - 1; calls <= first + 1; ++calls) {
    MPI_Comm_dup(comm, &copy);
    sum += gather(copy, calls, none);
    // CHECK-DAG: rank 0: copy 31{{$}}
    // CHECK-DAG: rank 0: copy 32{{$}}
    // CHECK-DAG: rank 0: copy 32{{$}}
    sayStarted("copy");
    MPI_Comm_free(&copy);
  }
  MPI_Comm_free(&comm);

  if (!isUniform) {
    // Some processes call it at another place, where it overlaps nothing.
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    sum += rank == 0 ? gather(comm, 2 * first, much) : gatherFirst(comm, 2 * first, much);
    // PLACES-DAG: rank 0: places 64{{$}}
    // PLACES-DAG: rank 1: places 64{{$}}
    sayStarted("places");
    sum += rank == 0 ? gather(comm, 2 * first, none) : gatherFirst(comm, 2 * first, none);
    sum += rank == 0 ? gather(comm, 2 * first, none) : gatherFirst(comm, 2 * first, none);
    // PLACES-DAG: rank 0: other places 64{{$}}
    // PLACES-DAG: rank 1: other places 64{{$}}
    sayStarted("other places");
    MPI_Comm_free(&comm);
  }

  // The groups of an inter-communicator have no vote in common.
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
  sum += gather(between, 5 * first, rank % 2 ? none : much);
  // CHECK-DAG: rank 0: halves 160{{$}}
  // CHECK-DAG: rank 1: halves 160{{$}}
  sayStarted("halves");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);

  // CHECK-DAG: rank 0: sum [[#]]
  say("sum", sum);
  MPI_Finalize();
  return 0;
}
