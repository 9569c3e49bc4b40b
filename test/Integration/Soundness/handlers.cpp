// Communication in a destructor that an exception runs, and in a handler: the start of a landing pad stays in place.
// RUN: %samexx %s -o %t -n 1
#include "Inputs/soundness.h"
#include <stdexcept>

static double values[steps];

NOINLINE static void mayThrow(int n) {
  if (n > 0)
    throw std::runtime_error("thrown");
}

struct Guard {
  int *got;
  ~Guard() {
    int data[few];
    fill(data, few, 4);
    MPI_Sendrecv(data, few, MPI_INT, 0, 0, got, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    work(values);
  }
};

NOINLINE static void body(int n, int *got) {
  Guard guard{got};
  mayThrow(n);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int got[few], more[few];
  for (int n = 0; n < 2; ++n)
    try {
      body(n, got);
      say("no exception", total(got, few));
    } catch (const std::exception &error) {
      MPI_Sendrecv(got, few, MPI_INT, 0, 0, more, few, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      work(values);
      say(error.what(), total(more, few));
    }
  MPI_Finalize();
  return 0;
}
