// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rank at file scope or in a structure is reloaded after each call: the guard's knowledge about the first load
// applies to the second one if nothing in between writes the variable.
// RUN: %commcc -O2 -Rcomm -c -DBETWEEN=0 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=1 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=2 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=3 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=4 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=5 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// KNOWN-NOT: may receive from any source
// MAYBE: MPI_Recv may receive from any source
#include <mpi.h>
#include <string.h>

static int me, all;
static double data[100];
static struct {
  double width;
  int number;
} grid;
void print(void);

__attribute__((noinline)) static void set(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_rank(MPI_COMM_WORLD, &grid.number);
}

void start(void) { set(); }

void exchange(MPI_Comm other, int n) {
  if (me > 0) {
    MPI_Send(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
#if BETWEEN == 1 // may call start
    print();
#elif BETWEEN == 2 // writes it
    me -= n;
#elif BETWEEN == 3 // asks for another number
    MPI_Comm_rank(other, &me);
#elif BETWEEN == 4 // in one of several turns
    for (int i = 0; i < n; ++i) {
      MPI_Recv(data, 1, MPI_DOUBLE, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (data[0] > 3)
        MPI_Comm_rank(other, &me);
    }
#elif BETWEEN == 5 // sets all of it
    if (n > 3)
      memset(&me, 0, sizeof me);
#endif
    MPI_Recv(data, 1, MPI_DOUBLE, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (grid.number > 0) {
    MPI_Send(data, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Send(data + 1, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_DOUBLE, grid.number - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
