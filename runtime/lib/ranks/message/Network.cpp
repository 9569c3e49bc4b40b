// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message/Network.h"
#include "core/Clock.h"
#include "core/Counts.h"
#include "core/Rank.h"
#include "message/Deadlock.h"
#include "message/Message.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace comm::ranks {

Network network;
std::atomic<WindowServer> windowServer{nullptr};
Transport &transport = network;

static constexpr int headerTag = 1;
// Bounds for the measured time that a message may wait to be combined.
static constexpr uint64_t leastHoldMicroseconds = 2, mostHoldMicroseconds = 100;
// The helper costs a switch of kernel threads, so the thread itself gets more time than messages wait there.
static constexpr uint64_t helperWaits = 2, leastHelperMicroseconds = 50;

/// An incomplete operation of the underlying MPI.
struct Network::Operation {
  MPI_Request request = MPI_REQUEST_NULL;
  char *bytes = nullptr; ///< private buffer, to be freed
  int64_t count = 0;
  Request *owner = nullptr; ///< to complete afterwards
  bool isReceive = false;
  bool counted = false; ///< in `pending`
  size_t received = 0;
  std::vector<MPI_Request> others; ///< of the further pieces of a long message

  template <typename Start> void inPieces(char *at, uint64_t bytes, Start start);
};

// Longer messages are sent as packed bytes, in pieces of this size: it fits into an int, and Open MPI 4.1.4 loses data
// of messages of more than 2 GiB that it copies between processes.
static constexpr uint64_t mostAtOnce = 1 << 30;

/// Splits `bytes` at `at` into pieces, and starts each with start(at, bytes, request).
template <typename Start> void Network::Operation::inPieces(char *at, uint64_t bytes, Start start) {
  for (uint64_t done = 0; done < bytes; done += mostAtOnce) {
    if (done)
      others.emplace_back(MPI_REQUEST_NULL);
    start(at + done, int(std::min(mostAtOnce, bytes - done)), done ? &others.back() : &request);
  }
}

[[noreturn]] static void dieWithoutMemory(uint64_t bytes) {
  die(thisThread ? &self() : nullptr, 1, "no memory for a message of %llu bytes between two processes",
      static_cast<unsigned long long>(bytes));
}

static char *newBytes(uint64_t bytes) {
  auto *memory = static_cast<char *>(malloc(bytes));
  if (!memory)
    dieWithoutMemory(bytes);
  return memory;
}

