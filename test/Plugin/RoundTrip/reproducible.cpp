// The same input gives the same output, wherever the system puts the compiler's memory. Calls of MPI in C++ may throw, and
// end basic blocks.
// RUN: %commcxx -O2 -fcomm-cost=none -S -emit-llvm %s -o %t.1.ll
// RUN: %commcxx -O2 -fcomm-cost=none -S -emit-llvm %s -o %t.2.ll
// RUN: %commcxx -O2 -fcomm-cost=none -S -emit-llvm %s -o %t.3.ll
// RUN: %commcxx -O2 -fcomm-cost=none -S -emit-llvm %s -o %t.4.ll
// RUN: %commcxx -O2 -fcomm-cost=none -S -emit-llvm %s -o %t.5.ll
// RUN: cmp %t.1.ll %t.2.ll
// RUN: cmp %t.1.ll %t.3.ll
// RUN: cmp %t.1.ll %t.4.ll
// RUN: cmp %t.1.ll %t.5.ll
// RUN: %commcxx -O2 -fcomm-cost=none -Rpass=comm -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK-COUNT-2: splits the loop
#include <mpi.h>
#include <utility>
#include <vector>

struct Grid {
  int nx, ny, w;
  int sides[4];
  explicit Grid(int n) : nx(n), ny(n), w(n + 2) {
    int dims[2] = {0, 0}, periods[2] = {1, 1}, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    MPI_Cart_shift(comm, 0, 1, &sides[0], &sides[1]);
    MPI_Cart_shift(comm, 1, 1, &sides[2], &sides[3]);
  }
  void exchange(std::vector<double> &u) const {
    MPI_Request r[4];
    MPI_Irecv(&u[1], nx, MPI_DOUBLE, sides[0], 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&u[(ny + 1) * w + 1], nx, MPI_DOUBLE, sides[1], 1, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(&u[ny * w + 1], nx, MPI_DOUBLE, sides[1], 0, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&u[w + 1], nx, MPI_DOUBLE, sides[0], 1, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  }
};

static void relax(const Grid &g, std::vector<double> &u, std::vector<double> &v) {
  g.exchange(u);
  int w = g.w;
  for (int i = 1; i <= g.ny; i++)
    for (int j = 1; j <= g.nx; j++) {
      int c = i * w + j;
      v[c] = 0.25 * (u[c - 1] + u[c + 1] + u[c - w] + u[c + w]);
    }
}

static void relaxRows(const Grid &g, double **u, double **v) {
  MPI_Sendrecv(u[1], g.nx, MPI_DOUBLE, g.sides[0], 0, u[g.ny + 1], g.nx, MPI_DOUBLE, g.sides[1], 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= g.ny; i++)
    for (int j = 1; j <= g.nx; j++)
      v[i][j] = u[i - 1][j] + u[i + 1][j];
}

double run(int n, int steps, double **rows, double **others) {
  Grid g(n);
  std::vector<double> u((n + 2) * (n + 2), 1.0), v(u);
  for (int s = 0; s < steps; ++s) {
    relax(g, u, v);
    std::swap(u, v);
    relaxRows(g, rows, others);
  }
  return u[n + 3];
}
