// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Intercommunicators (MPI-4, 7.6), and collectives on them: through the first rank of each side.
#include "collective/Create.h"
#include "core/Counts.h"

#include <algorithm>

namespace comm::ranks {

static Datatype *bytes() { return typeOf(ABI_BYTE); }

/// Exchanges data between the first ranks of the two sides.
static void swapLeaders(Comm *c, uint32_t n, const void *in, int64_t inBytes, void *out, int64_t outBytes) {
  Transfer send = {const_cast<void *>(in), inBytes, bytes(), 0, int(n & 0x7fffffff)};
  Transfer receive = {out, outBytes, bytes(), 0, int(n & 0x7fffffff)};
  exchange(c, c->shared->context + 1, {send}, {receive});
}

/// Returns the number of part k (below 4) of collective n on this side. Derived, because several collectives may be
/// in progress, each in its own fiber.
static uint32_t part(uint32_t n, uint32_t k) { return n * 8 + k + (n & persistentBit ? 4 : 0); }

/// Returns whether this is the side with the smaller first member.
static bool isFirstSide(const Comm *c) { return c->shared->members->front() < c->shared->remote->front(); }

/// Agrees on a context with the other side.
static uint64_t agreeAcross(Comm *c, uint32_t n, int count = 1) {
  uint64_t context = 0;
  if (c->rank == 0) {
    uint64_t mine = newContext(count), theirs = 0;
    swapLeaders(c, n, &mine, sizeof(mine), &theirs, sizeof(theirs));
    context = isFirstSide(c) ? mine : theirs;
  }
  broadcast(c->local, part(n, 0), &context, sizeof(context), bytes(), 0);
  return context;
}

Comm *duplicateInter(Comm *c, uint32_t n) {
  uint64_t context = agreeAcross(c, n);
  Comm *local = duplicateBare(c->local, part(n, 1));
  Comm *made = makeInterComm(context, c->shared->members, c->rank, c->shared->remote, local);
  return made;
}

/// Gathers lists from all members of both sides: ours, then theirs.
static void listBoth(Comm *c, const int *mine, int each, std::vector<int> &ours, std::vector<int> &theirs) {
  ours.resize(each * c->size);
  theirs.resize(each * c->remoteSize);
  Comm *l = c->local;
  uint32_t n = c->nextCollective();
  allgather(l, part(n, 0), mine, ours.data(), each * sizeof(int));
  if (c->rank == 0)
    swapLeaders(c, n, ours.data(), ours.size() * sizeof(int), theirs.data(), theirs.size() * sizeof(int));
  broadcast(l, part(n, 1), theirs.data(), theirs.size() * sizeof(int), bytes(), 0);
}

Comm *splitInter(Comm *c, int color, int key) {
  int mine[3] = {color, key, self().global};
  std::vector<int> ours, theirs;
  listBoth(c, mine, 3, ours, theirs);
  std::vector<int> colors;
  for (auto *list : {&ours, &theirs})
    for (size_t i = 0; i < list->size(); i += 3)
      if ((*list)[i] >= 0)
        colors.push_back((*list)[i]);
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  uint32_t n = c->nextCollective();
  uint64_t context = agreeAcross(c, n, std::max<int>(1, colors.size()));
  Comm *local = split(c->local, part(n, 1), part(n, 2), color, key);
  auto side = [&](const std::vector<int> &list) {
    std::vector<std::pair<int, int>> chosen; // key, global rank: stable sort by rank
    for (size_t i = 0; i < list.size(); i += 3)
      if (list[i] == color)
        chosen.push_back({list[i + 1], list[i + 2]});
    std::stable_sort(chosen.begin(), chosen.end(), [](auto &a, auto &b) { return a.first < b.first; });
    auto members = std::make_shared<Members>();
    for (auto &entry : chosen)
      members->push_back(entry.second);
    return members;
  };
  if (!local)
    return nullptr;
  auto remote = side(theirs);
  if (remote->empty()) {
    release(local);
    return nullptr;
  }
  uint64_t place = std::lower_bound(colors.begin(), colors.end(), color) - colors.begin();
  return makeInterComm(context + place * contextStep, side(ours), local->rank, remote, local);
}

Comm *createInter(Comm *c, const Group &group) {
  int color = group.rank >= 0 ? 0 : ABI_UNDEFINED;
  return splitInter(c, color, group.rank);
}

int interBarrier(Comm *c, uint32_t n) {
  Comm *l = c->local;
  barrier(l, part(n, 0));
  char in = 0, out = 0;
  if (c->rank == 0)
    swapLeaders(c, n, &in, 1, &out, 1);
  return barrier(l, part(n, 1));
}

int interBroadcast(Comm *c, uint32_t n, void *buffer, int64_t count, Datatype *type, int root) {
  if (root == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (root == ABI_ROOT)
    return sendTo(c, buffer, count, type, 0, n);
  int error = ABI_SUCCESS;
  if (c->rank == 0)
    error = receiveFrom(c, buffer, count, type, root, n);
  Comm *l = c->local;
  int second = broadcast(l, part(n, 0), buffer, count, type, 0);
  return error ? error : second;
}

static Transfer transferOf(const Blocks &blocks, int block, int peer, uint32_t n) {
  return {blocks.at(block), blocks.countOf(block), blocks.typeOfBlock(block), peer, int(n & 0x7fffffff)};
}

int interGather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root) {
  if (root == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (root != ABI_ROOT)
    return sendTo(c, in.base, in.count, in.type, root, n);
  std::vector<Transfer> receives;
  for (int i = 0; i < c->remoteSize; ++i)
    receives.push_back(transferOf(out, i, i, n));
  return exchange(c, c->shared->context + 1, {}, receives);
}

int interScatter(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root) {
  if (root == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (root != ABI_ROOT)
    return receiveFrom(c, out.base, out.count, out.type, root, n);
  std::vector<Transfer> sends;
  for (int i = 0; i < c->remoteSize; ++i)
    sends.push_back(transferOf(in, i, i, n));
  return exchange(c, c->shared->context + 1, sends, {});
}

int interExchange(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, bool sameToAll) {
  std::vector<Transfer> sends, receives;
  for (int i = 0; i < c->remoteSize; ++i) {
    sends.push_back(transferOf(in, sameToAll ? 0 : i, i, n));
    receives.push_back(transferOf(out, i, i, n));
  }
  return exchange(c, c->shared->context + 1, sends, receives);
}

int interReduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op, int root) {
  if (root == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (root == ABI_ROOT)
    return receiveFrom(c, out, count, type, 0, n);
  Scratch sum(count, type);
  Comm *l = c->local;
  int error = reduce(l, part(n, 0), in, sum.get(), count, type, op, 0);
  if (c->rank == 0)
    sendTo(c, sum.get(), count, type, root, n);
  return error;
}

int interAllreduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op) {
  Scratch sum(count, type);
  Comm *l = c->local;
  int error = reduce(l, part(n, 0), in, sum.get(), count, type, op, 0);
  if (c->rank == 0) {
    Transfer send = {sum.get(), count, type, 0, int(n & 0x7fffffff)};
    Transfer receive = {out, count, type, 0, int(n & 0x7fffffff)};
    exchange(c, c->shared->context + 1, {send}, {receive});
  }
  int second = broadcast(l, part(n, 1), out, count, type, 0);
  return error ? error : second;
}

int interReduceScatter(Comm *c, uint32_t n, const void *in, void *out, const int *counts, int64_t count, Datatype *type,
                       Op *op) {
  // The reduction of this side is scattered over the other side, whose counts have the same sum (MPI-4, 6.10).
  Places places(c->size, counts, count);
  int64_t total = places.total;
  Scratch sum(total, type), theirs(total, type);
  Comm *l = c->local;
  int error = reduce(l, part(n, 0), in, sum.get(), total, type, op, 0);
  if (c->rank == 0) {
    Transfer send = {sum.get(), total, type, 0, int(n & 0x7fffffff)};
    Transfer receive = {theirs.get(), total, type, 0, int(n & 0x7fffffff)};
    exchange(c, c->shared->context + 1, {send}, {receive});
  }
  Blocks from, to;
  from.base = theirs.get();
  from.type = to.type = type;
  from.count = count;
  from.counts = counts;
  from.longPlaces = places.begins.data();
  to.base = static_cast<char *>(out);
  to.count = counts ? counts[c->rank] : count;
  int second = scatter(l, part(n, 1), from, to, 0);
  return error ? error : second;
}

Comm *connectInter(Comm *l, int localLeader, Comm *p, int remoteLeader, int tag, int &shared) {
  // The leaders exchange contexts and members; then each informs its side.
  uint64_t header[2] = {0, 0}; // context, number of ranks on the other side
  auto ours = membersOf(l);
  Members theirs;
  if (l->rank == localLeader) {
    auto swap = [&](const void *in, size_t inBytes, void *out, size_t outBytes) {
      Transfer send = {const_cast<void *>(in), int64_t(inBytes), bytes(), remoteLeader, tag & 0x7fffffff};
      Transfer receive = {out, int64_t(outBytes), bytes(), remoteLeader, tag & 0x7fffffff};
      exchange(p, p->shared->context + 2, {send}, {receive});
    };
    uint64_t mine[3] = {newContext(), ours->size(), uint64_t(ours->front())};
    uint64_t other[3];
    swap(mine, sizeof(mine), other, sizeof(other));
    theirs.resize(other[1]);
    swap(ours->data(), ours->size() * sizeof(int), theirs.data(), theirs.size() * sizeof(int));
    header[0] = mine[2] < other[2] ? mine[0] : other[0];
    header[1] = other[1];
  }
  broadcast(l, l->nextCollective(), header, sizeof(header), bytes(), localLeader);
  theirs.resize(header[1]);
  broadcast(l, l->nextCollective(), theirs.data(), theirs.size() * sizeof(int), bytes(), localLeader);
  for (int rank : theirs)
    if (std::find(ours->begin(), ours->end(), rank) != ours->end()) {
      shared = rank;
      return nullptr;
    }
  Comm *local;
  duplicate(l, local, false);
  return makeInterComm(header[0], ours, l->rank, std::make_shared<const Members>(std::move(theirs)), local);
}

Comm *mergeInter(Comm *c, bool high) {
  uint32_t n = c->nextCollective();
  int mine = high, theirs = 0;
  if (c->rank == 0)
    swapLeaders(c, n, &mine, sizeof(mine), &theirs, sizeof(theirs));
  Comm *l = c->local;
  broadcast(l, part(n, 1), &theirs, sizeof(theirs), bytes(), 0);
  uint64_t context = agreeAcross(c, c->nextCollective());
  bool oursFirst = !mine == !theirs ? isFirstSide(c) : !mine;
  auto members = std::make_shared<Members>();
  const Members &a = oursFirst ? *c->shared->members : *c->shared->remote;
  const Members &b = oursFirst ? *c->shared->remote : *c->shared->members;
  members->insert(members->end(), a.begin(), a.end());
  members->insert(members->end(), b.begin(), b.end());
  int rank = c->rank + (oursFirst ? 0 : c->remoteSize);
  return makeComm(context, members, rank, c);
}

} // namespace comm::ranks
