// A module may contain the runtime code several times: files in LLVM IR are linked into one, and compiled again.
// RUN: %commcc -O2 -DPART -c -emit-llvm %s -o %t.part.bc
// RUN: %commcc -O2 -c -emit-llvm %s -o %t.main.bc
// RUN: llvm-link %t.part.bc %t.main.bc -o %t.bc
// RUN: %mpicc -O2 %t.bc -o %t && %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O2 %t.bc -o %t && %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O2 -flto -fuse-ld=lld %t.bc -o %t && %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O2 -S %t.main.bc -o %t.s && %commcc -O2 -c %t.part.bc -o %t.o && %mpicc %t.s %t.o -o %t && %mpirun -n 2 %t \
// RUN:   | FileCheck %s
// CHECK: sum 4950, root 1
#include <mpi.h>
#include <stdio.h>

void add(const double *values, double *sum);
#ifdef PART
void add(const double *values, double *sum) {
  double mine = 0;
  for (int i = 0; i < 50; ++i)
    mine += values[i];
  MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
#else
int main(void) {
  MPI_Init(NULL, NULL);
  int rank, root = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double values[50], sum;
  for (int i = 0; i < 50; ++i)
    values[i] = 50 * rank + i;
  add(values, &sum);
  if (rank == 0)
    root = 1;
  MPI_Bcast(&root, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1)
    printf("sum %g, root %d\n", sum, root);
  MPI_Finalize();
  return 0;
}
#endif
