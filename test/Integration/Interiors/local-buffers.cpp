// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class of fields with a function that exchanges columns in local vectors, and a solver that is called through its
// base: pointers and sizes are loaded again after each loop and message, in both arms of branches. The part of the next
// field that is computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcxx -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicxx -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 4 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: solver: 104 before the first wait
#include "Inputs/cells.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

enum { rows = 20, columns = 30, cells = (rows + 2) * (columns + 2) };

class Field {
public:
  Field(int rows, int columns, double value)
      : rows(rows), columns(columns), values(new double[(rows + 2) * (columns + 2)]) {
    for (int i = 0; i < (rows + 2) * (columns + 2); ++i)
      values[i] = value + i % 11;
  }
  double &operator()(int i, int j) { return values[i * (columns + 2) + j]; }
  double operator()(int i, int j) const { return values[i * (columns + 2) + j]; }
  int getRows() const { return rows; }
  int getColumns() const { return columns; }
  double *data() { return values.get(); }

private:
  int rows, columns;
  std::unique_ptr<double[]> values;
};

struct Neighbors {
  int up, down, left, right;
};

static void exchange(Field &f, const Neighbors &to) {
  std::vector<double> toLeft(f.getRows()), toRight(f.getRows()), fromLeft(f.getRows()), fromRight(f.getRows());
  for (int i = 0; i < f.getRows(); ++i)
    toLeft[i] = f(i + 1, 1), toRight[i] = f(i + 1, f.getColumns());
  std::array<MPI_Request, 8> requests;
  MPI_Irecv(&f(0, 1), f.getColumns(), MPI_DOUBLE, to.up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&f(f.getRows() + 1, 1), f.getColumns(), MPI_DOUBLE, to.down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(fromLeft.data(), f.getRows(), MPI_DOUBLE, to.left, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(fromRight.data(), f.getRows(), MPI_DOUBLE, to.right, 3, MPI_COMM_WORLD, &requests[3]);
  MPI_Isend(&f(1, 1), f.getColumns(), MPI_DOUBLE, to.up, 1, MPI_COMM_WORLD, &requests[4]);
  MPI_Isend(&f(f.getRows(), 1), f.getColumns(), MPI_DOUBLE, to.down, 0, MPI_COMM_WORLD, &requests[5]);
  MPI_Isend(toLeft.data(), f.getRows(), MPI_DOUBLE, to.left, 3, MPI_COMM_WORLD, &requests[6]);
  MPI_Isend(toRight.data(), f.getRows(), MPI_DOUBLE, to.right, 2, MPI_COMM_WORLD, &requests[7]);
  MPI_Waitall(8, &requests[0], MPI_STATUSES_IGNORE);
  if (to.left != MPI_PROC_NULL)
    for (int i = 0; i < f.getRows(); ++i)
      f(i + 1, 0) = fromLeft[i];
  if (to.right != MPI_PROC_NULL)
    for (int i = 0; i < f.getRows(); ++i)
      f(i + 1, f.getColumns() + 1) = fromRight[i];
}

class Solver {
public:
  Solver(const Neighbors &neighbors, int rows, int columns)
      : neighbors(neighbors), now(new Field(rows, columns, rank)), next(new Field(rows, columns, rank)) {}
  virtual ~Solver() = default;
  virtual void step() = 0;
  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (i == 1) {
        for (int row = 1; row <= next->getRows(); ++row)
          for (int column = 1; column <= next->getColumns(); ++column)
            (*next)(row, column) = NAN;
        watch(next->data(), cells);
      }
      step();
      std::swap(now, next);
    }
  }
  Field &getField() { return *now; }

protected:
  Neighbors neighbors;
  std::unique_ptr<Field> now, next;
};

class Diffusion : public Solver {
public:
  using Solver::Solver;
  NOINLINE void step() override {
    exchange(*now, neighbors);
    const Field &u = *now;
    for (int i = 1; i <= u.getRows(); ++i)
      for (int j = 1; j <= u.getColumns(); ++j)
        (*next)(i, j) = u(i, j) + 0.1 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
  }
};

// 18 of 20 rows, and of these 29 of 30 columns, since there is a neighbor on one side; 104 cells are there from the
// beginning.
// CHECK: solver: 626 before the first wait
int main(int argc, char **argv) {
  begin(&argc, &argv);
  Neighbors neighbors{MPI_PROC_NULL, MPI_PROC_NULL, rank ? rank - 1 : MPI_PROC_NULL,
                      rank + 1 < size ? rank + 1 : MPI_PROC_NULL};
  Diffusion diffusion(neighbors, rows, columns);
  Solver &solver = diffusion;
  solver.run(3);
  tell("solver", solver.getField().data(), cells, rows * columns);
  MPI_Finalize();
  return 0;
}
