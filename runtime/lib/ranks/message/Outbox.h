// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The messages that a kernel thread sends to other processes: small messages to the same process are combined
/// into one network message.
///
/// A network message costs both processes some ten microseconds, however small it is. A message that follows another
/// within that time therefore waits for more, but no longer than it costs itself: waiting then costs at most twice as
/// much as the optimal choice (the ski rental rule; for TCP acknowledgments: Dooly, Goldman, Scott, 2001). A message
/// that comes alone is sent at once. The cost is measured: the time to pass the message to the underlying MPI, and the
/// same again for the receiver.
///
/// Records to a process leave in the order in which they were added, whatever their sizes. This suffices for MPI's
/// order between two ranks (MPI-4, 3.5), since a rank never changes its thread.
/// rank never changes its thread.
#ifndef COMM_RANKS_OUTBOX_H
#define COMM_RANKS_OUTBOX_H

#include "message/Wire.h"

#include <vector>

namespace comm::ranks {

/// Why records were sent.
enum class Departure : uint8_t {
  AtOnce, ///< alone, urgent, or not combinable
  Full,   ///< enough bytes
  Due,    ///< held long enough
  Idle,   ///< the thread has nothing else to do
  Helper, ///< sent by the helper, because a rank computes
};

/// Consecutive records for one process.
struct Batch {
  char *bytes = nullptr; ///< allocated with malloc
  size_t size = 0, room = 0;
  int messages = 0;
};

/// Statistics. The owner counts; read after it has ended.
struct OutboxCounts {
  uint64_t messages = 0;        ///< passed to the outbox
  uint64_t networkMessages = 0; ///< sent
  uint64_t combined = 0;        ///< messages that shared a network message
  uint64_t departures[5] = {};  ///< networkMessages by Departure
  OutboxCounts &operator+=(const OutboxCounts &other);
};

/// Belongs to one thread, or to the holder of its Lease. Times are ticks of any clock.
class alignas(64) Outbox {
public:
  /// A batch is sent when it has this many bytes.
  static constexpr size_t fullBytes = 16 << 10;

  Outbox() = default;
  Outbox(const Outbox &) = delete;
  ~Outbox();

  /// Sets the bounds of the time that a message may wait; the time itself is measured.
  void start(int processes, uint64_t leastHold, uint64_t mostHold);

  /// Appends a record with header.dataBytes bytes of data. Returns true if the batch for \p to must be taken and sent
  /// now, with the reason in \p why. If memory runs out, returns false, leaves \p why unchanged, and hasMemory()
  /// becomes false.
  bool add(int to, const WireHeader &header, const void *data, bool isUrgent, uint64_t now, Departure &why);
  bool hasMemory() const { return !isOutOfMemory; }

  /// Takes all records for \p to. The caller sends and frees them, and calls departed().
  Batch take(int to, Departure why);
  void departed(int to, uint64_t begin, uint64_t end);

  /// Returns how long a message may wait now.
  uint64_t hold() const { return longest; }

  /// Returns a process whose records have waited long enough at \p now, or -1.
  int due(uint64_t now) const;
  /// Returns any process that has waiting records, or -1.
  int any() const { return held.empty() ? -1 : held.front(); }
  bool empty() const { return held.empty(); }

  OutboxCounts counts;

private:
  struct Destination {
    Batch batch;
    uint64_t since = 0, lastSent = 0;
    // Number of messages to send at once because ranks computed after earlier ones, and the number for the next time.
    unsigned direct = 0, nextDirect = 0;
    bool wasSent = false;
  };
  static bool append(Batch &batch, const WireHeader &header, const void *data);
  void learn(Destination &destination, Departure why) const;

  std::vector<Destination> destinations;
  std::vector<int> held; ///< processes with records, oldest first
  uint64_t longest = 0, leastHold = 0, mostHold = 0;
  uint64_t cost = 0; ///< of a network message, measured
  bool isOutOfMemory = false;
};

} // namespace comm::ranks

#endif
