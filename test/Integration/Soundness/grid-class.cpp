// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class that makes its column datatype in the constructor, and vectors that a loop swaps. Sizes, neighbors and the
// datatype are members that are reloaded after each MPI call, and an empty vector has no memory.
//
// RUN: %samexx %s -o %t -n 1,2,4 -- -no-pie
// RUN: %commcxx -O2 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

#include <vector>

using Field = std::vector<double>;

struct Grid {
  int nx, ny, w, sides[4];
  MPI_Comm comm;
  MPI_Datatype column;
  Grid(int nx, int ny) : nx(nx), ny(ny), w(nx + 2) {
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    MPI_Cart_shift(comm, 0, 1, &sides[0], &sides[1]);
    MPI_Cart_shift(comm, 1, 1, &sides[2], &sides[3]);
    MPI_Type_vector(ny, 1, w, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
  }
  void exchange(Field &u) {
    MPI_Request r[8];
    MPI_Irecv(&u[1], nx, MPI_DOUBLE, sides[0], 0, comm, &r[0]);
    MPI_Irecv(&u[(ny + 1) * w + 1], nx, MPI_DOUBLE, sides[1], 1, comm, &r[1]);
    MPI_Irecv(&u[w], 1, column, sides[2], 2, comm, &r[2]);
    MPI_Irecv(&u[w + nx + 1], 1, column, sides[3], 3, comm, &r[3]);
    MPI_Isend(&u[ny * w + 1], nx, MPI_DOUBLE, sides[1], 0, comm, &r[4]);
    MPI_Isend(&u[w + 1], nx, MPI_DOUBLE, sides[0], 1, comm, &r[5]);
    MPI_Isend(&u[w + nx], 1, column, sides[3], 2, comm, &r[6]);
    MPI_Isend(&u[w + 1], 1, column, sides[2], 3, comm, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
  }
};

static double add(const Field &u) {
  double sum = 0;
  for (double value : u)
    sum = sum * 0.5 + value;
  return sum;
}

static void fill(Field &u) {
  for (unsigned i = 0; i < u.size(); ++i)
    u[i] = (i * 37 + rank * 11) % 101;
}

NOINLINE static double swapped(int nx, int ny, int turns) {
  Grid g(nx, ny);
  Field u((nx + 2) * (ny + 2)), v(u.size());
  fill(u);
  for (int turn = 0; turn < turns; ++turn) {
    if (rank % 2)
      nap(1);
    g.exchange(u);
    // CHECK-DAG: remark: splits the loop at grid-class.cpp:[[#@LINE+1]]: iterations of 2 nested loops
    for (int i = 1; i <= g.ny; ++i)
      for (int j = 1; j <= g.nx; ++j) {
        int c = i * g.w + j;
        v[c] = 0.25 * (u[c - 1] + 2 * u[c + 1] + u[c - g.w] - u[c + g.w]);
      }
    u.swap(v);
  }
  return add(u);
}

/// In some iterations the columns have every second row.
NOINLINE static double remade(int nx, int ny, int turns) {
  Grid g(nx, ny);
  MPI_Datatype first = g.column, other;
  MPI_Type_vector((ny + 1) / 2, 1, 2 * g.w, MPI_DOUBLE, &other);
  MPI_Type_commit(&other);
  Field u((nx + 2) * (ny + 2)), v(u.size());
  fill(u);
  for (int turn = 0; turn < turns; ++turn) {
    g.column = turn % 2 ? other : first;
    g.exchange(u);
    for (int i = 1; i <= g.ny; ++i)
      for (int j = 2; j <= g.nx; ++j) {
        int c = i * g.w + j;
        v[c] = 0.25 * (u[c - 1] + 2 * u[c + 1] + u[c - g.w] - u[c + g.w]);
      }
    u.swap(v);
  }
  return add(u);
}

/// In some iterations both fields are the same memory.
NOINLINE static double same(int nx, int ny, int turns) {
  Grid g(nx, ny);
  Field a((nx + 2) * (ny + 2)), b(a.size());
  fill(a);
  double *u = a.data(), *v = b.data();
  for (int turn = 0; turn < turns; ++turn) {
    g.exchange(u == a.data() ? a : b);
    for (int i = 1; i <= g.ny; ++i)
      for (int j = 1; j <= g.nx; ++j) {
        int c = i * g.w + j;
        v[c + g.w] = 0.25 * (u[c - 1] + 2 * u[c + 1] + u[c - g.w]);
      }
    double *next = turn % 3 == 1 ? u : v;
    v = u;
    u = next;
  }
  return add(a) + add(b);
}

/// The sizes change between the exchange and the loop.
NOINLINE static double shrunk(int nx, int ny, int turns) {
  Grid g(nx, ny);
  Field u((nx + 2) * (ny + 2)), v(u.size());
  fill(u);
  for (int turn = 0; turn < turns; ++turn) {
    g.exchange(u);
    g.w -= turn & 1;
    for (int i = 1; i <= g.ny; ++i)
      for (int j = 1; j <= g.nx; ++j) {
        int c = i * g.w + j;
        v[c] = 0.25 * (u[c - 1] + 2 * u[c + 1] + u[c - g.w] - u[c + g.w]);
      }
    g.w += turn & 1;
    u.swap(v);
  }
  return add(u);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int nx = 3; nx < 70; nx += nx < 5 ? 1 : 31)
    for (int ny = 2; ny < 40; ny += ny < 5 ? 1 : 17) {
      double values[] = {swapped(nx, ny, 5), remade(nx, ny, 5), same(nx, ny, 7), shrunk(nx, ny, 4)};
      printf("rank %d: %d of %d: %.17g %.17g %.17g %.17g\n", rank, ny, nx, values[0], values[1], values[2], values[3]);
    }
  MPI_Finalize();
  return 0;
}
