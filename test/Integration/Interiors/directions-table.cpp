// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lattice Boltzmann with nineteen directions in a table of constants, in one array: loops over the directions are
// unrolled, since each has a neighbor of its own. Planes of five directions are packed and unpacked. How many of the
// cells of one direction are computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcxx -O2 %s %t.early.o -lm -o %t
// RUN: %commcxx -O3 %s %t.early.o -lm -o %t.o3
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpirun -n 2 %t.o3 | FileCheck %s
// RUN: %mpicxx -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.o3 | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 4 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: lattice: 0 before the first wait
#include "Inputs/cells.h"

#include <utility>
#include <vector>

namespace {
constexpr int numDirections = 19;
constexpr int direction[numDirections][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                             {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                             {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                             {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};

struct Lattice {
  int nx, ny, nz;
  std::vector<double> cells;

  Lattice(int nx, int ny, int nz)
      : nx(nx), ny(ny), nz(nz), cells(size_t(numDirections) * (nx + 2) * (ny + 2) * (nz + 2)) {}
  size_t at(int q, int x, int y, int z) const { return ((size_t(q) * (nz + 2) + z) * (ny + 2) + y) * (nx + 2) + x; }
  size_t ofDirection() const { return size_t(nx + 2) * (ny + 2) * (nz + 2); }
};

class Exchange {
  static constexpr int up[5] = {5, 11, 14, 15, 18}, down[5] = {6, 12, 13, 16, 17};
  int plane;
  std::vector<double> toUp, toDown, fromUp, fromDown;

public:
  explicit Exchange(const Lattice &l)
      : plane((l.nx + 2) * (l.ny + 2)), toUp(5 * plane), toDown(5 * plane), fromUp(5 * plane), fromDown(5 * plane) {}
  void operator()(Lattice &l) {
    MPI_Request requests[4];
    for (int k = 0; k < 5; ++k)
      for (int p = 0; p < plane; ++p) {
        toUp[k * plane + p] = l.cells[l.at(up[k], 0, 0, l.nz) + p];
        toDown[k * plane + p] = l.cells[l.at(down[k], 0, 0, 1) + p];
      }
    MPI_Irecv(fromDown.data(), 5 * plane, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(fromUp.data(), 5 * plane, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(toUp.data(), 5 * plane, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(toDown.data(), 5 * plane, MPI_DOUBLE, last, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 5; ++k)
      for (int p = 0; p < plane; ++p) {
        l.cells[l.at(up[k], 0, 0, 0) + p] = fromDown[k * plane + p];
        l.cells[l.at(down[k], 0, 0, l.nz + 1) + p] = fromUp[k * plane + p];
      }
  }
};

void collide(const Lattice &from, Lattice &to) {
  for (int z = 1; z <= from.nz; ++z)
    for (int y = 1; y <= from.ny; ++y)
      for (int x = 1; x <= from.nx; ++x) {
        double part[numDirections], density = 0, flow[3] = {0, 0, 0};
        for (int q = 0; q < numDirections; ++q) {
          part[q] = from.cells[from.at(q, x - direction[q][0], y - direction[q][1], z - direction[q][2])];
          density += part[q];
          for (int d = 0; d < 3; ++d)
            flow[d] += direction[q][d] * part[q];
        }
        for (int q = 0; q < numDirections; ++q) {
          double along = direction[q][0] * flow[0] + direction[q][1] * flow[1] + direction[q][2] * flow[2];
          to.cells[to.at(q, x, y, z)] = part[q] + 0.6 * ((density + 3 * along) / numDirections - part[q]);
        }
      }
}
} // namespace

/// Eight of ten planes.
// CHECK: lattice: 504 before the first wait, of 630
NOINLINE static void run(int nx, int ny, int nz) {
  Lattice now(nx, ny, nz), then(nx, ny, nz);
  Exchange exchange(now);
  for (size_t i = 0; i < now.cells.size(); ++i)
    now.cells[i] = then.cells[i] = 1 + 0.01 * ((i * 7 + rank) % 11);
  double *watched = nullptr;
  for (int step = 0; step < 3; ++step) {
    if (step == 2) {
      watched = &then.cells[then.at(7, 0, 0, 0)];
      for (size_t i = 0; i < then.ofDirection(); ++i)
        watched[i] = NAN;
      watch(watched, then.ofDirection());
    }
    exchange(now);
    collide(now, then);
    std::swap(now.cells, then.cells);
  }
  tell("lattice", watched, now.ofDirection(), (long)nx * ny * nz);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  run(9, 7, 10 + argc - 1);
  MPI_Finalize();
  return 0;
}
