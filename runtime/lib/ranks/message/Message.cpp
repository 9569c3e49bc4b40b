// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message/Message.h"
#include "message/Network.h"

#include <cstdlib>
#include <new>

namespace comm::ranks {

static constexpr size_t smallBytes = 128;
static constexpr int mostSpare = 256;

Message *newMessage(Thread &thread, size_t bytes) {
  if (bytes <= smallBytes) {
    if (Message *spare = thread.messages) {
      thread.messages = static_cast<Message *>(spare->next);
      --thread.spareMessages;
      return spare;
    }
  }
  size_t room = bytes <= smallBytes ? smallBytes : bytes;
  void *memory = malloc(sizeof(Message) + room);
  if (!memory)
    die(thread.current->rank, 1, "no memory for a message of %zu bytes that no receive waits for", bytes);
  auto *message = new (memory) Message;
  message->small = bytes <= smallBytes;
  return message;
}

void deleteMessage(Thread &thread, Message *message) {
  if (message->small && thread.spareMessages < mostSpare) {
    message->next = thread.messages;
    message->comm = nullptr;
    message->synchronous = false;
    message->away = false;
    thread.messages = message;
    ++thread.spareMessages;
    return;
  }
  free(message);
}

static inline bool matches(int wantedSource, int wantedTag, int source, int tag) {
  return (wantedSource == source || wantedSource == ABI_ANY_SOURCE) && (wantedTag == tag || wantedTag == ABI_ANY_TAG);
}

Message *findUnexpected(Rank &rank, uint64_t context, int source, int tag, bool take) {
  Message *before = nullptr;
  for (Message *m = rank.unexpectedHead; m; before = m, m = static_cast<Message *>(m->next)) {
    if (m->context != context || !matches(source, tag, m->source, m->tag))
      continue;
    if (take) {
      if (before)
        before->next = m->next;
      else
        rank.unexpectedHead = static_cast<Message *>(m->next);
      if (rank.unexpectedTail == m)
        rank.unexpectedTail = before;
    }
    return m;
  }
  return nullptr;
}

static void unlink(Rank &rank, Request *q) {
  (q->previous ? q->previous->next : rank.postedHead) = q->next;
  (q->next ? q->next->previous : rank.postedTail) = q->previous;
  q->posted = false;
}

static Request *findPosted(Rank &rank, uint64_t context, int source, int tag) {
  for (Request *q = rank.postedHead; q; q = q->next)
    if (q->context == context && matches(q->peer, q->tag, source, tag)) {
      unlink(rank, q);
      return q;
    }
  return nullptr;
}

bool withdraw(Request *q) {
  if (!q->posted)
    return false;
  unlink(*q->rank, q);
  return true;
}

bool recall(Request *q) {
  int target = q->comm->globalOf(q->peer);
  if (!process.isHere(target))
    return false;
  Rank &rank = process.rankOf(target);
  if (rank.thread != q->rank->thread)
    return false;
  Message *before = nullptr;
  for (Message *m = rank.unexpectedHead; m; before = m, m = static_cast<Message *>(m->next))
    if (m == &q->message) {
      if (before)
        before->next = m->next;
      else
        rank.unexpectedHead = static_cast<Message *>(m->next);
      if (rank.unexpectedTail == m)
        rank.unexpectedTail = before;
      return true;
    }
  return false;
}

static void appendUnexpected(Rank &rank, Message *m) {
  m->next = nullptr;
  if (rank.unexpectedTail)
    rank.unexpectedTail->next = m;
  else
    rank.unexpectedHead = m;
  rank.unexpectedTail = m;
  while (Fiber *fiber = rank.prober) {
    rank.prober = fiber->next;
    rank.thread->wake(fiber);
  }
}

void complete(Request *q, bool soon) {
  q->done = true;
  if (q->waiter) {
    if (soon)
      q->rank->thread->wakeSoon(q->waiter);
    else
      q->rank->thread->wake(q->waiter);
  }
  if (q->detached)
    deleteRequest(q);
}

static void openDone(Parcel *parcel, Thread &) {
  auto *message = static_cast<Message *>(parcel);
  complete(message->sender, message->away);
}

void completeFrom(Thread &thread, Request *q, bool soon) {
  if (q->rank->thread == &thread) {
    complete(q, soon);
    return;
  }
  q->message.away = soon;
  q->message.sender = q;
  q->message.open = openDone;
  thread.send(*q->rank->thread, &q->message);
}

void consume(Request *q, Message *m) {
  Thread &thread = *q->rank->thread;
  q->source = m->source;
  q->outTag = m->tag;
  switch (m->kind) {
  case Message::Eager: {
    bool soon = m->away;
    q->error = unpackFrom(m->data(), m->bytes, q->buffer, q->count, q->type, q->bytes);
    if (m->synchronous)
      network.matched(m->process, m->remoteRequest);
    deleteMessage(thread, m);
    complete(q, soon);
    return;
  }
  case Message::Rendezvous: {
    Request *sender = m->sender;
    q->error = copyTyped(sender->buffer, sender->count, sender->type, q->buffer, q->count, q->type, q->bytes);
    completeFrom(thread, sender);
    complete(q);
    return;
  }
  case Message::Announced:
    network.receive(q, *m);
    deleteMessage(thread, m);
    return;
  }
}

void deliver(Thread &thread, Message *m) {
  Rank &rank = process.rankOf(m->target);
  if (Request *q = findPosted(rank, m->context, m->source, m->tag))
    consume(q, m);
  else
    appendUnexpected(rank, m);
  (void)thread;
}

void openMessage(Parcel *parcel, Thread &thread) { deliver(thread, static_cast<Message *>(parcel)); }

/// Sends to another process; the request completes at once if the data are copied.
static void sendAway(Request *q, int target) {
  WireHeader header;
  header.context = q->context;
  header.source = q->comm->rank;
  header.tag = q->tag;
  header.target = target;
  header.bytes = q->count * q->type->size;
  header.synchronous = q->mode == Mode::Synchronous;
  network.send(*q->rank->thread, q, header, q->buffer, q->count, q->type);
}

void startSend(Request *q) {
  Comm *comm = q->comm;
  if (q->peer == ABI_PROC_NULL) {
    complete(q);
    return;
  }
  int target = comm->globalOf(q->peer);
  if (!process.isHere(target)) {
    sendAway(q, target);
    return;
  }
  Rank &rank = process.rankOf(target);
  Thread &thread = *q->rank->thread;
  bool sameThread = rank.thread == &thread;
  if (sameThread) {
    if (Request *r = findPosted(rank, q->context, comm->rank, q->tag)) {
      r->source = comm->rank;
      r->outTag = q->tag;
      r->error = copyTyped(q->buffer, q->count, q->type, r->buffer, r->count, r->type, r->bytes);
      complete(r);
      complete(q);
      return;
    }
  }
  size_t bytes = q->count * q->type->size;
  bool eager = q->mode == Mode::Buffered || (bytes <= eagerHere && q->mode != Mode::Synchronous);
  Message *m = eager ? newMessage(thread, bytes) : &q->message;
  m->context = q->context;
  m->source = comm->rank;
  m->tag = q->tag;
  m->target = target;
  m->bytes = bytes;
  m->kind = eager ? Message::Eager : Message::Rendezvous;
  m->sender = q;
  m->open = openMessage;
  if (eager)
    q->error = packTo(m->data(), q->buffer, q->count, q->type);
  if (sameThread)
    appendUnexpected(rank, m);
  else
    thread.send(*rank.thread, m);
  if (eager)
    complete(q);
}

void startReceive(Request *q) {
  if (q->peer == ABI_PROC_NULL) {
    q->source = ABI_PROC_NULL;
    q->outTag = ABI_ANY_TAG;
    complete(q);
    return;
  }
  Rank &rank = *q->rank;
  if (rank.unexpectedHead)
    if (Message *m = findUnexpected(rank, q->context, q->peer, q->tag, true)) {
      consume(q, m);
      return;
    }
  q->posted = true;
  q->next = nullptr;
  q->previous = rank.postedTail;
  (rank.postedTail ? rank.postedTail->next : rank.postedHead) = q;
  rank.postedTail = q;
}

void wait(Request *q) {
  if (q->done)
    return;
  Thread &thread = *thisThread;
  Fiber *fiber = thread.current;
  q->waiter = fiber;
  fiber->waiting.request = q;
  do
    thread.block();
  while (!q->done);
  fiber->waiting.request = nullptr;
  q->waiter = nullptr;
}

Request *newRequest(Request::Kind kind, Comm *comm) {
  auto *q = new Request;
  q->kind = kind;
  q->rank = &self();
  q->comm = comm;
  if (comm)
    retain(comm);
  return q;
}

void deleteRequest(Request *q) {
  if (q->comm)
    release(q->comm);
  if (q->type)
    release(q->type);
  if (q->ownBuffer)
    free(q->buffer);
  delete q->extra;
  delete q;
}

void fill(Request &q, Request::Kind kind, Comm *comm, const void *buffer, int64_t count, Datatype *type, int peer,
          int tag, uint64_t context) {
  q.kind = kind;
  q.rank = &self();
  q.comm = comm;
  q.buffer = const_cast<void *>(buffer);
  q.count = count;
  q.type = type;
  q.peer = peer;
  q.tag = tag;
  q.context = context;
}

int sendTo(Comm *comm, const void *buffer, int64_t count, Datatype *type, int peer, uint32_t tag) {
  Request q;
  fill(q, Request::Send, comm, buffer, count, type, peer, tag & 0x7fffffff, comm->shared->context + 1);
  startSend(&q);
  wait(&q);
  return q.error;
}

int receiveFrom(Comm *comm, void *buffer, int64_t count, Datatype *type, int peer, uint32_t tag) {
  Request q;
  fill(q, Request::Receive, comm, buffer, count, type, peer, tag & 0x7fffffff, comm->shared->context + 1);
  startReceive(&q);
  wait(&q);
  return q.error;
}

} // namespace comm::ranks
