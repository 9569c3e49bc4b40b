// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Windows of one-sided communication (MPI-4, 12).
///
/// Ranks of one process access each other's memory directly; accumulates take the target's lock, which makes them
/// atomic. For other processes, they send messages, which the thread that drives the network there serves immediately:
/// it may be any kernel thread of the process, and the target's rank need not take part.
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

/// The memory that a member exposes, known to all members.
struct Exposed {
  char *base = nullptr;
  ABI_Aint size = 0;
  int64_t unit = 1;
  /// Returns the address \p bytes after the base. A dynamic window has no base, and its displacements are addresses.
  char *at(int64_t bytes) const {
    return reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(base) + static_cast<uintptr_t>(bytes));
  }
};

/// A request, of this or another process, that waits for a target's lock.
struct LockWaiter {
  Request *request;
  int process;
  bool exclusive;
};

/// One member's part of a window, in the member's process.
struct WindowTarget {
  std::mutex mutex; ///< guards the lock's state and attached regions; held by each accumulate
  Exposed exposed;
  int sharedHolders = 0;
  bool exclusive = false;
  std::deque<LockWaiter> waiting;
  std::map<char *, ABI_Aint> attached; ///< regions of a dynamic window: address and size
  std::vector<void *> attachedEmpty;   ///< empty regions
  /// Returns whether all bytes are attached, in one region or several adjacent ones. The caller holds the mutex.
  bool hasAttached(char *from, const char *to) const;
};

/// State of a window that the ranks of one process share.
struct WindowShared {
  uint64_t key = 0; ///< the context of its communicator
  int flavor = 0;
  int references = 0;
  std::vector<WindowTarget> targets; ///< by rank; unused for other processes
  std::vector<Exposed> exposed;      ///< by rank, once all have arrived
  std::unique_ptr<char[]> memory;    ///< for MPI_Win_allocate_shared
  explicit WindowShared(int size) : targets(size) {}
};

/// One rank's handle of a window.
struct Window : Kept<Window> {
  Comm *comm = nullptr; ///< private, with the same members
  WindowShared *shared = nullptr;
  Exposed own;
  InUse inUse;
  int unit = 1, model = ABI_WIN_UNIFIED; ///< attribute values, which need addresses
  int flavor = 0;
  std::unique_ptr<char[]> memory; ///< for MPI_Win_allocate
  ABI_Errhandler errhandler = ABI_ERRORS_ARE_FATAL;
  Attributes *attributes = nullptr;
  std::string name;
  Info info;

  // Epochs.
  enum LockState : uint8_t { Unlocked, Shared, Exclusive, Unchecked };
  bool fenced = false, lockedAll = false, lockedAllUnchecked = false;
  std::map<int, LockState> locks; ///< by target
  std::unique_ptr<Members> accessed, exposedTo;
  /// The requests of MPI_Win_test, which wait for the members of `exposedTo`.
  std::vector<std::unique_ptr<Request>> expected;
  /// By process: operations sent there, the last one that returns data, and the number confirmed.
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

/// Calls the window's error handler, like fail() for a communicator.
int failIn(Window *window, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Creates a window of the members of \p c, collectively.
Window *makeWindow(Comm *c, int flavor, char *base, ABI_Aint size, int64_t unit, const Info *info);
/// Creates a window with contiguous memory that all its members share.
Window *makeSharedWindow(Comm *c, ABI_Aint size, int64_t unit, const Info *info);
void endWindow(Window *window);
/// Returns a window of this process, by its key.
WindowShared *findWindow(uint64_t key);

/// Acquire or release the lock of a target; block until done.
void lockTarget(Window *window, int target, bool exclusive);
void unlockTarget(Window *window, int target, bool exclusive);
/// Wait until the targets in a process, or in all, have received everything that was sent to them.
void flushProcess(Window *window, int process);
void flushAll(Window *window);
/// Waits until the program may reuse its own buffers. Sent data are copied, so this only waits for data to arrive.
void flushLocally(Window *window, int process);

// In the target's process, on any thread.
/// Returns true if the lock is granted now; otherwise the waiter is notified later.
bool requestLock(WindowTarget &target, const LockWaiter &waiter);
void releaseLock(Thread &thread, WindowTarget &target, bool exclusive);

#define WINDOW_OR_FAIL(variable, handle)                                                                               \
  Window *variable = windowOf(handle);                                                                                 \
  if (__builtin_expect(!variable, 0))                                                                                  \
  return fail(nullptr, ABI_ERR_WIN, "invalid window")

} // namespace comm::ranks

#endif
