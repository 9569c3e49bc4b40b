// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A kernel thread and the scheduler of its fibers.
///
/// A rank never leaves its kernel thread. Only that thread accesses a rank's data (its queues and requests), so
/// matching takes no lock; other threads send parcels.
#ifndef COMM_RANKS_THREAD_H
#define COMM_RANKS_THREAD_H

#include "core/Fiber.h"
#include "core/Inbox.h"
#include "core/Lease.h"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace comm::ranks {

struct Message;
struct Process;

struct alignas(64) Thread {
  Inbox inbox;

  // Written only by the owner; read by deadlock detection.
  alignas(64) std::atomic<uint64_t> sent{0}, received{0}, epoch{0};
  std::atomic<bool> idle{false};

  alignas(64) Fiber *current = nullptr;
  Fiber *readyHead = nullptr, *readyTail = nullptr;
  int *errorNumber = nullptr;
  ExceptionState *exceptions = nullptr;
  Fiber *lastSoon = nullptr; ///< last of those inserted at the front of the ready queue
  int untilPoll = 0, switchesPerLook = 1;
  uint64_t lastLook = 0;       ///< time of the last look at the clock, in ticks
  uint64_t lastPoll = 0;       ///< time of the last network poll, in ticks
  int index = 0;               ///< index in the process
  int live = 0;                ///< ranks that have not ended
  int helpers = 0;             ///< fibers of nonblocking collectives that have not ended
  Fiber base;                  ///< the kernel thread's own stack
  Fiber *pool = nullptr;       ///< finished helper fibers, with their stacks
  Message *messages = nullptr; ///< spare small messages
  int spareMessages = 0;

  // Small messages to other processes may wait for more of them (message/Outbox.h). While a rank computes, they are
  // lent to a helper.
  bool holding = false; ///< accessed by the owner: whether there are any
  Lease lease;

  // Once threads that the rank started may call MPI, whoever acts for this thread holds `access`: see Entry.h.
  bool takesTurns = false;
  bool countsEntries = false;     ///< takesTurns, or messages may wait: Entry.h
  bool heldByOwner = false;       ///< accessed by the owner
  Fiber *interrupted = nullptr;   ///< the owner's fiber, while another thread acts
  std::atomic<int> foreigners{0}; ///< threads that wait for `access`
  std::mutex access;

  /// Makes this object the calling kernel thread's.
  void attach();

  /// Makes \p fiber run later. Only for fibers of this thread.
  void wake(Fiber *fiber) {
    if (fiber->queued)
      return;
    fiber->queued = true;
    fiber->next = nullptr;
    if (readyTail)
      readyTail->next = fiber;
    else
      readyHead = fiber;
    readyTail = fiber;
  }

  /// Makes \p fiber run before those that are ready, but after others woken in this way: it waited for another process,
  /// which may now be waiting for it.
  void wakeSoon(Fiber *fiber) {
    if (fiber->queued)
      return;
    if (!readyHead) {
      wake(fiber);
      lastSoon = fiber;
      return;
    }
    fiber->queued = true;
    Fiber *&link = lastSoon ? lastSoon->next : readyHead;
    fiber->next = link;
    link = fiber;
    if (!fiber->next)
      readyTail = fiber;
    lastSoon = fiber;
  }

  /// Does the same as wake() for a list of fibers, which must be linked and marked as queued.
  void wakeList(Fiber *head, Fiber *tail) {
    if (readyTail)
      readyTail->next = head;
    else
      readyHead = head;
    readyTail = tail;
  }

  /// Suspends the running fiber until it is woken. May return early: callers must check their condition in a loop.
  void block();

  /// Lets the other ready fibers run, and handles what has arrived.
  void yield();

  /// Handles what other threads (and, from time to time, other processes) have sent.
  void poll() {
    if (!inbox.empty())
      drain();
    if (--untilPoll <= 0)
      pollNetwork();
  }

  /// Sends \p parcel to \p other, which may be this thread.
  void send(Thread &other, Parcel *parcel);

  /// Prepares \p fiber to run \p entry on its stack.
  static void prepare(Fiber *fiber, void (*entry)(Fiber *));

  /// Runs the fibers of this thread from its base until all ranks of the process have ended.
  void runToEnd();

  /// The owner takes its turn, unless it has it, and lets others take theirs.
  void takeTurn();
  void giveTurn() {
    heldByOwner = false;
    access.unlock();
  }
  /// The same for a thread that acts as \p fiber.
  void takeTurnAs(Fiber *fiber);
  void giveTurnAs(Fiber *fiber);

  /// Called when a rank enters or leaves the runtime, if messages are held back.
  void enterRuntime() {
    if (lease.takeBack())
      holding = false;
  }
  void leaveRuntime() {
    if (holding)
      lendHeld();
  }

  /// Ends the running fiber; never returns to it.
  [[noreturn]] void finish();

private:
  void unqueue(Fiber *fiber);
  void blockForeign();
  Fiber *pop() {
    Fiber *fiber = readyHead;
    // Foreign fibers check themselves whether they were woken.
    while (fiber && fiber->foreign) {
      unqueue(fiber);
      fiber = readyHead;
    }
    if (fiber) {
      readyHead = fiber->next;
      if (!readyHead)
        readyTail = nullptr;
      if (lastSoon == fiber)
        lastSoon = nullptr;
      fiber->queued = false;
    }
    return fiber;
  }
  void switchTo(Fiber *to);
  Fiber *nextReady();
  void drain();
  void pollNetwork();
  void sendWhatMayGo();
  void lendHeld();
  bool waitForEvent();
};

/// The running kernel thread; null outside of ranks.
extern __thread Thread *thisThread __attribute__((tls_model("initial-exec")));

} // namespace comm::ranks

#endif
