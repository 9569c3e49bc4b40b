// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The wait and test families, MPI_Start, MPI_Request_free, MPI_Cancel,
/// generalized requests (MPI-4, 3.7, 3.8.4, 3.9, 13.2).
#include "message/Message.h"

#include <vector>

using namespace comm::ranks;

namespace comm::ranks {

static bool isActive(const Request *q) { return q && q->active; }

/// Also checks the partner of an MPI_Isendrecv.
static bool isDone(const Request *q) { return q->done && (!q->extra || !q->extra->partner || q->extra->partner->done); }

static void waitFor(Request *q) {
  wait(q);
  if (q->extra && q->extra->partner)
    wait(q->extra->partner);
}

/// Takes the result of a completed request: fills the status (which may be null), frees the request or makes it
/// inactive, and returns its error class.
static int take(ABI_Request *handle, ABI_Status *status) {
  Request *q = requestOf(*handle);
  int error = q->error;
  if (q->kind == Request::Generalized) {
    ABI_Status own;
    setEmptyStatus(&own);
    if (q->extra->query)
      error = q->extra->query(q->extra->state, status ? status : &own);
    if (q->extra->free) {
      int second = q->extra->free(q->extra->state);
      error = error ? error : second;
    }
  } else if (status) {
    if (q->kind == Request::Receive)
      setStatus(status, q->source, q->outTag, q->bytes, q->cancelled);
    else
      setStatus(status, ABI_ANY_SOURCE, ABI_ANY_TAG, 0, q->cancelled);
  }
  if (q->extra && q->extra->partner) {
    error = error ? error : q->extra->partner->error;
    deleteRequest(q->extra->partner);
    q->extra->partner = nullptr;
  }
  if (q->persistent) {
    q->active = false;
    return error;
  }
  *handle = ABI_REQUEST_NULL;
  deleteRequest(q);
  return error;
}

/// Returns the communicator whose error handler is called.
static Comm *commOfRequest(ABI_Request handle) {
  Request *q = requestOf(handle);
  return q && q->comm && !q->comm->freed ? q->comm : nullptr;
}

static ABI_Status *at(ABI_Status *statuses, int i) { return statuses ? statuses + i : nullptr; }

/// Suspends the fiber until one of the requests is done; at least one must be active.
static void waitForOne(int count, ABI_Request *requests) {
  Fiber *fiber = thisThread->current;
  auto set = [&](Fiber *waiter) {
    for (int i = 0; i < count; ++i) {
      Request *q = requestOf(requests[i]);
      if (!isActive(q))
        continue;
      q->waiter = waiter;
      if (q->extra && q->extra->partner)
        q->extra->partner->waiter = waiter;
      if (waiter && !fiber->waiting.request)
        fiber->waiting.request = q;
    }
  };
  set(fiber);
  thisThread->block();
  set(nullptr);
  fiber->waiting.request = nullptr;
}

static int findDone(int count, ABI_Request *requests, bool &anyActive) {
  anyActive = false;
  for (int i = 0; i < count; ++i) {
    Request *q = requestOf(requests[i]);
    if (!isActive(q))
      continue;
    anyActive = true;
    if (isDone(q))
      return i;
  }
  return ABI_UNDEFINED;
}

/// Takes all that are done; returns MPI_ERR_IN_STATUS if one had an error.
static int takeDone(int count, ABI_Request *requests, int *outcount, int *indices, ABI_Status *statuses, Comm *&comm) {
  int taken = 0, result = ABI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    Request *q = requestOf(requests[i]);
    if (!isActive(q) || !isDone(q))
      continue;
    Comm *of = commOfRequest(requests[i]);
    ABI_Status *status = at(statuses, taken);
    int error = take(&requests[i], status);
    if (status)
      status->MPI_ERROR = error;
    if (error) {
      result = ABI_ERR_IN_STATUS;
      comm = of;
    }
    indices[taken++] = i;
  }
  *outcount = taken;
  return result;
}

static void start(Request *q) {
  q->active = true;
  q->done = q->cancelled = false;
  q->error = ABI_SUCCESS;
  q->source = ABI_ANY_SOURCE;
  q->outTag = ABI_ANY_TAG;
  q->bytes = 0;
  if (q->kind == Request::Send)
    startSend(q);
  else if (q->kind == Request::Receive)
    startReceive(q);
  else
    q->extra->start(q);
}

#define CHECK_REQUESTS(count)                                                                                          \
  if ((count) < 0)                                                                                                     \
  return fail(nullptr, ABI_ERR_COUNT, "%d requests", count)

static const char *const failed = "a request ended with an error";

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_Wait(ABI_Request *request, ABI_Status *status) {
  Request *q = requestOf(*request);
  if (!isActive(q)) {
    setEmptyStatus(status);
    return ABI_SUCCESS;
  }
  Comm *comm = commOfRequest(*request);
  waitFor(q);
  return check(comm, take(request, status), failed);
}

