// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests at file scope that only main uses. In JUMPS a variable keeps its last value, whichever call returns again.
// RUN: %same %s -o %t -n 1,2,4
// RUN: %commcc -O2 -g -Rcomm %s -o %t.remarks 2>&1 | FileCheck %s
// RUN: %commcc -O2 -DJUMPS %s -o %t.jumps 2>/dev/null && llvm-nm %t.jumps | FileCheck --check-prefix=JUMPS %s
// RUN: %same %s -o %t.shared -n 1,2 -- -DSHARED
// RUN: %commcc -O2 -g -Rcomm -DSHARED %s -o %t.remarks 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: %same %s -o %t.kept -n 1,2 -- -DKEPT
// RUN: %commcc -O2 -DKEPT %s -o %t.kept 2>/dev/null && llvm-nm %t.kept | FileCheck --check-prefix=KEPT %s
// Another file may call main again.
// RUN: %commcc -O2 -c %s -o %t.o && llvm-nm %t.o | FileCheck --check-prefix=AGAIN %s
// AGAIN: b requests
// KEPT: b halo
// CHECK: remark: MPI_Startall starts the requests of MPI_Recv_init at persistent-main.c:[[#@LINE+35]] and 3 others
// CHECK: remark: splits the loop at persistent-main.c:[[#@LINE+48]]
// JUMPS: b requests
// SHARED: remark: MPI_Startall stays as it is: its requests are in memory that other code may use
#include "Inputs/cells.h"
#include <setjmp.h>

#ifdef KEPT // an exit handler finds the address of what is next to the requests
static struct {
  MPI_Request requests[4];
  double last;
} halo;
static double *last;
static void leave(void) { printf("rank %d: last %.17g\n", rank, *last); }
#define requests halo.requests
#else
static MPI_Request requests[4];
#endif
#ifdef JUMPS
static jmp_buf again;
NOINLINE static void comeBack(int turn) {
  if (turn == 1)
    longjmp(again, 1);
}
#endif
#ifdef SHARED
NOINLINE static void complete(void) { MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); }
#endif

int main(int argc, char **argv) {
  begin(&argc, &argv);
  enum { m = 6, n = 8, cells = (m + 2) * n };
  int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  double *u = make(cells, 1), *v = make(cells, 2);
  volatile int turn = 0;
  MPI_Recv_init(u, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(&u[n], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(&u[m * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
  for (int t = 0; t < 5; ++t) {
#ifdef JUMPS
    setjmp(again);
#endif
    MPI_Startall(4, requests);
#ifdef SHARED
    complete();
#else
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
#endif
    for (int i = n; i < (m + 1) * n; ++i)
      v[i] = u[i - n] + 2 * u[i] + u[i + n];
    for (int i = n; i < (m + 1) * n; ++i)
      u[i] = v[i] / 4;
#ifdef JUMPS
    turn = turn + 1;
    comeBack(turn);
#endif
  }
#ifdef KEPT
  last = &halo.last;
  *last = u[n];
  atexit(leave);
#endif
  for (int i = 0; i < 4; ++i)
    MPI_Request_free(&requests[i]);
  printf("rank %d: %d %lx\n", rank, turn, digits(u, cells));
  free(u), free(v);
  MPI_Finalize();
  return 0;
}
