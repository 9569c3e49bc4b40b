// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Windows of one-sided communication (MPI-4, 12).
///
/// Ranks of one process read and write each other's memory; accumulates take
/// the lock of the target, which makes them atomic. Another process is sent
/// messages, which the thread that drives the network there serves at once: it
/// may be any of its kernel threads, and the target's rank need not take part.
#ifndef COMM_RANKS_WINDOW_H
#define COMM_RANKS_WINDOW_H

#include "message/Message.h"
#include "objects/Attributes.h"
#include "objects/Errors.h"
#include "objects/Info.h"

#include <cstdarg>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace comm::ranks {

/// What a member exposes, as all members know it.
struct Exposed {
  char *base = nullptr;
  ABI_Aint size = 0;
  int64_t unit = 1;
  /// The address \p bytes after the base. A dynamic window has no base, and its displacements are addresses.
  char *at(int64_t bytes) const {
    return reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(base) + static_cast<uintptr_t>(bytes));
  }
};

/// Who waits for a target's lock: a request of this process, or of another one.
struct LockWaiter {
  Request *request;
  int process;
  bool exclusive;
};

/// One member's part of a window, in its process.
struct WindowTarget {
  std::mutex mutex; ///< of the lock's state, of what is attached, and held by each accumulate
  Exposed exposed;
  int sharedHolders = 0;
  bool exclusive = false;
  std::deque<LockWaiter> waiting;
  std::map<char *, ABI_Aint> attached; ///< of a dynamic window: where and how long
  std::vector<void *> attachedEmpty;   ///< where no bytes are
  /// Whether all bytes are attached, in one region or in several that touch. The caller holds the mutex.
  bool hasAttached(char *from, const char *to) const;
};

/// What the ranks of one process share of a window.
struct WindowShared {
  uint64_t key = 0; ///< the context of its communicator
  int flavor = 0;
  int references = 0;
  std::vector<WindowTarget> targets; ///< by rank; of other processes not used
  std::vector<Exposed> exposed;      ///< by rank, once all have come
  std::unique_ptr<char[]> memory;    ///< of MPI_Win_allocate_shared
  explicit WindowShared(int size) : targets(size) {}
};

/// One rank's handle of a window.
struct Window : Kept<Window> {
  Comm *comm = nullptr; ///< its own, of the same members
  WindowShared *shared = nullptr;
  Exposed own;
  InUse inUse;
  int unit = 1, model = ABI_WIN_UNIFIED; ///< as attributes, which have addresses
  int flavor = 0;
  std::unique_ptr<char[]> memory; ///< of MPI_Win_allocate
  ABI_Errhandler errhandler = ABI_ERRORS_ARE_FATAL;
  Attributes *attributes = nullptr;
  std::string name;
  Info info;

  // Epochs.
  enum LockState : uint8_t { Unlocked, Shared, Exclusive, Unchecked };
  bool fenced = false, lockedAll = false, lockedAllUnchecked = false;
  std::map<int, LockState> locks; ///< by target
  std::unique_ptr<Members> accessed, exposedTo;
  /// The requests of MPI_Win_test, which wait for those of `exposedTo`.
  std::vector<std::unique_ptr<Request>> expected;
  /// By process: how many operations went there, the last one that brings data, and how many were confirmed.
  struct Traffic {
    uint64_t sent = 0, lastRead = 0, confirmed = 0;
  };
  std::vector<Traffic> traffic;

  bool isHere(int target) const { return process.isHere(comm->globalOf(target)); }
  WindowTarget &targetOf(int target) { return shared->targets[target]; }
  int processOf(int target) const { return process.processOf(comm->globalOf(target)); }
  bool isPassive(int target) const { return lockedAll || locks.count(target); }
};

inline Window *windowOf(ABI_Win handle) {
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : unlessFreed(reinterpret_cast<Window *>(handle));
}
inline ABI_Win handleOf(Window *window) { return reinterpret_cast<ABI_Win>(window); }

/// Calls the window's error handler, as fail() does a communicator's.
int failIn(Window *window, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// A window of the members of \p c, collectively.
Window *makeWindow(Comm *c, int flavor, char *base, ABI_Aint size, int64_t unit, const Info *info);
/// The same over memory that all its members see, one after the other.
Window *makeSharedWindow(Comm *c, ABI_Aint size, int64_t unit, const Info *info);
void endWindow(Window *window);
/// A window of this process, by its key.
WindowShared *findWindow(uint64_t key);

/// Takes, or gives back, the lock of a target; blocks until it is so.
void lockTarget(Window *window, int target, bool exclusive);
void unlockTarget(Window *window, int target, bool exclusive);
/// Waits until the targets in a process, or in all, have what was sent to them.
void flushProcess(Window *window, int process);
void flushAll(Window *window);
/// Waits until the program may use its own buffers: data that are sent are copied, so only for data that come.
void flushLocally(Window *window, int process);

// Of the target's process, which may be any thread's.
/// True if the lock is granted now; else who waits is told later.
bool requestLock(WindowTarget &target, const LockWaiter &waiter);
void releaseLock(Thread &thread, WindowTarget &target, bool exclusive);

#define WINDOW_OR_FAIL(variable, handle)                                                                               \
  Window *variable = windowOf(handle);                                                                                 \
  if (__builtin_expect(!variable, 0))                                                                                  \
  return fail(nullptr, ABI_ERR_WIN, "invalid window")

} // namespace comm::ranks

#endif