int comm_ranks_MPI_Test(ABI_Request *request, int *flag, ABI_Status *status) {
  Request *q = requestOf(*request);
  if (!isActive(q)) {
    *flag = 1;
    setEmptyStatus(status);
    return ABI_SUCCESS;
  }
  if (!isDone(q))
    thisThread->yield();
  *flag = isDone(q);
  if (!*flag)
    return ABI_SUCCESS;
  Comm *comm = commOfRequest(*request);
  return check(comm, take(request, status), failed);
}

int comm_ranks_MPI_Waitall(int count, ABI_Request requests[], ABI_Status *statuses) {
  CHECK_REQUESTS(count);
  int result = ABI_SUCCESS;
  Comm *comm = nullptr;
  for (int i = 0; i < count; ++i) {
    Request *q = requestOf(requests[i]);
    if (isActive(q))
      waitFor(q);
  }
  for (int i = 0; i < count; ++i) {
    ABI_Status *status = at(statuses, i);
    if (!isActive(requestOf(requests[i]))) {
      setEmptyStatus(status);
      continue;
    }
    Comm *of = commOfRequest(requests[i]);
    int error = take(&requests[i], status);
    if (status)
      status->MPI_ERROR = error;
    if (error) {
      result = ABI_ERR_IN_STATUS;
      comm = of;
    }
  }
  return check(comm, result, failed);
}

int comm_ranks_MPI_Testall(int count, ABI_Request requests[], int *flag, ABI_Status *statuses) {
  CHECK_REQUESTS(count);
  auto allDone = [&] {
    for (int i = 0; i < count; ++i) {
      Request *q = requestOf(requests[i]);
      if (isActive(q) && !isDone(q))
        return false;
    }
    return true;
  };
  if (!allDone())
    thisThread->yield();
  *flag = allDone();
  if (!*flag)
    return ABI_SUCCESS;
  return comm_ranks_MPI_Waitall(count, requests, statuses);
}

int comm_ranks_MPI_Waitany(int count, ABI_Request requests[], int *index, ABI_Status *status) {
  CHECK_REQUESTS(count);
  for (;;) {
    bool anyActive;
    int i = findDone(count, requests, anyActive);
    *index = i;
    if (i != ABI_UNDEFINED) {
      Comm *comm = commOfRequest(requests[i]);
      return check(comm, take(&requests[i], status), failed);
    }
    if (!anyActive) {
      setEmptyStatus(status);
      return ABI_SUCCESS;
    }
    waitForOne(count, requests);
  }
}

