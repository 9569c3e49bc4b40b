// A receive is the blocking call where the loop after it was short the last time, unless something between its start
// and its wait may be what the other process waits for.
// RUN: %mpicc -O2 -c %S/Inputs/receive-forms.c -o %t.forms.o
// RUN: %commcc -O2 -fcomm-cost=measured %s %t.forms.o -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/receive-forms.c -o %t.plain
// RUN: %mpirun -n 1 %t | sed 's/,.*//' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/,.*//' | diff - %t.sums
// RUN: %mpirun -n 2 %t | sed 's/,.*//' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/,.*//' | diff - %t.sums
// RUN: %mpirun -n 4 %t | sed 's/,.*//' > %t.sums
// RUN: %mpirun -n 4 %t.plain | sed 's/,.*//' | diff - %t.sums
#include "Inputs/soundness.h"

int countBlocking(void);
int countNonblocking(void);

static int in[few], out[few], answer[few];
static double values[256];
static int before, after;

static inline __attribute__((always_inline)) void compute(long rounds) {
  for (long i = 0; i < rounds; ++i)
    values[i & 255] = values[i & 255] * 0.5 + 1;
}

static void tell(const char *what) {
  long sum = total(in, few) + total(answer, few) + (long)(1000 * values[3]);
  int isLast = rank == size - 1;
  if (isLast)
    printf("%s: %ld, %d blocking, %d nonblocking\n", what, sum, countBlocking() - before, countNonblocking() - after);
  before = countBlocking(), after = countNonblocking();
}

/// Receives, computes, and hands on.
NOINLINE static void pipeline(int n, long rounds) {
  for (int i = 0; i < n; ++i) {
    if (rank > 0)
      MPI_Recv(in, few, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(rounds);
    in[i % few] += 1;
    if (rank + 1 < size)
      MPI_Send(in, few, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
  }
}

/// The answer comes after the question, which comes after the start of the receive.
NOINLINE static void ask(int n, long rounds) {
  for (int i = 0; i < n; ++i) {
    MPI_Request request;
    MPI_Irecv(answer, few, MPI_INT, rank ^ 1, 2, MPI_COMM_WORLD, &request);
    fill(out, few, i);
    MPI_Send(out, few, MPI_INT, rank ^ 1, 1, MPI_COMM_WORLD);
    compute(rounds);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

NOINLINE static void reply(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Recv(in, few, MPI_INT, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < few; ++k)
      in[k] = 3 * in[k] + 1;
    MPI_Send(in, few, MPI_INT, rank ^ 1, 2, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  pipeline(20, 0);
  // CHECK: empty: {{.*}}, 19 blocking, 1 nonblocking
  tell("empty");
  pipeline(20, 3);
  // CHECK: few: {{.*}}, 20 blocking, 0 nonblocking
  tell("few");
  pipeline(20, 1000);
  // CHECK: many: {{.*}}, 1 blocking, 19 nonblocking
  tell("many");
  pipeline(20, -1);
  // CHECK: none: {{.*}}, 19 blocking, 1 nonblocking
  tell("none");
  for (int turn = 0; turn < 3 && (rank ^ 1) < size; ++turn)
    rank % 2 == 1 ? ask(20, turn == 1 ? 1000 : 0) : reply(20);
  tell("answers");
  MPI_Finalize();
  return 0;
}
