// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with bitcode and one without call the same collective: the linker uses the first file's copy of the code that
// decides at run time for both, so that copy has to stay.
// REQUIRES: lld
// RUN: %commcc -O2 -DOTHER -c %s -o %t.other.o
// RUN: %commcc -O2 -flto -c %s -o %t.main.o
// RUN: %commcc -O2 -flto %t.main.o %t.other.o -o %t.first
// RUN: %mpirun -n 2 %t.first | FileCheck %s
// RUN: %commcc -O2 -flto %t.other.o %t.main.o -o %t.second
// RUN: %mpirun -n 2 %t.second | FileCheck %s
// RUN: %commcc -O2 -flto -fcomm-cost=none %t.main.o %t.other.o -o %t.all
// RUN: %mpirun -n 2 %t.all | FileCheck %s
// CHECK: 8
#include <mpi.h>
#include <stdio.h>

#ifdef OTHER
int twice(int *a, int n) {
  int sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(a, n, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += a[i] * 2;
  MPI_Barrier(MPI_COMM_WORLD);
  return sum;
}
#else
int twice(int *a, int n);

int main(int argc, char **argv) {
  int rank, a[4] = {1, 1, 1, 1}, b[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; i++)
    a[i] += rank;
  MPI_Bcast(a, 4, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 64; i++)
    b[i] = i * rank;
  MPI_Barrier(MPI_COMM_WORLD);
  int sum = twice(a, 4) + b[0];
  if (rank == 0)
    printf("%d\n", sum);
  MPI_Finalize();
}
#endif
