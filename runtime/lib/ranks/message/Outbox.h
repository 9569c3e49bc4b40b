// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file What one kernel thread sends to other processes: small messages to the
/// same process are combined into one of the network.
///
/// A message of the network costs both processes some ten microseconds, however
/// small it is. So one that follows another within that time waits for more, but
/// no longer than it costs itself: then waiting never costs more than twice what
/// the best choice would (the rule of ski rental; for acknowledgments of TCP:
/// Dooly, Goldman, Scott, 2001). A message that comes alone goes at once. What one
/// costs is measured: the time of handing it to the MPI beneath, and the same
/// again for the receiver.
///
/// Records to a process leave in the order in which they were added, whatever
/// their sizes: MPI's order between two ranks (MPI-4, 3.5) needs no more, since a
/// rank never changes its thread.
#ifndef COMM_RANKS_OUTBOX_H
#define COMM_RANKS_OUTBOX_H

#include "message/Wire.h"

#include <vector>

namespace comm::ranks {

/// Why records were sent.
enum class Departure : uint8_t {
  AtOnce, ///< alone, urgent, or not to be combined
  Full,   ///< enough bytes
  Due,    ///< held long enough
  Idle,   ///< the thread has nothing else to do
  Helper, ///< by the helper: a rank computes
};

/// Records for one process, one after the other.
struct Batch {
  char *bytes = nullptr; ///< of malloc
  size_t size = 0, room = 0;
  int messages = 0;
};

/// What was sent. The owner counts; read after it has ended.
struct OutboxCounts {
  uint64_t messages = 0;        ///< handed to it
  uint64_t networkMessages = 0; ///< sent
  uint64_t combined = 0;        ///< messages that shared one with others
  uint64_t departures[5] = {};  ///< networkMessages by Departure
  OutboxCounts &operator+=(const OutboxCounts &other);
};

/// Belongs to one thread, or to who has its Lease. Times are ticks of any clock.
class alignas(64) Outbox {
public:
  /// From so many bytes on a batch is sent.
  static constexpr size_t fullBytes = 16 << 10;

  Outbox() = default;
  Outbox(const Outbox &) = delete;
  ~Outbox();

  /// How long a message may wait: what is measured, from the one to the other.
  void start(int processes, uint64_t leastHold, uint64_t mostHold);

  /// Appends a record with header.dataBytes bytes of data. True if the batch for \p to
  /// is to be taken and sent now, for the reason in \p why. False without memory,
  /// when \p why is untouched and hasMemory() is false.
  bool add(int to, const WireHeader &header, const void *data, bool isUrgent, uint64_t now, Departure &why);
  bool hasMemory() const { return !isOutOfMemory; }

  /// All records for \p to. The caller sends and frees them, and says when that
  /// was done.
  Batch take(int to, Departure why);
  void departed(int to, uint64_t begin, uint64_t end);

  /// How long a message may wait now.
  uint64_t hold() const { return longest; }

  /// A process whose records have waited long enough at \p now, or -1.
  int due(uint64_t now) const;
  /// Any process that has records waiting, or -1.
  int any() const { return held.empty() ? -1 : held.front(); }
  bool empty() const { return held.empty(); }

  OutboxCounts counts;

private:
  struct Destination {
    Batch batch;
    uint64_t since = 0, lastSent = 0;
    // Messages that go at once because ranks computed after earlier ones, and how
    // many it will be the next time.
    unsigned direct = 0, nextDirect = 0;
    bool wasSent = false;
  };
  static bool append(Batch &batch, const WireHeader &header, const void *data);
  void learn(Destination &destination, Departure why) const;

  std::vector<Destination> destinations;
  std::vector<int> held; ///< processes with records, the oldest first
  uint64_t longest = 0, leastHold = 0, mostHold = 0;
  uint64_t cost = 0; ///< of a message of the network, measured
  bool isOutOfMemory = false;
};

} // namespace comm::ranks

#endif
