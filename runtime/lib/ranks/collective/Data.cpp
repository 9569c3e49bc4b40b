// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Collectives that move data. Within a process, each rank copies what it needs from the others' buffers: one
/// copy, in parallel on all threads. Between processes, the first rank of each communicates.
#include "collective/Blocks.h"
#include "objects/Meeting.h"

namespace comm::ranks {

static bool isHere(const Comm *c) { return c->shared->here == c->size; }

static Blocks &of(Meeting *meeting, int rank) { return *static_cast<Blocks *>(meeting->brought[rank]); }

int barrier(Comm *c, uint32_t n) {
  if (c->size == 1)
    return ABI_SUCCESS;
  meetAndLeave(c, n, 0);
  if (isHere(c))
    return ABI_SUCCESS;
  const std::vector<int> &leaders = c->shared->leaders;
  int count = leaders.size(), me = c->shared->leaderIndex;
  if (leaders[me] == c->rank) {
    // Dissemination: after round k, each leader has heard from 2^(k+1) - 1 others.
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

/// Broadcasts from the leader at position `root` to the others, along a binomial tree.
static int broadcastAmongLeaders(Comm *c, uint32_t n, void *buffer, int64_t count, Datatype *type, int root) {
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
  // The rank with the data in this process: the root, or the leader after receiving them.
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
  // The program may reuse the source's buffer once all have copied.
  meetAndLeave(c, n, 2);
  leave(c, meeting);
  return error;
}

int gather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root) {
  return moveBlocks(c, n, Shape::Gather, in, out, root);
}

int scatter(Comm *c, uint32_t n, const Blocks &in, const Blocks &out, int root) {
  return moveBlocks(c, n, Shape::Scatter, in, out, root);
}

int allgather(Comm *c, uint32_t n, const Blocks &in, const Blocks &out) {
  return moveBlocks(c, n, Shape::Allgather, in, out);
}

int alltoall(Comm *c, uint32_t n, const Blocks &in, const Blocks &out) {
  // With MPI_IN_PLACE, others read the buffer that this rank overwrites, so copy it.
  std::vector<int64_t> counts, places;
  Blocks mine = in;
  std::vector<char> packed;
  if (!in.base && !in.type && !in.types) {
    counts.resize(c->size);
    places.resize(c->size);
    int64_t total = 0;
    for (int i = 0; i < c->size; ++i) {
      counts[i] = static_cast<int64_t>(bytesOfBlock(out, i));
      places[i] = total;
      total += counts[i];
    }
    packed.resize(total + 1);
    mine = Blocks();
    mine.base = packed.data();
    mine.type = typeOf(ABI_BYTE);
    mine.longCounts = counts.data();
    mine.longPlaces = places.data();
    for (int i = 0; i < c->size; ++i)
      copyBlock(out, i, mine, i);
  }
  return moveBlocks(c, n, Shape::Alltoall, mine, out);
}

} // namespace comm::ranks
