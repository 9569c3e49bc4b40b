// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Macros that generate the blocking, nonblocking and persistent form of a collective from one description.
#ifndef COMM_RANKS_COLLECTIVEFORMS_H
#define COMM_RANKS_COLLECTIVEFORMS_H

#include "collective/Collective.h"

namespace comm::ranks {

/// Keeps an operator alive until a nonblocking collective ends.
class OpRef {
public:
  OpRef(Op *o) : op(o) {
    if (op)
      op->references.fetch_add(1, std::memory_order_relaxed);
  }
  OpRef(const OpRef &other) : OpRef(other.op) {}
  OpRef &operator=(const OpRef &) = delete;
  ~OpRef() { releaseOp(op); }
  operator Op *() const { return op; }

private:
  Op *op;
};

/// Returns one side of a collective; MPI_IN_PLACE is represented by a side without a type.
inline Blocks blocksOf(const void *buffer, int64_t count, Datatype *type) {
  Blocks blocks;
  if (buffer == ABI_IN_PLACE)
    return blocks;
  blocks.base = static_cast<char *>(const_cast<void *>(buffer));
  blocks.count = count;
  blocks.type = type;
  return blocks;
}

int badRoot(Comm *c, int root);
int badTyped(Comm *c, int64_t count, ABI_Datatype datatype);
/// Whether one of the blocks begins where the buffer does: only then two buffers at the same address surely overlap.
bool hasFirst(Comm *c, const int *counts, const int *displacements);
int badReduction(Comm *c, int64_t count, ABI_Datatype datatype, ABI_Op op);

} // namespace comm::ranks

#define UNWRAP(...) __VA_ARGS__

/// CHECK returns an error code for invalid arguments; SETUP defines what WORK uses besides the parameters, the
/// communicator c and the number n.
#define COLLECTIVE(NAME, INAME, PARAMETERS, CHECK, WORK, ...)                                                          \
  int comm_ranks_MPI_##NAME(UNWRAP PARAMETERS) {                                                                       \
    COMM_OR_FAIL(c, comm);                                                                                             \
    CHECK __VA_ARGS__ uint32_t n = c->nextCollective();                                                                \
    InCollective named("MPI_" #NAME);                                                                                  \
    int error = [&]()->int WORK();                                                                                     \
    return check(c, error, "an error in a collective");                                                                \
  }                                                                                                                    \
  int comm_ranks_MPI_##INAME(UNWRAP PARAMETERS, ABI_Request *request) {                                                \
    COMM_OR_FAIL(c, comm);                                                                                             \
    CHECK __VA_ARGS__ uint32_t n = c->nextCollective();                                                                \
    *request = startLater(c, "MPI_" #INAME, [=]()->int WORK);                                                          \
    return ABI_SUCCESS;                                                                                                \
  }                                                                                                                    \
  int comm_ranks_MPI_##NAME##_init(UNWRAP PARAMETERS, ABI_Info, ABI_Request *request) {                                \
    COMM_OR_FAIL(c, comm);                                                                                             \
    CHECK __VA_ARGS__ *request = makePersistent(c, "MPI_" #NAME "_init", [=](uint32_t n)->int WORK);                   \
    return ABI_SUCCESS;                                                                                                \
  }

#define CHECK_ROOT(root)                                                                                               \
  if (int error = badRoot(c, root))                                                                                    \
  return error
#define CHECK_TYPED(count, datatype)                                                                                   \
  if (int error = badTyped(c, count, datatype))                                                                        \
  return error
#define CHECK_REDUCTION(count, datatype, op)                                                                           \
  if (int error = badReduction(c, count, datatype, op))                                                                \
  return error
// MPI-4, 2.3: no other argument may alias an output; MPI_IN_PLACE is the correct way.
#define REFUSE_SAME_BUFFER(isSame)                                                                                     \
  if (isSame)                                                                                                          \
  return fail(c, ABI_ERR_BUFFER,                                                                                       \
              "the send and the receive buffer are the same: use "                                                     \
              "MPI_IN_PLACE")
#define CHECK_DIFFERENT(sendbuf, recvbuf, count) REFUSE_SAME_BUFFER(sendbuf == recvbuf && (count) > 0 && recvbuf)
#define CHECK_INTRA                                                                                                    \
  if (c->isInter())                                                                                                    \
  return fail(c, ABI_ERR_COMM, "not defined on an intercommunicator")
/// Whether the rank contributes to, or has the result of, a rooted collective.
#define SENDS(root) (c->isInter() ? (root) >= 0 : true)
#define RECEIVES(root) (c->isInter() ? (root) == ABI_ROOT : c->rank == (root))

#endif
