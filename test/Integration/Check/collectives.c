// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that call different collectives: overlapped, they exchange each other's data and end with 0; checked, both
// places are reported. Correct programs print the same under the checker.
//
// RUN: %commcc -O2 -g -fcomm-check -fno-sanitize=address %s -o %t
// RUN: not %mpirun -n 2 %t order > %t.order 2>&1
// RUN: FileCheck %s --check-prefix=ORDER < %t.order
// RUN: not %mpirun -n 3 %t order > %t.order3 2>&1
// RUN: FileCheck %s --check-prefix=ORDER < %t.order3
// RUN: not %mpirun -n 3 %t own > %t.own 2>&1
// RUN: FileCheck %s --check-prefix=OWN < %t.own
// RUN: not %mpirun -n 2 %t form > %t.form 2>&1
// RUN: FileCheck %s --check-prefix=FORM < %t.form
// RUN: not %mpirun -n 2 %t root > %t.root 2>&1
// RUN: FileCheck %s --check-prefix=ROOT < %t.root
// RUN: not %mpirun -n 4 %t operator > %t.operator 2>&1
// RUN: FileCheck %s --check-prefix=OPERATOR < %t.operator
// RUN: not %mpirun -n 2 %t type > %t.type 2>&1
// RUN: FileCheck %s --check-prefix=TYPE < %t.type
// RUN: not %mpirun -n 2 %t length > %t.length 2>&1
// RUN: FileCheck %s --check-prefix=LENGTH < %t.length
// RUN: %mpirun -n 1 %t legal | FileCheck %s --check-prefix=LEGAL
// RUN: %mpirun -n 2 %t legal | FileCheck %s --check-prefix=LEGAL
// RUN: %mpirun -n 4 %t legal | FileCheck %s --check-prefix=LEGAL
//
// ORDER: comm: error: collective 1 on MPI_COMM_WORLD: ranks {{[0-2]}} and {{[0-2]}} call different functions: rank {{[0-2]}} calls MPI_{{Bcast|Allreduce}} at {{.*}}collectives.c:{{[0-9]+}}, in function order; rank {{[0-2]}} calls MPI_{{Bcast|Allreduce}} at {{.*}}collectives.c:{{[0-9]+}}, in function order: call the same collectives in the same order in all processes
// OWN: comm: error: collective 1 on MPI_COMM_WORLD: ranks {{[0-2]}} and {{[0-2]}} name different roots, {{[01]}} and {{[01]}}: rank {{.*}} calls MPI_Ibcast at {{.*}}collectives.c
// FORM: comm: error: {{.*}} call different functions: {{.*}}MPI_{{I?}}barrier
// ROOT: comm: error: {{.*}} name different roots, {{[01]}} and {{[01]}}: {{.*}}pass the same root in all processes
// OPERATOR: comm: error: {{.*}} reduce by different operators: {{.*}}pass the same operator in all processes
// TYPE: comm: error: {{.*}} pass different datatypes: {{.*}}count times datatype
// LENGTH: comm: error: {{.*}} pass messages of different lengths, {{24|32}} and {{24|32}} bytes: {{.*}}count times datatype
// LEGAL: legal: {{[0-9]+}}

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static double work[2000];

static void compute(void) {
  for (int i = 0; i < 2000; ++i)
    work[i] = work[i] * 0.5 + i;
}

__attribute__((noinline)) static void order(void) {
  int a = rank, b = 0;
  if (rank == 0) {
    MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD);
    compute();
    MPI_Allreduce(&rank, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(&rank, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compute();
    MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  printf("done: %d %d\n", a, b);
}

__attribute__((noinline)) static void own(void) {
  int x = 1, y = 2;
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(&y, 1, MPI_INT, 1, MPI_COMM_WORLD, &requests[1]);
  } else {
    MPI_Ibcast(&y, 1, MPI_INT, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/// Blocking and nonblocking collectives never match.
__attribute__((noinline)) static void form(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

__attribute__((noinline)) static void arguments(const char *what) {
  double in[4] = {1, 2, 3, 4}, out[4];
  if (strcmp(what, "root") == 0)
    MPI_Bcast(in, 4, MPI_DOUBLE, rank == 1, MPI_COMM_WORLD);
  else if (strcmp(what, "operator") == 0)
    MPI_Allreduce(in, out, 4, MPI_DOUBLE, rank == 2 ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD);
  else if (strcmp(what, "type") == 0)
    MPI_Allreduce(in, out, 4, rank == 1 ? MPI_LONG : MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  else
    MPI_Reduce(in, out, 4 - rank, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

/// Different counts and types with one signature, in-place buffers, different lengths, communicators whose collectives
/// are not ordered with each other, and processes that are late.
__attribute__((noinline)) static int legal(void) {
  double matrix[8] = {0};
  int sum = 0, one = 1, *all = calloc(2 * size, sizeof(int)), *counts = malloc(2 * size * sizeof(int));
  MPI_Datatype column, pair;
  MPI_Type_vector(2, 2, 3, MPI_DOUBLE, &column);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&column);
  MPI_Type_commit(&pair);
  if (rank == 0)
    MPI_Bcast(matrix, 1, column, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(matrix, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int two[2] = {rank, rank};
  MPI_Allgather(two, rank % 2 ? 1 : 2, rank % 2 ? pair : MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Gather(&rank, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  else
    MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, &sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    counts[i] = i % 2 + 1;
    counts[size + i] = 2 * i;
  }
  MPI_Allgatherv(two, counts[rank], MPI_INT, all, counts, counts + size, MPI_INT, MPI_COMM_WORLD);
  MPI_Comm first, second;
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &second);
  if (rank % 2) {
    MPI_Ibarrier(first, &requests[0]);
    MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, second, &requests[1]);
  } else {
    MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, second, &requests[1]);
    MPI_Ibarrier(first, &requests[0]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 50; ++i) {
    MPI_Bcast(&sum, 1, MPI_INT, i % size, first);
    if (rank == i % size)
      compute();
  }
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Type_free(&column);
  MPI_Type_free(&pair);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "order") == 0) {
    order();
  } else if (strcmp(what, "own") == 0) {
    own();
  } else if (strcmp(what, "form") == 0) {
    form();
  } else if (strcmp(what, "legal") == 0) {
    int sum = legal();
    if (rank == 0)
      printf("legal: %d\n", sum);
  } else {
    arguments(what);
  }
  MPI_Finalize();
  return 0;
}
