// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class that makes persistent requests in its constructor and frees them in its destructor, also where an exception
// leaves the function. The part of the next field that is computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcxx -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicxx -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 4 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: alternating: 104 before the first wait
#include "Inputs/cells.h"

#include <array>
#include <vector>

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };

class Halo {
public:
  Halo(double *field, int n, int m, int up, int down) {
    MPI_Recv_init(field + 1, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(field + (m + 1) * (n + 2) + 1, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(field + m * (n + 2) + 1, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(field + (n + 2) + 1, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[3]);
  }
  Halo(const Halo &) = delete;
  ~Halo() {
    for (MPI_Request &request : requests)
      MPI_Request_free(&request);
  }
  void update() {
    MPI_Startall(4, requests.data());
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }

private:
  std::array<MPI_Request, 4> requests;
};

static void sweep(const std::vector<double> &u, std::vector<double> &v, int n, int m) {
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i * (n + 2) + j] = 0.25 * (u[(i - 1) * (n + 2) + j] + u[(i + 1) * (n + 2) + j] + u[i * (n + 2) + j - 1] +
                                   u[i * (n + 2) + j + 1]);
}

/// 18 of 20 rows; 104 cells are there from the beginning.
// CHECK: alternating: 644 before the first wait
NOINLINE static void alternating(int n, int m, int up, int down, int steps) {
  std::vector<double> u(cells), v(cells);
  for (int i = 0; i < cells; ++i)
    u[i] = v[i] = rank + i % 11;
  Halo ofU(u.data(), n, m, up, down), ofV(v.data(), n, m, up, down);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i * (n + 2) + j] = NAN;
  watch(v.data(), cells);
  for (int step = 0; step < steps; step += 2) {
    ofU.update();
    sweep(u, v, n, m);
    ofV.update();
    sweep(v, u, n, m);
  }
  tell("alternating", u.data(), cells, rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = argc > 1 ? atoi(argv[1]) : columns, m = argc > 2 ? atoi(argv[2]) : rows;
  alternating(n, m, rank ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 6);
  MPI_Finalize();
  return 0;
}
