// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbors in a structure from elsewhere are reloaded after each call. If types prove that nothing has written them
// since, one message's source is the other one's destination, which is not MPI_ANY_SOURCE.
// RUN: %commcc -O2 -Rcomm -c -DBETWEEN=0 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: %commcc -O2 -Rcomm -c -DBETWEEN=1 %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN --allow-empty %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=2 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=3 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=4 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=5 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=6 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=7 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=8 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=9 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=10 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=11 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -DBETWEEN=12 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// RUN: %commcc -O2 -g -Rcomm -c -fno-strict-aliasing -DBETWEEN=0 %s -o %t.o 2>&1 | FileCheck --check-prefix=MAYBE %s
// KNOWN-NOT: may receive from any source
// MAYBE: MPI_Sendrecv may receive from any source
#include <mpi.h>

typedef struct {
  int up, down, columns;
  double *cells, *packed;
  MPI_Datatype row;
  MPI_Status status;
} Grid;
void print(void);
extern MPI_Request pending;
extern MPI_Win window;
extern MPI_Op operator;

void exchange(Grid *grid, Grid **handle, int *numbers, int n) {
#if BETWEEN == 1 // the structure is looked up again, and numbers are stored
#define GRID (*handle)
#else
#define GRID grid
#endif
  MPI_Sendrecv(GRID->cells, n, MPI_DOUBLE, GRID->up, 0, GRID->cells + n, n, MPI_DOUBLE, GRID->down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#if BETWEEN == 1
  for (int i = 0; i < n; ++i)
    GRID->packed[i] = GRID->cells[i];
#elif BETWEEN == 2 // may write them
  print();
#elif BETWEEN == 3 // may be numbers of the structure
  MPI_Recv(numbers, n, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif BETWEEN == 4
  numbers[n] = -1;
#elif BETWEEN == 5 // may be of any type
  MPI_Recv(grid->cells, 1, grid->row, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif BETWEEN == 6 // a status is one of integers
  MPI_Recv(grid->cells, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &grid->status);
#elif BETWEEN == 7 // tells a number
  MPI_Comm_rank(MPI_COMM_WORLD, numbers);
#elif BETWEEN == 8 // another structure
  grid += n;
#elif BETWEEN == 9 // completes what was started elsewhere, and may receive numbers
  MPI_Request request = pending;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif BETWEEN == 10 // others may have written the structure
  MPI_Win_fence(0, window);
#elif BETWEEN == 11 // the program's operator may write it
  MPI_Allreduce(MPI_IN_PLACE, grid->cells, n, MPI_DOUBLE, operator, MPI_COMM_WORLD);
#elif BETWEEN == 12 // so may others in shared memory
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  MPI_Sendrecv(GRID->cells + 2 * n, n, MPI_DOUBLE, GRID->down, 1, GRID->cells + 3 * n, n, MPI_DOUBLE, GRID->up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
