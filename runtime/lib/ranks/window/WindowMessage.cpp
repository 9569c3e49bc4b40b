// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window/WindowMessage.h"
#include "message/Network.h"
#include "window/Window.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace comm::ranks {

void sendWindowMessage(int to, const WindowMessage &message, const Run *runs, const void *data) {
  size_t runBytes = message.runs * sizeof(Run);
  std::vector<char> bytes(sizeof(message) + runBytes + message.bytes);
  memcpy(bytes.data(), &message, sizeof(message));
  if (runBytes)
    memcpy(bytes.data() + sizeof(message), runs, runBytes);
  if (data && message.bytes)
    memcpy(bytes.data() + sizeof(message) + runBytes, data, message.bytes);
  network.sendWindow(to, bytes.data(), data ? bytes.size() : bytes.size() - message.bytes);
}

void applyAccumulate(char *base, const Run *runs, size_t count, const Datatype *element, const char *data, ABI_Op op) {
  if (op == ABI_NO_OP)
    return;
  for (size_t i = 0; i < count; ++i) {
    char *at = base + runs[i].offset;
    size_t bytes;
    if (op == ABI_REPLACE)
      copyTyped(data, runs[i].count, element, at, runs[i].count, element, bytes);
    else
      reduceLocal(data, at, runs[i].count, const_cast<Datatype *>(element), opOf(op));
    data += runs[i].count * element->extent;
  }
}

/// Ends the program if a dynamic window's target has nothing attached there: the origin cannot know, and nobody waits
/// for an answer to a put.
static void checkAttached(const WindowMessage &message, WindowTarget &target, const Run *runs,
                          const Datatype *element) {
  for (size_t i = 0; i < message.runs; ++i) {
    char *from = reinterpret_cast<char *>(message.place) + runs[i].offset;
    char *to = from + runs[i].count * element->extent;
    std::lock_guard<std::mutex> guard(target.mutex);
    if (!target.hasAttached(from, to))
      die(nullptr, ABI_ERR_RMA_RANGE,
          "rank %d of a dynamic window accesses %p of rank %d, where no memory is attached: MPI_Win_attach it first",
          message.origin, static_cast<void *>(from), message.target);
  }
}

static void answerDone(int to, Request *request) {
  WindowMessage done;
  done.kind = WindowMessage::Done;
  done.answer = reinterpret_cast<uint64_t>(request);
  sendWindowMessage(to, done, nullptr, nullptr);
}

static void takeData(Thread &thread, const WindowMessage &message, const char *data) {
  auto *receipt = reinterpret_cast<WindowReceipt *>(message.answer);
  char *room = receipt->packed ? receipt->packed : static_cast<char *>(receipt->to);
  memcpy(room + message.first, data, message.bytes);
  receipt->left -= message.bytes;
  if (receipt->left)
    return;
  size_t received;
  if (receipt->packed)
    unpackFrom(receipt->packed, receipt->bytes, receipt->to, receipt->count, receipt->type, received);
  free(receipt->packed);
  release(receipt->type);
  if (receipt->request)
    completeFrom(thread, receipt->request, true);
  delete receipt;
}

/// Reads, modifies, or both; returns the data that were read.
static std::vector<char> access(const WindowMessage &message, WindowTarget &target, const Run *runs, const char *data) {
  const Datatype *element = typeOf(reinterpret_cast<ABI_Datatype>(message.element));
  auto op = reinterpret_cast<ABI_Op>(message.op);
  char *base = target.exposed.at(message.place);
  std::vector<char> old;
  if (message.kind == WindowMessage::Put) {
    scatterRuns(base, runs, message.runs, element, data);
    return old;
  }
  if (message.kind != WindowMessage::Accumulate)
    old.resize(message.kind == WindowMessage::CompareSwap ? element->size : message.bytes);
  if (message.kind == WindowMessage::Get) {
    gatherRuns(base, runs, message.runs, element, old.data());
    return old;
  }
  // In memory layout: aligned, and pairs with their gaps.
  int64_t elements = message.bytes / element->size;
  std::unique_ptr<char[]> values(new char[elements * element->extent + 1]);
  size_t received;
  unpackFrom(data, message.bytes, values.get(), elements, element, received);
  std::lock_guard<std::mutex> guard(target.mutex);
  if (!old.empty())
    gatherRuns(base, runs, message.runs, element, old.data());
  if (message.kind != WindowMessage::CompareSwap)
    applyAccumulate(base, runs, message.runs, element, values.get(), op);
  else if (!memcmp(base, values.get(), element->size))
    memcpy(base, values.get() + element->extent, element->size);
  return old;
}

