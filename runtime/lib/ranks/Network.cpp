// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Network.h"
#include "Deadlock.h"
#include "Message.h"
#include "Rank.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace comm::ranks {

Network network;

static constexpr int headerTag = 1;

/// One operation of the MPI beneath that has not completed.
struct Network::Operation {
  MPI_Request request = MPI_REQUEST_NULL;
  char *bytes = nullptr; ///< its own buffer, to be freed
  int count = 0;
  Request *owner = nullptr; ///< to complete afterwards
  bool isReceive = false;
  bool counted = false; ///< in `pending`
  size_t received = 0;
};

void Network::start() {
  // With one kernel thread, all calls come from it, and the MPI beneath needs no
  // locks.
  int wanted = process.options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, provided = 0;
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
    fprintf(stderr, "comm-ranks: error: the MPI beneath gives no MPI_THREAD_%s, which %s\n",
            process.options.threads > 1 ? "MULTIPLE" : "FUNNELED",
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
}

void Network::stop(Thread &thread) {
  if (isActive) {
    MPI_Request request;
    MPI_Ibarrier(headers, &request);
    for (int done = 0; !done;) {
      progress(thread);
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (!done)
        usleep(10);
    }
    MPI_Comm_free(&headers);
    MPI_Comm_free(&data);
  }
  MPI_Finalize();
}

void Network::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

void Network::post(const WireHeader &header, const void *more, size_t bytes) {
  auto *operation = new Operation;
  operation->count = sizeof(header) + bytes;
  operation->bytes = static_cast<char *>(malloc(operation->count));
  memcpy(operation->bytes, &header, sizeof(header));
  if (bytes)
    memcpy(operation->bytes + sizeof(header), more, bytes);
  operation->counted = true;
  pending.fetch_add(1);
  int to = header.kind >= WireHeader::Matched ? header.target : process.processOf(header.target);
  MPI_Isend(operation->bytes, operation->count, MPI_BYTE, to, headerTag, headers, &operation->request);
  std::lock_guard<std::mutex> guard(lock);
  operations.push_back(operation);
}

void Network::send(Thread &, Request *q, const WireHeader &given, const void *buffer, int count, Datatype *type) {
  WireHeader header = given;
  header.from = process.index;
  header.request = reinterpret_cast<uint64_t>(q);
  sent.fetch_add(1);
  if (header.bytes <= eagerBytes) {
    header.kind = WireHeader::Eager;
    alignas(16) char packed[eagerBytes];
    const void *from = packed;
    if (type->dense)
      from = buffer;
    else
      q->error = packTo(packed, buffer, count, type);
    post(header, from, header.bytes);
    if (!header.synchronous)
      complete(q);
    return;
  }
  header.kind = WireHeader::Announce;
  int tag = nextTag.fetch_add(1);
  header.dataTag = tag & (mostTag >= INT_MAX ? INT_MAX : mostTag);
  post(header, nullptr, 0);
  auto *operation = new Operation;
  // A buffered send's buffer is the program's again on return.
  if (q->mode == Mode::Buffered) {
    operation->bytes = static_cast<char *>(malloc(header.bytes));
    q->error = packTo(operation->bytes, buffer, count, type);
    MPI_Isend(operation->bytes, header.bytes, MPI_BYTE, process.processOf(header.target), header.dataTag, data,
              &operation->request);
  } else {
    operation->owner = q;
    auto start = q->mode == Mode::Synchronous ? MPI_Issend : MPI_Isend;
    start(buffer, count, type->native, process.processOf(header.target), header.dataTag, data, &operation->request);
  }
  {
    std::lock_guard<std::mutex> guard(lock);
    operations.push_back(operation);
  }
  if (q->mode == Mode::Buffered)
    complete(q);
}

void Network::receive(Request *q, int fromProcess, int dataTag, uint64_t bytes) {
  auto *operation = new Operation;
  operation->owner = q;
  operation->isReceive = true;
  operation->received = bytes;
  size_t room = q->count * q->type->size;
  if (bytes <= room) {
    MPI_Irecv(q->buffer, q->count, q->type->native, fromProcess, dataTag, data, &operation->request);
  } else {
    // Too long for the buffer: what fits of it is unpacked.
    operation->bytes = static_cast<char *>(malloc(bytes));
    operation->count = bytes;
    MPI_Irecv(operation->bytes, bytes, MPI_BYTE, fromProcess, dataTag, data, &operation->request);
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
  post(header, nullptr, 0);
}

void Network::sendState(int toProcess, WireHeader header) {
  header.target = toProcess;
  header.from = process.index;
  post(header, nullptr, 0);
}

/// A message whose bytes are here.
void Network::arrive(Thread &thread, char *bytes, int count) {
  WireHeader header;
  memcpy(&header, bytes, sizeof(header));
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
  size_t more = count - sizeof(header);
  Message *m = newMessage(thread, more);
  m->context = header.context;
  m->source = header.source;
  m->tag = header.tag;
  m->target = header.target;
  m->bytes = header.bytes;
  m->process = header.from;
  m->dataTag = header.dataTag;
  m->away = true;
  m->synchronous = header.synchronous && header.kind == WireHeader::Eager;
  m->remoteRequest = header.request;
  m->kind = header.kind == WireHeader::Eager ? Message::Eager : Message::Announced;
  m->open = openMessage;
  if (more)
    memcpy(m->data(), bytes + sizeof(header), more);
  Thread &target = *process.rankOf(header.target).thread;
  thread.send(target, m);
}

bool Network::progress(Thread &thread) {
  if (progressing.test_and_set(std::memory_order_acquire))
    return false;
  bool any = false;
  // What was sent, or fetched. Another thread may append at any time.
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
    // Others appended meanwhile; the known ones are in front.
    operations.erase(operations.begin() + kept, operations.begin() + known);
    std::copy(work.begin(), work.begin() + kept, operations.begin());
  }
  // What came: taken in order, handed on in order.
  for (int found = 1; found;) {
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, headerTag, headers, &found, &message, &status);
    if (!found)
      break;
    auto *operation = new Operation;
    MPI_Get_count(&status, MPI_BYTE, &operation->count);
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
