// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A kernel thread that sends messages held by computing ranks.
#ifndef COMM_RANKS_COURIER_H
#define COMM_RANKS_COURIER_H

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace comm::ranks {

/// One per process. It sleeps until a thread lends messages, and then for the time that these may wait; it sends those
/// that are still lent.
class Courier {
public:
  /// Starts the thread, which calls \p sendLent to send everything that is lent. Returns false if the system provides
  /// no thread or timer, in which case nobody may lend.
  bool start(void (*sendLent)());
  void stop();
  /// Called after lending: makes the courier run in this many microseconds, or earlier.
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
