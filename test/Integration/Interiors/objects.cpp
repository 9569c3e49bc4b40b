// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors and objects between an exchange and a loop: allocations that may throw, deallocations, sizes in objects on
// the heap.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcxx -O2 -Rcomm %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t > %t.out
// RUN: FileCheck %s --input-file=%t.out
// RUN: %mpicxx -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain > %t.plain.out
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t.plain.out
// PLAIN-COUNT-4: -1 before the first wait
// RUN: sed 's/: -*[0-9]*/:/' %t.out > %t.sums
// RUN: sed 's/: -*[0-9]*/:/' %t.plain.out | diff - %t.sums
#include "Inputs/cells.h"

#include <utility>
#include <vector>

static void exchange(double *u, int m, int length) {
  MPI_Sendrecv(u + length, length, MPI_DOUBLE, last, 0, u + (m + 1) * length, length, MPI_DOUBLE, next, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + m * length, length, MPI_DOUBLE, next, 1, u, length, MPI_DOUBLE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static inline void sweep(const double *u, double *v, int m, int n) {
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] - u[i * n + j];
}

/// Another vector is made after the exchange, while one is there that has to be destroyed.
// CHECK: temporary: 180 before the first wait, of 240
NOINLINE static void temporary(std::vector<double> &u, double *out, int m, int n) {
  std::vector<double> weights(n, 0.5);
  exchange(u.data(), m, n);
  std::vector<double> scaled(n * 2);
  for (int j = 0; j < n; ++j)
    scaled[j] = weights[j] * (j % 3);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      out[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] - scaled[j] * u[i * n + j];
}

/// The allocation of an iteration is the array of the next one: the sums show it.
static void turned(int m, int n, int turns) {
  const double *first = fill((m + 2) * n, rank);
  std::vector<double> u(first, first + (m + 2) * n), sums(n);
  for (int turn = 0; turn < turns; ++turn) {
    exchange(u.data(), m, n);
    std::vector<double> next(u.size());
    sweep(u.data(), next.data(), m, n);
    u.swap(next);
    sums[turn % n] += u[n] + u[m * n];
  }
  tell("turned", sums.data(), n, n);
}

struct Field {
  int rows, length;
  std::vector<double> cells;
  Field(int m, int n, double value) : rows(m), length(n), cells((m + 2) * n, value) {}
  double &operator()(int i, int j) { return cells[i * length + j]; }
};

/// Objects on the heap, each with a length of its own.
// CHECK: fields: 180 before the first wait, of 240
NOINLINE static void fields(Field *a, Field *b, int m, int n) {
  exchange(a->cells.data(), m, a->length);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      (*b)(i, j) = (*a)(i - 1, j) + (*a)(i + 1, j) - (*a)(i, j - 1) - (*a)(i, j + 1);
}

/// The sent data is packed into a vector that dies before the computation, which sets errno.
// CHECK: packed: 240 before the first wait, of 240
NOINLINE static void packed(const std::vector<double> &u, std::vector<double> &ghosts, double *v, int number) {
  {
    std::vector<double> out;
    for (int i = 0; i < 20; ++i)
      out.push_back(u[i * 2]);
    MPI_Sendrecv(out.data(), (int)out.size(), MPI_DOUBLE, next, 2, ghosts.data(), (int)ghosts.size(), MPI_DOUBLE, last, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < number; ++i)
    v[i] = std::sqrt(u[i] + 1) / (1 + u[i]);
  for (size_t i = 0; i < ghosts.size(); ++i)
    v[i] += ghosts[i];
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int m = 8 + argc - 1, n = 30, number = (m + 2) * n;
  std::vector<double> u(number);
  for (int i = 0; i < number; ++i)
    u[i] = rank + i % 13;
  double *v = fill(number, NAN);
  watch(v, number);
  temporary(u, v, m, n);
  tell("temporary", v, number, m * n);
  watch(v, 0);
  turned(m, n, 5);

  Field *a = new Field(m, n + 2, rank + 0.5), *b = new Field(m, n + 2, NAN);
  watch(b->cells.data(), b->cells.size());
  fields(a, b, m, n + 2);
  tell("fields", b->cells.data(), b->cells.size(), m * n);

  std::vector<double> ghosts(20);
  v = fill(m * n, NAN);
  watch(v, m * n);
  packed(u, ghosts, v, m * n);
  tell("packed", v, m * n, m * n);
  MPI_Finalize();
}
