// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Thread.h"
#include "core/Clock.h"
#include "core/Rank.h"
#include "core/Stacks.h"
#include "core/Transport.h"

#include <cassert>
#include <cerrno>
#include <climits>
#include <cxxabi.h>
#include <sched.h>
#include <time.h>

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

extern "C" {
__attribute__((visibility("default"))) __thread ptrdiff_t comm_ranks_displacement;
__attribute__((visibility("default"))) __thread const comm_ranks_site *comm_ranks_call_site;
}

namespace comm::ranks {

__thread Thread *thisThread;

// A busy thread polls the network after this many ticks (about 10 us). If ranks run longer than that, it reads the
// clock at each switch, otherwise every few switches.
static constexpr int mostSwitchesPerLook = 8;
static constexpr uint64_t ticksPerPoll = 10 * ticksPerMicrosecond;
// An idle thread polls this often before it yields its core to other processes (about 20 us), and before it sleeps.
static constexpr int pollsBeforeYield = 400;
static constexpr int pollsBeforeSleep = 4000;

static inline void relax() {
#ifdef __x86_64__
  _mm_pause();
#endif
}

void Thread::attach() {
  thisThread = this;
  errorNumber = &errno;
  exceptions = reinterpret_cast<ExceptionState *>(abi::__cxa_get_globals());
  current = &base;
#ifdef COMM_RANKS_TSAN
  base.tsan = __tsan_get_current_fiber();
#endif
}

/// Entry point of a fiber: `from` tells who switched to it.
static void start(transfer_t from) noexcept {
  static_cast<Fiber *>(from.data)->context = from.fctx;
  Thread *thread = thisThread;
  Fiber *fiber = thread->current;
#ifdef COMM_RANKS_ASAN
  Fiber *before = static_cast<Fiber *>(from.data);
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (!before->stack) {
    before->stack = const_cast<char *>(static_cast<const char *>(bottom));
    before->stackBytes = size;
  }
#endif
  // A rank starts outside of the runtime.
  if (!fiber->depth)
    thread->leaveRuntime();
  fiber->entry(fiber);
  thread->finish();
}

void Thread::prepare(Fiber *fiber, void (*entry)(Fiber *)) {
  fiber->entry = entry;
  fiber->context = make_fcontext(fiber->stack + fiber->stackBytes, fiber->stackBytes, start);
}

/// With many ranks per core, the stack contents that a rank left are at best in the second-level cache: prefetch what
/// the fiber after next will read first.
static void prefetch(const Fiber *after) {
  auto *top = static_cast<const char *>(after->context);
  for (int line = 0; line < 10; ++line)
    __builtin_prefetch(top + 64 * line);
  if (const Fiber *later = after->next)
    for (int line = 0; line < 3; ++line)
      __builtin_prefetch(reinterpret_cast<const char *>(later) + 64 * line);
}

void Thread::switchTo(Fiber *to) {
  Fiber *from = current;
  if (readyHead)
    prefetch(readyHead);
  if (__builtin_expect(stacksHaveCanaries, 0))
    checkCanary(from);
  from->error = *errorNumber;
  from->site = comm_ranks_call_site;
  from->exceptions = *exceptions;
  current = to;
  *errorNumber = to->error;
  comm_ranks_call_site = to->site;
  comm_ranks_displacement = to->displacement;
  *exceptions = to->exceptions;
#ifdef COMM_RANKS_TSAN
  if (!to->tsan)
    to->tsan = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(to->tsan, 0);
#endif
#ifdef COMM_RANKS_ASAN
  __sanitizer_start_switch_fiber(&from->fakeStack, to->stack, to->stackBytes);
#endif
  transfer_t by = jump_fcontext(to->context, from);
  Fiber *before = static_cast<Fiber *>(by.data);
  before->context = by.fctx;
#ifdef COMM_RANKS_ASAN
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(from->fakeStack, &bottom, &size);
  if (!before->stack) {
    before->stack = const_cast<char *>(static_cast<const char *>(bottom));
    before->stackBytes = size;
  }
#endif
}

Fiber *Thread::nextReady() {
  for (;;) {
    poll();
    if (Fiber *fiber = pop())
      return fiber;
    waitForEvent();
  }
}

void Thread::block() {
  if (__builtin_expect(current->foreign, 0))
    return blockForeign();
  Fiber *to = nextReady();
  if (to != current)
    switchTo(to);
}

void Thread::yield() {
  if (__builtin_expect(current->foreign, 0))
    return blockForeign();
  poll();
  if (__builtin_expect(!readyHead, 0)) {
    // Nobody else can run: a rank that polls in a loop must also poll the network.
    untilPoll = 0;
    return;
  }
  wake(current);
  Fiber *to = pop();
  if (to != current)
    switchTo(to);
}

// A thread that waits for its turn yields this often before it sleeps.
static constexpr int yieldsBeforeSleep = 200;

static void rest(int rounds) {
  if (rounds < yieldsBeforeSleep) {
    sched_yield();
    return;
  }
  timespec moment = {0, 20000};
  nanosleep(&moment, nullptr);
}

void Thread::takeTurn() {
  if (heldByOwner)
    return;
  // Mutexes are not fair: an owner that polls in a loop would never let the others in.
  for (int i = 0; i < yieldsBeforeSleep && foreigners.load(std::memory_order_relaxed); ++i)
    sched_yield();
  access.lock();
  heldByOwner = true;
}

void Thread::takeTurnAs(Fiber *fiber) {
  foreigners.fetch_add(1);
  access.lock();
  foreigners.fetch_sub(1);
  thisThread = this;
  interrupted = current;
  current = fiber;
}

void Thread::giveTurnAs(Fiber *fiber) {
  if (fiber->queued)
    unqueue(fiber);
  current = interrupted;
  thisThread = nullptr;
  access.unlock();
}

void Thread::unqueue(Fiber *fiber) {
  Fiber *before = nullptr;
  for (Fiber *f = readyHead; f; before = f, f = f->next) {
    if (f != fiber)
      continue;
    (before ? before->next : readyHead) = f->next;
    if (readyTail == f)
      readyTail = before;
    if (lastSoon == f)
      lastSoon = nullptr;
    break;
  }
  fiber->queued = false;
}

/// Lets others act for this thread for a moment. Only the owner runs the thread's fibers.
void Thread::blockForeign() {
  Fiber *fiber = current;
  poll();
  if (transport.active())
    transport.progress(*this);
  if (fiber->queued) {
    unqueue(fiber);
    fiber->rests = 0;
    return;
  }
  giveTurnAs(fiber);
  rest(fiber->rests++);
  takeTurnAs(fiber);
}

void Thread::finish() {
  switchTo(nextReady());
  __builtin_unreachable();
}

void Thread::runToEnd() {
  // Continue even if all ranks of this thread have ended: those of other threads may need the network, or wait for
  // messages sent to this thread.
  while (process.live.load()) {
    poll();
    if (Fiber *fiber = pop()) {
      if (fiber != &base)
        switchTo(fiber);
    } else {
      waitForEvent();
    }
  }
  if (holding)
    transport.sendHeld(*this);
}

/// Called by each poll while messages are held. If nobody can run, no message will join them: a thread never waits
/// while it holds messages.
void Thread::sendWhatMayGo() {
  if (readyHead)
    transport.sendDue(*this);
  else
    transport.sendHeld(*this);
  if (holding)
    untilPoll = 1;
}

void Thread::lendHeld() { transport.lendHeld(*this); }

void Thread::send(Thread &other, Parcel *parcel) {
  if (&other == this) {
    parcel->open(parcel, *this);
    return;
  }
  sent.store(sent.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (other.inbox.push(parcel))
    other.inbox.wake();
}

void Thread::drain() {
  Parcel *parcel = inbox.take();
  uint64_t count = 0;
  while (parcel) {
    Parcel *next = parcel->next;
    parcel->open(parcel, *this);
    parcel = next;
    ++count;
  }
  received.store(received.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

void Thread::pollNetwork() {
  if (!transport.active()) {
    untilPoll = INT_MAX;
    return;
  }
  uint64_t now = ticks();
  if (now - lastLook > ticksPerPoll / 2)
    switchesPerLook = 1;
  else if (switchesPerLook < mostSwitchesPerLook)
    ++switchesPerLook;
  untilPoll = switchesPerLook;
  lastLook = now;
  if (now - lastPoll >= ticksPerPoll) {
    lastPoll = now;
    transport.progress(*this);
  }
  // Last, because messages that arrived may have been answered, with or without waking anybody.
  if (__builtin_expect(holding, 0))
    sendWhatMayGo();
}

bool Thread::waitForEvent() {
  assert(!holding && "a thread that waits holds messages: pollNetwork sends them");
  int polls = 0;
  bool isIdle = false;
  auto leave = [&] {
    if (isIdle) {
      idle.store(false);
      epoch.store(epoch.load() + 1);
    }
    return true;
  };
  for (;; ++polls) {
    if (readyHead || !inbox.empty())
      return leave();
    if (transport.active() && transport.progress(*this))
      return leave();
    if (current == &base && !process.live.load())
      return leave();
    if (takesTurns) {
      giveTurn();
      rest(polls / 8);
      takeTurn();
      continue;
    }
    if (polls < pollsBeforeYield) {
      relax();
      continue;
    }
    if (!isIdle) {
      // From here on, this thread does nothing unless something arrives. Another thread may report a deadlock.
      current->site = comm_ranks_call_site;
      isIdle = true;
      epoch.store(epoch.load() + 1);
      idle.store(true);
    }
    bool mayBeDeadlock = polls >= pollsBeforeSleep && transport.checkForDeadlock();
    if (transport.active()) {
      sched_yield();
      if (polls >= pollsBeforeSleep && (polls & 3) == 0) {
        timespec moment = {0, 20000};
        nanosleep(&moment, nullptr);
      }
    } else if (mayBeDeadlock || polls >= pollsBeforeSleep) {
      inbox.sleep(2000);
    } else {
      sched_yield();
    }
  }
}

} // namespace comm::ranks
