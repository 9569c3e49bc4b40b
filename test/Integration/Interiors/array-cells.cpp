// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Euler's equations as C++ has them: cells are arrays of std, subscripts are functions, a lambda computes the flux
// through a face, and a template goes over cells. All of it is inlined into the loop, since a call touches whatever its
// arguments point to. Counts the numbers that are computed before the first wait.
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
// PLAIN: cells: 0 before the first wait
#include "Inputs/cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace {
using State = std::array<double, 4>;
constexpr int ghosts = 2;
constexpr double ratio = 1.4;

template <typename T> class Field {
public:
  Field(int rows, int columns)
      : rows_(rows), columns_(columns), width_(columns + 2 * ghosts), data_(size_t(rows + 2 * ghosts) * width_) {}
  T &operator()(int i, int j) noexcept { return data_[size_t(i + ghosts) * width_ + (j + ghosts)]; }
  const T &operator()(int i, int j) const noexcept { return data_[size_t(i + ghosts) * width_ + (j + ghosts)]; }
  T *row(int i) { return data_.data() + size_t(i + ghosts) * width_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int width() const { return width_; }
  size_t size() const { return data_.size(); }

private:
  int rows_, columns_, width_;
  std::vector<T> data_;
};

double pressure(const State &u) { return (ratio - 1) * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0]); }

State flux(const State &l, const State &r, int axis) {
  State f;
  double pl = pressure(l), pr = pressure(r), vl = l[1 + axis] / l[0], vr = r[1 + axis] / r[0];
  double speed = std::max(std::fabs(vl) + std::sqrt(ratio * pl / l[0]), std::fabs(vr) + std::sqrt(ratio * pr / r[0]));
  for (int k = 0; k < 4; ++k)
    f[k] = 0.5 * (l[k] * vl + r[k] * vr) - 0.5 * speed * (r[k] - l[k]);
  f[1 + axis] += 0.5 * (pl + pr);
  f[3] += 0.5 * (pl * vl + pr * vr);
  return f;
}

State limited(const State &a, const State &b, const State &c, double side) {
  State s;
  for (int k = 0; k < 4; ++k) {
    double l = b[k] - a[k], r = c[k] - b[k];
    s[k] = b[k] + side * 0.5 * (l * r > 0 ? (std::fabs(l) < std::fabs(r) ? l : r) : 0.0);
  }
  return s;
}

template <typename F> void forEachCell(const Field<State> &u, F &&body) {
  for (int i = 0; i < u.rows(); ++i)
    for (int j = 0; j < u.columns(); ++j)
      body(i, j);
}

double advance(const Field<State> &u, Field<State> &v, double dt) {
  double fastest = 0;
  forEachCell(u, [&](int i, int j) {
    auto face = [&](int di, int dj, int ii, int jj) {
      State l = limited(u(ii - di, jj - dj), u(ii, jj), u(ii + di, jj + dj), 1);
      State r = limited(u(ii, jj), u(ii + di, jj + dj), u(ii + 2 * di, jj + 2 * dj), -1);
      return flux(l, r, dj);
    };
    State w = face(1, 0, i - 1, j), e = face(1, 0, i, j), s = face(0, 1, i, j - 1), n = face(0, 1, i, j);
    for (int k = 0; k < 4; ++k)
      v(i, j)[k] = u(i, j)[k] - dt * (e[k] - w[k] + n[k] - s[k]);
    const State &x = v(i, j);
    fastest = std::max(fastest, std::fabs(x[1] / x[0]) + std::sqrt(ratio * pressure(x) / x[0]));
  });
  return fastest;
}

void update(Field<State> &u) {
  const int count = ghosts * u.width() * 4;
  std::array<MPI_Request, 4> requests{};
  MPI_Irecv(u.row(-ghosts), count, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(u.row(u.rows()), count, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(u.row(0), count, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(u.row(u.rows() - ghosts), count, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
}
} // namespace

/// 16 of 20 rows, without two rows at each end.
// CHECK: cells: 1920 before the first wait, of 2400
NOINLINE static void run(int rows, int columns) {
  Field<State> u(rows, columns), v(rows, columns);
  for (int i = -ghosts; i < rows + ghosts; ++i)
    for (int j = -ghosts; j < columns + ghosts; ++j) {
      double density = 1 + 0.1 * ((rank * rows + i + 7) % 5) + 0.05 * ((j + 4) % 3);
      u(i, j) = {density, 0.1 * density, 0.05 * density, 2.5 + 0.01 * density * density};
      v(i, j) = {NAN, NAN, NAN, NAN};
    }
  watch(v(-ghosts, -ghosts).data(), v.size() * 4);
  update(u);
  double fastest = advance(u, v, 0.01);
  v(-1, -1)[0] = fastest;
  tell("cells", v(-ghosts, -ghosts).data(), v.size() * 4, 4L * rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  run(20 + argc - 1, 30);
  MPI_Finalize();
  return 0;
}
