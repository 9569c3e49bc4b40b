// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Messages, requests and their matching (MPI-4, 3.5 and 3.7).
#ifndef COMM_RANKS_MESSAGE_H
#define COMM_RANKS_MESSAGE_H

#include "core/Thread.h"
#include "objects/Communicator.h"
#include "objects/Datatype.h"

#include <functional>

namespace comm::ranks {

struct Request;

/// A message in transit: in another thread's inbox, or in a rank's queue of unexpected messages.
struct Message : Parcel {
  enum Kind : uint8_t {
    Eager,      ///< the data follow this object
    Rendezvous, ///< the data are in the buffer of `sender`, in this process
    Announced,  ///< the data are in process `process`
  };
  uint64_t context = 0;
  int source = 0, tag = 0; ///< source: rank in the communicator
  int target = 0;          ///< rank in MPI_COMM_WORLD
  Kind kind = Eager;
  bool small = false;       ///< from the thread's pool of spare ones
  bool synchronous = false; ///< from another process, which waits for the match
  bool inPieces = false;    ///< announced data are sent in pieces, according to the sender's header
  bool away = false;        ///< from another process: a fiber that waits for it runs soon
  size_t bytes = 0;
  Request *sender = nullptr;
  int process = 0, dataTag = 0;
  uint64_t remoteRequest = 0;
  Comm *comm = nullptr; ///< set by MPI_Mprobe

  char *data() { return reinterpret_cast<char *>(this + 1); }
};

enum class Mode : uint8_t { Standard, Synchronous, Ready, Buffered };

struct Request {
  enum Kind : uint8_t { Send, Receive, Collective, Generalized, OneSided };
  Kind kind = Send;
  Mode mode = Mode::Standard;
  bool done = false;
  bool detached = false; ///< MPI_Request_free: deleted when done
  bool posted = false;   ///< in the rank's queue of posted receives
  bool cancelled = false;
  bool persistent = false;
  bool ownBuffer = false; ///< frees its buffer when it ends
  bool active = true;     ///< false for a persistent request that is not started
  int error = ABI_SUCCESS;
  Fiber *waiter = nullptr;
  Rank *rank = nullptr;
  Comm *comm = nullptr;
  void *buffer = nullptr;
  int64_t count = 0;
  Datatype *type = nullptr;
  int peer = 0, tag = 0;
  uint64_t context = 0;
  // The contents of the status, once done.
  int source = ABI_ANY_SOURCE, outTag = ABI_ANY_TAG;
  size_t bytes = 0;
  Request *next = nullptr, *previous = nullptr; ///< posted receives
  Message message;                              ///< of a rendezvous; later the notification of its completion
  struct Extra *extra = nullptr;                ///< rarely used members
};

/// State of persistent collectives and generalized requests.
struct Extra {
  std::function<void(Request *)> start;
  ABI_Grequest_query_function *query = nullptr;
  ABI_Grequest_free_function *free = nullptr;
  ABI_Grequest_cancel_function *cancel = nullptr;
  void *state = nullptr;
  Request *partner = nullptr; ///< the send of an MPI_Isendrecv
};

/// Messages up to this size are copied if no receive is posted.
constexpr size_t eagerHere = 8 << 10;

/// Sends q->buffer to q->peer. q->done may be true on return.
void startSend(Request *q);
/// Receives into q->buffer.
void startReceive(Request *q);
/// Suspends the fiber until q->done.
void wait(Request *q);
/// Marks \p q, which belongs to the calling thread, as done; a fiber that waits for it runs \p soon, or after those
/// that are ready.
void complete(Request *q, bool soon = false);
/// Does the same from any thread.
void completeFrom(Thread &thread, Request *q, bool soon = false);
/// Receives the message that MPI_Mprobe matched.
void consume(Request *q, Message *message);

/// Returns the oldest unexpected message that matches, or null; removes it if \p take.
Message *findUnexpected(Rank &rank, uint64_t context, int source, int tag, bool take);
/// Removes a posted receive; returns false if it has been matched.
bool withdraw(Request *q);
/// Takes back a message to this thread's ranks that no receive has matched; returns false if one has.
bool recall(Request *q);

/// Create an eager message with room for \p bytes, and delete it.
Message *newMessage(Thread &thread, size_t bytes);
void deleteMessage(Thread &thread, Message *message);
/// Delivers a message from anywhere to its rank, which belongs to the calling thread.
void deliver(Thread &thread, Message *message);
/// Parcel::open of messages.
void openMessage(Parcel *parcel, Thread &thread);

/// Create a request for the program, and delete it.
Request *newRequest(Request::Kind kind, Comm *comm);
void deleteRequest(Request *q);

inline Request *requestOf(ABI_Request handle) {
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : reinterpret_cast<Request *>(handle);
}
inline ABI_Request handleOf(Request *q) { return reinterpret_cast<ABI_Request>(q); }

// Blocking transfers of a collective, on the communicator's second context, with the number of the collective as the
// tag. They return ABI error classes.
int sendTo(Comm *comm, const void *buffer, int64_t count, Datatype *type, int peer, uint32_t tag);
int receiveFrom(Comm *comm, void *buffer, int64_t count, Datatype *type, int peer, uint32_t tag);
void fill(Request &q, Request::Kind kind, Comm *comm, const void *buffer, int64_t count, Datatype *type, int peer,
          int tag, uint64_t context);

// Fills a status: bytes and cancellation are in its internal fields.
inline void setStatus(ABI_Status *status, int source, int tag, size_t bytes, bool cancelled) {
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->MPI_internal[0] = static_cast<int>(bytes);
  status->MPI_internal[1] = static_cast<int>(bytes >> 32);
  status->MPI_internal[2] = cancelled;
}
inline size_t bytesOf(const ABI_Status &status) {
  return static_cast<uint32_t>(status.MPI_internal[0]) | static_cast<uint64_t>(status.MPI_internal[1]) << 32;
}
inline void setEmptyStatus(ABI_Status *status) {
  if (!status)
    return;
  setStatus(status, ABI_ANY_SOURCE, ABI_ANY_TAG, 0, false);
  status->MPI_ERROR = ABI_SUCCESS;
}

} // namespace comm::ranks

#endif
