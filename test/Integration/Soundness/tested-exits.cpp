// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that check their indices and leave if one is wrong (TestExits.cpp): a copy without the checks is split, and
// runs if no iteration leaves. Whoever catches the exception finds what the iterations before it have written, and
// nothing that comes after it.
// RUN: %samexx %s -o %t -n 1,2,4 --overlaps MPI_Isend
// RUN: %commcxx -O2 -g -Rcomm -Werror %s -o %t.remarks 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

#include <utility>

static int up, down;

/// Rows of n elements, with one before and one after them.
static inline __attribute__((always_inline)) void exchange(double *u, int m, int n) {
  MPI_Request request[4];
  MPI_Irecv(u, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(u + (m + 1) * n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(u + n, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(u + m * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

enum { most = 9, cells = (most + 2) * (most + 2) };

/// What is written if nothing is written.
static const double nothing = -7;

struct Grid {
  int rows, columns;
  double *data;
  double &operator()(int i, int j) {
    if (i < 0 || i >= rows || j < 0 || j >= columns)
      throw std::pair<int, int>(i, j);
    return data[i * columns + j];
  }
};

static double u[cells], v[cells], w[cells];

static void fill(int seed) {
  for (int k = 0; k < cells; ++k)
    u[k] = (k * 7 + seed) % 13, v[k] = w[k] = nothing;
}

static void print(const char *name, int first, int second) {
  double sum = 0;
  for (int k = 0; k < cells; ++k)
    sum += (v[k] + 3 * w[k]) * (k + 1);
  printf("%s %d: %d %d %.17g\n", name, rank, first, second, sum);
}

/// A row or a column of the second grid is missing.
// CHECK-DAG: splits the loop at tested-exits.cpp:[[#@LINE+4]]: iterations that touch nothing in flight
NOINLINE static void missing(int m, int n, int rows, int columns) {
  Grid from{m + 2, n + 2, u}, to{rows, columns, v};
  exchange(u, m, n + 2);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      to(i, j) = from(i - 1, j) + from(i + 1, j) - from(i, j - 1) + from(i, j + 1);
}

/// A second loop does not run if the first one has left.
// CHECK-DAG: splits the loop at tested-exits.cpp:[[#@LINE+4]]: iterations that touch nothing in flight
NOINLINE static void two(int m, int n, int rows) {
  Grid from{m + 2, n + 2, u}, to{rows, n + 2, v};
  exchange(u, m, n + 2);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      to(i, j) = from(i - 1, j) + from(i + 1, j);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      w[i * (n + 2) + j] = u[(i - 1) * (n + 2) + j] - u[(i + 1) * (n + 2) + j];
}

struct Limits {
  int numbers[16], limit;
};

static int *(*volatile getNumbers)(Limits *) = [](Limits *limits) { return limits->numbers; };

/// The loop itself lowers the limit, in the iteration that writes past the numbers.
NOINLINE static void lowered(int m, int n, int shift) {
  Limits limits{};
  limits.limit = most + 3;
  int *numbers = getNumbers(&limits) + shift;
  exchange(u, m, n);
  for (int i = 1; i <= m; ++i) {
    if (i >= limits.limit)
      throw std::pair<int, int>(i, limits.limit);
    numbers[i] = 2;
    v[i * n] = u[(i - 1) * n] + u[(i + 1) * n];
  }
}

/// The first indices are below zero, and large numbers without a sign.
// CHECK-DAG: splits the loop at tested-exits.cpp:[[#@LINE+3]]: iterations that touch nothing in flight
NOINLINE static void wrapped(unsigned m, unsigned n, unsigned first, unsigned step, unsigned limit) {
  exchange(u, m, n);
  for (unsigned i = 0; i < m; ++i) {
    unsigned place = first + i * step;
    if (place >= limit)
      throw std::pair<int, int>(place, i);
    v[i * n] = u[i * n] + u[(i + 2) * n];
  }
}

/// Only some iterations look at the limit, and the handler gets what the loop has computed so far.
NOINLINE static void seldom(int m, int n, int limit) {
  int sum = 0;
  exchange(u, m, n);
  for (int i = 1; i <= m; ++i) {
    sum += i * i;
    if (i % 3 == 2 && i > limit)
      throw std::pair<int, int>(i, sum);
    v[i * n] = u[(i - 1) * n] + u[(i + 1) * n];
  }
  w[0] = sum;
}

template <typename Call> static void run(const char *name, int seed, Call call) {
  fill(seed);
  try {
    call();
    print(name, 0, 0);
  } catch (const std::pair<int, int> &where) {
    print(name, where.first, where.second);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  up = (rank + size - 1) % size, down = (rank + 1) % size;
  for (int m = 0; m <= most; ++m)
    for (int n = 0; n <= most; n += 1 + n / 3)
      for (int less = -1; less <= 6; ++less) {
        run("missing", m, [&] { missing(m, n, m + 2 - less, n + 2); });
        run("missing", n, [&] { missing(m, n, m + 2, n + 2 - less); });
        run("two", m, [&] { two(m, n, m + 1 - less); });
      }
  for (int m = 0; m <= most; ++m)
    for (int k = 0; k <= 17; ++k) {
      run("lowered", k, [&] { lowered(m, 3, k < 6 ? 15 - k : 16 - k); });
      run("wrapped", k, [&] { wrapped(m, 3, k - 9, 1, 9); });
      run("wrapped", k, [&] { wrapped(m, 3, k - 4, k % 3, 4000000000u); });
      run("seldom", k, [&] { seldom(m, 3, k); });
    }
  MPI_Finalize();
}
