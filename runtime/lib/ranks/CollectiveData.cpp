// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Collectives that move data. In one process each rank copies what it
/// needs from the others' buffers: one copy, by as many threads as there are.
#include "Collective.h"
#include "Meeting.h"

namespace comm::ranks {

static bool isHere(const Comm *c) { return c->shared->here == c->size; }

static Blocks &of(Meeting *meeting, int rank) { return *static_cast<Blocks *>(meeting->brought[rank]); }

/// Copies block i of `from` to block j of `to`.
static int copyBlock(const Blocks &from, int i, const Blocks &to, int j) {
  size_t bytes;
  Datatype *a = from.typeOfBlock(i), *b = to.typeOfBlock(j);
  if (!from.countOf(i) && !to.countOf(j))
    return ABI_SUCCESS;
  return copyTyped(from.at(i), from.countOf(i), a, to.at(j), to.countOf(j), b, bytes);
}

/// A rank's block of its peers' receive side that it contributes itself.
static Blocks single(const Blocks &blocks, int i) {
  Blocks one;
  one.base = blocks.at(i);
  one.count = blocks.countOf(i);
  one.type = blocks.typeOfBlock(i);
  return one;
}

static Transfer transferOf(const Blocks &blocks, int i, int peer, int tag) {
  return {blocks.at(i), blocks.countOf(i), blocks.typeOfBlock(i), peer, tag & 0x7fffffff};
}

int barrier(Comm *c, uint32_t n) {
  if (c->size == 1)
    return ABI_SUCCESS;
  meetAndLeave(c, n, 0);
  if (isHere(c))
    return ABI_SUCCESS;
  const std::vector<int> &leaders = c->shared->leaders;
  int count = leaders.size(), me = c->shared->leaderIndex;
  if (leaders[me] == c->rank) {
    // Dissemination: after round k each knows of 2^(k+1) others.
    Datatype *bytes = typeOf(ABI_BYTE);
    for (int distance = 1; distance < count; distance *= 2) {
      int to = leaders[(me + distance) % count];
      int from = leaders[(me + count - distance) % count];
      Transfer none = {nullptr, 0, bytes, to, int(n & 0x7fffffff)};
      Transfer other = none;
      other.peer = from;
      exchange(c, c->shared->context + 1, {none}, {other});
    }
  }
  meetAndLeave(c, n, 1);
  return ABI_SUCCESS;
}

/// From the leader at place `root` to the others, along a binomial tree.
int broadcastAmongLeaders(Comm *c, uint32_t n, void *buffer, int64_t count, Datatype *type, int root) {
  const std::vector<int> &leaders = c->shared->leaders;
  int processes = leaders.size();
  int relative = (c->shared->leaderIndex - root + processes) % processes;
  auto rankOf = [&](int r) { return leaders[(r + root) % processes]; };
  int bit = 1, error = ABI_SUCCESS;
  for (; bit < processes; bit *= 2)
    if (relative & bit) {
      error = receiveFrom(c, buffer, count, type, rankOf(relative - bit), n);
      break;
    }
  for (bit /= 2; bit; bit /= 2)
    if (relative + bit < processes)
      sendTo(c, buffer, count, type, rankOf(relative + bit), n);
  return error;
}

int broadcast(Comm *c, uint32_t n, void *buffer, int64_t count, Datatype *type, int root) {
  if (c->size == 1)
    return ABI_SUCCESS;
  Blocks mine;
  mine.base = static_cast<char *>(buffer);
  mine.count = count;
  mine.type = type;
  CommShared *shared = c->shared;
  int error = ABI_SUCCESS;
  bool single = isHere(c);
  bool rootHere = single || process.isHere(c->globalOf(root));
  // Who has the data in this process: the root, or the leader once it has
  // received them.
  int source = single ? root : rootHere ? shared->placeOf(root) : shared->placeOf(shared->leaders[shared->leaderIndex]);
  Meeting *meeting = meet(c, n, 0, &mine, nullptr, nullptr);
  if (!single) {
    bool leads = shared->leaders[shared->leaderIndex] == c->rank;
    if (leads) {
      const Blocks &data = of(meeting, rootHere ? source : c->hereIndex);
      error = broadcastAmongLeaders(c, n, data.base, data.count, data.type, shared->leaderOf(root));
    }
    meetAndLeave(c, n, 1);
  }
  if (c->hereIndex != source) {
    int second = copyBlock(of(meeting, source), 0, mine, 0);
    error = error ? error : second;
  }
  // The source's buffer is its program's again when all have copied.
  meetAndLeave(c, n, 2);
  leave(c, meeting);
  return error;
}

int gather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root) {
  int error = ABI_SUCCESS;
  bool inPlace = !in.type;
  if (!isHere(c)) {
    if (c->rank != root)
      return sendTo(c, in.base, in.count, in.type, root, n);
    std::vector<Transfer> receives;
    for (int i = 0; i < c->size; ++i)
      if (i != root)
        receives.push_back(transferOf(out, i, i, n));
    error = exchange(c, c->shared->context + 1, {}, receives);
    int own = inPlace ? ABI_SUCCESS : copyBlock(in, 0, out, root);
    return error ? error : own;
  }
  Blocks mine = in;
  Meeting *meeting = meet(c, n, 0, &mine, nullptr, nullptr);
  if (c->rank == root)
    for (int i = 0; i < c->size; ++i) {
      if (i == root && inPlace)
        continue;
      int other = copyBlock(of(meeting, i), 0, out, i);
      error = error ? error : other;
    }
  meetAndLeave(c, n, 1);
  leave(c, meeting);
  return error;
}

