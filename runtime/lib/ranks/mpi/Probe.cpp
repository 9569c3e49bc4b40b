// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Probe, matched probe, and queries of a status (MPI-4, 3.8, 3.2.5).
#include "message/Message.h"

#include <climits>

using namespace comm::ranks;

namespace comm::ranks {

static int badProbe(Comm *c, int source, int tag) {
  if (source != ABI_ANY_SOURCE && source != ABI_PROC_NULL && (source < 0 || source >= c->peers()))
    return fail(c, ABI_ERR_RANK, "the source %d is not a rank of it", source);
  if (tag < 0 && tag != ABI_ANY_TAG)
    return fail(c, ABI_ERR_TAG, "the tag %d is negative", tag);
  return ABI_SUCCESS;
}

/// Returns a message that matches, or null after checking once.
static Message *look(Comm *c, int source, int tag, bool take) {
  Rank &rank = self();
  uint64_t context = c->shared->context;
  if (Message *m = findUnexpected(rank, context, source, tag, take))
    return m;
  rank.thread->yield();
  return findUnexpected(rank, context, source, tag, take);
}

/// Suspends the fiber until a message matches.
static Message *await(Comm *c, int source, int tag, bool take) {
  Rank &rank = self();
  Fiber *fiber = rank.thread->current;
  for (;;) {
    if (Message *m = findUnexpected(rank, c->shared->context, source, tag, take))
      return m;
    fiber->waiting = {"a message to probe", nullptr, c, source, tag};
    if (!fiber->foreign) {
      fiber->next = rank.prober;
      rank.prober = fiber;
    }
    rank.thread->block();
    fiber->waiting = Waiting();
  }
}

static Message *messageOf(ABI_Message handle) {
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : reinterpret_cast<Message *>(handle);
}

/// Implements all four probes: waits, or sets `flag` to whether there is a message; stores the message in `message`, or
/// leaves it in the queue if that is null.
static int probe(ABI_Comm comm, int source, int tag, int *flag, ABI_Message *message, ABI_Status *status) {
  COMM_OR_FAIL(c, comm);
  if (int error = badProbe(c, source, tag))
    return error;
  if (flag)
    *flag = 1;
  if (source == ABI_PROC_NULL) {
    if (message)
      *message = ABI_MESSAGE_NO_PROC;
    if (status)
      setStatus(status, ABI_PROC_NULL, ABI_ANY_TAG, 0, false);
    return ABI_SUCCESS;
  }
  Message *m = flag ? look(c, source, tag, message) : await(c, source, tag, message);
  if (message)
    *message = m ? reinterpret_cast<ABI_Message>(m) : ABI_MESSAGE_NULL;
  if (!m) {
    *flag = 0;
    return ABI_SUCCESS;
  }
  if (status)
    setStatus(status, m->source, m->tag, m->bytes, false);
  if (message) {
    m->comm = c;
    retain(c);
  }
  return ABI_SUCCESS;
}

} // namespace comm::ranks

