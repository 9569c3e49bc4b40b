// A collective is nonblocking in the whole program or nowhere. If calls that overlap nothing are in loops as deep as
// those that do, or all run once, blocking is better: each call of the nonblocking form costs more.
// RUN: %commcc -O2 -g -Rcomm -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: FileCheck --input-file=%t.ll %s
// RUN: env COMM_COST=none %commcc -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=NONE %s
// RUN: %commcc -O2 -DDEEPER -S -emit-llvm %s -o - | FileCheck --check-prefix=DEEPER %s
// REMARK: useless-starts.c:[[#@LINE+15]]:{{.*}}MPI_Allreduce stays blocking, in all of the program: calls that overlap nothing are in loops as deep, or this one runs once, and a nonblocking form costs each of them more
// CHECK: @comm.note.comm_blocks_MPI_Allreduce =
// NONE-NOT: comm_blocks_
// DEEPER-NOT: comm_blocks_
#include <mpi.h>

static long sum(long mine) {
  long all;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// Overlaps a loop.
__attribute__((noinline)) static long first(long mine, double *x, int n) {
  long all;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i)
    x[i] = 3 * x[i];
  return all;
}

long run(long mine, double *x, int n, int steps) {
  long all = mine;
#ifdef DEEPER
  for (int step = 0; step < steps; ++step)
    all = first(all, x, n);
  return sum(all);
#else
  all = first(all, x, n);
  for (int step = 0; step < steps; ++step)
    all = sum(all);
  return all;
#endif
}
