// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Win_fence to MPI_Win_sync (MPI-4, 12.5).
#include "collective/Collective.h"
#include "window/Window.h"

#include <algorithm>
#include <atomic>

using namespace comm::ranks;

namespace comm::ranks {

// Tags of MPI_Win_post's and MPI_Win_complete's messages, on the window's private communicator.
static constexpr int postTag = 1, completeTag = 2;

static int badAssert(Window *window, int given, int allowed) {
  if (given & ~allowed)
    return failIn(window, ABI_ERR_ASSERT, "%d has bits that this call does not define", given);
  return ABI_SUCCESS;
}

/// Translates the members of a group to ranks in the window.
static int ranksOf(Window *window, ABI_Group handle, std::unique_ptr<Members> &ranks) {
  Group *group = groupOf(handle);
  if (!group)
    return failIn(window, ABI_ERR_GROUP, "invalid group");
  auto found = std::make_unique<Members>();
  auto all = membersOf(window->comm);
  for (int global : *group->members) {
    auto place = std::find(all->begin(), all->end(), global);
    if (place == all->end())
      return failIn(window, ABI_ERR_GROUP, "rank %d of MPI_COMM_WORLD is in the group and not in the window", global);
    found->push_back(place - all->begin());
  }
  ranks = std::move(found);
  return ABI_SUCCESS;
}

static void fillSignal(Request &q, Window *window, Request::Kind kind, int peer, int tag) {
  fill(q, kind, window->comm, nullptr, 0, typeOf(ABI_BYTE), peer, tag, window->comm->shared->context);
}

static void signal(Window *window, int peer, int tag) {
  Request q;
  fillSignal(q, window, Request::Send, peer, tag);
  startSend(&q);
  wait(&q);
}

static int badTarget(Window *window, int rank) {
  if (rank < 0 || rank >= window->comm->size)
    return failIn(window, ABI_ERR_RANK, "the target %d is not a rank of it: use 0 to %d", rank, window->comm->size - 1);
  return ABI_SUCCESS;
}

static int badPassive(Window *window, int rank) {
  if (int error = badTarget(window, rank))
    return error;
  if (!window->isPassive(rank))
    return failIn(window, ABI_ERR_RMA_SYNC, "target %d is not locked", rank);
  return ABI_SUCCESS;
}

static int badPassiveAll(Window *window) {
  if (!window->lockedAll && window->locks.empty())
    return failIn(window, ABI_ERR_RMA_SYNC, "no target is locked");
  return ABI_SUCCESS;
}

/// The ranks of a process share memory; a rank that reads it in a loop must let the ranks run that change it.
static int synchronize() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  thisThread->yield();
  return ABI_SUCCESS;
}

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_Win_fence(int assert, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (int error =
          badAssert(window, assert, ABI_MODE_NOSTORE | ABI_MODE_NOPUT | ABI_MODE_NOPRECEDE | ABI_MODE_NOSUCCEED))
    return error;
  if (window->lockedAll || !window->locks.empty() || window->accessed || window->exposedTo)
    return failIn(window, ABI_ERR_RMA_SYNC, "an epoch of locks, or of MPI_Win_start or MPI_Win_post, is open");
  flushAll(window);
  InCollective named("MPI_Win_fence");
  int error = barrier(window->comm, window->comm->nextCollective());
  window->fenced = !(assert &ABI_MODE_NOSUCCEED);
  return error ? failIn(window, error, "an error in a collective") : ABI_SUCCESS;
}

