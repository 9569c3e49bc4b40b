// Functions that check error codes are skipped without an error, and throw with one.
// RUN: %samexx %s -o %t -n 2
// RUN: %commcxx -O2 -g1 -fcomm-cost=none -DFATAL -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
#include "Inputs/soundness.h"
#include <stdexcept>
#include <string>

enum { columns = 40, rows = 6 };

static void check(int code, const char *call) {
  if (code != MPI_SUCCESS)
    throw std::runtime_error(std::string(call) + (code == MPI_ERR_RANK ? " had a wrong rank" : " failed") +
                             std::to_string(code == MPI_ERR_RANK));
}

/// It also has an effect without an error.
static int numCalls;
NOINLINE static void count(int code) {
  ++numCalls;
  if (code != MPI_SUCCESS)
    throw std::runtime_error("counted");
}

NOINLINE static void step(double *u, double *v, int m, int to, int from) {
  check(MPI_Sendrecv(u + columns, columns, MPI_DOUBLE, to, 0, u + (m + 1) * columns, columns, MPI_DOUBLE, from, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
  // CHECK: remark: splits the loop at error-checks.cpp:[[#@LINE+1]]
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = u[(i - 1) * columns + j] + u[(i + 1) * columns + j];
}

NOINLINE static void counted(double *u, int to, int from) {
  count(MPI_Sendrecv(u, columns, MPI_DOUBLE, to, 1, u + columns, columns, MPI_DOUBLE, from, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  static double u[(rows + 2) * columns], v[(rows + 2) * columns];
  for (double &value : u)
    value = (&value - u) % 7 + rank;
  int other = 1 - rank;
  const int m = rows + argc - 1;
  step(u, v, m, other, other);
  counted(u, other, other);
#ifndef FATAL
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
  for (int to : {other, size + 3})
    try {
      step(u, v, m, to, to);
      say("no error", static_cast<long>(v[columns]));
    } catch (const std::exception &error) {
      say(error.what(), static_cast<long>(v[columns]));
    }
  say("calls", numCalls);
  MPI_Finalize();
  return 0;
}
