// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A field as a class, an exchange in a function with one call, and columns that are unpacked if there is a neighbor. If
// a field has no rows, control skips the unpack loop and the stencil at once.
//
// RUN: %samexx %s -o %t -n 1,2,4 -- -no-pie
// RUN: %commcxx -O2 -g1 -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

#include <array>
#include <vector>

struct Field {
  int nx, ny;
  std::vector<double> values;
  Field(int nx, int ny) : nx(nx), ny(ny), values((nx + 2) * (ny + 2)) {}
  double &operator()(int i, int j) { return values[i * (ny + 2) + j]; }
  const double &operator()(int i, int j) const { return values[i * (ny + 2) + j]; }
};

struct Neighbors {
  MPI_Comm comm;
  int up, down, left, right;
  std::vector<double> sent[2], received[2];
};

void exchange(Field &f, Neighbors &n) {
  std::array<MPI_Request, 8> requests;
  int count = 0;
  for (int i = 1; i <= f.nx; i++) {
    n.sent[0][i - 1] = f(i, 1);
    n.sent[1][i - 1] = f(i, f.ny);
  }
  MPI_Irecv(&f(0, 1), f.ny, MPI_DOUBLE, n.up, 0, n.comm, &requests[count++]);
  MPI_Irecv(&f(f.nx + 1, 1), f.ny, MPI_DOUBLE, n.down, 1, n.comm, &requests[count++]);
  MPI_Irecv(n.received[0].data(), f.nx, MPI_DOUBLE, n.left, 2, n.comm, &requests[count++]);
  MPI_Irecv(n.received[1].data(), f.nx, MPI_DOUBLE, n.right, 3, n.comm, &requests[count++]);
  MPI_Isend(&f(1, 1), f.ny, MPI_DOUBLE, n.up, 1, n.comm, &requests[count++]);
  MPI_Isend(&f(f.nx, 1), f.ny, MPI_DOUBLE, n.down, 0, n.comm, &requests[count++]);
  MPI_Isend(n.sent[0].data(), f.nx, MPI_DOUBLE, n.left, 3, n.comm, &requests[count++]);
  MPI_Isend(n.sent[1].data(), f.nx, MPI_DOUBLE, n.right, 2, n.comm, &requests[count++]);
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  if (n.left != MPI_PROC_NULL)
    for (int i = 1; i <= f.nx; i++)
      f(i, 0) = n.received[0][i - 1];
  if (n.right != MPI_PROC_NULL)
    for (int i = 1; i <= f.nx; i++)
      f(i, f.ny + 1) = n.received[1][i - 1];
}

static void relax(const Field &u, Field &v) {
  // CHECK: field-class.cpp:{{[0-9]+}}:{{[0-9]+}}: remark: splits the loop at {{.*}}: iterations of 2 nested loops
  for (int i = 1; i <= u.nx; i++)
    for (int j = 1; j <= u.ny; j++)
      v(i, j) = u(i, j) + 0.1 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
}

static void run(int n) {
  int dims[2] = {0, 0}, periods[2] = {0, 0};
  Neighbors neighbors;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &neighbors.comm);
  MPI_Cart_shift(neighbors.comm, 0, 1, &neighbors.up, &neighbors.down);
  MPI_Cart_shift(neighbors.comm, 1, 1, &neighbors.left, &neighbors.right);
  const int nx = n / dims[0], ny = n / dims[1];
  for (int k = 0; k < 2; k++) {
    neighbors.sent[k].resize(nx + 1);
    neighbors.received[k].resize(nx + 1);
  }
  Field u(nx, ny), v(nx, ny);
  for (int i = 0; i < nx + 2; i++)
    for (int j = 0; j < ny + 2; j++)
      u(i, j) = (i * 13 + j * 5 + rank * 7) % 17 / 16.0;
  for (int t = 0; t < 5; t++) {
    exchange(u, neighbors);
    relax(u, v);
    std::swap(u, v);
  }
  double sum = 0;
  for (int i = 1; i <= nx; i++)
    for (int j = 1; j <= ny; j++)
      sum += u(i, j) * (i + 3 * j);
  printf("rank %d: %d: %.17g\n", rank, n, sum);
  MPI_Comm_free(&neighbors.comm);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  // From 2 processes on, some fields of the first ones have no rows or columns.
  for (int n : {0, 1, 2, 3, 8, 33, 64})
    run(n);
  MPI_Finalize();
  return 0;
}
