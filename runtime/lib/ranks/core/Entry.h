// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI calls by threads that a rank starts (MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE).
///
/// Only the kernel thread of a rank accesses the rank's data. Another thread that calls MPI for the rank acts as that
/// kernel thread during the call: whoever is inside holds Thread::access, which the owner releases when it leaves MPI
/// and while it has nothing to run. A waiting thread releases it from time to time; it has no stack that the scheduler
/// could switch to, so it checks itself whether it can continue.
///
/// A rank that did not request this takes no lock.
///
/// Where messages are held back to be combined, a rank that leaves MPI lends them to a helper, and takes them back when
/// it returns.
#ifndef COMM_RANKS_ENTRY_H
#define COMM_RANKS_ENTRY_H

#include "core/Thread.h"

namespace comm::ranks {

/// Returns whether a call may go straight to the runtime.
inline bool isOnlyThread() { return __builtin_expect(thisThread && !thisThread->countsEntries, 1); }

/// Returns the rank whose variables the calling thread sees, i.e. that started it. Null if there is none or it is
/// unknown.
Rank *rankOfThread();

/// The scope of a call to the runtime.
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
