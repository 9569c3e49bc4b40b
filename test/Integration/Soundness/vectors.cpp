// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that take vectors by reference: their pointers are reloaded after each MPI call, between the guard of the
// loop and the loop, and without a type. They are loaded before the guard if the chain has loaded them before
// (HoistAddresses.cpp), and are distinguished from messages of numbers (TypedAccess.cpp).
//
// RUN: %samexx %s -o %t -n 1,2,4 -- -no-pie
// RUN: %commcxx -O2 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

#include <vector>

using Row = std::vector<double>;

NOINLINE static void stencil(Row &u, Row &v, int m, int n, int up, int down) {
  MPI_Sendrecv(&u[n], n, MPI_DOUBLE, up, 1, &u[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // CHECK: remark: splits the loop at vectors.cpp:[[#@LINE+1]]: iterations
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i * n + j] = u[(i - 1) * n + j] * 3 + u[(i + 1) * n + j] - u[i * n + j - 1];
}

NOINLINE static void rows(std::vector<Row> &u, std::vector<Row> &v, int m, int n, int up, int down) {
  MPI_Sendrecv(u[1].data(), n, MPI_DOUBLE, up, 1, u[m + 1].data(), n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK: remark: splits the loop at vectors.cpp:[[#@LINE+1]]: {{.*}}, if its rows are evenly spaced in memory
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i][j] = u[i - 1][j] * 3 + u[i + 1][j] - u[i][j - 1];
}

/// The message replaces the pointer: bytes have no type.
struct Field {
  double *data;
};
NOINLINE static void replaced(Field &u, Field &other, Row &v, int m, int n, int up, int down) {
  double first = u.data[0];
  MPI_Sendrecv(&other, sizeof(Field), MPI_BYTE, up, 1, &u, sizeof(Field), MPI_BYTE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[i * n + j] = u.data[(i - 1) * n + j] * 3 + u.data[(i + 1) * n + j] - first;
}

/// Nothing exists there unless the loop runs.
NOINLINE static void absent(Row *u, Row &v, int m, int n, int up, int down) {
  MPI_Sendrecv(&v[n], n, MPI_DOUBLE, up, 1, &v[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (u)
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < n; ++j)
        (*u)[i * n + j] = v[(i + 1) * n + j];
}

/// The vector has been replaced by another one, elsewhere, when the loop starts.
NOINLINE static void moved(Row &u, Row &v, int m, int n, int up, int down) {
  MPI_Sendrecv(&v[n], n, MPI_DOUBLE, up, 1, &v[(m + 1) * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Row(u).swap(u);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      u[i * n + j] += v[(i + 1) * n + j];
}

static double space[2][4000];

static double add(const Row &row) {
  double sum = 0;
  for (double value : row)
    sum = sum * 0.5 + value;
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  for (int m = 1; m < 12; m += m < 3 ? 1 : 4)
    for (int n = 1; n < 60; n += n < 4 ? 1 : 17) {
      Row u((m + 2) * n), v(u.size(), 1);
      for (unsigned i = 0; i < u.size(); ++i)
        u[i] = (i * 37 + rank * 11) % 101;
      std::vector<Row> us, vs;
      for (int i = 0; i < m + 2; ++i) {
        us.push_back(Row(u.begin() + i * n, u.begin() + (i + 1) * n));
        if (i % 3 == 1)
          vs.reserve(i + 7); // rows are not evenly spaced
        vs.push_back(Row(n, 1));
      }
      for (int i = 0; i < 4000; ++i)
        space[0][i] = i % 77, space[1][i] = i % 83 + rank;
      Field field{space[0]}, other{space[1]};
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank % 2)
        nap(1);
      stencil(u, v, m, n, up, down);
      double sum = add(v);
      rows(us, vs, m, n, up, down);
      for (const Row &row : vs)
        sum += add(row);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank % 2)
        nap(1);
      replaced(field, other, v, m, n, up, down);
      sum += add(v);
      absent(nullptr, u, m, n, up, down);
      absent(&v, u, m, n, up, down);
      moved(v, u, m, n, up, down);
      printf("rank %d: %d rows of %d: %.17g\n", rank, m, n, sum + add(v));
    }
  MPI_Finalize();
  return 0;
}
