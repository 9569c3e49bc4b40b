// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes that own a datatype: the destructor frees it on each path out of the function. Its accesses to the handle do
// not come before a message; those of another function in an iteration do.
// RUN: %samexx %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"
#include <vector>

namespace {
struct Grid {
  Grid(int rows, int columns) : rows(rows), columns(columns), cells((rows + 2) * (columns + 3)) { make(1); }
  ~Grid() { MPI_Type_free(&column); }
  Grid(const Grid &) = delete;
  Grid &operator=(const Grid &) = delete;

  void make(int width) {
    MPI_Type_vector(rows, width, columns + 3, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
  }
  double &operator()(int i, int j) { return cells[i * (columns + 3) + j]; }
  void exchange(int left, int right) {
    MPI_Sendrecv(&(*this)(1, columns), 1, column, right, 0, &(*this)(1, 0), 1, column, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }

  int rows, columns;
  std::vector<double> cells;
  MPI_Datatype column;
};
} // namespace

static void sweep(Grid &from, Grid &to) {
  for (int i = 1; i <= from.rows; ++i)
    for (int j = 2; j <= from.columns; ++j)
      to(i, j) = 0.5 * from(i, j - 2) + 0.25 * from(i, j - 1) - from(i - 1, j);
}

static void fill(Grid &grid, int seed) {
  for (unsigned k = 0; k < grid.cells.size(); ++k)
    grid.cells[k] = (k * 37 + seed + rank) % 101 / 7.0;
}

static void say(Grid &a, Grid &b) {
  int words = 2 * a.cells.size();
  say("cells", total((int *)a.cells.data(), words) * 7 + total((int *)b.cells.data(), words));
}

/// From the second iteration on messages have two columns.
NOINLINE static void widen(Grid &grid, int turn) {
  if (turn == 1) {
    MPI_Type_free(&grid.column);
    grid.make(2);
  }
}

// CHECK-DAG: remark: splits the loop at owned-datatypes.cpp:[[#@LINE-23]]: iterations of 2 nested loops
// CHECK-DAG: MPI_Sendrecv at owned-datatypes.cpp:{{[0-9]+}} overlaps 1 loop
template <bool widens> NOINLINE static void run(int rows, int columns, int left, int right) {
  Grid a(rows, columns), b(rows, columns);
  fill(a, 1), fill(b, 2);
  for (int turn = 0; turn < 4; ++turn) {
    a.exchange(left, right);
    sweep(a, b);
    a.cells.swap(b.cells);
    if constexpr (widens)
      widen(a, turn);
  }
  say(a, b);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int rows = 1; rows < 6; ++rows)
    for (int columns = 4; columns < 12; columns += 3) {
      run<false>(rows, columns, (rank + size - 1) % size, (rank + 1) % size);
      run<true>(rows, columns, (rank + size - 1) % size, (rank + 1) % size);
    }
  MPI_Finalize();
  return 0;
}
