// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the arguments of MPI's collectives. If the bytes are already laid out as the function expects, it gets the
// user's buffers; otherwise they are packed into temporary memory. Each process chooses for itself.

#include "Bind.h"

#include <algorithm>
#include <climits>

namespace comm::cdag::run {

namespace {

uint64_t totalOf(const Piece *begin, const Piece *end) {
  uint64_t total = 0;
  for (; begin != end; ++begin)
    total += begin->size;
  return total;
}

bool overlap(const void *a, uint64_t aBytes, const void *b, uint64_t bBytes) {
  auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return x < y + bBytes && y < x + aBytes;
}

} // namespace

/// Returns a pointer to the bytes of the pieces in the order of their offsets, `total` in all. It points into the
/// user's memory, or to memory that moves fill or empty.
void *Bound::stream(const Piece *begin, const Piece *end, bool out, bool force, uint64_t total) {
  char *first = begin != end ? pointer(begin->addr) : nullptr;
  bool direct = !force;
  uint64_t at = 0;
  for (const Piece *p = begin; p != end && direct; ++p) {
    direct = p->offset == at && pointer(p->addr) == first + at;
    at += p->size;
  }
  if (direct && at == total && first)
    return first;
  if (total == 0)
    return nullptr;
  char *memory = static_cast<char *>(allocate(total));
  for (const Piece *p = begin; p != end; ++p) {
    char *user = pointer(p->addr);
    if (out)
      moves.push_back({memory + p->offset, user, p->size});
    else
      moves.push_back({user, memory + p->offset, p->size});
  }
  return memory;
}

/// Like stream(), with one stream per member. Fills `counts` and `displs` for the v forms; if they are null, blocks
/// have equal size and are in the order of the members. `totals` has the length of each stream, or is null if the
/// pieces determine it.
void *Bound::perPeer(const Piece *begin, const Piece *end, bool out, bool force, const CollectivePart &c,
                     const uint64_t *totals, int *counts, int *displs, uint64_t &span) {
  uint32_t n = c.numMembers;
  Vec<char *> start(n, nullptr);
  Vec<uint64_t> length(n, 0);
  bool direct = !force;
  for (const Piece *p = begin; p != end; ++p) {
    char *user = pointer(p->addr);
    if (!length[p->peer])
      start[p->peer] = user;
    direct &= user == start[p->peer] + length[p->peer];
    length[p->peer] += p->size;
  }
  if (totals)
    for (uint32_t i = 0; i < n; ++i) {
      direct &= totals[i] == length[i];
      length[i] = totals[i];
    }
  char *low = nullptr, *high = nullptr;
  for (uint32_t i = 0; i < n && direct; ++i) {
    if (!length[i])
      continue;
    if (!low || start[i] < low)
      low = start[i];
    if (!high || start[i] + length[i] > high)
      high = start[i] + length[i];
  }
  if (counts)
    direct &= high - low <= INT_MAX;
  else
    for (uint32_t i = 0; i < n && direct; ++i)
      direct = length[i] == c.block && start[i] == low + i * c.block;
  char *base = low;
  span = uint64_t(high - low);
  if (!direct) {
    Vec<uint64_t> at(n, 0);
    uint64_t total = 0;
    for (uint32_t i = 0; i < n; ++i) {
      at[i] = total;
      total += counts ? length[i] : c.block;
    }
    base = static_cast<char *>(allocate(total));
    span = total;
    for (const Piece *p = begin; p != end; ++p) {
      char *mine = base + at[p->peer] + p->offset, *user = pointer(p->addr);
      if (out)
        moves.push_back({mine, user, p->size});
      else
        moves.push_back({user, mine, p->size});
    }
    for (uint32_t i = 0; i < n; ++i)
      start[i] = base + at[i];
  }
  if (counts)
    for (uint32_t i = 0; i < n; ++i) {
      counts[i] = int(length[i]);
      displs[i] = length[i] ? int(start[i] - base) : 0;
    }
  return base;
}

void Bound::bindReduction(const CollectivePart &c, const Part &part, Call &call) {
  const Piece *out = part.pieces() + c.outBegin, *outEnd = part.pieces() + c.outEnd;
  const Piece *in = part.pieces() + c.inBegin, *inEnd = part.pieces() + c.inEnd;
  uint64_t element = elementSize(ElementType(c.type));
  call.type = mpiType(ElementType(c.type));
  call.op = mpiOp(Operator(c.op));
  call.sendCount = int(c.block / element);
  uint64_t received = c.block;
  Vec<Piece> mine; // offsets are relative to this process's part of the result
  for (const Piece *p = in; p != inEnd; ++p)
    mine.push_back(*p);
  if (call.kind == CollectiveKind::ReduceScatter) {
    const uint64_t *counts = part.counts() + c.countsBegin;
    call.recvCounts = allocateInts(c.numMembers);
    uint64_t before = 0;
    for (uint32_t i = 0; i < c.numMembers; ++i) {
      call.recvCounts[i] = int(counts[i] / element);
      before += i < c.position ? counts[i] : 0;
    }
    received = counts[c.position];
    for (Piece &p : mine)
      p.offset -= before;
  }
  bool receives = call.kind != CollectiveKind::Reduce || c.position == c.root;
  // Bind the results first: the contributions depend on whether they overlap.
  call.unpackBegin = uint32_t(moves.size());
  if (receives)
    call.recv = stream(mine.begin(), mine.end(), false, false, received);
  call.unpackEnd = call.packBegin = uint32_t(moves.size());
  bool force = false;
  for (const Piece *p = out; p != outEnd && call.recv; ++p)
    force |= overlap(pointer(p->addr), p->size, call.recv, received);
  call.send = stream(out, outEnd, true, force, c.block);
  call.packEnd = uint32_t(moves.size());
}

void Bound::bindCall(const CollectivePart &c, const Part &part, MPI_Comm comm) {
  Call call = {};
  call.kind = CollectiveKind(c.kind);
  call.immediate = c.flags & kImmediate;
  call.comm = comm;
  call.root = int(c.root);
  call.position = int(c.position);
  call.size = int(c.numMembers);
  call.type = MPI_BYTE;
  const Piece *out = part.pieces() + c.outBegin, *outEnd = part.pieces() + c.outEnd;
  const Piece *in = part.pieces() + c.inBegin, *inEnd = part.pieces() + c.inEnd;
  bool isRoot = c.position == c.root;
  bool self = c.flags & kSelfCopies;
  uint32_t n = c.numMembers;
  call.vectorForm = (c.flags & kVectorForm) || call.kind == CollectiveKind::Gatherv ||
                    call.kind == CollectiveKind::Scatterv || call.kind == CollectiveKind::Alltoallv ||
                    call.kind == CollectiveKind::Allgatherv;
  uint64_t sendSpan = 0, recvSpan = 0;

  // Bind the receives first: the sends depend on whether they overlap.
  auto receive = [&](bool many, const uint64_t *totals) {
    call.unpackBegin = uint32_t(moves.size());
    if (!many) {
      recvSpan = totalOf(in, inEnd);
      call.recv = stream(in, inEnd, false, false, recvSpan);
      call.recvCount = int(recvSpan);
    } else {
      if (call.vectorForm) {
        call.recvCounts = allocateInts(n);
        call.recvDispls = allocateInts(n);
      }
      // Without a v form the function would touch the process's own block.
      call.recv = perPeer(in, inEnd, false, false, c, totals, call.recvCounts, call.recvDispls, recvSpan);
      call.recvCount = int(c.block);
    }
    call.unpackEnd = uint32_t(moves.size());
  };
  auto send = [&](bool many) {
    call.packBegin = uint32_t(moves.size());
    bool force = false;
    for (const Piece *p = out; p != outEnd && call.recv; ++p)
      force |= overlap(pointer(p->addr), p->size, call.recv, recvSpan);
    if (!many) {
      sendSpan = totalOf(out, outEnd);
      call.send = stream(out, outEnd, true, force, sendSpan);
      call.sendCount = int(sendSpan);
    } else {
      if (call.vectorForm) {
        call.sendCounts = allocateInts(n);
        call.sendDispls = allocateInts(n);
      }
      call.send = perPeer(out, outEnd, true, force, c, nullptr, call.sendCounts, call.sendDispls, sendSpan);
      call.sendCount = int(c.block);
    }
    call.packEnd = uint32_t(moves.size());
  };

  switch (call.kind) {
  case CollectiveKind::Bcast:
    if (isRoot) {
      send(false);
      call.recv = const_cast<void *>(call.send);
      call.recvCount = call.sendCount;
    } else {
      receive(false, nullptr);
    }
    break;
  case CollectiveKind::Gather:
  case CollectiveKind::Gatherv:
    if (isRoot)
      receive(true, nullptr);
    if (isRoot && !self)
      call.send = MPI_IN_PLACE;
    else
      send(false);
    break;
  case CollectiveKind::Scatter:
  case CollectiveKind::Scatterv:
    if (!isRoot || self)
      receive(false, nullptr);
    if (isRoot)
      send(true);
    if (isRoot && !self)
      call.recv = MPI_IN_PLACE;
    break;
  case CollectiveKind::Allgather:
    if (c.flags & kInPlace) {
      // The own block is among the others, so everything is one piece of memory.
      call.send = MPI_IN_PLACE;
      call.recv = pointer(out->addr) - size_t(c.position) * c.block;
      call.recvCount = int(c.block);
      break;
    }
    receive(true, nullptr);
    send(false);
    break;
  case CollectiveKind::Allgatherv:
    receive(true, part.counts() + c.countsBegin);
    send(false);
    break;
  case CollectiveKind::Alltoall:
  case CollectiveKind::Alltoallv:
    receive(true, nullptr);
    send(true);
    break;
  case CollectiveKind::Barrier:
    break;
  default:
    bindReduction(c, part, call);
    break;
  }
  calls.push_back(call);
}

} // namespace comm::cdag::run
