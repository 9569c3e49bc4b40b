// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole program in one file, with sizes from its arguments: all of it becomes one function, which makes the datatype
// of the columns. The sign of its stride is unknown, so the runtime is asked for it.
// RUN: %commcxx -O2 -Rcomm %s -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %mpicxx -O2 %s -o %t.plain
// RUN: %mpirun -n 1 %t 20 > %t.out && %mpirun -n 1 %t.plain 20 | diff - %t.out
// RUN: %mpirun -n 2 %t 20 > %t.out && %mpirun -n 2 %t.plain 20 | diff - %t.out
// RUN: %mpirun -n 4 %t 20 > %t.out && %mpirun -n 4 %t.plain 20 | diff - %t.out
// RUN: %mpirun -n 4 %t 1 > %t.out && %mpirun -n 4 %t.plain 1 | diff - %t.out
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

namespace {
template <class T> class Field {
public:
  Field(int nx, int ny) : cells((nx + 2) * (ny + 2)), nx(nx), ny(ny) {}
  T &operator()(int i, int j) { return cells[i * (ny + 2) + j]; }
  const T &operator()(int i, int j) const { return cells[i * (ny + 2) + j]; }
  int getRows() const { return nx; }
  int getColumns() const { return ny; }
  void swap(Field &other) { cells.swap(other.cells); }

private:
  std::vector<T> cells;
  int nx, ny;
};

class Topology {
public:
  Topology(int nx, int ny) {
    int size, dims[2] = {0, 0}, periods[2] = {1, 1};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Cart_shift(comm, 0, 1, &up, &down);
    MPI_Cart_shift(comm, 1, 1, &left, &right);
    MPI_Type_vector(nx, 1, ny + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
  }
  ~Topology() {
    MPI_Type_free(&column);
    MPI_Comm_free(&comm);
  }
  void exchange(Field<double> &f) const {
    int nx = f.getRows(), ny = f.getColumns(), n = 0;
    MPI_Request requests[8];
    MPI_Irecv(&f(0, 1), ny, MPI_DOUBLE, up, 0, comm, &requests[n++]);
    MPI_Irecv(&f(nx + 1, 1), ny, MPI_DOUBLE, down, 1, comm, &requests[n++]);
    MPI_Irecv(&f(1, 0), 1, column, left, 2, comm, &requests[n++]);
    MPI_Irecv(&f(1, ny + 1), 1, column, right, 3, comm, &requests[n++]);
    MPI_Isend(&f(nx, 1), ny, MPI_DOUBLE, down, 0, comm, &requests[n++]);
    MPI_Isend(&f(1, 1), ny, MPI_DOUBLE, up, 1, comm, &requests[n++]);
    MPI_Isend(&f(1, ny), 1, column, right, 2, comm, &requests[n++]);
    MPI_Isend(&f(1, 1), 1, column, left, 3, comm, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  }
  double max(double x) const {
    double y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, comm);
    return y;
  }
  int rank;

private:
  MPI_Comm comm;
  MPI_Datatype column;
  int up, down, left, right;
};

template <class F> void forEach(int nx, int ny, F f) {
  for (int i = 1; i <= nx; i++)
    for (int j = 1; j <= ny; j++)
      f(i, j);
}

struct Solver {
  Solver(int nx, int ny) : u(nx, ny), v(nx, ny), topology(nx, ny) {}
  double advance() {
    topology.exchange(u);
    double worst = 0;
    // REMARK: remark: splits the loop at one-file.cpp:[[#@LINE-10]]: iterations of 2 nested loops
    forEach(u.getRows(), u.getColumns(), [&](int i, int j) {
      double d = 0.1 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
      v(i, j) = u(i, j) + d;
      worst = std::max(worst, std::fabs(d));
    });
    u.swap(v);
    return worst;
  }
  Field<double> u, v;
  Topology topology;
};
} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  {
    int n = argc > 1 ? std::atoi(argv[1]) : 256;
    Solver solver(n, n);
    forEach(n, n, [&](int i, int j) { solver.u(i, j) = (i * 3 + j * 5 + solver.topology.rank) % 17; });
    for (int step = 0; step < 20; step++) {
      double worst = solver.advance();
      if (step % 5 == 4) {
        worst = solver.topology.max(worst);
        if (solver.topology.rank == 0)
          std::printf("%d %.17g\n", step, worst);
      }
    }
  }
  MPI_Finalize();
}