int comm_ranks_MPI_Win_post(ABI_Group group, int assert, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (int error = badAssert(window, assert, ABI_MODE_NOCHECK | ABI_MODE_NOSTORE | ABI_MODE_NOPUT))
    return error;
  if (window->exposedTo)
    return failIn(window, ABI_ERR_RMA_SYNC, "MPI_Win_post was called before: call MPI_Win_wait first");
  if (int error = ranksOf(window, group, window->exposedTo))
    return error;
  for (int origin : *window->exposedTo) {
    auto q = std::make_unique<Request>();
    fillSignal(*q, window, Request::Receive, origin, completeTag);
    startReceive(q.get());
    window->expected.push_back(std::move(q));
  }
  if (!(assert &ABI_MODE_NOCHECK))
    for (int origin : *window->exposedTo)
      signal(window, origin, postTag);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_start(ABI_Group group, int assert, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (int error = badAssert(window, assert, ABI_MODE_NOCHECK))
    return error;
  if (window->accessed || window->lockedAll || !window->locks.empty())
    return failIn(window, ABI_ERR_RMA_SYNC, "an access epoch is open: end it first");
  std::unique_ptr<Members> targets;
  if (int error = ranksOf(window, group, targets))
    return error;
  if (!(assert &ABI_MODE_NOCHECK))
    for (int target : *targets) {
      Request q;
      fillSignal(q, window, Request::Receive, target, postTag);
      startReceive(&q);
      wait(&q);
    }
  window->accessed = std::move(targets);
  window->fenced = false;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_complete(ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (!window->accessed)
    return failIn(window, ABI_ERR_RMA_SYNC, "MPI_Win_start was not called");
  flushAll(window);
  std::unique_ptr<Members> targets = std::move(window->accessed);
  for (int target : *targets)
    signal(window, target, completeTag);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_wait(ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (!window->exposedTo)
    return failIn(window, ABI_ERR_RMA_SYNC, "MPI_Win_post was not called");
  for (auto &q : window->expected)
    wait(q.get());
  window->expected.clear();
  window->exposedTo.reset();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_test(ABI_Win win, int *flag) {
  WINDOW_OR_FAIL(window, win);
  if (!window->exposedTo)
    return failIn(window, ABI_ERR_RMA_SYNC, "MPI_Win_post was not called");
  auto allDone = [window] {
    return std::all_of(window->expected.begin(), window->expected.end(), [](auto &q) { return q->done; });
  };
  if (!allDone())
    thisThread->yield();
  *flag = allDone();
  if (*flag) {
    window->expected.clear();
    window->exposedTo.reset();
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_lock(int lock_type, int rank, int assert, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (lock_type != ABI_LOCK_EXCLUSIVE && lock_type != ABI_LOCK_SHARED)
    return failIn(window, ABI_ERR_LOCKTYPE, "%d is neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED", lock_type);
  if (int error = badAssert(window, assert, ABI_MODE_NOCHECK))
    return error;
  if (rank == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (int error = badTarget(window, rank))
    return error;
  if (window->isPassive(rank) || window->accessed)
    return failIn(window, ABI_ERR_RMA_SYNC, "an access epoch is open for target %d: end it first", rank);
  bool exclusive = lock_type == ABI_LOCK_EXCLUSIVE, unchecked = assert &ABI_MODE_NOCHECK;
  if (!unchecked)
    lockTarget(window, rank, exclusive);
  window->locks[rank] = unchecked ? Window::Unchecked : exclusive ? Window::Exclusive : Window::Shared;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_unlock(int rank, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (rank == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (int error = badTarget(window, rank))
    return error;
  auto lock = window->locks.find(rank);
  if (lock == window->locks.end())
    return failIn(window, ABI_ERR_RMA_SYNC, "target %d is not locked by MPI_Win_lock", rank);
  Window::LockState state = lock->second;
  if (state == Window::Unchecked)
    flushProcess(window, window->processOf(rank));
  else
    unlockTarget(window, rank, state == Window::Exclusive);
  window->locks.erase(rank);
  return synchronize();
}

int comm_ranks_MPI_Win_lock_all(int assert, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (int error = badAssert(window, assert, ABI_MODE_NOCHECK))
    return error;
  if (window->lockedAll || !window->locks.empty() || window->accessed)
    return failIn(window, ABI_ERR_RMA_SYNC, "an access epoch is open: end it first");
  window->lockedAllUnchecked = assert &ABI_MODE_NOCHECK;
  for (int i = 0; i < window->comm->size && !window->lockedAllUnchecked; ++i)
    lockTarget(window, i, false);
  window->lockedAll = true;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Win_unlock_all(ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (!window->lockedAll)
    return failIn(window, ABI_ERR_RMA_SYNC, "MPI_Win_lock_all was not called");
  flushAll(window);
  for (int i = 0; i < window->comm->size && !window->lockedAllUnchecked; ++i)
    unlockTarget(window, i, false);
  window->lockedAll = false;
  return synchronize();
}

int comm_ranks_MPI_Win_flush(int rank, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (rank == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (int error = badPassive(window, rank))
    return error;
  flushProcess(window, window->processOf(rank));
  return synchronize();
}

int comm_ranks_MPI_Win_flush_all(ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (int error = badPassiveAll(window))
    return error;
  flushAll(window);
  return synchronize();
}

int comm_ranks_MPI_Win_flush_local(int rank, ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (rank == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (int error = badPassive(window, rank))
    return error;
  flushLocally(window, window->processOf(rank));
  return synchronize();
}

int comm_ranks_MPI_Win_flush_local_all(ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  if (int error = badPassiveAll(window))
    return error;
  for (int i = 0; i < process.count; ++i)
    flushLocally(window, i);
  return synchronize();
}

int comm_ranks_MPI_Win_sync(ABI_Win win) {
  WINDOW_OR_FAIL(window, win);
  (void)window;
  return synchronize();
}

} // extern "C"
