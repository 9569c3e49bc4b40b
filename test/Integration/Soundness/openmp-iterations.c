// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worksharing loops that are split by iterations, and loops for which that would change the result: their iterations
// depend on the thread, its earlier iterations, or the bounds of its part.
// RUN: env OMP_NUM_THREADS=2 %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv -- -fopenmp
// RUN: env OMP_NUM_THREADS=3 %same %s -o %t.g -n 2 --level=-O3 --overlaps MPI_Sendrecv -- -fopenmp -g
#include "Inputs/soundness.h"
#include <omp.h>
#include <pthread.h>

enum { rows = 31, columns = 12 };
typedef int Field[rows][columns];
static Field from, to, other;
static int marks[rows];
static double reals[rows];
static int own;
#pragma omp threadprivate(own)

static void fillAll(void) {
  fill(from[0], rows * columns, 7 * rank);
  memset(to, 0, sizeof to);
  memset(other, 0, sizeof other);
  memset(marks, 0, sizeof marks);
  own = 0;
}

static void exchange(int *field, int tag) {
  int up = (rank + size - 1) % size, down = (rank + 1) % size;
  MPI_Sendrecv(field + columns, columns, MPI_INT, up, tag, field + (rows - 1) * columns, columns, MPI_INT, down, tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(field + (rows - 2) * columns, columns, MPI_INT, down, tag + 1, field, columns, MPI_INT, up, tag + 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#define SWEEP(i)                                                                                                       \
  for (int j = 1; j < columns - 1; ++j)                                                                                \
    to[i][j] = from[(i) - 1][j] + 3 * from[(i) + 1][j] - from[i][j - 1] * from[i][j + 1];

static void sayAll(const char *what) { say(what, total(to[0], rows * columns) + total(marks, rows)); }

/// Loops that are split.
NOINLINE static void stencil(void) {
  exchange(from[0], 0);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i)
    SWEEP(i)
  sayAll("stencil");
}

NOINLINE static void steps2(int *u, int *v, int turns, int n) {
  for (int turn = 0; turn < turns; ++turn) {
    exchange(u, 2);
#pragma omp parallel for schedule(static) firstprivate(turn)
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < columns - 1; ++j)
        v[i * columns + j] = u[(i - 1) * columns + j] + u[(i + 1) * columns + j] - turn * u[i * columns + j];
#pragma omp parallel for
    for (int i = n - 2; i >= 1; i -= 2)
      for (int j = 1; j < columns - 1; ++j)
        u[i * columns + j] = v[i * columns + j] % 1000;
  }
  say("steps", total(u, rows * columns) + total(v, rows * columns));
}

/// Few iterations, or none.
NOINLINE static void short_(int n) {
  exchange(from[0], 4);
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    SWEEP(i)
  sayAll("short");
}

/// Values of all types go to the threads, and more than fit into registers.
NOINLINE static void types(char c, short s, long l, float f, double d, _Bool b, unsigned char u, const int *p,
                           const int *const *pp, int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7,
                           double x0, double x1, double x2, double x3) {
  exchange(from[0], 46);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    reals[i] = c + s + l + f + d + b + u + p[i % 4] + pp[0][i % 3] + a0 * i + a1 - a2 * i + a3 + a4 * i - a5 + a6 * i +
               a7 + x0 * i + x1 - x2 * i + x3;
  }
  double sum = 0;
  for (int i = 1; i < rows - 1; ++i)
    sum = sum * 0.5 + reals[i];
  sayAll("types");
  say("reals", (long)(sum * 1024));
}

/// One that is passed in memory.
NOINLINE static void large(long double x) {
  exchange(from[0], 48);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = (int)(x * from[i + 1][2]);
  }
  sayAll("large");
}

/// The second one is computed for the exchange.
NOINLINE static void sent(void) {
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 0; j < columns; ++j)
      other[i][j] = 5 * from[i][j] - i;
  exchange(other[0], 6);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 1; j < columns - 1; ++j)
      to[i][j] = other[i - 1][j] + other[i + 1][j];
  sayAll("sent");
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Depends on the thread number.
NOINLINE static void number(void) {
  exchange(from[0], 10);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = omp_get_thread_num();
  }
  sayAll("number");
}

/// The same, through a function that declares no dependence on memory.
static pthread_t threads[2];
NOINLINE static int isMaster(void) { return pthread_self() == threads[0]; }

NOINLINE static void self(void) {
  threads[0] = pthread_self();
  exchange(from[0], 42);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = 1 + isMaster();
  }
  sayAll("self");
  exchange(from[0], 44);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = pthread_self() == threads[0];
  }
  sayAll("self");
}

/// The same, in memory of a segment that each thread has.
NOINLINE static void segment(void) {
#if defined(__x86_64__) && defined(__linux__)
  unsigned long first;
  __asm__("mov %%fs:0, %0" : "=r"(first));
  exchange(from[0], 46);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = *(unsigned long __seg_fs *)0 == first;
  }
  sayAll("segment");
#endif
}

