// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Send to MPI_Sendrecv_replace (MPI-4, 3.2, 3.4, 3.6, 3.7, 3.10).
#include "message/Message.h"

#include <cstdlib>
#include <memory>
#include <new>

using namespace comm::ranks;

namespace comm::ranks {

/// Checks the arguments of a send and returns an error class.
static int badSend(Comm *comm, int64_t count, Datatype *type, int dest, int tag) {
  if (__builtin_expect(
          count >= 0 && type && tag >= 0 && static_cast<unsigned>(dest) < static_cast<unsigned>(comm->peers()), 1))
    return ABI_SUCCESS;
  if (count < 0)
    return fail(comm, ABI_ERR_COUNT, "the count %ld is negative", static_cast<long>(count));
  if (!type)
    return fail(comm, ABI_ERR_TYPE, "invalid datatype");
  if (dest != ABI_PROC_NULL && (dest < 0 || dest >= comm->peers()))
    return fail(comm, ABI_ERR_RANK, "the destination %d is not a rank of it: use 0 to %d", dest, comm->peers() - 1);
  if (tag < 0)
    return fail(comm, ABI_ERR_TAG, "the tag %d is negative", tag);
  return ABI_SUCCESS;
}

static int badReceive(Comm *comm, int64_t count, Datatype *type, int source, int tag) {
  if (count < 0)
    return fail(comm, ABI_ERR_COUNT, "the count %ld is negative", static_cast<long>(count));
  if (!type)
    return fail(comm, ABI_ERR_TYPE, "invalid datatype");
  if (source != ABI_ANY_SOURCE && source != ABI_PROC_NULL && (source < 0 || source >= comm->peers()))
    return fail(comm, ABI_ERR_RANK, "the source %d is not a rank of it: use 0 to %d", source, comm->peers() - 1);
  if (tag < 0 && tag != ABI_ANY_TAG)
    return fail(comm, ABI_ERR_TAG, "the tag %d is negative", tag);
  return ABI_SUCCESS;
}

/// Checks that a buffered send fits into the attached buffer (MPI-4, 3.6). The data are copied elsewhere, so each
/// message only needs to fit by itself.
static int badBuffered(Comm *comm, int64_t count, Datatype *type) {
  Rank &rank = self();
  if (rank.bsendBuffer == ABI_BUFFER_AUTOMATIC)
    return ABI_SUCCESS;
  int64_t bytes = count * type->size + ABI_BSEND_OVERHEAD;
  if (rank.bsendBytes < bytes)
    return fail(comm, ABI_ERR_BUFFER, "the attached buffer has %ld bytes, the message needs %ld", rank.bsendBytes,
                static_cast<long>(bytes));
  return ABI_SUCCESS;
}

static int sendBlocking(const void *buf, int64_t count, ABI_Datatype datatype, int dest, int tag, ABI_Comm comm,
                        Mode mode) {
  COMM_OR_FAIL(c, comm);
  Datatype *type = typeOf(datatype);
  if (int error = badSend(c, count, type, dest, tag))
    return error;
  if (dest == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (mode == Mode::Buffered)
    if (int error = badBuffered(c, count, type))
      return error;
  Request q;
  fill(q, Request::Send, c, buf, count, type, dest, tag, c->shared->context);
  q.mode = mode;
  startSend(&q);
  wait(&q);
  return check(c, q.error, "the message could not be sent");
}

/// Creates a request that the program waits for; starts it unless `persistent`.
static int sendNonblocking(const void *buf, int64_t count, ABI_Datatype datatype, int dest, int tag, ABI_Comm comm,
                           Mode mode, ABI_Request *request, bool persistent) {
  COMM_OR_FAIL(c, comm);
  Datatype *type = typeOf(datatype);
  if (int error = badSend(c, count, type, dest, tag))
    return error;
  if (mode == Mode::Buffered && dest != ABI_PROC_NULL)
    if (int error = badBuffered(c, count, type))
      return error;
  Request *q = newRequest(Request::Send, c);
  if (type)
    retain(type);
  fill(*q, Request::Send, c, buf, count, type, dest, tag, c->shared->context);
  q->mode = mode;
  q->persistent = persistent;
  q->active = !persistent;
  *request = handleOf(q);
  if (!persistent)
    startSend(q);
  return ABI_SUCCESS;
}

static int receiveNonblocking(void *buf, int64_t count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                              ABI_Request *request, bool persistent) {
  COMM_OR_FAIL(c, comm);
  Datatype *type = typeOf(datatype);
  if (int error = badReceive(c, count, type, source, tag))
    return error;
  Request *q = newRequest(Request::Receive, c);
  if (type)
    retain(type);
  fill(*q, Request::Receive, c, buf, count, type, source, tag, c->shared->context);
  q->persistent = persistent;
  q->active = !persistent;
  *request = handleOf(q);
  if (!persistent)
    startReceive(q);
  return ABI_SUCCESS;
}

static int receiveBlocking(void *buf, int64_t count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                           ABI_Status *status) {
  COMM_OR_FAIL(c, comm);
  Datatype *type = typeOf(datatype);
  if (int error = badReceive(c, count, type, source, tag))
    return error;
  Request q;
  fill(q, Request::Receive, c, buf, count, type, source, tag, c->shared->context);
  startReceive(&q);
  wait(&q);
  if (status)
    setStatus(status, q.source, q.outTag, q.bytes, false);
  return check(c, q.error, "the message is longer than the receive buffer");
}

/// Sends and receives concurrently; posts the receive first to save a copy of the data.
static int sendReceive(const void *sendbuf, int64_t sendcount, Datatype *stype, int dest, int sendtag, void *recvbuf,
                       int64_t recvcount, Datatype *rtype, int source, int recvtag, Comm *c, ABI_Status *status) {
  Request in, out;
  fill(in, Request::Receive, c, recvbuf, recvcount, rtype, source, recvtag, c->shared->context);
  fill(out, Request::Send, c, sendbuf, sendcount, stype, dest, sendtag, c->shared->context);
  startReceive(&in);
  startSend(&out);
  wait(&out);
  wait(&in);
  if (status)
    setStatus(status, in.source, in.outTag, in.bytes, false);
  int error = out.error ? out.error : in.error;
  return check(c, error, "the message is longer than the receive buffer");
}

static int sendReceiveNonblocking(const void *sendbuf, int64_t sendcount, ABI_Datatype sendtype, int dest, int sendtag,
                                  void *recvbuf, int64_t recvcount, ABI_Datatype recvtype, int source, int recvtag,
                                  ABI_Comm comm, ABI_Request *request) {
  // The program waits for the receive, and the send ends by itself; both must be done before the program may reuse its
  // buffers.
  ABI_Request out;
  if (int error = sendNonblocking(sendbuf, sendcount, sendtype, dest, sendtag, comm, Mode::Standard, &out, false))
    return error;
  if (int error = receiveNonblocking(recvbuf, recvcount, recvtype, source, recvtag, comm, request, true)) {
    requestOf(out)->detached = true;
    return error;
  }
  Request *in = requestOf(*request), *send = requestOf(out);
  in->persistent = false;
  in->active = true;
  in->extra = new Extra;
  in->extra->partner = send;
  startReceive(in);
  return ABI_SUCCESS;
}

} // namespace comm::ranks

extern "C" {

#define SEND(NAME, MODE)                                                                                               \
  int comm_ranks_MPI_##NAME(const void *buf, int count, ABI_Datatype datatype, int dest, int tag, ABI_Comm comm) {     \
    return sendBlocking(buf, count, datatype, dest, tag, comm, MODE);                                                  \
  }                                                                                                                    \
  int comm_ranks_MPI_##NAME##_c(const void *buf, ABI_Count count, ABI_Datatype datatype, int dest, int tag,            \
                                ABI_Comm comm) {                                                                       \
    return sendBlocking(buf, count, datatype, dest, tag, comm, MODE);                                                  \
  }
