// Reductions by hand: the results are those of the loops. Integers may become MPI_Reduce; floating-point numbers keep
// their order, bitwise, unless COMM_CDAG_REORDER_FP allows another.
// RUN: %commcc -O2 -fcomm-detect -Rcomm %s -lm -o %t 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// REMARKS-COUNT-5: of received data, {{forms?}} a graph
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 1 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 COMM_CDAG_REPORT=%t.report %mpirun -n 4 %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.report
// RUN: env COMM_CDAG_MODE=0 %mpirun -n 3 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 3 %t | FileCheck %s
// RUN: env COMM_CDAG_TRIALS=2 %mpirun -n 2 %t | FileCheck %s
// CHECK: all as expected
// REPORT-DAG: (linear_sum)", "ranks": 4, {{.*}}"detected": "reduce({{.*}}
// REPORT-DAG: (linear_most)", "ranks": 4, {{.*}}"detected": "reduce({{.*}}
// REPORT-DAG: (tree_sum)", "ranks": 4, {{.*}}"detected": "reduce({{.*}}
// REPORT-DAG: (linear_real)", "ranks": 4, {{.*}}"detected": "{{(bcast.*)?}}",
//
// With the switch the sum of the floating-point numbers is a reduction too.
// RUN: env COMM_CDAG_REORDER_FP=1 COMM_CDAG_MODE=1 COMM_CDAG_REPORT=%t.reordered %mpirun -n 4 %t reordered | FileCheck %s
// RUN: FileCheck %s --check-prefix=REORDERED < %t.reordered
// REORDERED: (linear_real)", "ranks": 4, {{.*}}"detected": "{{.*}}reduce(
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { n = 24, most = 16, repetitions = 4 };

static int errors;

NOINLINE static void linear_sum(MPI_Comm comm, int rank, int size, int *sum, int count) {
  int part[n];
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(part, count, MPI_INT, p, 1, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < count; ++i)
        sum[i] += part[i];
    }
  else
    MPI_Send(sum, count, MPI_INT, 0, 1, comm);
}

NOINLINE static void linear_most(MPI_Comm comm, int rank, int size, long *value) {
  long part;
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(&part, 1, MPI_LONG, p, 2, comm, MPI_STATUS_IGNORE);
      *value = *value > part ? *value : part;
    }
  else
    MPI_Send(value, 1, MPI_LONG, 0, 2, comm);
}

NOINLINE static void tree_sum(MPI_Comm comm, int rank, int size, int *sum, int count) {
  int part[n];
  for (int mask = 1; mask < size; mask <<= 1)
    if (rank & mask) {
      MPI_Send(sum, count, MPI_INT, rank - mask, 3, comm);
      break;
    } else if (rank + mask < size) {
      MPI_Recv(part, count, MPI_INT, rank + mask, 3, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < count; ++i)
        sum[i] += part[i];
    }
}

/// Reduced, and sent to all.
NOINLINE static void linear_real(MPI_Comm comm, int rank, int size, double *sum, int count) {
  double part[n];
  if (rank == 0) {
    for (int p = 1; p < size; ++p) {
      MPI_Recv(part, count, MPI_DOUBLE, p, 4, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < count; ++i)
        sum[i] += part[i];
    }
    for (int p = 1; p < size; ++p)
      MPI_Send(sum, count, MPI_DOUBLE, p, 5, comm);
  } else {
    MPI_Send(sum, count, MPI_DOUBLE, 0, 4, comm);
    MPI_Recv(sum, count, MPI_DOUBLE, 0, 5, comm, MPI_STATUS_IGNORE);
  }
}

/// The last received data is read afterwards: it must be there.
NOINLINE static int last_part(MPI_Comm comm, int rank, int size, int *sum, int count) {
  int part[n] = {0};
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(part, count, MPI_INT, p, 6, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < count; ++i)
        sum[i] ^= part[i];
    }
  else
    MPI_Send(sum, count, MPI_INT, 0, 6, comm);
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += part[i];
  return total;
}

static int value(int process, int i, int repetition) { return process * 1000 + i * 10 + repetition; }
static double real(int process, int i) { return (process % 2 ? 1.0 : -1.0) * pow(10, process * 5 % 17) / (i + 3); }

static void expect(int rank, double got, double wanted, double tolerance, const char *what) {
  if (!(fabs(got - wanted) <= tolerance) && ++errors < 10)
    fprintf(stderr, "process %d: %s: %.17g instead of %.17g\n", rank, what, got, wanted);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  int rank, size;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int sum[n], count = argc > 5 ? argc : n; // not a constant for the compiler
  double reals[n];
  for (int r = 0; r < repetitions; ++r) {
    for (int i = 0; i < n; ++i)
      sum[i] = value(rank, i, r);
    linear_sum(comm, rank, size, sum, count);
    for (int i = 0; i < n && rank == 0; ++i)
      expect(rank, sum[i], 1000 * size * (size - 1) / 2 + size * (i * 10 + r), 0, "linear sum");

    long largest = (rank * 7 + r) % 5;
    linear_most(comm, rank, size, &largest);
    long wanted = 0;
    for (int p = 0; p < size; ++p)
      wanted = (p * 7 + r) % 5 > wanted ? (p * 7 + r) % 5 : wanted;
    if (rank == 0)
      expect(rank, largest, wanted, 0, "linear maximum");

    for (int i = 0; i < n; ++i)
      sum[i] = value(rank, i, r + 1);
    tree_sum(comm, rank, size, sum, count);
    for (int i = 0; i < n && rank == 0; ++i)
      expect(rank, sum[i], 1000 * size * (size - 1) / 2 + size * (i * 10 + r + 1), 0, "tree sum");

    for (int i = 0; i < n; ++i)
      reals[i] = real(rank, i);
    linear_real(comm, rank, size, reals, count);
    for (int i = 0; i < n; ++i) {
      double exact = real(0, i);
      for (int p = 1; p < size; ++p)
        exact += real(p, i);
      expect(rank, reals[i], exact, argc > 1 ? 1e3 : 0, "linear sum of real numbers");
    }

    int each = 0, all = 0;
    for (int i = 0; i < n; ++i)
      sum[i] = value(rank, i, r), each += value(size - 1, i, r);
    int last = last_part(comm, rank, size, sum, count);
    expect(rank, last, rank == 0 && size > 1 ? each : 0, 0, "the last part");
    for (int p = 0; p < size; ++p)
      all ^= value(p, 1, r);
    if (rank == 0)
      expect(rank, sum[1], all, 0, "linear exclusive or");
  }
  int total = 0;
  MPI_Reduce(&errors, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf(total ? "%d errors\n" : "all as expected\n", total);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
