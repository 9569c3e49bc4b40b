// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The usual uses of a compiler work with commcc, without a warning.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %commcc -Werror -E %s -o a.i 2>&1 | count 0
// RUN: %commcc -Werror -M %s 2>&1 | FileCheck --check-prefix=DEPS %s
// RUN: %commcc -Werror -O2 -MD -MF a.d -c %s -o a.o 2>&1 | count 0
// RUN: FileCheck --check-prefix=DEPS %s < a.d
// RUN: %commcc -Werror -O2 -S %s -o a.s 2>&1 | count 0
// RUN: %commcc -Werror -c a.s -o b.o 2>&1 | count 0
// RUN: %commcc -Werror -O2 -DOTHER -c %s -o other.o 2>&1 | count 0
// RUN: llvm-ar rc libother.a other.o
// RUN: %commcc -Werror a.o -L. -lother -o linked 2>&1 | count 0
// RUN: %commcc -Werror a.o libother.a -o archive 2>&1 | count 0
// RUN: %commcc -Werror -O2 -x c - -c -o stdin.o < %s 2>&1 | count 0
// RUN: %commcc -Werror -fsyntax-only %s 2>&1 | count 0
// RUN: %commcc -O2 -DOTHER -DMAIN_TOO %s -o one
// RUN: %commcc b.o other.o -o two && %commcc stdin.o other.o -o three
// RUN: %mpirun -n 2 ./linked | FileCheck %s
// RUN: %mpirun -n 2 ./archive | FileCheck %s
// RUN: %mpirun -n 2 ./one | FileCheck %s
// RUN: %mpirun -n 2 ./two | FileCheck %s
// RUN: %mpirun -n 2 ./three | FileCheck %s
// RUN: %commcxx -O2 -x c++ -DOTHER -DMAIN_TOO %s -o cxx && %mpirun -n 2 ./cxx | FileCheck %s
//
// Exit codes are clang's.
// RUN: not %commcc -c -DBROKEN %s -o broken.o 2>&1 | FileCheck --check-prefix=BROKEN %s
//
// DEPS: mpi.h
// CHECK: sum 3
// BROKEN: error: {{.*}}broken

#define OMPI_SKIP_MPICXX
#include <mpi.h>
#include <stdio.h>
#ifdef BROKEN
#error this is broken
#endif

int total(int value);

#ifdef OTHER
int total(int value) {
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
#endif
#if !defined(OTHER) || defined(MAIN_TOO)
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int sum = total(rank + 1);
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
#endif
