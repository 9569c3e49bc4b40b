// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a bound schedule. Messages are nonblocking; a node starts when all its dependencies are complete.
//
// Collectives that no message precedes on any process are called in their blocking forms, in order, once everything
// that can be posted is posted. All processes reach them regardless of the messages. The others are nonblocking and
// follow in order. So all members call the collectives of a communicator in the same order and form.

#include "Bind.h"

#include <algorithm>

namespace comm::cdag::run {

namespace {

int startCall(const Call &c, MPI_Request *request) {
  void *send = const_cast<void *>(c.send);
  bool isRoot = c.position == c.root;
  // With a request, use the nonblocking form.
#define COMM_UPPER(NAME, name, ...)                                                                                    \
  (request ? MPI_I##name(__VA_ARGS__, c.comm, request) : MPI_##NAME(__VA_ARGS__, c.comm))
  switch (c.kind) {
  case CollectiveKind::Bcast:
    return COMM_UPPER(Bcast, bcast, c.recv, c.recvCount, c.type, c.root);
  case CollectiveKind::Gather:
  case CollectiveKind::Gatherv:
    if (c.vectorForm)
      return COMM_UPPER(Gatherv, gatherv, send, c.sendCount, c.type, c.recv, c.recvCounts, c.recvDispls, c.type,
                        c.root);
    return COMM_UPPER(Gather, gather, send, c.sendCount, c.type, c.recv, c.recvCount, c.type, c.root);
  case CollectiveKind::Scatter:
  case CollectiveKind::Scatterv:
    if (c.vectorForm)
      return COMM_UPPER(Scatterv, scatterv, isRoot ? send : nullptr, c.sendCounts, c.sendDispls, c.type, c.recv,
                        c.recvCount, c.type, c.root);
    return COMM_UPPER(Scatter, scatter, send, c.sendCount, c.type, c.recv, c.recvCount, c.type, c.root);
  case CollectiveKind::Allgather:
    return COMM_UPPER(Allgather, allgather, send, c.sendCount, c.type, c.recv, c.recvCount, c.type);
  case CollectiveKind::Allgatherv:
    return COMM_UPPER(Allgatherv, allgatherv, send, c.sendCount, c.type, c.recv, c.recvCounts, c.recvDispls, c.type);
  case CollectiveKind::Alltoall:
  case CollectiveKind::Alltoallv:
    if (c.vectorForm)
      return COMM_UPPER(Alltoallv, alltoallv, send, c.sendCounts, c.sendDispls, c.type, c.recv, c.recvCounts,
                        c.recvDispls, c.type);
    return COMM_UPPER(Alltoall, alltoall, send, c.sendCount, c.type, c.recv, c.recvCount, c.type);
  case CollectiveKind::Allreduce:
    return COMM_UPPER(Allreduce, allreduce, send, c.recv, c.sendCount, c.type, c.op);
  case CollectiveKind::ReduceScatter:
    return COMM_UPPER(Reduce_scatter, reduce_scatter, send, c.recv, c.recvCounts, c.type, c.op);
  case CollectiveKind::Scan:
    return COMM_UPPER(Scan, scan, send, c.recv, c.sendCount, c.type, c.op);
  case CollectiveKind::Exscan:
    return COMM_UPPER(Exscan, exscan, send, c.recv, c.sendCount, c.type, c.op);
  case CollectiveKind::Reduce:
    return COMM_UPPER(Reduce, reduce, send, c.recv, c.sendCount, c.type, c.op, c.root);
  case CollectiveKind::Barrier:
    return request ? MPI_Ibarrier(c.comm, request) : MPI_Barrier(c.comm);
  }
#undef COMM_UPPER
  return MPI_ERR_INTERN;
}

void runMoves(const Vec<Move> &moves, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; ++i)
    std::memcpy(moves[i].to, moves[i].from, moves[i].bytes);
}

class Run {
public:
  Run(Bound &bound, MPI_Comm comm) : b_(bound), comm_(comm) {}
  int run();

private:
  void start(uint32_t node);
  void complete(uint32_t node);
  void drain() {
    while (head_ < b_.queue.size() && !error_)
      start(b_.queue[head_++]);
  }
  /// Starts collectives whose turn has come. Returns true if it started any.
  bool startCollectives();
  void waitSome();

