// A call that may throw is not crossed: on that way the buffer dies, or is read by the handler.
// RUN: %samexx %s -o %t -n 2
#include "Inputs/soundness.h"
#include <stdexcept>
#include <vector>

static double values[steps];
static int global[few];

NOINLINE static void mayThrow(int n) {
  if (n > 0)
    throw std::runtime_error("thrown");
}

struct Guard { // reads on the way out
  const int *data;
  ~Guard() { say("guard", total(data, few)); }
};

NOINLINE static void body(int n) {
  int local[few];
  Guard guard{local};
  MPI_Recv(local, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(global, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  mayThrow(n);
  work(values);
}

NOINLINE static void first() {
  for (int n = 0; n < 2; ++n)
    try {
      body(n);
      say("global", total(global, few));
    } catch (const std::exception &error) {
      say(error.what(), total(global, few));
    }
}

NOINLINE static void second() {
  std::vector<int> data(few);
  for (int n = 0; n < 4; ++n) {
    fill(data.data(), few, n);
    nap(60);
    MPI_Send(data.data(), few, MPI_INT, 0, n % 2, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