int scatter(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root) {
  int error = ABI_SUCCESS;
  bool inPlace = !out.type;
  if (!isHere(c)) {
    if (c->rank != root)
      return receiveFrom(c, out.base, out.count, out.type, root, n);
    std::vector<Transfer> sends;
    for (int i = 0; i < c->size; ++i)
      if (i != root)
        sends.push_back(transferOf(in, i, i, n));
    error = exchange(c, c->shared->context + 1, sends, {});
    int own = inPlace ? ABI_SUCCESS : copyBlock(in, root, out, 0);
    return error ? error : own;
  }
  Blocks mine = in;
  Meeting *meeting = meet(c, n, 0, &mine, nullptr, nullptr);
  if (!inPlace)
    error = copyBlock(of(meeting, root), c->rank, out, 0);
  meetAndLeave(c, n, 1);
  leave(c, meeting);
  return error;
}

int allgather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out) {
  Blocks mine = in.type ? in : single(out, c->rank);
  int error = ABI_SUCCESS;
  if (isHere(c)) {
    Meeting *meeting = meet(c, n, 0, &mine, nullptr, nullptr);
    for (int i = 0; i < c->size; ++i) {
      if (i == c->rank && !in.type)
        continue;
      int other = copyBlock(of(meeting, i), 0, out, i);
      error = error ? error : other;
    }
    meetAndLeave(c, n, 1);
    leave(c, meeting);
    return error;
  }
  // Around the processes without gaps: gathered at the first rank, then to all.
  std::vector<int> counts(c->size), places(c->size);
  size_t total = 0;
  for (int i = 0; i < c->size; ++i) {
    counts[i] = out.countOf(i) * out.typeOfBlock(i)->size;
    places[i] = total;
    total += counts[i];
  }
  std::vector<char> packed(total + 1);
  Blocks all;
  all.base = packed.data();
  all.type = typeOf(ABI_BYTE);
  all.counts = counts.data();
  all.displacements = places.data();
  error = gather(c, n, mine, all, 0);
  int second = broadcast(c, n, packed.data(), total, typeOf(ABI_BYTE), 0);
  for (int i = 0; i < c->size; ++i)
    if (i != c->rank || in.type)
      copyBlock(all, i, out, i);
  return error ? error : second;
}

int alltoall(Comm *c, uint32_t n, const Blocks &in, const Blocks &out) {
  int error = ABI_SUCCESS;
  // MPI_IN_PLACE: the others write nowhere, each reads; so read from a copy.
  std::vector<std::vector<char>> copies;
  std::vector<int> counts, places;
  Blocks mine = in;
  std::vector<char> packed;
  if (!in.base && !in.type && !in.types) {
    counts.resize(c->size);
    places.resize(c->size);
    size_t total = 0;
    for (int i = 0; i < c->size; ++i) {
      counts[i] = out.countOf(i) * out.typeOfBlock(i)->size;
      places[i] = total;
      total += counts[i];
    }
    packed.resize(total + 1);
    mine = Blocks();
    mine.base = packed.data();
    mine.type = typeOf(ABI_BYTE);
    mine.counts = counts.data();
    mine.displacements = places.data();
    for (int i = 0; i < c->size; ++i)
      copyBlock(out, i, mine, i);
  }
  if (!isHere(c)) {
    std::vector<Transfer> sends, receives;
    for (int i = 0; i < c->size; ++i) {
      int to = (c->rank + i) % c->size;
      int from = (c->rank + c->size - i) % c->size;
      sends.push_back(transferOf(mine, to, to, n));
      receives.push_back(transferOf(out, from, from, n));
    }
    return exchange(c, c->shared->context + 1, sends, receives);
  }
  Meeting *meeting = meet(c, n, 0, &mine, nullptr, nullptr);
  for (int i = 0; i < c->size; ++i) {
    int from = (c->rank + i) % c->size;
    int other = copyBlock(of(meeting, from), c->rank, out, from);
    error = error ? error : other;
  }
  meetAndLeave(c, n, 1);
  leave(c, meeting);
  return error;
}

} // namespace comm::ranks