static void serve(Thread &thread, const char *bytes, size_t) {
  WindowMessage message;
  memcpy(&message, bytes, sizeof(message));
  bytes += sizeof(message);
  auto *request = reinterpret_cast<Request *>(message.answer);
  if (message.kind == WindowMessage::Data) {
    takeData(thread, message, bytes);
    return;
  }
  if (message.kind == WindowMessage::Done) {
    completeFrom(thread, request, true);
    return;
  }
  if (message.kind == WindowMessage::Flush) {
    answerDone(message.from, request);
    return;
  }
  WindowShared *window = findWindow(message.window);
  if (!window)
    die(nullptr, ABI_ERR_WIN, "process %d accesses a window that has been freed here", message.from);
  WindowTarget &target = window->targets[message.target];
  if (message.kind == WindowMessage::Lock) {
    if (requestLock(target, {request, message.from, message.exclusive != 0}))
      answerDone(message.from, request);
    return;
  }
  if (message.kind == WindowMessage::Unlock) {
    releaseLock(thread, target, message.exclusive != 0);
    answerDone(message.from, request);
    return;
  }
  std::vector<Run> runs(message.runs);
  memcpy(runs.data(), bytes, message.runs * sizeof(Run));
  if (window->flavor == ABI_WIN_FLAVOR_DYNAMIC)
    checkAttached(message, target, runs.data(), typeOf(reinterpret_cast<ABI_Datatype>(message.element)));
  std::vector<char> old = access(message, target, runs.data(), bytes + message.runs * sizeof(Run));
  if (old.empty())
    return;
  WindowMessage data;
  data.kind = WindowMessage::Data;
  data.answer = message.answer;
  data.first = message.first;
  data.bytes = old.size();
  sendWindowMessage(message.from, data, nullptr, old.data());
}

void serveWindows() { windowServer.store(serve); }

// Waiters queue in the order of arrival, so that shared locks cannot starve an exclusive one.

static bool fits(const WindowTarget &target, bool exclusive) {
  return !target.exclusive && !(exclusive && target.sharedHolders);
}

static void hold(WindowTarget &target, bool exclusive) {
  if (exclusive)
    target.exclusive = true;
  else
    ++target.sharedHolders;
}

bool requestLock(WindowTarget &target, const LockWaiter &waiter) {
  std::lock_guard<std::mutex> guard(target.mutex);
  if (!target.waiting.empty() || !fits(target, waiter.exclusive)) {
    target.waiting.push_back(waiter);
    return false;
  }
  hold(target, waiter.exclusive);
  return true;
}

void releaseLock(Thread &thread, WindowTarget &target, bool exclusive) {
  std::vector<LockWaiter> granted;
  {
    std::lock_guard<std::mutex> guard(target.mutex);
    if (exclusive)
      target.exclusive = false;
    else
      --target.sharedHolders;
    while (!target.waiting.empty() && fits(target, target.waiting.front().exclusive)) {
      granted.push_back(target.waiting.front());
      hold(target, granted.back().exclusive);
      target.waiting.pop_front();
    }
  }
  for (auto &waiter : granted) {
    if (waiter.process == process.index)
      completeFrom(thread, waiter.request);
    else
      answerDone(waiter.process, waiter.request);
  }
}

/// Sends \p message and waits for the answer.
static void ask(Window *window, int to, WindowMessage message, const char *what) {
  Request q;
  fill(q, Request::OneSided, window->comm, nullptr, 0, nullptr, message.target, 0, window->comm->shared->context);
  message.window = window->shared->key;
  message.from = process.index;
  message.origin = window->comm->rank;
  message.answer = reinterpret_cast<uint64_t>(&q);
  Fiber *fiber = thisThread->current;
  fiber->waiting.what = what;
  sendWindowMessage(to, message, nullptr, nullptr);
  wait(&q);
  fiber->waiting.what = nullptr;
}

void lockTarget(Window *window, int target, bool exclusive) {
  if (!window->isHere(target)) {
    WindowMessage message;
    message.kind = WindowMessage::Lock;
    message.target = target;
    message.exclusive = exclusive;
    ask(window, window->processOf(target), message, "the lock of a window");
    return;
  }
  Request q;
  fill(q, Request::OneSided, window->comm, nullptr, 0, nullptr, target, 0, window->comm->shared->context);
  if (requestLock(window->targetOf(target), {&q, process.index, exclusive}))
    return;
  Fiber *fiber = thisThread->current;
  fiber->waiting.what = "the lock of a window";
  wait(&q);
  fiber->waiting.what = nullptr;
}

static void confirm(Window *window, int to, uint64_t sent) {
  uint64_t &confirmed = window->traffic[to].confirmed;
  confirmed = std::max(confirmed, sent);
}

void unlockTarget(Window *window, int target, bool exclusive) {
  if (window->isHere(target)) {
    releaseLock(*thisThread, window->targetOf(target), exclusive);
    return;
  }
  WindowMessage message;
  message.kind = WindowMessage::Unlock;
  message.target = target;
  message.exclusive = exclusive;
  int to = window->processOf(target);
  uint64_t sent = window->traffic[to].sent;
  ask(window, to, message, "a window's target to have all data");
  confirm(window, to, sent);
}

void flushProcess(Window *window, int to) {
  uint64_t sent = window->traffic[to].sent;
  if (sent == window->traffic[to].confirmed)
    return;
  WindowMessage message;
  message.kind = WindowMessage::Flush;
  ask(window, to, message, "a window's target to have all data");
  confirm(window, to, sent);
}

void flushLocally(Window *window, int to) {
  if (window->traffic[to].lastRead > window->traffic[to].confirmed)
    flushProcess(window, to);
}

void flushAll(Window *window) {
  for (int i = 0; i < process.count; ++i)
    flushProcess(window, i);
}

} // namespace comm::ranks
