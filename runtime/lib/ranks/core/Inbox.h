// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file What kernel threads send one another: a lock-free queue with many
/// producers and one consumer.
#ifndef COMM_RANKS_INBOX_H
#define COMM_RANKS_INBOX_H

#include <atomic>
#include <cstdint>

namespace comm::ranks {

struct Thread;

/// Something handed to another kernel thread, which calls `open` on it. It is
/// part of a longer-lived object, so that handing over takes no memory.
struct Parcel {
  Parcel *next = nullptr;
  void (*open)(Parcel *, Thread &) = nullptr;
};

/// A stack that producers push on with one compare-and-swap and that the
/// consumer takes as a whole and reverses: parcels of one producer keep their
/// order, which MPI's matching needs.
class alignas(64) Inbox {
public:
  /// True if the consumer sleeps and has to be woken.
  bool push(Parcel *parcel) {
    Parcel *head = top.load(std::memory_order_relaxed);
    do
      parcel->next = head;
    while (!top.compare_exchange_weak(head, parcel, std::memory_order_seq_cst, std::memory_order_relaxed));
    return sleeping.load(std::memory_order_seq_cst) != 0;
  }

  bool empty() const { return !top.load(std::memory_order_relaxed); }

  /// All parcels, the oldest first.
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

  /// The consumer's: sleeps until a push, or for the time given.
  void sleep(long microseconds);
  /// A producer's, when push() says so.
  void wake();

private:
  std::atomic<Parcel *> top{nullptr};
  // In the same cache line: the producer reads it right after its push.
  std::atomic<uint32_t> sleeping{0};
};

} // namespace comm::ranks

#endif
