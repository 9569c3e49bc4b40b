// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Crashes of a rank: named by rank, then ended as without ranks.
#ifndef COMM_RANKS_FAULTS_H
#define COMM_RANKS_FAULTS_H

namespace comm::ranks {

/// Handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL, and of std::terminate. Once
/// a process.
void installFaultHandlers();

/// The calling kernel thread's stack for signal handlers: an overflow leaves
/// none on the fiber's.
void installSignalStack();

} // namespace comm::ranks

#endif
