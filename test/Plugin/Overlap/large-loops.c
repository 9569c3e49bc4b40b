// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The computation after an exchange, in a separate function that other files could call, and that exceeds LLVM's
// inlining limit: called once, it is inlined as if it were static. Not if another file may have another definition, and
// not if the program forbids it.
// RUN: %commcc -O2 -g -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -g -Rcomm -DATTRIBUTE=weak -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: %commcc -O2 -g -Rcomm -DATTRIBUTE=noinline -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CALLED
#include <mpi.h>

#ifndef ATTRIBUTE
#define ATTRIBUTE visibility("default")
#endif
#define TERM(k)                                                                                                        \
  value = value * from[(i + 1) * columns + (j + k) % columns] + from[(i - 1) * columns + j] * k / (value + k);
#define TERMS(k) TERM(k) TERM(k + 1) TERM(k + 2) TERM(k + 3) TERM(k + 4)

void exchange(double *from, int rows, int columns, int above, int below) {
  MPI_Sendrecv(&from[columns], columns, MPI_DOUBLE, above, 0, &from[(rows + 1) * columns], columns, MPI_DOUBLE, below,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&from[rows * columns], columns, MPI_DOUBLE, below, 1, &from[0], columns, MPI_DOUBLE, above, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// CHECK: large-loops.c:[[#@LINE+3]]:{{[0-9]+}}: remark: splits the loop
// CALLED-NOT: remark: splits the loop
__attribute__((ATTRIBUTE)) void compute(double *to, const double *from, int rows, int columns) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double value = 1;
      TERMS(1) TERMS(6) TERMS(11) to[i * columns + j] = value;
    }
}

void iterate(double *from, double *to, int rows, int columns, int above, int below, int count) {
  for (int n = 0; n < count; ++n) {
    exchange(from, rows, columns, above, below);
    compute(to, from, rows, columns);
    double *last = from;
    from = to, to = last;
  }
}
