// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Who may send what a kernel thread holds back: itself while it is in the
/// runtime, a helper while a rank of it computes.
#ifndef COMM_RANKS_LEASE_H
#define COMM_RANKS_LEASE_H

#include <atomic>
#include <sched.h>

namespace comm::ranks {

/// Between one owner and one helper. What the owner wrote before lend() the
/// helper sees after take(), and the other way round from giveBack() to
/// takeBack(): so neither needs a lock for what is lent.
class Lease {
public:
  /// The owner's: from here on the helper may take it.
  void lend() {
    isLent = true;
    state.store(Lent, std::memory_order_seq_cst);
  }

  /// The owner's, at any time: waits for a helper that is at it. True if the
  /// helper had it.
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

  /// The helper's: true if it is the helper's now, until giveBack().
  bool take() {
    int found = Lent;
    return state.compare_exchange_strong(found, Taken, std::memory_order_seq_cst);
  }
  void giveBack() { state.store(Returned, std::memory_order_release); }

private:
  enum State { Kept, Lent, Taken, Returned };
  std::atomic<int> state{Kept};
  bool isLent = false; ///< the owner's
};

} // namespace comm::ranks

#endif
