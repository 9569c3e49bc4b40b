// A command that links a program from one C++ file also knows the callers of its templates and member functions.
// RUN: mkdir -p %t
// RUN: %commcxx -O2 -g1 -Rcomm -fcomm-cost=none %s -o %t/whole 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: llvm-nm %t/whole | FileCheck --check-prefix=LOCAL %s
// RUN: %mpirun -n 2 %t/whole | FileCheck --check-prefix=RUNS %s
// RUN: %commcxx -O2 -Rcomm -c %s -o %t/part.o 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: llvm-nm %t/part.o | FileCheck --check-prefix=GLOBAL %s
// ALONE-NOT: may receive from any source
// SHARED: MPI_Sendrecv may receive from any source
// LOCAL: t _ZN4GridIdE4sync
// GLOBAL: W _ZN4GridIdE4sync
// RUNS: sum 30
#include <cstdio>
#include <memory>
#include <mpi.h>
#include <vector>

template <class T> class Grid {
  int rows, columns;
  std::vector<T> data;

public:
  Grid(int rows, int columns) : rows(rows), columns(columns), data((rows + 2) * columns) {}
  T &at(int i, int j) { return data[i * columns + j]; }
  [[gnu::noinline]] void add(T value) { data.push_back(value); }
  [[gnu::noinline]] void sync(MPI_Datatype type, int up, int down) {
    MPI_Sendrecv(&at(1, 0), columns, type, up, 0, &at(rows + 1, 0), columns, type, down, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
};

/// Held by a pointer, whose functions are those of a template in std.
class Solver {
  int up, down;
  std::vector<double> data;

public:
  Solver(int up, int down) : up(up), down(down), data(10) {}
  [[gnu::noinline]] void sync() {
    MPI_Sendrecv(&data[0], 1, MPI_DOUBLE, up, 1, &data[1], 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  Grid<double> grid(4, 3);
  for (int j = 0; j < 3; ++j)
    grid.at(1, j) = 10, grid.at(4, j) = 11;
  grid.add(1);
  grid.sync(MPI_DOUBLE, up, down);
  auto solver = std::make_unique<Solver>(up, down);
  solver->sync();
  double sum = 0;
  for (int j = 0; j < 3; ++j)
    sum += grid.at(5, j);
  if (rank == 0)
    std::printf("sum %g\n", sum);
  MPI_Finalize();
  return 0;
}
