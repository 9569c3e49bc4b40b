// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Threads that a rank starts and that call MPI (MPI_THREAD_SERIALIZED,
/// MPI_THREAD_MULTIPLE).
///
/// All that belongs to a rank is touched by its kernel thread alone. Another
/// thread that calls MPI for the rank acts as that kernel thread for the time
/// of the call: who is inside holds Thread::access, and the owner gives it up
/// when it leaves MPI and while it has nothing to run. A thread that waits gives
/// it up now and then; it has no stack that the scheduler could switch to, so it
/// looks for itself whether it goes on.
///
/// A rank that did not ask for it takes no lock.
///
/// Where messages are held back to be combined, a rank that leaves MPI lends them
/// to a helper, and takes them back when it comes again.
#ifndef COMM_RANKS_ENTRY_H
#define COMM_RANKS_ENTRY_H

#include "core/Thread.h"

namespace comm::ranks {

/// True if a call may go straight to the runtime.
inline bool isOnlyThread() { return __builtin_expect(thisThread && !thisThread->countsEntries, 1); }

/// The rank whose variables the calling thread sees: who started it. Null if none, or if nothing tells.
Rank *rankOfThread();

/// A call of the runtime, from its begin to its end.
class Entry {
public:
  Entry() {
    if (!isOnlyThread())
      enter();
  }
  Entry(const Entry &) = delete;
  ~Entry() {
    if (entered)
      leave();
  }

private:
  void enter();
  void leave();
  bool entered = false;
};

} // namespace comm::ranks

#endif
