// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A kernel thread that sends what ranks hold that compute.
#ifndef COMM_RANKS_COURIER_H
#define COMM_RANKS_COURIER_H

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace comm::ranks {

/// One a process. It sleeps until a thread lends messages, and then for a time
/// that they may wait; it sends those that are still lent.
class Courier {
public:
  /// \p sendLent: sends all that is lent. Called by the courier's thread.
  /// False if the system gives no thread or timer: then nobody may lend.
  bool start(void (*sendLent)());
  void stop();
  /// After something was lent: comes in so many microseconds, or before.
  void arm(uint64_t microseconds);

private:
  static void *run(void *courier);
  void (*sendLent)() = nullptr;
  int timer = -1;
  pthread_t thread = {};
  std::atomic<bool> armed{false}, stopping{false};
};

} // namespace comm::ranks

#endif
