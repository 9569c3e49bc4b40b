// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Communication with other processes through the underlying MPI, between processes and not ranks.
///
/// A message is a header followed by the packed data; small messages to the same process are combined (Outbox.h). From
/// `eagerBytes` on, the data follow in a separate message, from the sender's buffer with the sender's datatype to the
/// receiver's: the underlying MPI has its own rendezvous, so a second handshake would only add a round trip. Headers
/// never overtake each other.
#ifndef COMM_RANKS_NETWORK_H
#define COMM_RANKS_NETWORK_H

#include "core/Transport.h"
#include "message/Courier.h"
#include "message/Outbox.h"
#include "message/Wire.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace comm::ranks {

struct Request;
struct Message;
struct Datatype;

class Network final : public Transport {
public:
  static constexpr size_t eagerBytes = 16 << 10;

  /// Starts the underlying MPI. Sets process.index and process.count.
  void start();
  /// Waits for the other processes and finalizes the underlying MPI.
  void stop(Thread &thread);
  [[noreturn]] void abort(int status) override;

  bool active() const override { return isActive; }

  /// Sends count elements to \p target. Small data are copied, which completes \p request; otherwise it completes
  /// later. \p request belongs to the calling thread.
  void send(Thread &thread, Request *request, const WireHeader &header, const void *buffer, int64_t count,
            Datatype *type);
  /// Receives the data of an announced message into the request's buffer.
  void receive(Request *request, const Message &announced);
  /// Notifies the sender of a synchronous message that it was matched. Called by the thread that matched it.
  void matched(int fromProcess, uint64_t request);
  /// Sends a message for a window to another process, whose windowServer receives it.
  void sendWindow(int toProcess, const void *message, size_t bytes);
  /// Sends a message of deadlock detection.
  void sendState(int toProcess, WireHeader header);

  /// Returns whether a thread's messages may wait to be combined, i.e. several ranks share a thread.
  bool combines() const { return isCombining; }

  bool progress(Thread &thread) override;
  void sendDue(Thread &thread) override;
  void sendHeld(Thread &thread) override;
  void lendHeld(Thread &thread) override;
  bool checkForDeadlock() override;

  /// Messages for ranks passed to and received from the underlying MPI.
  std::atomic<uint64_t> sent{0}, received{0};
  /// Incomplete operations of the underlying MPI.
  std::atomic<int> pending{0};

private:
  struct Operation;
  /// Urgent records are sent now, with all that wait before them.
  enum class Urgency : bool { MayWait, Urgent };
  void post(Thread &thread, int to, const WireHeader &header, const void *data, Urgency urgency);
  void dispatch(Outbox &outbox, int to, Departure why);
  void hand(int to, Operation *operation);
  void sendAll(Outbox &outbox, Departure why);
  static void sendLent();
  void startCombining();
  void arrive(Thread &thread, const char *bytes, size_t count);
  void arriveOne(Thread &thread, const WireHeader &header, const char *data);
  void printCounts() const;

  bool isActive = false, isCombining = false;
  std::mutex lock; // guards `operations`
  std::vector<Operation *> operations;
  // For the thread that makes progress.
  std::atomic_flag progressing = ATOMIC_FLAG_INIT;
  std::vector<Operation *> work;
  std::vector<Operation *> arriving; // in the order of arrival
  std::atomic<int> nextTag{1};
  int mostTag = 32767;
  MPI_Comm headers = MPI_COMM_NULL, data = MPI_COMM_NULL;
  std::unique_ptr<Outbox[]> outboxes; // one per thread
  Courier courier;
};

extern Network network;

/// Handles messages for windows, in the order of arrival, on the thread that makes progress.
using WindowServer = void (*)(Thread &thread, const char *message, size_t bytes);
extern std::atomic<WindowServer> windowServer;

} // namespace comm::ranks

#endif