extern "C" {

int comm_ranks_MPI_Probe(int source, int tag, ABI_Comm comm, ABI_Status *status) {
  return probe(comm, source, tag, nullptr, nullptr, status);
}

int comm_ranks_MPI_Iprobe(int source, int tag, ABI_Comm comm, int *flag, ABI_Status *status) {
  return probe(comm, source, tag, flag, nullptr, status);
}

int comm_ranks_MPI_Mprobe(int source, int tag, ABI_Comm comm, ABI_Message *message, ABI_Status *status) {
  return probe(comm, source, tag, nullptr, message, status);
}

int comm_ranks_MPI_Improbe(int source, int tag, ABI_Comm comm, int *flag, ABI_Message *message, ABI_Status *status) {
  return probe(comm, source, tag, flag, message, status);
}

int comm_ranks_MPI_Imrecv(void *buf, int count, ABI_Datatype datatype, ABI_Message *message, ABI_Request *request) {
  Datatype *type = typeOf(datatype);
  if (count < 0 || !type)
    return fail(nullptr, type ? ABI_ERR_COUNT : ABI_ERR_TYPE, "invalid count or datatype");
  Message *m = messageOf(*message);
  if (!m && *message != ABI_MESSAGE_NO_PROC)
    return fail(nullptr, ABI_ERR_REQUEST, "the message handle is null");
  Comm *c = m ? m->comm : self().world;
  Request *q = newRequest(Request::Receive, c);
  retain(type);
  fill(*q, Request::Receive, c, buf, count, type, m ? ABI_ANY_SOURCE : ABI_PROC_NULL, ABI_ANY_TAG, c->shared->context);
  *request = handleOf(q);
  *message = ABI_MESSAGE_NULL;
  if (m) {
    release(c); // release the message's reference; the request has its own
    consume(q, m);
  } else {
    startReceive(q);
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Mrecv(void *buf, int count, ABI_Datatype datatype, ABI_Message *message, ABI_Status *status) {
  ABI_Request request;
  if (int error = comm_ranks_MPI_Imrecv(buf, count, datatype, message, &request))
    return error;
  return comm_ranks_MPI_Wait(&request, status);
}

int comm_ranks_MPI_Get_count(const ABI_Status *status, ABI_Datatype datatype, int *count) {
  TYPE_OR_FAIL(type, datatype);
  size_t bytes = bytesOf(*status);
  if (!type->size)
    *count = bytes ? ABI_UNDEFINED : 0;
  else if (bytes % type->size || bytes / type->size > INT_MAX)
    *count = ABI_UNDEFINED;
  else
    *count = bytes / type->size;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Get_count_c(const ABI_Status *status, ABI_Datatype datatype, ABI_Count *count) {
  TYPE_OR_FAIL(type, datatype);
  size_t bytes = bytesOf(*status);
  if (!type->size)
    *count = bytes ? ABI_UNDEFINED : 0;
  else
    *count = bytes % type->size ? ABI_Count(ABI_UNDEFINED) : ABI_Count(bytes / type->size);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Get_elements_c(const ABI_Status *status, ABI_Datatype datatype, ABI_Count *count) {
  TYPE_OR_FAIL(type, datatype);
  // The underlying MPI knows the basic elements of a type.
  MPI_Status native;
  MPI_Status_set_elements_x(&native, MPI_BYTE, bytesOf(*status));
  MPI_Count elements = 0;
  int code = MPI_Get_elements_x(&native, type->native, &elements);
  *count = elements == MPI_UNDEFINED ? ABI_Count(ABI_UNDEFINED) : elements;
  return check(nullptr, classOfNative(code), "no elements of the datatype");
}

int comm_ranks_MPI_Get_elements(const ABI_Status *status, ABI_Datatype datatype, int *count) {
  ABI_Count large = 0;
  int error = comm_ranks_MPI_Get_elements_c(status, datatype, &large);
  *count = large > INT_MAX ? ABI_UNDEFINED : static_cast<int>(large);
  return error;
}

int comm_ranks_MPI_Get_elements_x(const ABI_Status *status, ABI_Datatype datatype, ABI_Count *count) {
  return comm_ranks_MPI_Get_elements_c(status, datatype, count);
}

int comm_ranks_MPI_Status_set_elements_c(ABI_Status *status, ABI_Datatype datatype, ABI_Count count) {
  TYPE_OR_FAIL(type, datatype);
  if (count < 0)
    return fail(nullptr, ABI_ERR_COUNT, "the count %ld is negative", static_cast<long>(count));
  // Basic elements, several of which a derived type may contain.
  MPI_Status native;
  MPI_Count bytes = 0;
  MPI_Status_set_elements_x(&native, type->native, count);
  MPI_Get_elements_x(&native, MPI_BYTE, &bytes);
  status->MPI_internal[0] = static_cast<int>(bytes);
  status->MPI_internal[1] = static_cast<int>(bytes >> 32);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Status_set_elements(ABI_Status *status, ABI_Datatype datatype, int count) {
  return comm_ranks_MPI_Status_set_elements_c(status, datatype, count);
}

int comm_ranks_MPI_Status_set_elements_x(ABI_Status *status, ABI_Datatype datatype, ABI_Count count) {
  return comm_ranks_MPI_Status_set_elements_c(status, datatype, count);
}

int comm_ranks_MPI_Status_set_cancelled(ABI_Status *status, int flag) {
  status->MPI_internal[2] = flag != 0;
  return ABI_SUCCESS;
}

#define STATUS_FIELD(NAME, FIELD)                                                                                      \
  int comm_ranks_MPI_Status_get_##NAME(const ABI_Status *status, int *value) {                                         \
    *value = status->FIELD;                                                                                            \
    return ABI_SUCCESS;                                                                                                \
  }                                                                                                                    \
  int comm_ranks_MPI_Status_set_##NAME(ABI_Status *status, int value) {                                                \
    status->FIELD = value;                                                                                             \
    return ABI_SUCCESS;                                                                                                \
  }
STATUS_FIELD(source, MPI_SOURCE)
STATUS_FIELD(tag, MPI_TAG)
STATUS_FIELD(error, MPI_ERROR)

} // extern "C"
