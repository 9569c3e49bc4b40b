// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The collectives, below MPI's interface.
///
/// Each takes the number of the collective (Comm::collectives at the time of the call), suspends the fiber until it is
/// done, and returns an error class of the ABI. A nonblocking collective is the same function in a separate fiber.
/// Collectives on an intracommunicator whose members are all in this process use shared memory; otherwise one member
/// per process, its leader, communicates for the process.
#ifndef COMM_RANKS_COLLECTIVE_H
#define COMM_RANKS_COLLECTIVE_H

#include "message/Message.h"

#include <functional>
#include <utility>

namespace comm::ranks {

/// Keeps a datatype alive until a nonblocking collective ends.
class TypeRef {
public:
  TypeRef(Datatype *t = nullptr) : type(t) {
    if (type)
      retain(type);
  }
  TypeRef(const TypeRef &other) : TypeRef(other.type) {}
  TypeRef &operator=(const TypeRef &other) {
    TypeRef copy(other);
    std::swap(type, copy.type);
    return *this;
  }
  ~TypeRef() {
    if (type)
      release(type);
  }
  operator Datatype *() const { return type; }
  Datatype *operator->() const { return type; }

private:
  Datatype *type;
};

/// Typed memory that a collective sends or receives, for each peer: count and displacement in elements of one type (or
/// contiguous blocks of `count`, or for w: separate types and displacements in bytes).
struct Blocks {
  char *base = nullptr;
  int64_t count = 0;
  TypeRef type;
  const int *counts = nullptr, *displacements = nullptr;
  const ABI_Datatype *types = nullptr;
  std::vector<TypeRef> kept;      ///< the same types, which the program may free meanwhile
  const ABI_Aint *wide = nullptr; ///< displacements in neighbor w variants
  /// For internal use, in elements: may exceed an int.
  const int64_t *longCounts = nullptr, *longPlaces = nullptr;

  void keep(int n) {
    for (int i = 0; i < n; ++i)
      kept.emplace_back(typeOf(types[i]));
  }
  int64_t countOf(int i) const {
    if (longCounts)
      return longCounts[i];
    return counts ? counts[i] : count;
  }
  int64_t distanceOf(int i) const {
    if (wide)
      return wide[i];
    if (types)
      return displacements[i];
    if (longPlaces)
      return longPlaces[i] * type->extent;
    return (displacements ? displacements[i] : i * count) * type->extent;
  }
  Datatype *typeOfBlock(int i) const {
    if (types)
      return typeOf(types[i]);
    return type;
  }
  char *at(int i) const {
    // From MPI_BOTTOM, displacements are addresses, and C++ defines no arithmetic on null pointers.
    return reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(base) + distanceOf(i));
  }
};

int barrier(Comm *c, uint32_t n);
int broadcast(Comm *c, uint32_t n, void *buffer, int64_t count, Datatype *type, int root);
/// MPI_IN_PLACE is represented by a side without a type.
int gather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root);
int scatter(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root);
int allgather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out);
int alltoall(Comm *c, uint32_t n, const Blocks &in, const Blocks &out);
int reduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op, int root);
int allreduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op);
int scan(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op, bool exclusive);
/// If counts is null, each rank gets `count` elements.
int reduceScatter(Comm *c, uint32_t n, const void *in, void *out, const int *counts, int64_t count, Datatype *type,
                  Op *op);
int neighbor(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, bool sameToAll);

/// Gathers `bytes` bytes of each member, by rank.
inline int allgather(Comm *c, uint32_t n, const void *in, void *out, size_t bytes) {
  Blocks from, to;
  from.base = static_cast<char *>(const_cast<void *>(in));
  to.base = static_cast<char *>(out);
  from.count = to.count = bytes;
  from.type = to.type = typeOf(ABI_BYTE);
  return allgather(c, n, from, to);
}

// The same between the two groups of an intercommunicator.
int interBarrier(Comm *c, uint32_t n);
int interBroadcast(Comm *c, uint32_t n, void *buffer, int64_t count, Datatype *type, int root);
int interGather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root);
int interScatter(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root);
int interExchange(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, bool sameToAll);
int interReduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op, int root);
int interAllreduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op);
int interReduceScatter(Comm *c, uint32_t n, const void *in, void *out, const int *counts, int64_t count, Datatype *type,
                       Op *op);

/// Sets the name of the running fiber's collective, for messages and for the check that all ranks call the same; null
/// for collectives that the runtime itself uses.
class InCollective {
public:
  explicit InCollective(const char *name) : fiber(thisThread->current), before(fiber->collective) {
    fiber->collective = name;
  }
  InCollective(const InCollective &) = delete;
  ~InCollective() { fiber->collective = before; }

private:
  Fiber *fiber;
  const char *before;
};

/// Runs \p work in a separate fiber; when it returns, the request completes with the returned error class.
ABI_Request startLater(Comm *c, const char *name, std::function<int()> work);
/// The number of a start of a persistent collective has this bit, the order in which the request was made (16 bits),
/// and that of the start.
constexpr uint32_t persistentBit = 0x40000000u;
constexpr unsigned startBits = 14;
/// Creates a persistent request that runs work(number) at each start.
ABI_Request makePersistent(Comm *c, const char *name, std::function<int(uint32_t)> work);

/// Sends and receives blocks concurrently, each with its tag; skips PROC_NULL.
struct Transfer {
  void *buffer;
  int64_t count;
  Datatype *type;
  int peer;
  int tag;
};
int exchange(Comm *c, uint64_t context, const std::vector<Transfer> &sends, const std::vector<Transfer> &receives);

/// Copies `count` elements of `type`.
void copySame(void *to, const void *from, int64_t count, const Datatype *type);

} // namespace comm::ranks

#endif
