// Blocking and nonblocking collectives never match: ranks that call one collective at different places, only one of
// which overlaps anything, must all call the nonblocking one. Also through a pointer, in code that is left alone, and
// in a file that is not optimized.
// RUN: %commcc -O2 -Rcomm %s -o %t.one 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: MPI_Bcast at arms.c:{{[0-9]+}} overlaps 1 loop
// RUN: %mpirun -n 2 %t.one | FileCheck %s
// RUN: %commcc -O2 -c -DPART=1 %s -o %t.1.o
// RUN: %commcc -O0 -c -DPART=2 %s -o %t.2.o
// RUN: %commcc %t.1.o %t.2.o -o %t.mixed
// RUN: %mpirun -n 2 %t.mixed | FileCheck %s
// CHECK-DAG: rank 0: sum 161429191
// CHECK-DAG: rank 0: left 59049
// CHECK-DAG: rank 1: sum 161429191
// CHECK-DAG: rank 1: left 59049
#include "Inputs/soundness.h"

#include <setjmp.h>

#ifndef PART
#define PART 0
#endif

int root_part(int *values, double *room);
int other_part(int *values);

#if PART != 2
static double room[steps];

NOINLINE static long here(void) {
  int c = 3, d[few];
  fill(d, few, 7);
  MPI_Bcast(&c, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(d, few, MPI_INT, 0, MPI_COMM_WORLD);
  work(room);
  return total(d, few) + c + (long)room[steps - 1];
}

/// Functions that call setjmp are left alone.
NOINLINE static long there(void) {
  static int c, d[few]; // changed between setjmp and longjmp
  jmp_buf back;
  int (*broadcast)(void *, int, MPI_Datatype, int, MPI_Comm) = MPI_Bcast;
  if (setjmp(back) == 0) {
    broadcast(&c, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(d, few, MPI_INT, 0, MPI_COMM_WORLD);
    longjmp(back, 1);
  }
  work(room);
  return total(d, few) + c + (long)room[steps - 1];
}

int root_part(int *values, double *space) {
  MPI_Bcast(values, few, MPI_INT, 0, MPI_COMM_WORLD);
  work(space);
  return values[1];
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  say("sum", rank == 0 ? here() : there());
  int values[few];
  fill(values, few, 59048);
  say("left", rank == 0 ? root_part(values, room) : other_part(values));
  MPI_Finalize();
  return 0;
}
#endif

#if PART != 1
int other_part(int *values) {
  values[1] = 0;
  MPI_Bcast(values, few, MPI_INT, 0, MPI_COMM_WORLD);
  return values[1];
}
#endif
