// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule bound to the buffers of one process. The engine executes it.
#ifndef COMM_CDAGRUN_BIND_H
#define COMM_CDAGRUN_BIND_H

#include "Part.h"

namespace comm::cdag::run {

struct Move {
  void *to;
  const void *from;
  size_t bytes;
};

/// One call of an MPI collective, with its arguments.
struct Call {
  CollectiveKind kind;
  bool immediate; ///< blocking form, called before all others
  bool vectorForm;
  MPI_Comm comm;
  int root, position, size;
  const void *send; ///< or MPI_IN_PLACE
  void *recv;
  int sendCount, recvCount;
  int *sendCounts, *sendDispls, *recvCounts, *recvDispls; ///< or null
  MPI_Datatype type;
  MPI_Op op;
  uint32_t packBegin, packEnd, unpackBegin, unpackEnd; ///< moves
};

/// `to` is also the buffer of a send.
struct Node : LocalCall {
  size_t bytes;
};

class Bound;

/// A process's part as calls in the order of a run, if that order is known in advance. Steps and requests share one
/// block of memory: with many processes on a core it is cold whenever a process gets its turn.
class StepList {
public:
  StepList() = default;
  StepList(const StepList &) = delete;
  StepList &operator=(const StepList &) = delete;
  ~StepList() { clear(); }
  void clear();
  /// Stays empty if the engine must determine the order in each run.
  void find(const Bound &bound);
  bool empty() const { return !block_; }
  size_t bytes() const { return block_ ? block_->bytes : 0; }
  /// Returns an MPI error code. Must not be empty.
  int run(MPI_Comm comm) const;

private:
  struct Block {
    size_t bytes;
    uint64_t count;
    Node *steps() { return reinterpret_cast<Node *>(this + 1); }
  };
  Block *block_ = nullptr;
};

/// Owns the temporary memory, datatypes and argument arrays.
class Bound {
public:
  Bound() = default;
  Bound(const Bound &) = delete;
  Bound &operator=(const Bound &) = delete;
  ~Bound() { clear(); }
  void clear();
  bool empty() const { return !valid_; }
  size_t bytes() const;

  /// Binds the original graph or the compiled one. `comms` are the communicators of the collectives.
  void bind(const LocalGraph &graph, const Vec<LocalReduce> &reduces, const Vec<Region> &regions, const Part &part,
            bool replaced, const Vec<MPI_Comm> &comms);

  Vec<Node> nodes; ///< operations, then collectives
  Vec<Call> calls;
  Vec<Move> moves;
  Vec<Move> stages;
  Vec<uint32_t> successors, successorsBegin;
  Vec<uint32_t> waitsFor; ///< number of dependencies
  StepList steps;
  // The engine's working arrays, kept between runs.
  Vec<uint32_t> pending, queue, requestNodes;
  Vec<MPI_Request> requests;
  Vec<int> done;

private:
  void *allocate(size_t bytes);
  int *allocateInts(uint32_t count);
  char *pointer(Addr addr) const;
  MPI_Datatype bigType(uint64_t bytes);
  void bindNode(const OpRecord &record, const OpPlan &plan, Action action, const Vec<LocalReduce> &reduces);
  void bindCall(const CollectivePart &c, const Part &part, MPI_Comm comm);
  void bindReduction(const CollectivePart &c, const Part &part, Call &call);
  void *stream(const Piece *begin, const Piece *end, bool out, bool force, uint64_t total);
  void *perPeer(const Piece *begin, const Piece *end, bool out, bool force, const CollectivePart &c,
                const uint64_t *totals, int *counts, int *displs, uint64_t &span);
  void edges(const LocalGraph &graph, const Part *part);

  Vec<void *> owned_;
  Vec<MPI_Datatype> types_;
  const Vec<Region> *regions_ = nullptr;
  char *temp_ = nullptr;
  char *scratch_ = nullptr;
  size_t bytes_ = 0;
  bool valid_ = false;
};

/// Runs everything and returns an MPI error code when this process's part is complete. `comm` carries the messages.
int execute(Bound &bound, MPI_Comm comm);
/// Starts the nonblocking message of one node. Returns an MPI error code.
inline int startMessage(const Node &node, MPI_Comm comm, MPI_Request *request) {
  return node.kind == CallKind::Send ? MPI_Isend(node.to, node.count, node.type, node.peer, node.tag, comm, request)
                                     : MPI_Irecv(node.to, node.count, node.type, node.peer, node.tag, comm, request);
}
void reduceLocal(const Node &node);

} // namespace comm::cdag::run

#endif
