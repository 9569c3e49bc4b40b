// Waits cross calls that do not return, and are repeated on that path, where their buffers are read or die.
// RUN: %samexx %s -o %t -n 2 --overlaps "MPI_Recv at exits.cpp"
#include "Inputs/soundness.h"
#include <stdexcept>
#include <vector>

static double values[steps];
static int global[few];

struct Guard { // reads on the way out
  const int *data;
  ~Guard() { say("guard", total(data, few)); }
};

NOINLINE static void thrown(int n) {
  int local[few];
  MPI_Recv(local, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(global, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (n == 1)
    throw std::runtime_error("thrown");
  work(values);
  say("local", total(local, few));
}

/// The landing pad is that of a call.
NOINLINE static void cleaned(size_t n) {
  int local[few];
  Guard guard{local};
  MPI_Recv(local, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(global, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::vector<double> next(n);
  for (size_t i = 1; i < n; ++i)
    next[i] = next[i - 1] * 0.5 + i;
  say("last", static_cast<long>(next[n - 1]));
}

/// Caught here, and the buffer is used again.
NOINLINE static void caught(size_t n) {
  int local[few] = {};
  try {
    MPI_Recv(local, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(global, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::vector<double> next(n);
    for (size_t i = 1; i < n; ++i)
      next[i] = next[i - 1] * 0.5 + i;
    say("next", static_cast<long>(next[n - 1]));
  } catch (const std::exception &) {
    say("caught", total(local, few));
  }
  for (int &value : local)
    value = -1;
  say("overwritten", total(local, few));
}

/// Requests of the program's own, and statuses that die with them.
NOINLINE static void own(int n) {
  int local[few];
  std::vector<int> heap(few);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(local, few, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(heap.data(), few, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  if (n == 1)
    throw std::length_error("too long");
  std::vector<double> next(n + 5);
  for (int i = 1; i < n + 5; ++i)
    next[i] = next[i - 1] * 0.5 + i;
  say("own", static_cast<long>(next[n + 4]) + total(local, few) + total(heap.data(), few));
}

/// A status describes the received message, and the handler reads it.
static MPI_Status status;
NOINLINE static void told(size_t n) {
  int local[few];
  MPI_Recv(local, few, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
  MPI_Recv(global, few, MPI_INT, 1, 1, MPI_COMM_WORLD, &status);
  std::vector<double> next(n);
  for (size_t i = 1; i < n; ++i)
    next[i] = next[i - 1] * 0.5 + i;
  say("told", static_cast<long>(next[n - 1]) + total(local, few) + status.MPI_TAG);
}

template <typename Function> static void tryEach(Function function, size_t large) {
  for (size_t n = 0; n < 3; ++n)
    try {
      function(n == 1 ? large : n + 2);
    } catch (const std::exception &) {
      say("global", total(global, few) + status.MPI_TAG);
    }
}

static void first() {
  tryEach([](size_t n) { thrown(n == 1); }, 1);
  tryEach(cleaned, size_t(1) << 62);
  tryEach(caught, size_t(1) << 62);
  tryEach([](size_t n) { own(n); }, 1);
  tryEach(told, size_t(1) << 62);
}

static void second() {
  std::vector<int> data(few);
  for (int n = 0; n < 30; ++n) {
    fill(data.data(), few, n);
    if (n % 2 == 0)
      nap(40);
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