int comm_ranks_MPI_Testany(int count, ABI_Request requests[], int *index, int *flag, ABI_Status *status) {
  CHECK_REQUESTS(count);
  bool anyActive;
  int i = findDone(count, requests, anyActive);
  if (i == ABI_UNDEFINED && anyActive) {
    thisThread->yield();
    i = findDone(count, requests, anyActive);
  }
  *index = i;
  *flag = i != ABI_UNDEFINED || !anyActive;
  if (i != ABI_UNDEFINED) {
    Comm *comm = commOfRequest(requests[i]);
    return check(comm, take(&requests[i], status), failed);
  }
  if (!anyActive)
    setEmptyStatus(status);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Waitsome(int incount, ABI_Request requests[], int *outcount, int indices[], ABI_Status *statuses) {
  CHECK_REQUESTS(incount);
  for (;;) {
    bool anyActive;
    if (findDone(incount, requests, anyActive) != ABI_UNDEFINED)
      break;
    if (!anyActive) {
      *outcount = ABI_UNDEFINED;
      return ABI_SUCCESS;
    }
    waitForOne(incount, requests);
  }
  Comm *comm = nullptr;
  int result = takeDone(incount, requests, outcount, indices, statuses, comm);
  return check(comm, result, failed);
}

int comm_ranks_MPI_Testsome(int incount, ABI_Request requests[], int *outcount, int indices[], ABI_Status *statuses) {
  CHECK_REQUESTS(incount);
  bool anyActive;
  if (findDone(incount, requests, anyActive) == ABI_UNDEFINED) {
    if (!anyActive) {
      *outcount = ABI_UNDEFINED;
      return ABI_SUCCESS;
    }
    thisThread->yield();
  }
  Comm *comm = nullptr;
  int result = takeDone(incount, requests, outcount, indices, statuses, comm);
  return check(comm, result, failed);
}

int comm_ranks_MPI_Start(ABI_Request *request) {
  Request *q = requestOf(*request);
  if (!q || !q->persistent || q->active)
    return fail(commOfRequest(*request), ABI_ERR_REQUEST, "not an inactive persistent request");
  start(q);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Startall(int count, ABI_Request requests[]) {
  CHECK_REQUESTS(count);
  for (int i = 0; i < count; ++i)
    if (int error = comm_ranks_MPI_Start(&requests[i]))
      return error;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Request_free(ABI_Request *request) {
  Request *q = requestOf(*request);
  if (!q)
    return fail(nullptr, ABI_ERR_REQUEST, "the request is null");
  *request = ABI_REQUEST_NULL;
  if (q->kind == Request::Generalized && q->extra->free && isDone(q))
    q->extra->free(q->extra->state);
  if (q->extra && q->extra->partner) {
    Request *partner = q->extra->partner;
    q->extra->partner = nullptr;
    if (partner->done)
      deleteRequest(partner);
    else
      partner->detached = true;
  }
  if (!q->active || q->done)
    deleteRequest(q);
  else
    q->detached = true;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Request_get_status(ABI_Request request, int *flag, ABI_Status *status) {
  Request *q = requestOf(request);
  if (!isActive(q)) {
    *flag = 1;
    setEmptyStatus(status);
    return ABI_SUCCESS;
  }
  if (!isDone(q))
    thisThread->yield();
  *flag = isDone(q);
  if (!*flag || !status)
    return ABI_SUCCESS;
  if (q->kind == Request::Generalized && q->extra->query)
    return q->extra->query(q->extra->state, status);
  if (q->kind == Request::Receive)
    setStatus(status, q->source, q->outTag, q->bytes, q->cancelled);
  else
    setStatus(status, ABI_ANY_SOURCE, ABI_ANY_TAG, 0, q->cancelled);
  return ABI_SUCCESS;
}

// MPI-4.1, 3.7.6: like MPI_Testany and its family, but nothing is freed.
int comm_ranks_MPI_Request_get_status_all(int count, const ABI_Request requests[], int *flag, ABI_Status *statuses) {
  CHECK_REQUESTS(count);
  *flag = 1;
  for (int i = 0; i < count && *flag; ++i)
    comm_ranks_MPI_Request_get_status(requests[i], flag, at(statuses, i));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Request_get_status_any(int count, const ABI_Request requests[], int *index, int *flag,
                                          ABI_Status *status) {
  CHECK_REQUESTS(count);
  bool anyActive = false;
  *index = ABI_UNDEFINED;
  for (int i = 0; i < count; ++i) {
    if (!isActive(requestOf(requests[i])))
      continue;
    anyActive = true;
    comm_ranks_MPI_Request_get_status(requests[i], flag, status);
    if (*flag) {
      *index = i;
      return ABI_SUCCESS;
    }
  }
  *flag = !anyActive;
  if (!anyActive)
    setEmptyStatus(status);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Request_get_status_some(int incount, const ABI_Request requests[], int *outcount, int indices[],
                                           ABI_Status *statuses) {
  CHECK_REQUESTS(incount);
  bool anyActive = false;
  *outcount = 0;
  for (int i = 0; i < incount; ++i) {
    if (!isActive(requestOf(requests[i])))
      continue;
    anyActive = true;
    int flag = 0;
    comm_ranks_MPI_Request_get_status(requests[i], &flag, at(statuses, *outcount));
    if (flag)
      indices[(*outcount)++] = i;
  }
  if (!anyActive)
    *outcount = ABI_UNDEFINED;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cancel(ABI_Request *request) {
  Request *q = requestOf(*request);
  if (!isActive(q))
    return fail(nullptr, ABI_ERR_REQUEST, "the request is not active");
  if (q->kind == Request::Generalized) {
    if (q->extra->cancel)
      return q->extra->cancel(q->extra->state, q->done);
    return ABI_SUCCESS;
  }
  if (q->done)
    return ABI_SUCCESS;
  if ((q->kind == Request::Receive && withdraw(q)) || (q->kind == Request::Send && recall(q))) {
    q->cancelled = true;
    complete(q);
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Test_cancelled(const ABI_Status *status, int *flag) {
  *flag = status->MPI_internal[2] != 0;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Grequest_start(ABI_Grequest_query_function *query_fn, ABI_Grequest_free_function *free_fn,
                                  ABI_Grequest_cancel_function *cancel_fn, void *extra_state, ABI_Request *request) {
  Request *q = newRequest(Request::Generalized, nullptr);
  q->extra = new Extra;
  q->extra->query = query_fn;
  q->extra->free = free_fn;
  q->extra->cancel = cancel_fn;
  q->extra->state = extra_state;
  *request = handleOf(q);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Grequest_complete(ABI_Request request) {
  Request *q = requestOf(request);
  if (!q || q->kind != Request::Generalized)
    return fail(nullptr, ABI_ERR_REQUEST, "not a generalized request");
  if (q->detached && q->extra->free)
    q->extra->free(q->extra->state);
  complete(q);
  return ABI_SUCCESS;
}

} // extern "C"
