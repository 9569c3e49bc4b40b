// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lattice Boltzmann on arrays of vectors in an object of the function. A destructor compares the object's addresses and
// keeps none: what is unpacked through the vectors' pointers does not change these pointers. The part of the next cells
// that is computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcxx -O2 -fcomm-cost=none %s %t.early.o -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicxx -O2 %s %t.early.o -o %t.plain
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t 3 1 | sed "s/: .* sum/: sum/" > %t.sums
// RUN: %mpirun -n 4 %t.plain 3 1 | sed "s/: .* sum/: sum/" | diff - %t.sums
#include "Inputs/cells.h"

#include <array>
#include <vector>

namespace {
constexpr int directions = 9, dx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

struct Lattice {
  int n, m;
  std::array<std::vector<double>, directions> f, g;
  std::vector<double> sendUp, sendDown, receiveUp, receiveDown;

  Lattice(int n, int m) : n(n), m(m), sendUp(3 * n), sendDown(3 * n), receiveUp(3 * n), receiveDown(3 * n) {
    for (auto &part : f)
      part.resize(n * (m + 2));
    for (auto &part : g)
      part.resize(n * (m + 2));
    for (int q = 0; q < directions; q++)
      for (int i = 0; i < n * (m + 2); i++)
        f[q][i] = 1 + 0.01 * ((i * 7 + rank + q) % 11);
  }
  void exchange() {
    static const int up[] = {2, 5, 6}, down[] = {4, 7, 8};
    for (int k = 0; k < 3; k++)
      for (int x = 0; x < n; x++) {
        sendUp[k * n + x] = f[up[k]][m * n + x];
        sendDown[k * n + x] = f[down[k]][n + x];
      }
    MPI_Sendrecv(sendUp.data(), 3 * n, MPI_DOUBLE, next, 0, receiveDown.data(), 3 * n, MPI_DOUBLE, last, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(sendDown.data(), 3 * n, MPI_DOUBLE, last, 1, receiveUp.data(), 3 * n, MPI_DOUBLE, next, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < 3; k++)
      for (int x = 0; x < n; x++) {
        f[up[k]][x] = receiveDown[k * n + x];
        f[down[k]][(m + 1) * n + x] = receiveUp[k * n + x];
      }
  }
  void collide() {
    for (int y = 1; y <= m; y++)
      for (int x = 0; x < n; x++) {
        double part[directions], total = 0;
        for (int q = 0; q < directions; q++) {
          part[q] = f[q][(y - dy[q]) * n + (x - dx[q] + n) % n];
          total += part[q];
        }
        for (int q = 0; q < directions; q++)
          g[q][y * n + x] = part[q] + 0.6 * (total / (q + 8) - part[q]);
      }
    f.swap(g);
  }
};
} // namespace

/// 18 of 20 rows of 30 cells.
// CHECK: lattice: 540 before the first wait
NOINLINE static void run(int n, int m, int steps) {
  Lattice lattice(n, m);
  for (int step = 0; step < steps; step++) {
    if (step == 1) {
      for (double &cell : lattice.g[0])
        cell = NAN;
      watch(lattice.g[0].data(), n * (m + 2));
    }
    lattice.exchange();
    lattice.collide();
  }
  tell("lattice", lattice.f[1].data(), n * (m + 2), (long)n * m);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  run(argc > 1 ? atoi(argv[1]) : 30, argc > 2 ? atoi(argv[2]) : 20, 4);
  MPI_Finalize();
  return 0;
}
