// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program for all faults: faults KIND. Rank 1 causes the fault while the others wait for
// it.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

static int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = depth;
  return depth > 1 << 30 ? 0 : recurse(depth + 1) + frame[0];
}

/// A frame of many pages, touched at its low end or entirely; the innermost one waits for a message that is never
/// sent.
__attribute__((noinline)) static int jump(int depth, bool fill, bool wait) {
  volatile char frame[50000];
  __asm__ volatile("" : : "r"(frame)); // keeps the frame
  for (int i = 0; i < (fill ? 50000 : 1); ++i)
    frame[i] = depth;
  if (depth)
    return jump(depth - 1, fill, wait) + frame[0];
  if (wait)
    MPI_Probe(0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return frame[0];
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  auto is = [&](const char *name) { return !strcmp(kind, name); };
  MPI_Init(&argc, &argv);
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (is("deadlock"))
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 40 + rank, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  if (is("mismatch")) {
    if (rank == 1)
      MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
      MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is("constructors")) {
    MPI_Comm made;
    if (rank == 1)
      MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);
    else
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
  }
  if (is("own-thread") && rank == 1)
    std::thread([] { *static_cast<volatile int *>(nullptr) = 1; }).join();
  if (is("collective") && rank != 1)
    MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    if (is("throw"))
      throw std::runtime_error("out of luck");
    if (is("overflow"))
      value = recurse(0);
    if (is("jump"))
      value = jump(1000, false, false);
    // Deeper than its stack, but not deep enough to crash: over, or not yet.
    if (is("over"))
      value = jump(3, true, false);
    if (is("deep"))
      value = jump(3, false, true);
    if (is("abort"))
      MPI_Abort(MPI_COMM_WORLD, 7);
    if (is("exit"))
      exit(3);
    if (is("segv"))
      raise(SIGSEGV);
    if (is("kill"))
      kill(getpid(), SIGKILL);
    if (is("truncate"))
      MPI_Send(argv, 5, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (is("return"))
      return 5;
  }
  if (is("rank"))
    MPI_Send(&value, 1, MPI_INT, 77, 1, MPI_COMM_WORLD);
  if (is("collective") && rank == 1)
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // The last process is idle, and the messages that the others wait for are never
  // sent.
  if (!is("status") && !(is("ended") && rank == 1))
    MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return is("status") && rank == 2 ? 4 : 0;
}
