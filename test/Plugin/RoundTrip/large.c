// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of 500 calls of MPI between as many loops and branches, and thousands of statements, as generators write
// them: it is scheduled in pieces, and its scopes are found without looking at all that follows each branch. Before, it
// took minutes; the limit is of processor time, which a busy machine does not change much. Loops of 32 points are not split, and the copy for programs with an
// error handler of their own is not optimized once more.
//
// The limit of time is for a build without sanitizers.
// UNSUPPORTED: asan
//
// RUN: sh -c 'ulimit -t 60 && exec commcc -O2 -g -Rcomm -S -emit-llvm %s -o %t.ll' > %t.remarks 2>&1
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck %s --check-prefix=COPY < %t.ll
// CHECK-NOT: splits the loop
// CHECK: the loop at large.c:{{[0-9]+}} waits as a whole: it is too short to be worth splitting
// CHECK-NOT: splits the loop
// CHECK: remark: MPI_Bcast at large.c:{{[0-9]+}} overlaps {{[1-9][0-9]*}} loop
// COPY: define internal void @large.comm.original({{.*}} #[[COPY:[0-9]+]]
// COPY: attributes #[[COPY]] = {{.*}} optnone

#include <mpi.h>

static double a[64][32];
static int it[16];

#define SET(row, column, c) a[(c * row + row) % 64][column] = 0.5 * a[(c + row) % 64][(c + 1) % 32] + row;
#define STEP(c)                                                                                                        \
  for (int i = 0; i < 32; i++)                                                                                         \
    a[c * 7 % 64][i] = a[c * 5 % 64][i] * 0.25 + it[c % 16];                                                           \
  if (it[c * 3 % 16] > c)                                                                                              \
    a[c % 64][c % 32] += 1;                                                                                            \
  else                                                                                                                 \
    t -= 0.5;                                                                                                          \
  SET(1, 3, c) SET(2, 9, c) SET(3, 27, c) SET(5, 17, c) SET(7, 19, c) SET(9, 25, c) SET(11, 11, c) SET(13, 1, c)       \
  MPI_Bcast(a[c * 11 % 64], 32, MPI_DOUBLE, c % size, MPI_COMM_WORLD);

#define TEN(c)                                                                                                         \
  STEP(c##0) STEP(c##1) STEP(c##2) STEP(c##3) STEP(c##4) STEP(c##5) STEP(c##6) STEP(c##7) STEP(c##8) STEP(c##9)
#define HUNDRED(c) TEN(c##0) TEN(c##1) TEN(c##2) TEN(c##3) TEN(c##4) TEN(c##5) TEN(c##6) TEN(c##7) TEN(c##8) TEN(c##9)

void large(int size) {
  double t = 0;
  HUNDRED(1)
  HUNDRED(2)
  HUNDRED(3)
  HUNDRED(4)
  HUNDRED(5)
  a[0][0] = t;
}
