// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes that check their indices: assertions on each of them, and std::vector::at. The program tests before a
// loop whether any iteration leaves (TestExits.cpp). The cells that are computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcxx -O2 %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %commcxx -O3 -fcomm-whole-program %s %t.early.o -lm -o %t.3
// RUN: %mpirun -n 2 %t.3 | FileCheck %s
// RUN: %mpicxx -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-3: -1 before the first wait
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.3 | sed 's/: .* sum/: sum/' | diff %t.sums -
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff %t.sums -
#undef NDEBUG
#include "Inputs/cells.h"

#include <assert.h>
#include <utility>
#include <vector>

enum { rows = 20, columns = 30, cells = (rows + 2) * (columns + 2) };

/// Exchanges the first and the last row of each process with those before and after it.
static void exchange(double *u) {
  int n = columns + 2;
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, last, 0, u + (rows + 1) * n, n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + rows * n, n, MPI_DOUBLE, next, 1, u, n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

template <typename T> class Asserted {
public:
  Asserted(int nx, int ny) : nx(nx), ny(ny), values(nx * ny) {}
  T &operator()(int i, int j) {
    assert(i >= 0 && i < nx);
    assert(j >= 0 && j < ny);
    return values[i * ny + j];
  }
  const T &operator()(int i, int j) const { return const_cast<Asserted &>(*this)(i, j); }
  T *data() { return values.data(); }

private:
  int nx, ny;
  std::vector<T> values;
};

class Checked {
public:
  Checked(size_t nx, size_t ny) : ny(ny), values(nx * ny) {}
  double &operator()(size_t i, size_t j) { return values.at(i * ny + j); }
  double operator()(size_t i, size_t j) const { return values.at(i * ny + j); }
  double *data() { return values.data(); }

private:
  size_t ny;
  std::vector<double> values;
};

template <typename Grid> struct Field {
  int nx, ny;
  Grid cell;
  Field(int nx, int ny) : nx(nx), ny(ny), cell(nx + 2, ny + 2) {}
};

template <typename Field> static INLINE void sweep(Field &to, const Field &from) {
  for (int i = 1; i < to.nx + 1; ++i)
    for (int j = 1; j < to.ny + 1; ++j)
      to.cell(i, j) = from.cell(i, j) + 0.1 * (from.cell(i + 1, j) - 4.0 * from.cell(i, j) + from.cell(i - 1, j) +
                                               from.cell(i, j + 1) + from.cell(i, j - 1));
}

/// As many steps as two, of which the second one counts.
template <typename Grid> NOINLINE static void run(const char *name, int m, int n) {
  Field<Grid> a(m, n), b(m, n);
  for (int i = 0; i < cells; ++i)
    a.cell.data()[i] = rank + i % 11;
  for (int step = 0; step < 3; ++step) {
    if (step == 1) {
      for (int i = 0; i < cells; ++i)
        b.cell.data()[i] = NAN;
      watch(b.cell.data(), cells);
    }
    exchange(a.cell.data());
    sweep(b, a);
    std::swap(a, b);
  }
  tell(name, a.cell.data(), cells, rows * columns);
}

/// A second loop passes the first one, which leaves in none of its iterations.
NOINLINE static void two(int m, int n) {
  Field<Asserted<double>> a(m, n), b(m, n), c(m, n);
  for (int i = 0; i < cells; ++i)
    a.cell.data()[i] = rank + i % 11, c.cell.data()[i] = NAN;
  watch(c.cell.data(), cells);
  exchange(a.cell.data());
  sweep(b, a);
  sweep(c, a);
  tell("two", c.cell.data(), cells, rows * columns);
}

// 18 of 20 rows.
// CHECK: asserted: 540 before the first wait
// CHECK: checked: 540 before the first wait
// CHECK: two: 540 before the first wait
int main(int argc, char **argv) {
  begin(&argc, &argv);
  int more = argc - 1;
  run<Asserted<double>>("asserted", rows + more, columns + more);
  run<Checked>("checked", rows + more, columns + more);
  two(rows + more, columns + more);
  MPI_Finalize();
}
