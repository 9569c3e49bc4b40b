// A command that links a program from one file knows all callers of its functions.
// RUN: mkdir -p %t
// RUN: %commcc -O2 -g1 -Rcomm -fcomm-cost=none %s -o %t/whole 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: llvm-nm %t/whole | FileCheck --check-prefix=LOCAL %s
// RUN: llvm-nm %t/whole | FileCheck --check-prefix=GONE %s
// RUN: %mpirun -n 2 %t/whole | FileCheck --check-prefix=RUNS %s
// Other linked code may call them, and so may code that looks up their names.
// RUN: %commcc -O2 -Rcomm -c %s -o %t/part.o 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: llvm-nm %t/part.o | FileCheck --check-prefix=GLOBAL %s
// RUN: %commcc -O1 -c -DOTHER %s -o %t/other.o
// RUN: %commcc -O2 -Rcomm -DCALLED %s %t/other.o -o %t/both 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: llvm-nm %t/both | FileCheck --check-prefix=GLOBAL %s
// RUN: %commcc -O2 -Rcomm -rdynamic %s -o %t/open 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: llvm-nm %t/open | FileCheck --check-prefix=GLOBAL %s
// RUN: %commcc -O2 -Rcomm -fno-comm-whole-program %s -o %t/not 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: llvm-nm %t/not | FileCheck --check-prefix=GLOBAL %s
// A user's promise.
// RUN: %commcc -O2 -Rcomm -fcomm-whole-program -c %s -o %t/promised.o 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: %commcc -O0 %s -o %t/plain
// RUN: llvm-nm %t/plain | FileCheck --check-prefix=GLOBAL %s
// ALONE-NOT: may receive from any source
// SHARED: MPI_{{Recv|Sendrecv}} may receive from any source
// LOCAL-DAG: T MPI_Barrier
// LOCAL-DAG: t kept
// LOCAL-DAG: T hypot
// LOCAL-DAG: T sched_yield
// GONE-NOT: T exchange
// GONE-NOT: {{[BD]}} sides
// GLOBAL-DAG: T MPI_Barrier
// GLOBAL-DAG: T exchange
// GLOBAL-DAG: {{[BD]}} sides
// RUNS: 3 calls, sum 10
#include <mpi.h>
#include <stdio.h>

typedef struct {
  int rank, size, up, down;
} Sides;

#ifdef OTHER
void exchange(Sides *sides, double *u, int n);
void again(Sides *sides, double *u, int n) { exchange(sides, u, n); }
#else
Sides sides;
static int calls;

// Functions that libraries may call by name.
int MPI_Barrier(MPI_Comm comm) {
  ++calls;
  return PMPI_Barrier(comm);
}
double hypot(double x, double y) { return x * x + y * y; }
int sched_yield(void) { return 0; }
// Assembly of this file finds it.
__attribute__((used)) void kept(void) {}

__attribute__((noinline)) void exchange(Sides *s, double *u, int n) {
  MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, s->up, 0, u + n + 1, 1, MPI_DOUBLE, s->down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + n, 1, MPI_DOUBLE, s->down, 1, u, 1, MPI_DOUBLE, s->up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#ifdef CALLED
void again(Sides *sides, double *u, int n);
#else
#define again exchange
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &sides.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &sides.size);
  sides.up = sides.rank > 0 ? sides.rank - 1 : MPI_PROC_NULL;
  sides.down = sides.rank < sides.size - 1 ? sides.rank + 1 : MPI_PROC_NULL;
  double u[6] = {0, 1, 2, 3, 4, 0}, sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    again(&sides, u, 4);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 1; i < 5; ++i)
    sum += u[i];
  if (sides.rank == 0)
    printf("%d calls, sum %g\n", calls, sum);
  MPI_Finalize();
  return 0;
}
#endif
