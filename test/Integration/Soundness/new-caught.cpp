// Allocations that throw, caught in the function or not, while communications are in flight: every request completes
// before its buffer dies, and the program continues as before.
// RUN: %samexx %s -o %t -n 1,2 --overlaps MPI_Bcast
#include "Inputs/soundness.h"
#include <new>

static double room[steps];
char *kept; // an unused allocation may be omitted
static size_t huge = ~size_t(0) >> 2;

/// The allocation is in the interval of the broadcast, and throws depending on `n`.
NOINLINE static long uncaught(size_t n) {
  int a[few], b[few];
  fill(a, few, rank + 5);
  fill(b, few, rank + 9);
  MPI_Bcast(a, few, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(b, few, MPI_INT, 0, MPI_COMM_WORLD);
  kept = new char[n];
  kept[0] = 3;
  long result = total(a, few) + total(b, few) + kept[0];
  delete[] kept;
  return result;
}

NOINLINE static long caught(size_t n) {
  int a[few];
  fill(a, few, rank + 7);
  MPI_Bcast(a, few, MPI_INT, 0, MPI_COMM_WORLD);
  long result = 0;
  try {
    kept = new char[n];
    kept[0] = 1;
    result = kept[0];
    delete[] kept;
  } catch (const std::bad_alloc &) {
    result = 2;
  }
  work(room);
  return result + total(a, few);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (size_t n : {size_t(16), huge}) {
    try {
      say("uncaught", uncaught(n));
    } catch (const std::bad_alloc &) {
      int after[few];
      fill(after, few, rank);
      MPI_Bcast(after, few, MPI_INT, 0, MPI_COMM_WORLD);
      say("thrown", total(after, few));
    }
    say("caught", caught(n));
  }
  MPI_Finalize();
  return 0;
}
