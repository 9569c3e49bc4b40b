// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file User settings from the environment (commrun sets it).
#ifndef COMM_RANKS_OPTIONS_H
#define COMM_RANKS_OPTIONS_H

#include <cstddef>

namespace comm::ranks {

/// COMM_RANKS_PER_THREAD, COMM_RANKS_THREADS, COMM_RANKS_STACK,
/// COMM_RANKS_COMBINE and COMM_RANKS_STATISTICS.
struct Options {
  int perThread = 1;     ///< V: ranks on each kernel thread
  int threads = 1;       ///< C: kernel threads in each process
  size_t stackBytes = 0; ///< per rank, a multiple of the page size
  /// How long a small message to another process may wait for others; 0: never; -1: as long as a network message takes,
  /// which is measured.
  int combineMicroseconds = -1;
  bool statistics = false; ///< print statistics of messages at the end
};

/// Reads the environment. An invalid value ends the program with a message that names the variable.
Options readOptions();

} // namespace comm::ranks

#endif