#define SEND_LATER(NAME, MODE, PERSISTENT)                                                                             \
  int comm_ranks_MPI_##NAME(const void *buf, int count, ABI_Datatype datatype, int dest, int tag, ABI_Comm comm,       \
                            ABI_Request *request) {                                                                    \
    return sendNonblocking(buf, count, datatype, dest, tag, comm, MODE, request, PERSISTENT);                          \
  }                                                                                                                    \
  int comm_ranks_MPI_##NAME##_c(const void *buf, ABI_Count count, ABI_Datatype datatype, int dest, int tag,            \
                                ABI_Comm comm, ABI_Request *request) {                                                 \
    return sendNonblocking(buf, count, datatype, dest, tag, comm, MODE, request, PERSISTENT);                          \
  }

SEND(Send, Mode::Standard)
SEND(Ssend, Mode::Synchronous)
SEND(Rsend, Mode::Ready)
SEND(Bsend, Mode::Buffered)
SEND_LATER(Isend, Mode::Standard, false)
SEND_LATER(Issend, Mode::Synchronous, false)
SEND_LATER(Irsend, Mode::Ready, false)
SEND_LATER(Ibsend, Mode::Buffered, false)
SEND_LATER(Send_init, Mode::Standard, true)
SEND_LATER(Ssend_init, Mode::Synchronous, true)
SEND_LATER(Rsend_init, Mode::Ready, true)
SEND_LATER(Bsend_init, Mode::Buffered, true)

int comm_ranks_MPI_Recv(void *buf, int count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                        ABI_Status *status) {
  return receiveBlocking(buf, count, datatype, source, tag, comm, status);
}
int comm_ranks_MPI_Recv_c(void *buf, ABI_Count count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                          ABI_Status *status) {
  return receiveBlocking(buf, count, datatype, source, tag, comm, status);
}
int comm_ranks_MPI_Irecv(void *buf, int count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                         ABI_Request *request) {
  return receiveNonblocking(buf, count, datatype, source, tag, comm, request, false);
}
int comm_ranks_MPI_Irecv_c(void *buf, ABI_Count count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                           ABI_Request *request) {
  return receiveNonblocking(buf, count, datatype, source, tag, comm, request, false);
}
int comm_ranks_MPI_Recv_init(void *buf, int count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                             ABI_Request *request) {
  return receiveNonblocking(buf, count, datatype, source, tag, comm, request, true);
}
int comm_ranks_MPI_Recv_init_c(void *buf, ABI_Count count, ABI_Datatype datatype, int source, int tag, ABI_Comm comm,
                               ABI_Request *request) {
  return receiveNonblocking(buf, count, datatype, source, tag, comm, request, true);
}

