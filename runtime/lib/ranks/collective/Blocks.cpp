// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "collective/Blocks.h"
#include "objects/Meeting.h"

#include <algorithm>
#include <memory>

namespace comm::ranks {

// From this mean block size on, each block between two processes is a separate message: two more copies would cost more
// than the messages.
static constexpr size_t directBytes = 32 << 10;
// Packed messages are split into pieces whose size fits into an int.
static constexpr size_t mostAtOnce = 1 << 30;

int copyBlock(const Blocks &from, int i, const Blocks &to, int j) {
  size_t bytes;
  Datatype *a = from.typeOfBlock(i), *b = to.typeOfBlock(j);
  if (!from.countOf(i) && !to.countOf(j))
    return ABI_SUCCESS;
  return copyTyped(from.at(i), from.countOf(i), a, to.at(j), to.countOf(j), b, bytes);
}

/// Returns a view of a rank's block in its peers' receive buffers, which the rank contributes itself.
static Blocks single(const Blocks &blocks, int i) {
  Blocks one;
  one.base = blocks.at(i);
  one.count = blocks.countOf(i);
  one.type = blocks.typeOfBlock(i);
  return one;
}

static Transfer transferOf(const Blocks &blocks, int i, int peer, uint32_t n) {
  return {blocks.at(i), blocks.countOf(i), blocks.typeOfBlock(i), peer, int(n & 0x7fffffff)};
}

namespace {

/// The data that one process sends to another, or the other way round: a block from each of `senders` to each of
/// `receivers`, ordered by sender, then by receiver.
struct Parcels {
  std::vector<int> senders, receivers;
  bool direct = false;
  std::vector<size_t> at; ///< positions of the blocks in the message, and its end
  std::vector<char> bytes;

  size_t place(size_t sender, size_t receiver) const { return sender * receivers.size() + receiver; }
};

/// State of a collective that the ranks of a process share.
struct Packed {
  std::vector<Parcels> outgoing, incoming; ///< by process, like CommShared::groups
  std::atomic<int> users{0};
  std::atomic<int> error{ABI_SUCCESS};
};

/// One rank's part in a collective.
struct Move {
  Comm *c;
  uint32_t n;
  Shape shape;
  int root;
  const Blocks &in, &out;
  bool inPlace; ///< moves nothing to itself

  int inIndex(int to) const { return shape == Shape::Scatter || shape == Shape::Alltoall ? to : 0; }
  int outIndex(int from) const { return shape == Shape::Scatter ? 0 : from; }
  bool sends(int from, int to) const {
    return (shape != Shape::Gather || to == root) && (shape != Shape::Scatter || from == root);
  }
  const Move &of(const Meeting &meeting, int rank) const {
    return *static_cast<const Move *>(meeting.brought[c->shared->placeOf(rank)]);
  }

  std::vector<int> only(const std::vector<int> &group, bool rootOnly) const {
    if (!rootOnly)
      return group;
    bool has = std::binary_search(group.begin(), group.end(), root);
    return has ? std::vector<int>{root} : std::vector<int>();
  }
  Parcels parcels(const std::vector<int> &from, const std::vector<int> &to) const {
    Parcels p;
    p.senders = only(from, shape == Shape::Scatter);
    p.receivers = only(to, shape == Shape::Gather);
    // All get the same block: send it once.
    if (shape == Shape::Allgather)
      p.receivers.resize(1);
    return p;
  }