void Network::start() {
  // With one kernel thread, all calls come from it, or from others in their turn (Entry.h), so the underlying MPI needs
  // no locks.
  int wanted = process.options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED, provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, wanted, &provided) != MPI_SUCCESS) {
    fprintf(stderr, "comm-ranks: error: MPI_Init_thread failed\n");
    exit(1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &process.index);
  MPI_Comm_size(MPI_COMM_WORLD, &process.count);
  isActive = process.count > 1;
  if (provided < wanted) {
    fprintf(stderr, "comm-ranks: error: the underlying MPI does not provide MPI_THREAD_%s, which %s\n",
            process.options.threads > 1 ? "MULTIPLE" : "SERIALIZED",
            process.options.threads > 1 ? "several kernel threads need: run with one (commrun -nc 1)" : "ranks need");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (!isActive)
    return;
  MPI_Comm_dup(MPI_COMM_WORLD, &headers);
  MPI_Comm_dup(MPI_COMM_WORLD, &data);
  MPI_Comm_set_errhandler(headers, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(data, MPI_ERRORS_RETURN);
  int *most = nullptr, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
  if (found)
    mostTag = *most;
  startCombining();
}

void Network::startCombining() {
  Options &options = process.options;
  // A rank that has a thread for itself shares it with no other, so there is nothing to combine.
  bool isWanted = options.perThread > 1 && options.combineMicroseconds;
  isCombining = isWanted && courier.start(sendLent);
  uint64_t least = 0, most = 0;
  if (isCombining) {
    least = options.combineMicroseconds < 0 ? leastHoldMicroseconds : options.combineMicroseconds;
    most = options.combineMicroseconds < 0 ? mostHoldMicroseconds : options.combineMicroseconds;
  }
  outboxes.reset(new Outbox[options.threads]);
  for (int i = 0; i < options.threads; ++i)
    outboxes[i].start(process.count, least * ticksPerMicrosecond, most * ticksPerMicrosecond);
}

void Network::stop(Thread &thread) {
  if (isActive) {
    sendHeld(thread);
    // Remote ranks may wait for messages that nobody sends any more: from here on, this process does nothing on its
    // own, and reports that when asked.
    for (int i = 0; i < process.options.threads; ++i)
      process.threads[i].idle.store(true);
    MPI_Request request;
    MPI_Ibarrier(headers, &request);
    for (int done = 0, polls = 0; !done; ++polls) {
      if (!progress(thread) && polls % 64 == 63)
        checkForDeadlock();
      if (thread.holding)
        sendHeld(thread);
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (!done)
        usleep(10);
    }
    courier.stop();
    MPI_Comm_free(&headers);
    MPI_Comm_free(&data);
  }
  if (process.options.statistics)
    printCounts();
  MPI_Finalize();
}

void Network::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

/// Passes the records of an operation to the underlying MPI.
inline void Network::hand(int to, Operation *operation) {
  operation->counted = true;
  pending.fetch_add(1);
  MPI_Isend(operation->bytes, operation->count, MPI_BYTE, to, headerTag, headers, &operation->request);
  // Small messages have usually left by now; a rank that only sends would accumulate them.
  int done = 0;
  MPI_Test(&operation->request, &done, MPI_STATUS_IGNORE);
  if (done) {
    pending.fetch_sub(1);
    free(operation->bytes);
    delete operation;
    return;
  }
  std::lock_guard<std::mutex> guard(lock);
  operations.push_back(operation);
}

void Network::post(Thread &thread, int to, const WireHeader &header, const void *more, Urgency urgency) {
  if (!isCombining) {
    auto *operation = new Operation;
    operation->count = recordBytes(header.dataBytes);
    operation->bytes = newBytes(operation->count);
    writeRecord(operation->bytes, header, more);
    ++outboxes[thread.index].counts.messages;
    return hand(to, operation);
  }
  Outbox &outbox = outboxes[thread.index];
  uint64_t now = ticks();
  Departure why;
  if (outbox.add(to, header, more, urgency == Urgency::Urgent, now, why))
    dispatch(outbox, to, why);
  else if (!outbox.hasMemory())
    dieWithoutMemory(header.dataBytes);
  thread.holding = !outbox.empty();
  if (thread.holding)
    thread.untilPoll = 0; // look at the clock at each switch
}

/// Sends the records that wait for a process.
void Network::dispatch(Outbox &outbox, int to, Departure why) {
  uint64_t begin = ticks();
  Batch batch = outbox.take(to, why);
  auto *operation = new Operation;
  operation->bytes = batch.bytes;
  operation->count = batch.size;
  hand(to, operation);
  outbox.departed(to, begin, ticks());
}

void Network::sendAll(Outbox &outbox, Departure why) {
  for (int to; (to = outbox.any()) >= 0;)
    dispatch(outbox, to, why);
}

void Network::sendHeld(Thread &thread) {
  sendAll(outboxes[thread.index], Departure::Idle);
  thread.holding = false;
}

void Network::sendDue(Thread &thread) {
  Outbox &outbox = outboxes[thread.index];
  uint64_t now = ticks();
  for (int to; (to = outbox.due(now)) >= 0;)
    dispatch(outbox, to, Departure::Due);
  thread.holding = !outbox.empty();
}

void Network::lendHeld(Thread &thread) {
  sendDue(thread);
  if (!thread.holding)
    return;
  uint64_t hold = outboxes[thread.index].hold() / ticksPerMicrosecond;
  thread.lease.lend();
  courier.arm(std::max(leastHelperMicroseconds, helperWaits * hold));
}

/// Called by the courier. No rank of a lending thread is in the runtime, or enters it before the lease is given back,
/// so these calls to the underlying MPI are serialized with those of that thread; with several threads, it uses locks
/// anyway.
void Network::sendLent() {
  for (int i = 0; i < process.options.threads; ++i) {
    Thread &thread = process.threads[i];
    if (!thread.lease.take())
      continue;
    network.sendAll(network.outboxes[i], Departure::Helper);
    thread.lease.giveBack();
  }
}

void Network::printCounts() const {
  OutboxCounts sum;
  for (int i = 0; outboxes && i < process.options.threads; ++i)
    sum += outboxes[i].counts;
  if (!isCombining)
    sum.networkMessages = sum.departures[static_cast<int>(Departure::AtOnce)] = sum.messages;
  auto of = [&](Departure why) { return static_cast<unsigned long long>(sum.departures[static_cast<int>(why)]); };
  complain(nullptr, "note",
           "process %d of %d: %llu messages to other processes in %llu of the network, %llu of them combined; sent at "
           "once %llu, full %llu, due %llu, idle %llu, by the helper %llu",
           process.index, process.count, static_cast<unsigned long long>(sum.messages),
           static_cast<unsigned long long>(sum.networkMessages), static_cast<unsigned long long>(sum.combined),
           of(Departure::AtOnce), of(Departure::Full), of(Departure::Due), of(Departure::Idle), of(Departure::Helper));
}

void Network::send(Thread &thread, Request *q, const WireHeader &given, const void *buffer, int64_t count,
                   Datatype *type) {
  WireHeader header = given;
  header.from = process.index;
  header.request = reinterpret_cast<uint64_t>(q);
  int to = process.processOf(header.target);
  sent.fetch_add(1);
  if (header.bytes <= eagerBytes) {
    header.kind = WireHeader::Eager;
    alignas(16) char packed[eagerBytes];
    const void *from = packed;
    if (type->dense)
      from = buffer;
    else
      q->error = packTo(packed, buffer, count, type);
    header.dataBytes = header.bytes;
    post(thread, to, header, from, Urgency::MayWait);
    if (!header.synchronous)
      complete(q);
    return;
  }
  header.kind = WireHeader::Announce;
  // A single element that MPI_Pack cannot count is sent as it is.
  bool isBuffered = q->mode == Mode::Buffered;
  header.inPieces = header.bytes > mostAtOnce && (isBuffered || type->dense || type->size <= mostAtOnce);
  int tag = nextTag.fetch_add(1);
  header.dataTag = tag & (mostTag >= INT_MAX ? INT_MAX : mostTag);
  post(thread, to, header, nullptr, Urgency::Urgent);
  auto *operation = new Operation;
  auto start = q->mode == Mode::Synchronous ? MPI_Issend : MPI_Isend;
  if (!isBuffered)
    operation->owner = q;
  if (isBuffered || header.inPieces) {
    // On return, the program may reuse a buffered send's buffer.
    char *bytes = static_cast<char *>(const_cast<void *>(buffer));
    if (isBuffered || !type->dense) {
      bytes = operation->bytes = newBytes(header.bytes);
      q->error = packTo(bytes, buffer, count, type);
    }
    operation->inPieces(bytes, header.bytes, [&](char *at, int some, MPI_Request *request) {
      start(at, some, MPI_BYTE, to, header.dataTag, data, request);
    });
  } else {
    start(buffer, count, type->native, to, header.dataTag, data, &operation->request);
  }
  {
    std::lock_guard<std::mutex> guard(lock);
    operations.push_back(operation);
  }
  if (q->mode == Mode::Buffered)
    complete(q);
}

void Network::receive(Request *q, const Message &announced) {
  int fromProcess = announced.process, dataTag = announced.dataTag;
  uint64_t bytes = announced.bytes;
  auto *operation = new Operation;
  operation->owner = q;
  operation->isReceive = true;
  operation->received = bytes;
  uint64_t room = q->count * q->type->size;
  bool isOne = bytes > mostAtOnce && !announced.inPieces;
  if (isOne && bytes > room)
    die(q->rank, ABI_ERR_TRUNCATE, "an element of %llu bytes came, which is received as %lld elements of %llu bytes",
        static_cast<unsigned long long>(bytes), static_cast<long long>(q->count),
        static_cast<unsigned long long>(q->type->size));
  if (bytes <= room && !announced.inPieces) {
    // The buffer may have more elements than fit into an int; those that arrive do.
    auto some = static_cast<int>(elementsFilled(bytes, q->type->size, q->count));
    MPI_Irecv(q->buffer, some, q->type->native, fromProcess, dataTag, data, &operation->request);
  } else {
    // Too long for the buffer, so that only a part is unpacked, or for a single call.
    char *to = static_cast<char *>(q->buffer);
    if (bytes > room || !q->type->dense) {
      to = operation->bytes = newBytes(bytes);
      operation->count = bytes;
    }
    operation->inPieces(to, bytes, [&](char *at, int some, MPI_Request *request) {
      MPI_Irecv(at, some, MPI_BYTE, fromProcess, dataTag, data, request);
    });
  }
  operation->counted = true;
  pending.fetch_add(1);
  std::lock_guard<std::mutex> guard(lock);
  operations.push_back(operation);
}

void Network::matched(int fromProcess, uint64_t request) {
  WireHeader header;
  header.kind = WireHeader::Matched;
  header.target = fromProcess;
  header.request = request;
  header.from = process.index;
  sent.fetch_add(1);
  post(*thisThread, fromProcess, header, nullptr, Urgency::MayWait);
}

void Network::sendWindow(int toProcess, const void *message, size_t bytes) {
  WireHeader header;
  header.kind = WireHeader::Window;
  header.dataBytes = bytes;
  header.target = toProcess;
  header.from = process.index;
  sent.fetch_add(1);
  post(*thisThread, toProcess, header, message, Urgency::Urgent);
}

void Network::sendState(int toProcess, WireHeader header) {
  header.target = toProcess;
  header.from = process.index;
  post(*thisThread, toProcess, header, nullptr, Urgency::Urgent);
}

inline void Network::arriveOne(Thread &thread, const WireHeader &header, const char *data) {
  if (header.kind >= WireHeader::State) {
    onDeadlockMessage(header);
    return;
  }
  received.fetch_add(1);
  if (header.kind == WireHeader::Matched) {
    auto *q = reinterpret_cast<Request *>(header.request);
    completeFrom(thread, q, true);
    return;
  }
  size_t more = header.dataBytes;
  if (header.kind == WireHeader::Window) {
    windowServer.load()(thread, data, more);
    return;
  }
  Message *m = newMessage(thread, more);
  m->context = header.context;
  m->source = header.source;
  m->tag = header.tag;
  m->target = header.target;
  m->bytes = header.bytes;
  m->process = header.from;
  m->dataTag = header.dataTag;
  m->away = true;
  m->inPieces = header.inPieces;
  m->synchronous = header.synchronous && header.kind == WireHeader::Eager;
  m->remoteRequest = header.request;
  m->kind = header.kind == WireHeader::Eager ? Message::Eager : Message::Announced;
  m->open = openMessage;
  if (more)
    memcpy(m->data(), data, more);
  Thread &target = *process.rankOf(header.target).thread;
  thread.send(target, m);
}

/// Handles a network message whose bytes have arrived.
void Network::arrive(Thread &thread, const char *bytes, size_t count) {
  WireHeader header;
  for (const char *end = bytes + count; bytes != end; bytes += recordBytes(header.dataBytes)) {
    memcpy(&header, bytes, sizeof(header));
    arriveOne(thread, header, bytes + sizeof(header));
  }
}

bool Network::progress(Thread &thread) {
  if (progressing.test_and_set(std::memory_order_acquire))
    return false;
  bool any = false;
  // Check sends and fetches. Other threads may append at any time.
  size_t known;
  {
    std::lock_guard<std::mutex> guard(lock);
    known = operations.size();
    work.assign(operations.begin(), operations.end());
  }
  size_t kept = 0;
  for (size_t i = 0; i < known; ++i) {
    Operation *operation = work[i];
    int done = 0;
    MPI_Status status;
    int code = MPI_Test(&operation->request, &done, &status);
    if (!done && code == MPI_SUCCESS) {
      work[kept++] = operation;
      continue;
    }
    if (!operation->others.empty() && code == MPI_SUCCESS) {
      operation->request = operation->others.back();
      operation->others.pop_back();
      --i; // the next piece
      continue;
    }
    if (Request *q = operation->owner) {
      if (code != MPI_SUCCESS)
        q->error = classOfNative(code);
      if (operation->isReceive) {
        q->bytes = operation->received;
        if (operation->bytes)
          q->error = unpackFrom(operation->bytes, operation->count, q->buffer, q->count, q->type, q->bytes);
      }
      completeFrom(thread, q, true);
    }
    if (operation->counted)
      pending.fetch_sub(1);
    free(operation->bytes);
    delete operation;
    any = true;
  }
  if (any) {
    std::lock_guard<std::mutex> guard(lock);
    // Others may have appended meanwhile; the known ones are in front.
    operations.erase(operations.begin() + kept, operations.begin() + known);
    std::copy(work.begin(), work.begin() + kept, operations.begin());
  }
  // Handle arrivals: take and deliver them in order.
  for (int found = 1; found;) {
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, headerTag, headers, &found, &message, &status);
    if (!found)
      break;
    auto *operation = new Operation;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    operation->count = count;
    operation->bytes = static_cast<char *>(malloc(operation->count));
    MPI_Imrecv(operation->bytes, operation->count, MPI_BYTE, &message, &operation->request);
    pending.fetch_add(1);
    arriving.push_back(operation);
    any = true;
  }
  size_t handed = 0;
  for (; handed < arriving.size(); ++handed) {
    Operation *operation = arriving[handed];
    int done = 0;
    MPI_Test(&operation->request, &done, MPI_STATUS_IGNORE);
    if (!done)
      break;
    arrive(thread, operation->bytes, operation->count);
    pending.fetch_sub(1);
    free(operation->bytes);
    delete operation;
    any = true;
  }
  arriving.erase(arriving.begin(), arriving.begin() + handed);
  progressing.clear(std::memory_order_release);
  return any;
}

} // namespace comm::ranks
