// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program asks for one thread where iterations may depend on each other, and for two after that: the rest of a
// worksharing loop that is split stays between the two calls.
// RUN: %same %s -o %t -n 1,2 -- -fopenmp
// RUN: %commcc -O2 -g1 -fopenmp -fcomm-cost=none -Rcomm %s -S -emit-llvm -o %t.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=ORDER < %t.ll
#include "Inputs/soundness.h"
#include <omp.h>

enum { rows = 300, columns = 300 };
static double u[rows * columns], v[rows * columns];

// ORDER-LABEL: define {{.*}}@sweep(
// ORDER: @omp_set_num_threads(i32 noundef 1)
// ORDER-NOT: @omp_set_num_threads
// ORDER: @__kmpc_fork_call
// ORDER: @omp_set_num_threads(i32 noundef 2)
// ORDER-NOT: {{@__kmpc_fork_call|@MPI_Wait}}
// ORDER: ret void
// CHECK: remark: splits the loop at openmp-settings.c:[[#@LINE+7]]
NOINLINE static void sweep(int n, double *from, double *to, int up, int down) {
  omp_set_num_threads(1);
  MPI_Sendrecv(from + columns, columns, MPI_DOUBLE, up, 0, from + (n - 1) * columns, columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(from + (n - 2) * columns, columns, MPI_DOUBLE, down, 1, from, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < columns; ++j)
      to[i * columns + j] = from[(i - 1) * columns + j] * 0.5 + from[(i + 1) * columns + j] * 0.25;
  omp_set_num_threads(2);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  // Both threads exist from now on.
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < rows * columns; ++i)
    u[i] = i % 17 + rank;
  sweep(rows - 5, v, u, (rank + size - 1) % size, (rank + 1) % size);
  sweep(rows + argc - 1, u, argc > 1 ? v : u, (rank + size - 1) % size, (rank + 1) % size);
  say("rows", total((int *)u, 2 * rows * columns) + total((int *)v, 2 * rows * columns));
  MPI_Finalize();
  return 0;
}