  Bound &b_;
  MPI_Comm comm_;
  size_t head_ = 0;
  uint32_t left_ = 0;
  uint32_t nextImmediate_ = 0, nextOther_ = 0; ///< calls
  int error_ = MPI_SUCCESS;
};

void Run::complete(uint32_t node) {
  --left_;
  for (uint32_t i = b_.successorsBegin[node]; i < b_.successorsBegin[node + 1]; ++i)
    if (--b_.pending[b_.successors[i]] == 0)
      b_.queue.push_back(b_.successors[i]);
}

void Run::start(uint32_t n) {
  const Node &node = b_.nodes[n];
  switch (node.kind) {
  case CallKind::Nothing:
    complete(n);
    return;
  case CallKind::Copy:
    std::memmove(node.to, node.from, node.bytes);
    complete(n);
    return;
  case CallKind::Reduce:
    reduceLocal(node);
    complete(n);
    return;
  case CallKind::Send:
  case CallKind::Recv: {
    MPI_Request request = MPI_REQUEST_NULL;
    error_ = startMessage(node, comm_, &request);
    b_.requests.push_back(request);
    b_.requestNodes.push_back(n);
    return;
  }
  default: // startCollectives() starts collectives in their order
    return;
  }
}

bool Run::startCollectives() {
  uint32_t count = uint32_t(b_.calls.size());
  uint32_t first = uint32_t(b_.nodes.size()) - count;
  while (nextImmediate_ < count && !b_.calls[nextImmediate_].immediate)
    ++nextImmediate_;
  bool others = nextImmediate_ == count;
  while (others && nextOther_ < count && b_.calls[nextOther_].immediate)
    ++nextOther_;
  uint32_t c = others ? nextOther_ : nextImmediate_;
  if (c >= count || b_.pending[first + c] != 0)
    return false;
  const Call &call = b_.calls[c];
  runMoves(b_.moves, call.packBegin, call.packEnd);
  if (!others) {
    ++nextImmediate_;
    error_ = startCall(call, nullptr);
    runMoves(b_.moves, call.unpackBegin, call.unpackEnd);
    complete(first + c);
    return true;
  }
  ++nextOther_;
  MPI_Request request = MPI_REQUEST_NULL;
  error_ = startCall(call, &request);
  b_.requests.push_back(request);
  b_.requestNodes.push_back(first + c);
  return true;
}

void Run::waitSome() {
  int count = int(b_.requests.size()), done = 0;
  b_.done.resize(size_t(count));
  int error = MPI_Waitsome(count, b_.requests.data(), &done, b_.done.data(), MPI_STATUSES_IGNORE);
  if (error != MPI_SUCCESS)
    error_ = error;
  uint32_t first = uint32_t(b_.nodes.size() - b_.calls.size());
  for (int i = 0; i < done; ++i) {
    uint32_t node = b_.requestNodes[size_t(b_.done[i])];
    if (b_.nodes[node].kind == CallKind::Collective) {
      const Call &call = b_.calls[node - first];
      runMoves(b_.moves, call.unpackBegin, call.unpackEnd);
    }
    complete(node);
  }
  size_t kept = 0;
  for (size_t i = 0; i < b_.requests.size(); ++i)
    if (b_.requests[i] != MPI_REQUEST_NULL) {
      b_.requests[kept] = b_.requests[i];
      b_.requestNodes[kept++] = b_.requestNodes[i];
    }
  b_.requests.resize(kept);
  b_.requestNodes.resize(kept);
}

int Run::run() {
  b_.pending = b_.waitsFor;
  b_.queue.clear();
  b_.requests.clear();
  b_.requestNodes.clear();
  left_ = uint32_t(b_.nodes.size());
  for (const Move &stage : b_.stages)
    std::memcpy(stage.to, stage.from, stage.bytes);
  // Post receives first, so that messages find their buffer.
  for (bool receives : {true, false})
    for (uint32_t n = 0; n < b_.nodes.size(); ++n)
      if (b_.waitsFor[n] == 0 && (b_.nodes[n].kind == CallKind::Recv) == receives)
        b_.queue.push_back(n);
  while (!error_) {
    drain();
    if (error_ || left_ == 0)
      break;
    if (startCollectives())
      continue;
    if (b_.requests.empty())
      return MPI_ERR_INTERN; // nothing can start, so this is not a schedule
    waitSome();
  }
  return error_;
}

} // namespace

void reduceLocal(const Node &node) {
  MPI_Reduce_local(const_cast<void *>(node.from), node.to, node.count, node.type, node.op);
}

int execute(Bound &bound, MPI_Comm comm) {
  return bound.steps.empty() ? Run(bound, comm).run() : bound.steps.run(comm);
}

} // namespace comm::cdag::run
