// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file What leaves the process: carried by the MPI beneath, between
/// processes, not ranks.
///
/// A message is a header followed by the packed data; small ones to the same
/// process are combined (Outbox.h). From `eagerBytes` on, the data follow as a
/// message of their own, from the sender's buffer with the sender's datatype to
/// the receiver's: the MPI beneath has its own rendezvous, so a second handshake
/// would only add a round trip. Headers never overtake each other.
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

  /// Starts the MPI beneath. Sets process.index and process.count.
  void start();
  /// Waits for the other processes and ends the MPI beneath.
  void stop(Thread &thread);
  [[noreturn]] void abort(int status) override;

  bool active() const override { return isActive; }

  /// Sends count elements to \p target. Small data are copied, and \p request
  /// is done; else it completes later. \p request belongs to the thread that
  /// calls.
  void send(Thread &thread, Request *request, const WireHeader &header, const void *buffer, int64_t count,
            Datatype *type);
  /// Fetches the data of an announced message into the request's buffer.
  void receive(Request *request, const Message &announced);
  /// Tells the sender of a synchronous message that it was matched. By the
  /// thread that matched it.
  void matched(int fromProcess, uint64_t request);
  /// A message for a window of another process, whose windowServer gets it.
  void sendWindow(int toProcess, const void *message, size_t bytes);
  /// A message of deadlock detection.
  void sendState(int toProcess, WireHeader header);

  /// Whether a thread's messages may wait to be combined: where several ranks
  /// share it.
  bool combines() const { return isCombining; }

  bool progress(Thread &thread) override;
  void sendDue(Thread &thread) override;
  void sendHeld(Thread &thread) override;
  void lendHeld(Thread &thread) override;
  bool checkForDeadlock() override;

  /// Messages handed to and taken from the MPI beneath that ranks wait for.
  std::atomic<uint64_t> sent{0}, received{0};
  /// Operations of the MPI beneath that have not completed.
  std::atomic<int> pending{0};

private:
  struct Operation;
  /// Urgent records go now, with all that wait before them.
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
  std::mutex lock; // of `operations`
  std::vector<Operation *> operations;
  // Of the one thread that makes progress.
  std::atomic_flag progressing = ATOMIC_FLAG_INIT;
  std::vector<Operation *> work;
  std::vector<Operation *> arriving; // in the order of arrival
  std::atomic<int> nextTag{1};
  int mostTag = 32767;
  MPI_Comm headers = MPI_COMM_NULL, data = MPI_COMM_NULL;
  std::unique_ptr<Outbox[]> outboxes; // of each thread
  Courier courier;
};

extern Network network;

/// Serves what arrives for windows, in the order of arrival, on the thread that makes progress.
using WindowServer = void (*)(Thread &thread, const char *message, size_t bytes);
extern std::atomic<WindowServer> windowServer;

} // namespace comm::ranks

#endif