  void prepare(Meeting &meeting);
  int copyHere(const Meeting &meeting) const;
  int pack(Packed &packed) const;
  int unpack(const Packed &packed) const;
  int transfer(Packed &packed) const;
};

} // namespace

static size_t indexOf(const std::vector<int> &ranks, int rank) {
  return std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
}
static bool has(const std::vector<int> &ranks, int rank) {
  return std::binary_search(ranks.begin(), ranks.end(), rank);
}

/// Computes the position of each block in the message, from the sizes known in this process.
template <typename BytesOf> static void lay(Parcels &p, BytesOf bytesOf) {
  size_t total = 0;
  for (int from : p.senders)
    for (int to : p.receivers) {
      p.at.push_back(total);
      total += bytesOf(from, to);
    }
  p.at.push_back(total);
  p.direct = p.at.size() > 1 && total / (p.at.size() - 1) >= directBytes;
  if (!p.direct)
    p.bytes.resize(total);
}

/// Runs in the last rank of the process, for all.
void Move::prepare(Meeting &meeting) {
  const auto &groups = c->shared->groups;
  const std::vector<int> &here = groups[c->shared->leaderIndex];
  auto *packed = new Packed;
  packed->users = c->shared->here;
  packed->outgoing.resize(groups.size());
  packed->incoming.resize(groups.size());
  for (size_t q = 0; q < groups.size(); ++q) {
    if (static_cast<int>(q) == c->shared->leaderIndex)
      continue;
    Parcels &out = packed->outgoing[q], &in = packed->incoming[q];
    out = parcels(here, groups[q]);
    in = parcels(groups[q], here);
    lay(out, [&](int from, int to) { return bytesOfBlock(of(meeting, from).in, inIndex(to)); });
    lay(in, [&](int from, int to) { return bytesOfBlock(of(meeting, to).out, outIndex(from)); });
    // Both sides must decide alike: an allgather sends its blocks to all in the same way.
    if (shape == Shape::Allgather && (out.direct || in.direct)) {
      for (Parcels *p : {&out, &in}) {
        p->direct = false;
        p->bytes.resize(p->at.back());
      }
    }
  }
  meeting.result = packed;
}

/// Copies the blocks from ranks of this process; each rank copies its own.
int Move::copyHere(const Meeting &meeting) const {
  int error = ABI_SUCCESS;
  const std::vector<int> *here = c->shared->groups.empty() ? nullptr : &c->shared->groups[c->shared->leaderIndex];
  int count = c->shared->here, first = c->hereIndex;
  // Each rank begins with itself, to avoid that all read from the same rank.
  for (int k = 0; k < count; ++k) {
    int place = first + k < count ? first + k : first + k - count;
    int from = here ? (*here)[place] : place;
    if (!sends(from, c->rank) || (from == c->rank && inPlace))
      continue;
    int other = copyBlock(static_cast<const Move *>(meeting.brought[place])->in, inIndex(c->rank), out, outIndex(from));
    error = error ? error : other;
  }
  return error;
}

int Move::pack(Packed &packed) const {
  int error = ABI_SUCCESS;
  for (Parcels &p : packed.outgoing) {
    if (p.direct || !has(p.senders, c->rank))
      continue;
    size_t sender = indexOf(p.senders, c->rank);
    for (size_t i = 0; i < p.receivers.size(); ++i) {
      int block = inIndex(p.receivers[i]);
      if (!bytesOfBlock(in, block))
        continue;
      int other =
          packTo(p.bytes.data() + p.at[p.place(sender, i)], in.at(block), in.countOf(block), in.typeOfBlock(block));
      error = error ? error : other;
    }
  }
  return error;
}

int Move::unpack(const Packed &packed) const {
  int error = ABI_SUCCESS;
  for (const Parcels &p : packed.incoming) {
    if (p.direct || p.receivers.empty())
      continue;
    size_t receiver = 0;
    if (shape != Shape::Allgather) {
      if (!has(p.receivers, c->rank))
        continue;
      receiver = indexOf(p.receivers, c->rank);
    }
    for (size_t i = 0; i < p.senders.size(); ++i) {
      int block = outIndex(p.senders[i]);
      size_t at = p.at[p.place(i, receiver)], bytes = p.at[p.place(i, receiver) + 1] - at, got;
      if (!bytes)
        continue;
      int other =
          unpackFrom(p.bytes.data() + at, bytes, out.at(block), out.countOf(block), out.typeOfBlock(block), got);
      error = error ? error : other;
    }
  }
  return error;
}

/// Transfers the rank's own messages and, if it is the leader, those of the process.
int Move::transfer(Packed &packed) const {
  std::vector<Transfer> sends, receives;
  const CommShared *shared = c->shared;
  bool leads = shared->leaders[shared->leaderIndex] == c->rank;
  auto whole = [&](Parcels &p, int peer, std::vector<Transfer> &to) {
    for (size_t at = 0; at < p.bytes.size(); at += mostAtOnce)
      to.push_back({p.bytes.data() + at, static_cast<int64_t>(std::min(mostAtOnce, p.bytes.size() - at)),
                    typeOf(ABI_BYTE), peer, int(n & 0x7fffffff)});
  };
  for (size_t q = 0; q < shared->groups.size(); ++q) {
    Parcels &outgoing = packed.outgoing[q], &incoming = packed.incoming[q];
    if (incoming.direct && has(incoming.receivers, c->rank))
      for (int from : incoming.senders)
        receives.push_back(transferOf(out, outIndex(from), from, n));
    if (outgoing.direct && has(outgoing.senders, c->rank))
      for (int to : outgoing.receivers)
        sends.push_back(transferOf(in, inIndex(to), to, n));
    if (!leads)
      continue;
    if (!incoming.direct)
      whole(incoming, shared->leaders[q], receives);
    if (!outgoing.direct)
      whole(outgoing, shared->leaders[q], sends);
  }
  return sends.empty() && receives.empty() ? ABI_SUCCESS : exchange(c, shared->context + 1, sends, receives);
}

int moveBlocks(Comm *c, uint32_t n, Shape shape, const Blocks &in, const Blocks &out, int root) {
  bool inPlace = (!in.type && !in.types) || (!out.type && !out.types);
  Blocks mine = inPlace && shape == Shape::Allgather ? single(out, c->rank) : in;
  Move move = {c, n, shape, root, mine, out, inPlace};
  if (c->shared->here == c->size) {
    Meeting *meeting = meet(c, n, 0, &move, nullptr, nullptr);
    int error = move.copyHere(*meeting);
    meetAndLeave(c, n, 1);
    leave(c, meeting);
    return error;
  }
  Meeting *meeting =
      meet(c, n, 0, &move, [](void *mine, Meeting &all) { static_cast<Move *>(mine)->prepare(all); }, &move);
  auto &packed = *static_cast<Packed *>(meeting->result);
  auto note = [&](int error) {
    int none = ABI_SUCCESS;
    packed.error.compare_exchange_strong(none, error);
  };
  note(move.pack(packed));
  meetAndLeave(c, n, 1);
  int error = move.copyHere(*meeting);
  note(move.transfer(packed));
  // After this, programs may reuse all send buffers.
  meetAndLeave(c, n, 2);
  int unpacked = move.unpack(packed);
  error = error ? error : packed.error.load() ? packed.error.load() : unpacked;
  leave(c, meeting);
  if (packed.users.fetch_sub(1) == 1)
    delete &packed;
  return error;
}

} // namespace comm::ranks
