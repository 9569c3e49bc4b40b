// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of one program are compiled with contradicting profiles, and without one; processes call one collective in
// different files. A profile decides what to start, but never whether a collective is nonblocking: that is a decision
// of the whole program, which all calls share. The launcher's variables say that there are two nodes, so that
// collectives are nonblocking where the program starts them.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/mixed.c && cd %t
// RUN: %python %S/Inputs/mixed.py
// RUN: %commcc -O2 -Rcomm -DPLACE=here -fcomm-profile-use=long.json -c mixed.c -o here.o 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: %commcc -O2 -Rcomm -DPLACE=there -fcomm-profile-use=short.json -c mixed.c -o there.o 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: %commcc -O2 -DPLACE=elsewhere -c mixed.c -o elsewhere.o
// LONG: MPI_Allgather at mixed.c:{{[0-9]+}} overlaps
// SHORT: MPI_Allgather stays blocking: its interval has nothing to hide
// RUN: %commcc -O2 -DMAIN -c mixed.c -o main.o
// RUN: %commcc main.o here.o there.o elsewhere.o -o mixed
// RUN: %mpirun -n 2 env OMPI_COMM_WORLD_LOCAL_SIZE=1 COMM_ONE_PROGRAM=1 ./mixed | FileCheck %s
// RUN: %mpirun -n 4 env OMPI_COMM_WORLD_LOCAL_SIZE=2 COMM_ONE_PROGRAM=1 ./mixed | FileCheck %s
// CHECK: right; started: yes
//
// On one node nothing is started.
// RUN: %mpirun -n 4 ./mixed | FileCheck %s --check-prefix=ONE-NODE
// ONE-NODE: right; started: no
//
// If a profile says that starts do not pay, the file that has them keeps the collective blocking in the whole program.
// RUN: %commcc -O2 -DPLACE=here -DBOTH -fcomm-profile-use=rare.json -c mixed.c -o here.o
// RUN: %commcc main.o here.o there.o elsewhere.o -o rare
// RUN: %mpirun -n 4 env OMPI_COMM_WORLD_LOCAL_SIZE=2 COMM_ONE_PROGRAM=1 ./rare | FileCheck %s --check-prefix=ONE-NODE
#include <mpi.h>
#include <stdio.h>

#ifdef MAIN
enum { steps = 30 };
long here(const long *mine, long *all, double *x, int n), there(const long *mine, long *all, double *x, int n);
long elsewhere(const long *mine, long *all, double *x, int n);
static double x[5000];
static int started;

/* Counts starts, in the program's own layer over MPI. */
int MPI_Iallgather(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *r) {
  started = 1;
  return PMPI_Iallgather(a, n, t, b, m, u, c, r);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long all[64] = {0}, mine = rank + 1;
  int wrong = 0;
  for (int step = 0; step < steps; ++step) {
    long (*const calls[])(const long *, long *, double *, int) = {here, there, elsewhere};
    calls[(step + rank) % 3](&mine, all, x, 5000);
    for (int i = 0; i < size; ++i)
      wrong |= all[i] != i + 1 + step * 7;
    mine += 7;
  }
  MPI_Reduce(rank ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s; started: %s\n", wrong ? "WRONG" : "right", started ? "yes" : "no");
  MPI_Finalize();
  return 0;
}
#else
long PLACE(const long *restrict mine, long *restrict all, double *restrict x, int n) {
  for (int step = 0; step < 1; ++step) {
    MPI_Allgather(mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i)
      x[i] = x[i] * 0.5 + i;
  }
  return all[0];
}
#ifdef BOTH
void often(const long *mine, long *all) {
  MPI_Allgather(mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
}
#endif
#endif
