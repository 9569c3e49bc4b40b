// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Fibers that run nonblocking collectives, and shared parts of collectives.
#include "collective/Collective.h"
#include "core/Entry.h"
#include "core/Stacks.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <pthread.h>

namespace comm::ranks {

/// A fiber that runs one task after another; idle ones are in their thread's pool.
struct Helper : Fiber {
  std::function<int()> work;
  Request *request = nullptr;
};

static void runHelper(Fiber *fiber) {
  auto *helper = static_cast<Helper *>(fiber);
  Thread &thread = *thisThread;
  for (;;) {
    int error = helper->work();
    helper->work = nullptr;
    helper->request->error = error;
    --thread.helpers;
    complete(helper->request);
    helper->next = thread.pool;
    thread.pool = helper;
    thread.block();
  }
}

/// A nonblocking collective of a rank whose threads take turns: fibers of the rank's kernel thread would not run while
/// that thread waits for the others outside of MPI, so the collective gets a thread.
struct ThreadedHelper {
  std::function<int()> work;
  Request *request;
  const char *name;
  ptrdiff_t displacement;
  const comm_ranks_site *site;
};

static void *runThreadedHelper(void *given) {
  std::unique_ptr<ThreadedHelper> helper(static_cast<ThreadedHelper *>(given));
  comm_ranks_displacement = helper->displacement;
  comm_ranks_call_site = helper->site;
  Entry entry;
  thisThread->current->collective = helper->name;
  helper->request->error = helper->work();
  complete(helper->request);
  return nullptr;
}

static void startThreadedHelper(Request *q, const char *name, std::function<int()> work) {
  auto *helper = new ThreadedHelper{std::move(work), q, name, comm_ranks_displacement, comm_ranks_call_site};
  pthread_t thread;
  if (int error = pthread_create(&thread, nullptr, runThreadedHelper, helper))
    die(q->rank, 1, "no thread for a nonblocking collective: %s", strerror(error));
  pthread_detach(thread);
}

static void startHelper(Request *q, const char *name, std::function<int()> work) {
  Thread &thread = *thisThread;
  if (thread.takesTurns)
    return startThreadedHelper(q, name, std::move(work));
  auto *helper = static_cast<Helper *>(thread.pool);
  if (helper) {
    thread.pool = helper->next;
  } else {
    helper = new Helper;
    makeHelperStack(helper);
    Thread::prepare(helper, runHelper);
  }
  Fiber *caller = thread.current;
  helper->rank = caller->rank;
  helper->displacement = comm_ranks_displacement;
  helper->site = comm_ranks_call_site;
  helper->work = std::move(work);
  helper->request = q;
  helper->collective = name;
  helper->depth = 1; // always inside the runtime
  ++thread.helpers;
  thread.wake(helper);
}

ABI_Request startLater(Comm *c, const char *name, std::function<int()> work) {
  Request *q = newRequest(Request::Collective, c);
  startHelper(q, name, std::move(work));
  return handleOf(q);
}

ABI_Request makePersistent(Comm *c, const char *name, std::function<int(uint32_t)> work) {
  Request *q = newRequest(Request::Collective, c);
  q->persistent = true;
  q->active = false;
  q->extra = new Extra;
  // Persistent collectives match in the order of their creation, not of their starts (MPI-4, 6.13): combine that order
  // with the number of the start.
  uint32_t order = c->nextCollective();
  q->extra->start = [work, name, order, starts = 0u](Request *request) mutable {
    uint32_t n = persistentBit | (order & 0xffff) << startBits | (starts++ & ((1u << startBits) - 1));
    startHelper(request, name, [work, n] { return work(n); });
  };
  return handleOf(q);
}

int exchange(Comm *c, uint64_t context, const std::vector<Transfer> &sends, const std::vector<Transfer> &receives) {
  size_t count = sends.size() + receives.size();
  std::unique_ptr<Request[]> requests(new Request[count]);
  Request *q = requests.get();
  int error = ABI_SUCCESS;
  for (auto &t : receives) {
    fill(*q, Request::Receive, c, t.buffer, t.count, t.type, t.peer, t.tag, context);
    startReceive(q++);
  }
  for (auto &t : sends) {
    fill(*q, Request::Send, c, t.buffer, t.count, t.type, t.peer, t.tag, context);
    startSend(q++);
  }
  for (size_t i = 0; i < count; ++i) {
    wait(&requests[i]);
    error = error ? error : requests[i].error;
  }
  return error;
}

void copySame(void *to, const void *from, int64_t count, const Datatype *type) {
  if (type->dense) {
    if (count * type->size)
      memcpy(to, from, count * type->size);
    return;
  }
  size_t bytes;
  copyTyped(from, count, type, to, count, type, bytes);
}

} // namespace comm::ranks
