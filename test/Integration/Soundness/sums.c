// A blocking and a nonblocking reduction may add up floating-point numbers in different orders (Open MPI's MPI_Reduce does,
// from four processes on, and MPI_Allreduce among 3 or 5): a sum keeps its last digits, wherever it stands, among
// however many processes, and whatever becomes of the reductions of integers.
// RUN: %same %s -o %t -n 2,3,4,5 --overlaps MPI_Allreduce
// RUN: FileCheck --check-prefix=KEPT %s < %t.extended.remarks
// KEPT: sums.c:[[#@LINE+27]]:{{[0-9]+}}: remark: MPI_Reduce stays blocking: its nonblocking form may combine floating-point numbers in another order (-fcomm-sums=any allows that)
// RUN: %commcc -O2 -g -Rcomm -fcomm-sums=exact %s -o %t.exact 2>&1 | FileCheck --check-prefix=EXACT %s
// EXACT: sums.c:[[#@LINE+30]]:{{[0-9]+}}: remark: MPI_Allreduce stays blocking
// RUN: %commcc -O2 -g -Rcomm -fcomm-sums=any %s -o %t.any 2>&1 | FileCheck --check-prefix=ANY %s
// ANY: sums.c:[[#@LINE+23]]:{{[0-9]+}}: remark: MPI_Reduce at sums.c:{{[0-9]+}} overlaps
// All ends: no blocking reduction of one process meets a nonblocking one of another.
// RUN: %mpirun -n 4 %t.any | FileCheck --check-prefix=END %s
// RUN: %commcc -O2 -DPART=1 -fcomm-sums=any -c %s -o %t.1.o
// RUN: %commcc -O0 -DPART=2 -c %s -o %t.2.o
// RUN: %commcc %t.1.o %t.2.o -o %t.mixed
// RUN: %mpirun -n 4 %t.mixed | FileCheck --check-prefix=END %s
// RUN: %mpirun -n 5 %t.mixed | FileCheck --check-prefix=END5 %s
// RUN: %commcc -O2 -DPART=1 -c %s -o %t.1.o
// RUN: %commcc -O2 -DPART=2 -fcomm-sums=any -c %s -o %t.2.o
// RUN: %commcc %t.1.o %t.2.o -o %t.mixed
// RUN: %mpirun -n 5 %t.mixed | FileCheck --check-prefix=END5 %s
// END-DAG: rank 0: integers 10
// END-DAG: rank 3: end 4
// END5-DAG: rank 4: end 5
#include "Inputs/soundness.h"
#ifndef PART
#define PART 0
#endif

static double room[steps];
#if PART != 2
NOINLINE void constant(const double *restrict values, double *restrict sums) {
  MPI_Reduce(values, sums, few, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  work(room);
}

NOINLINE void everywhere(const double *restrict values, double *restrict sums, int count, MPI_Comm comm) {
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, comm);
  work(room);
}

NOINLINE double before(double value) {
  double sum;
  MPI_Scan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  work(room);
  return sum;
}

/// Reductions of integers overlap.
NOINLINE int integers(int value) {
  int sum = 0;
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  work(room);
  return sum;
}
#endif

void constant(const double *restrict values, double *restrict sums);
void everywhere(const double *restrict values, double *restrict sums, int count, MPI_Comm comm);
double before(double value);
int integers(int value);

#if PART != 1
/// The same operations with operator and datatype unknown to the compiler.
NOINLINE static void variable(void *values, void *sums, int count, MPI_Datatype datatype, MPI_Op op) {
  MPI_Reduce(values, sums, count, datatype, op, 0, MPI_COMM_WORLD);
  work(room);
}

NOINLINE static void everywhereVariable(const void *values, void *sums, int count, MPI_Datatype datatype, MPI_Op op) {
  MPI_Allreduce(values, sums, count, datatype, op, MPI_COMM_WORLD);
  work(room);
}

static void tell(const char *what, const double *sums) {
  for (int i = 0; i < few; ++i)
    printf("rank %d: %s %a\n", rank, what, sums[i]);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double values[few], sums[few] = {0};
  for (int i = 0; i < few; ++i)
    values[i] = ((i * 40503u + rank * 60493u) * 2654435761u >> 8) / 3e5;
  constant(values, sums);
  tell("constant", sums);
  variable(values, sums, few, MPI_DOUBLE, MPI_SUM);
  tell("variable", sums);
  // Each process calls the same reduction elsewhere.
  if (rank % 2)
    constant(values, sums);
  else
    variable(values, sums, few, MPI_DOUBLE, MPI_SUM);
  tell("both", sums);
  int number = rank + 1, sum = 0;
  if (rank % 2)
    sum = integers(number);
  else
    variable(&number, &sum, 1, MPI_INT, MPI_SUM);
  say("integers", sum);
  everywhere(values, sums, few, MPI_COMM_WORLD);
  tell("everywhere", sums);
  // Again, half of the processes elsewhere.
  if (rank % 2)
    everywhere(values, sums, few, MPI_COMM_WORLD);
  else
    everywhereVariable(values, sums, few, MPI_DOUBLE, MPI_SUM);
  tell("everywhere", sums);
  // Between two groups of different sizes, one or both of which may be a power of two.
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank ? 0 : 1, 7, &between);
  everywhere(values, sums, few, between);
  tell("between", sums);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  printf("rank %d: before %a\n", rank, before(values[2]));
  say("end", size);
  MPI_Finalize();
  return 0;
}
#endif
