// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Permission to send messages that a kernel thread holds back: the thread has it while it is in the runtime, a
/// helper while one of its ranks computes.
#ifndef COMM_RANKS_LEASE_H
#define COMM_RANKS_LEASE_H

#include <atomic>
#include <sched.h>

namespace comm::ranks {

/// Synchronizes one owner and one helper. lend() synchronizes with take(), and giveBack() with takeBack(), so neither
/// needs a lock for lent data.
class Lease {
public:
  /// Called by the owner: the helper may take it from now on.
  void lend() {
    isLent = true;
    state.store(Lent, std::memory_order_seq_cst);
  }

  /// Called by the owner at any time: waits while the helper has it. Returns true if the helper had it.
  bool takeBack() {
    if (!isLent)
      return false;
    isLent = false;
    int found = Lent;
    if (state.compare_exchange_strong(found, Kept, std::memory_order_acquire))
      return false;
    while (state.load(std::memory_order_acquire) != Returned)
      sched_yield(); // the helper may need this core
    state.store(Kept, std::memory_order_relaxed);
    return true;
  }

  /// Called by the helper: returns true if it now has the lease, until giveBack().
  bool take() {
    int found = Lent;
    return state.compare_exchange_strong(found, Taken, std::memory_order_seq_cst);
  }
  void giveBack() { state.store(Returned, std::memory_order_release); }

private:
  enum State { Kept, Lent, Taken, Returned };
  std::atomic<int> state{Kept};
  bool isLent = false; ///< accessed by the owner
};

} // namespace comm::ranks

#endif
