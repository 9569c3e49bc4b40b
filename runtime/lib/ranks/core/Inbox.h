// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Communication between kernel threads: a lock-free queue with multiple producers and one consumer.
#ifndef COMM_RANKS_INBOX_H
#define COMM_RANKS_INBOX_H

#include <atomic>
#include <cstdint>

namespace comm::ranks {

struct Thread;

/// A message for another kernel thread, which calls `open` on it. It is part of a longer-lived object, so sending
/// allocates nothing.
struct Parcel {
  Parcel *next = nullptr;
  void (*open)(Parcel *, Thread &) = nullptr;
};

/// A stack onto which producers push with one compare-and-swap, and that the consumer takes as a whole and reverses.
/// The parcels of one producer keep their order, as MPI's matching requires.
class alignas(64) Inbox {
public:
  /// Returns true if the consumer sleeps and must be woken.
  bool push(Parcel *parcel) {
    Parcel *head = top.load(std::memory_order_relaxed);
    do
      parcel->next = head;
    while (!top.compare_exchange_weak(head, parcel, std::memory_order_seq_cst, std::memory_order_relaxed));
    return sleeping.load(std::memory_order_seq_cst) != 0;
  }

  bool empty() const { return !top.load(std::memory_order_relaxed); }

  /// Takes all parcels, oldest first.
  Parcel *take() {
    Parcel *parcel = top.exchange(nullptr, std::memory_order_acquire);
    Parcel *ordered = nullptr;
    while (parcel) {
      Parcel *next = parcel->next;
      parcel->next = ordered;
      ordered = parcel;
      parcel = next;
    }
    return ordered;
  }

  /// Called by the consumer: sleeps until a push, or for the given time.
  void sleep(long microseconds);
  /// Called by a producer, if push() returned true.
  void wake();

private:
  std::atomic<Parcel *> top{nullptr};
  // In the same cache line, because the producer reads it right after its push.
  std::atomic<uint32_t> sleeping{0};
};

} // namespace comm::ranks

#endif
