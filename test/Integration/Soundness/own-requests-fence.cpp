// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own wait whose start is far away (here: after a call that may exit) has no landing pad that would
// repeat it: an allocation that another communication needs early stays after it.
// RUN: %samexx %s -o %t -n 2 --overlaps MPI_Bcast
#include "Inputs/soundness.h"

#include <new>

static double values[steps];
static int *volatile kept;

extern "C" NOINLINE __attribute__((weak)) void check(int count) noexcept {
  if (count > 1000)
    exit(3);
}

NOINLINE static void exchange(int *__restrict in, size_t bytes) {
  MPI_Request request;
  MPI_Irecv(in, many, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
  check(size);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int *fresh = new int[bytes / sizeof(int)];
  MPI_Bcast(fresh, few, MPI_INT, 0, MPI_COMM_SELF);
  work(values);
  kept = fresh;
  delete[] fresh;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int *numbers = (int *)calloc(many, sizeof(int));
  if (rank == 0) {
    try {
      exchange(numbers, size_t(1) << 46);
    } catch (const std::bad_alloc &) {
      say("received before the exception", total(numbers, many));
    }
  } else {
    fill(numbers, many, 3);
    nap(200); // the receive has to wait
    MPI_Send(numbers, many, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
