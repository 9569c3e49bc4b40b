// Variables that a parallel region reads become values if nothing changes them while it runs.
// RUN: env OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=2 %same %s -o %t -n 1,2 --overlaps MPI_Sendrecv -- -fopenmp
// RUN: env OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=2 %same %s -o %t.g -n 2 --overlaps MPI_Sendrecv -- -fopenmp -g
#include "Inputs/soundness.h"
#include <omp.h>

static double values[steps];
static int parts[64], *alias;

/// All types, and a different value in each region.
NOINLINE static void types(int n, char c, short s, long l, float f, double d, _Bool b, int *p) {
  long sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i)
      sum += c + s + l + (long)(8 * f) + (long)(4 * d) + b + p[i % few];
    ++n, --c, s += 2, l -= 3, f *= 2, d += 0.25, b = !b, ++p;
  }
  say("types", sum);
}

/// A variable that threads of the region change by another name.
NOINLINE static void aliased(int n) {
  alias = &n;
#pragma omp parallel num_threads(2)
  {
    int before = n;
#pragma omp barrier
#pragma omp single
    *alias = 40 + before;
    parts[omp_get_thread_num()] = n;
  }
  say("aliased", total(parts, 2));
}

/// One that a nested region changes.
NOINLINE static void changed(int n) {
#pragma omp parallel num_threads(2)
  {
    parts[omp_get_thread_num()] = n;
#pragma omp barrier
#pragma omp single
    {
#pragma omp parallel num_threads(2)
#pragma omp single
      n *= 7;
    }
    parts[2 + omp_get_thread_num()] = n;
  }
  say("changed", total(parts, 4));
}

/// One that the region changes itself, and one that has no value yet when the region starts.
NOINLINE static void own(int n) {
  int later, last = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    later = n + 2;
    parts[omp_get_thread_num()] = later;
  }
#pragma omp parallel for lastprivate(last) num_threads(2)
  for (int i = 0; i < 10; ++i)
    last = i * n;
  say("own", total(parts, 2) + later + last);
}

NOINLINE static void alone(int n) {
#pragma omp parallel for if (n > 100)
  for (int i = 0; i < 64; ++i)
    parts[i] = i * n;
  say("alone", total(parts, 64));
}

/// A message intervenes: the region does not read data in flight.
NOINLINE static void exchange(double *restrict a, int n) {
  int mine = rank + 5, theirs = -1, other = (rank + 1) % size;
  MPI_Sendrecv(&mine, 1, MPI_INT, other, 0, &theirs, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(static, 7)
  for (int i = 1; i < n; ++i)
    a[i] = a[i] * 0.5 + i;
  say("theirs", theirs + (long)a[9]);
}

/// The variable is received.
NOINLINE static void received(void) {
  int mine = rank + 9, theirs = -1;
  MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 1, &theirs, 1, MPI_INT, (rank + size - 1) % size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    parts[i] = theirs - i;
  say("received", total(parts, 64));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int numbers[2 * few];
  fill(numbers, 2 * few, 3);
  types(20 + argc, 'x', 7, 1000000007L, 1.5f, 2.25, 1, numbers);
  aliased(argc + 1);
  changed(argc + 2);
  own(argc + 3);
  alone(argc + 4);
  alone(argc + 400);
  exchange(values, steps);
  nap(10 * rank);
  received();
  MPI_Finalize();
  return 0;
}
