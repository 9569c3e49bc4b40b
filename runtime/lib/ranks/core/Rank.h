// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file An MPI rank, and its process.
#ifndef COMM_RANKS_RANK_H
#define COMM_RANKS_RANK_H

#include "core/Options.h"
#include "core/Thread.h"

#include "Abi.h"

#include <atomic>
#include <ctime>
#include <vector>

namespace comm::ranks {

struct Message;
struct Request;
struct Comm;

/// A function to call when a rank ends.
struct AtExit {
  void (*plain)(void) = nullptr;
  void (*withArgument)(void *) = nullptr;
  void *argument = nullptr;
};

struct Rank {
  Fiber fiber;
  Thread *thread = nullptr;
  int global = 0; ///< rank in MPI_COMM_WORLD
  int status = 0; ///< result of its main
  bool initialized = false, finalized = false, ended = false;
  int threadLevel = ABI_THREAD_FUNNELED; ///< the level that MPI_Init_thread returned

  // Receives that wait for a message, and messages that wait for a receive, in the order of MPI's matching rules
  // (MPI-4, 3.5): oldest first.
  Request *postedHead = nullptr, *postedTail = nullptr;
  Message *unexpectedHead = nullptr, *unexpectedTail = nullptr;
  Fiber *prober = nullptr; ///< fibers in MPI_Probe, linked by `next`

  ABI_Errhandler fileErrhandler = ABI_ERRORS_RETURN; ///< for files that will be opened
  Comm *world = nullptr, *self = nullptr, *parent = nullptr;
  std::vector<AtExit> *atExit = nullptr, *atQuickExit = nullptr;
  void *bsendBuffer = nullptr; ///< from MPI_Buffer_attach
  long bsendBytes = 0;
  int toolUsers = 0; ///< calls to MPI_T_init_thread minus MPI_T_finalize
};

/// All ranks of this process and their threads. One object per process.
struct Process {
  Options options;
  int index = 0, count = 1; ///< among the processes that mpirun started
  int ranksHere = 1, ranksTotal = 1;
  Rank *ranks = nullptr;
  Thread *threads = nullptr;
  std::atomic<int> live{0}; ///< ranks that have not ended
  std::atomic<int> firstStatus{0};
  std::atomic<bool> aborting{false};
  timespec started = {0, 0}; ///< origin of MPI_Wtime
  int argc = 0;
  /// Of the process that started the ranks, not of its children.
  int pid = 0;
  char **argv = nullptr, **envp = nullptr;
  const comm_ranks_image *image = nullptr;

  bool isHere(int global) const { return global / ranksHere == index; }
  int processOf(int global) const { return global / ranksHere; }
  Rank &rankOf(int global) const { return ranks[global - index * ranksHere]; }
};

extern Process process;

/// Returns the calling rank.
inline Rank &self() { return *thisThread->current->rank; }

/// Prints "comm-ranks: error: rank R: file:line: MPI_X: ..." and ends the program in all processes. \p rank may be
/// null.
[[noreturn]] void die(const Rank *rank, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Prints the same text to stderr without ending the program.
void complain(const Rank *rank, const char *severity, const char *format, ...) __attribute__((format(printf, 3, 4)));

} // namespace comm::ranks

#endif