int comm_ranks_MPI_Sendrecv(const void *sendbuf, int sendcount, ABI_Datatype sendtype, int dest, int sendtag,
                            void *recvbuf, int recvcount, ABI_Datatype recvtype, int source, int recvtag, ABI_Comm comm,
                            ABI_Status *status) {
  COMM_OR_FAIL(c, comm);
  Datatype *stype = typeOf(sendtype), *rtype = typeOf(recvtype);
  if (int error = badSend(c, sendcount, stype, dest, sendtag))
    return error;
  if (int error = badReceive(c, recvcount, rtype, source, recvtag))
    return error;
  return sendReceive(sendbuf, sendcount, stype, dest, sendtag, recvbuf, recvcount, rtype, source, recvtag, c, status);
}

int comm_ranks_MPI_Sendrecv_replace(void *buf, int count, ABI_Datatype datatype, int dest, int sendtag, int source,
                                    int recvtag, ABI_Comm comm, ABI_Status *status) {
  COMM_OR_FAIL(c, comm);
  Datatype *type = typeOf(datatype);
  if (int error = badSend(c, count, type, dest, sendtag))
    return error;
  if (int error = badReceive(c, count, type, source, recvtag))
    return error;
  size_t bytes = count * type->size;
  std::unique_ptr<char[]> copy(new (std::nothrow) char[bytes + 1]);
  if (!copy)
    return fail(c, ABI_ERR_NO_MEM, "no memory for %zu bytes", bytes);
  if (int error = packTo(copy.get(), buf, count, type))
    return fail(c, error, "the data could not be copied");
  return sendReceive(copy.get(), bytes, typeOf(ABI_BYTE), dest, sendtag, buf, count, type, source, recvtag, c, status);
}

int comm_ranks_MPI_Isendrecv(const void *sendbuf, int sendcount, ABI_Datatype sendtype, int dest, int sendtag,
                             void *recvbuf, int recvcount, ABI_Datatype recvtype, int source, int recvtag,
                             ABI_Comm comm, ABI_Request *request) {
  return sendReceiveNonblocking(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                recvtag, comm, request);
}

int comm_ranks_MPI_Isendrecv_replace(void *buf, int count, ABI_Datatype datatype, int dest, int sendtag, int source,
                                     int recvtag, ABI_Comm comm, ABI_Request *request) {
  COMM_OR_FAIL(c, comm);
  Datatype *type = typeOf(datatype);
  if (int error = badSend(c, count, type, dest, sendtag))
    return error;
  size_t bytes = type ? count * type->size : 0;
  auto *copy = static_cast<char *>(malloc(bytes + 1));
  if (!copy)
    return fail(c, ABI_ERR_NO_MEM, "no memory for %zu bytes", bytes);
  if (int error = type ? packTo(copy, buf, count, type) : ABI_SUCCESS) {
    free(copy);
    return fail(c, error, "the data could not be copied");
  }
  if (int error = sendReceiveNonblocking(copy, bytes, ABI_BYTE, dest, sendtag, buf, count, datatype, source, recvtag,
                                         comm, request)) {
    free(copy);
    return error;
  }
  requestOf(*request)->extra->partner->ownBuffer = true;
  return ABI_SUCCESS;
}

// Buffered data are copied immediately, so there is nothing to wait for.
int comm_ranks_MPI_Buffer_flush(void) { return ABI_SUCCESS; }

int comm_ranks_MPI_Buffer_iflush(ABI_Request *request) {
  Request *q = newRequest(Request::Send, nullptr);
  q->done = true;
  *request = handleOf(q);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Buffer_attach(void *buffer, int size) {
  Rank &rank = self();
  if (rank.bsendBytes || rank.bsendBuffer == ABI_BUFFER_AUTOMATIC)
    return fail(nullptr, ABI_ERR_BUFFER, "a buffer is attached already: detach it first");
  if (size < 0)
    return fail(nullptr, ABI_ERR_ARG, "the size %d is negative", size);
  rank.bsendBuffer = buffer;
  rank.bsendBytes = buffer == ABI_BUFFER_AUTOMATIC ? 0 : size; // any size is ignored then (MPI-4.1, 3.6)
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Buffer_detach(void *buffer_addr, int *size) {
  Rank &rank = self();
  *static_cast<void **>(buffer_addr) = rank.bsendBuffer;
  *size = rank.bsendBytes;
  rank.bsendBuffer = nullptr;
  rank.bsendBytes = 0;
  return ABI_SUCCESS;
}

} // extern "C"
