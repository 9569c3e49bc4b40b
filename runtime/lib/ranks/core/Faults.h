// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Crashes of a rank: names the rank, then ends as without ranks.
#ifndef COMM_RANKS_FAULTS_H
#define COMM_RANKS_FAULTS_H

namespace comm::ranks {

/// Installs handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL, and of std::terminate. Called once per process.
void installFaultHandlers();

/// Installs a stack for signal handlers in the calling kernel thread: an overflow leaves no room on the fiber's.
void installSignalStack();

} // namespace comm::ranks

#endif