/// How many iterations the thread has run.
NOINLINE static void counted(int count) {
  exchange(from[0], 12);
#pragma omp parallel for firstprivate(count)
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = count++;
  }
  sayAll("counted");
}

/// Whether it is the first one of the thread.
NOINLINE static void begun(int isFirst) {
  exchange(from[0], 14);
#pragma omp parallel for firstprivate(isFirst)
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = isFirst;
    isFirst = 0;
  }
  sayAll("begun");
}

/// Values that the thread keeps.
NOINLINE static void kept(void) {
  exchange(from[0], 16);
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = own++;
  }
  sayAll("kept");
}

NOINLINE static void array(int n) {
  int few4[4] = {n, n + 1, n + 2, n + 3};
  exchange(from[0], 18);
#pragma omp parallel for firstprivate(few4)
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    few4[i % 4] += i;
    marks[i] = few4[(i + 1) % 4];
  }
  sayAll("array");
}

/// Values that an iteration passes to the next one of its thread.
NOINLINE static void handed(int before) {
  exchange(from[0], 20);
#pragma omp parallel for firstprivate(before)
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = before;
    before = from[i][3];
  }
  sayAll("handed");
}

NOINLINE static void last(void) {
  int x = 0;
  exchange(from[0], 22);
#pragma omp parallel for lastprivate(x)
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    x = to[i][2] + i;
  }
  say("last", x);
}

/// The threads' sums round.
NOINLINE static void reduced(void) {
  double sum = 0;
  exchange(from[0], 24);
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    sum += 1.0 / (i * 3 + from[i + 1][1]) + 1e9 / (i + 2);
  }
  long bits;
  memcpy(&bits, &sum, sizeof bits);
  say("reduced", omp_get_max_threads() < 3 ? bits : 0);
}

/// Parts that take turns.
NOINLINE static void chunks(int count) {
  exchange(from[0], 26);
#pragma omp parallel for schedule(static, 3) firstprivate(count)
  for (int i = 1; i < rows - 1; ++i) {
    SWEEP(i)
    marks[i] = count++;
  }
  sayAll("chunks");
}

NOINLINE static void dynamic(void) {
  exchange(from[0], 28);
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i < rows - 1; ++i)
    SWEEP(i)
  sayAll("dynamic");
}

NOINLINE static void several(void) {
  exchange(from[0], 30);
#pragma omp parallel for num_threads(2)
  for (int i = 1; i < rows - 1; ++i)
    SWEEP(i)
  exchange(to[0], 32);
#pragma omp parallel for if (size > 1)
  for (int i = 1; i < rows - 1; ++i)
    SWEEP(i)
  exchange(from[0], 34);
#pragma omp parallel for collapse(2)
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 1; j < columns - 1; ++j)
      other[i][j] = to[i - 1][j] + from[i + 1][j];
  sayAll("several");
  say("other", total(other[0], rows * columns));
}

/// Two loops of one team, where the second one needs results of the first one of the same thread, with a barrier in
/// between.
NOINLINE static void team(void) {
  exchange(from[0], 36);
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 1; i < rows - 1; ++i)
      SWEEP(i)
#pragma omp for
    for (int i = 1; i < rows - 1; ++i)
      other[i][1] = to[i][1] * 2;
#pragma omp for
    for (int i = 2; i < rows - 2; ++i)
      marks[i] = other[i - 1][1] + other[i + 1][1];
  }
  sayAll("team");
}

//===----------------------------------------------------------------------===//
// Iterations that depend on each other, with a single thread
//===----------------------------------------------------------------------===//

NOINLINE static void dependent(int *u, int *v, int n) {
  exchange(u, 40);
  omp_set_num_threads(1);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < columns - 1; ++j)
      v[i * columns + j] = (u[(i - 1) * columns + j] + 3 * u[(i + 1) * columns + j]) % 10007;
  omp_set_num_threads(2);
  say("dependent", total(v, n * columns));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
#define RUN(CALL) fillAll(), CALL
  RUN(stencil());
  RUN(steps2(from[0], to[0], 3, rows));
  for (int n = 0; n < 5; ++n)
    RUN(short_(n));
  RUN(sent());
  const int four[4] = {1, 10, 100, 1000}, *const pointers[1] = {four};
  RUN(types(-3, 300, 1L << 40, 0.25f, 1e-3, 1, 200, four, pointers, 1, -2, 3, 4, 5, 6, -7, 8, 0.5, -0.25, 8, 1e3));
  RUN(large(1.5L));
  RUN(number());
  RUN(self());
  RUN(segment());
  RUN(counted(rank));
  RUN(begun(1));
  RUN(kept());
  RUN(array(rank));
  RUN(handed(size));
  RUN(last());
  RUN(reduced());
  RUN(chunks(rank));
  RUN(dynamic());
  RUN(several());
  RUN(team());
  RUN(dependent(from[0], from[0], rows));
  RUN(dependent(from[0], from[1], rows - 2));
  RUN(dependent(from[0], to[0], rows));
  MPI_Finalize();
  return 0;
}
