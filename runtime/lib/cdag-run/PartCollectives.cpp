// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the collectives of a schedule into the parts of their members. All members must call the same MPI function, so
// it is chosen here. Each member later chooses how to access its bytes (in place or packed).

#include "PartCollectives.h"

#include <algorithm>
#include <climits>
#include <cstdio>

namespace comm::cdag::run {

namespace {

/// Blocks of at least this size use the v form to skip a gap at the process's own block in the user's buffer; smaller
/// ones are packed.
constexpr uint64_t kVectorFormBytes = 4096;

bool isReduction(CollectiveKind kind) { return kind >= CollectiveKind::Allreduce && kind <= CollectiveKind::Reduce; }
/// Returns true if all receivers get the same bytes.
bool isShared(CollectiveKind kind) {
  return kind == CollectiveKind::Bcast || kind == CollectiveKind::Allgather || kind == CollectiveKind::Allgatherv;
}
bool isRegular(CollectiveKind kind) {
  return kind == CollectiveKind::Allgather || kind == CollectiveKind::Alltoall || kind == CollectiveKind::Bcast ||
         kind == CollectiveKind::Gather || kind == CollectiveKind::Scatter;
}

/// Returns true if two runs of transfers send the same bytes of one source, possibly cut differently.
bool sameSource(const Transfer *a, const Transfer *aEnd, const Transfer *b, const Transfer *bEnd) {
  uint64_t doneA = 0, doneB = 0;
  while (a != aEnd && b != bEnd) {
    if (a->srcAddr + doneA != b->srcAddr + doneB)
      return false;
    uint64_t step = std::min(a->size - doneA, b->size - doneB);
    if ((doneA += step) == a->size)
      ++a, doneA = 0;
    if ((doneB += step) == b->size)
      ++b, doneB = 0;
  }
  return a == aEnd && b == bEnd;
}

} // namespace

const char *CollectiveParts::buildMovement(const Schedule &schedule, uint32_t index) {
  const Collective &c = schedule.collectives[index];
  const Transfer *t = schedule.transfers.begin() + c.begin;
  const Transfer *end = schedule.transfers.begin() + c.end;
  bool shared = isShared(c.kind);
  const Transfer *first = nullptr, *firstEnd = nullptr; // transfers of this source
  uint32_t counted = common_[index].countsBegin;
  while (t != end) {
    const Transfer *next = t;
    uint64_t bytes = 0;
    while (next != end && next->src == t->src && next->dst == t->dst)
      bytes += next++->size;
    bool newSource = !first || first->src != t->src;
    if (newSource) {
      first = t;
      firstEnd = next;
    } else if (shared && !sameSource(first, firstEnd, t, next)) {
      return "receivers get different bytes of one source";
    }
    uint32_t from = position_[t->src], to = position_[t->dst];
    if (from == kNone || to == kNone)
      return "a transfer of a process that is not a member";
    if (isRegular(c.kind)) {
      if (common_[index].part.block == 0)
        common_[index].part.block = bytes;
      if (common_[index].part.block != bytes)
        return "blocks of different sizes";
    }
    if (c.kind == CollectiveKind::Allgatherv && newSource)
      counts_[counted + from] = bytes;
    uint64_t offset = 0;
    for (const Transfer *i = t; i != next; ++i) {
      if (!shared || newSource)
        entries_.push_back({i->src, index, 0, {shared ? 0 : to, 0, i->srcAddr, i->size, offset}});
      entries_.push_back({i->dst, index, 1, {from, 0, i->dstAddr, i->size, offset}});
      offset += i->size;
    }
    if (offset > INT_MAX)
      return "more than 2 GiB in one block";
    t = next;
  }
  return nullptr;
}

const char *CollectiveParts::buildReduction(const Schedule &schedule, uint32_t index) {
  const Collective &c = schedule.collectives[index];
  Common &common = common_[index];
  uint64_t total = 0;
  for (uint32_t i = c.begin; i < c.begin + c.numInputs; ++i) {
    const Transfer &t = schedule.transfers[i];
    entries_.push_back({t.src, index, 0, {0, 0, t.srcAddr, t.size, t.dstAddr}});
    total = std::max(total, t.dstAddr + t.size);
  }
  for (uint32_t i = c.begin + c.numInputs; i < c.end; ++i) {
    const Transfer &t = schedule.transfers[i];
    entries_.push_back({t.dst, index, 1, {0, 0, t.dstAddr, t.size, t.srcAddr}});
    if (c.kind == CollectiveKind::ReduceScatter)
      counts_[common.countsBegin + position_[t.dst]] += t.size;
  }
  common.part.block = total;
  if (c.op >= kUserOperator)
    return "an operator of the user";
  if (total > INT_MAX)
    return "more than 2 GiB in one reduction";
  if (c.kind != CollectiveKind::ReduceScatter)
    return nullptr;
  // MPI scatters in the order of the members.
  for (uint32_t i = c.begin + c.numInputs; i < c.end; ++i) {
    const Transfer &t = schedule.transfers[i];
    uint64_t begin = 0;
    for (uint32_t m = 0; m < position_[t.dst]; ++m)
      begin += counts_[common.countsBegin + m];
    if (t.srcAddr < begin || t.srcAddr + t.size > begin + counts_[common.countsBegin + position_[t.dst]])
      return "blocks that are not in the order of the processes";
  }
  return nullptr;
}

/// Detects allgathers in place: each process's contribution is where its own block belongs, among the other blocks.
const char *CollectiveParts::finishRegular(uint32_t index, size_t begin) {
  Common &common = common_[index];
  CollectivePart &part = common.part;
  CollectiveKind kind = CollectiveKind(part.kind);
  uint32_t n = common.part.numMembers;
  if (part.block * n > INT_MAX && kind != CollectiveKind::Bcast)
    return "more than 2 GiB in one buffer";
  bool ownGap = !(part.flags & kSelfCopies);
  if (ownGap && part.block >= kVectorFormBytes &&
      (kind == CollectiveKind::Gather || kind == CollectiveKind::Scatter || kind == CollectiveKind::Alltoall))
    part.flags |= kVectorForm;
  if (kind != CollectiveKind::Allgather || !ownGap)
    return nullptr;
  // entries_[begin..] of this collective are not sorted by process yet.
  std::sort(entries_.begin() + begin, entries_.end(), [](const Entry &a, const Entry &b) {
    if (a.rank != b.rank)
      return a.rank < b.rank;
    if (a.direction != b.direction)
      return a.direction < b.direction;
    return a.piece.peer < b.piece.peer;
  });
  size_t i = begin, processes = 0;
  while (i < entries_.size()) {
    // One outgoing piece, then n - 1 incoming ones.
    uint32_t me = position_[entries_[i].rank];
    Addr base = entries_[i].piece.addr - me * part.block;
    for (uint32_t k = 0; k < n; ++k, ++i) {
      uint32_t peer = k == 0 ? me : k - 1 < me ? k - 1 : k;
      if (i >= entries_.size())
        return nullptr;
      const Entry &e = entries_[i];
      if (position_[e.rank] != me || e.direction != (k != 0) || (k && e.piece.peer != peer) ||
          e.piece.size != part.block || e.piece.addr != base + peer * part.block)
        return nullptr;
    }
    ++processes;
  }
  if (processes == n)
    part.flags |= kInPlace;
  return nullptr;
}

bool CollectiveParts::build(const Graph &graph, const Schedule &schedule, const Vec<uint8_t> &immediate, char *why,
                            size_t whySize) {
  graph_ = &graph;
  schedule_ = &schedule;
  position_.assign(graph.numRanks(), kNone);
  const char *reason = nullptr;
  for (uint32_t i = 0; i < schedule.collectives.size() && !reason; ++i) {
    const Collective &c = schedule.collectives[i];
    Common common = {};
    CollectivePart &part = common.part;
    part.kind = uint8_t(c.kind);
    part.flags = uint8_t((c.selfCopies ? kSelfCopies : 0) | (immediate[i] ? kImmediate : 0));
    part.op = c.op;
    part.type = uint8_t(c.type);
    part.global = i;
    part.numMembers = schedule.numMembers(c, graph);
    for (uint32_t m = 0; m < part.numMembers; ++m)
      position_[schedule.member(c, m)] = m;
    part.root = 0;
    if (c.kind == CollectiveKind::Bcast || c.kind == CollectiveKind::Gather || c.kind == CollectiveKind::Gatherv ||
        c.kind == CollectiveKind::Scatter || c.kind == CollectiveKind::Scatterv || c.kind == CollectiveKind::Reduce)
      part.root = position_[c.root];
    common.countsBegin = common.countsEnd = uint32_t(counts_.size());
    if (c.kind == CollectiveKind::Allgatherv || c.kind == CollectiveKind::ReduceScatter) {
      counts_.resize(counts_.size() + part.numMembers, 0);
      common.countsEnd = uint32_t(counts_.size());
    }
    common_.push_back(common);
    size_t begin = entries_.size();
    if (isReduction(c.kind))
      reason = buildReduction(schedule, i);
    else if (c.kind != CollectiveKind::Barrier)
      reason = buildMovement(schedule, i);
    if (!reason && isRegular(c.kind))
      reason = finishRegular(i, begin);
    for (uint32_t m = 0; m < part.numMembers; ++m)
      position_[schedule.member(c, m)] = kNone;
  }
  // Compare two more fields than necessary, so that the order does not depend on the sort algorithm.
  std::sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
    if (a.rank != b.rank)
      return a.rank < b.rank;
    if (a.collective != b.collective)
      return a.collective < b.collective;
    if (a.direction != b.direction)
      return a.direction < b.direction;
    if (a.piece.peer != b.piece.peer)
      return a.piece.peer < b.piece.peer;
    return a.piece.offset != b.piece.offset ? a.piece.offset < b.piece.offset : a.piece.addr < b.piece.addr;
  });
  if (reason)
    std::snprintf(why, whySize, "%s", reason);
  return !reason;
}

void CollectiveParts::partOf(Rank rank, Vec<CollectivePart> &collectives, Vec<Piece> &pieces, Vec<Rank> &members,
                             Vec<uint64_t> &counts) const {
  const Entry *entry =
      std::lower_bound(entries_.begin(), entries_.end(), rank, [](const Entry &e, Rank r) { return e.rank < r; });
  for (uint32_t i = 0; i < common_.size(); ++i) {
    const Collective &c = schedule_->collectives[i];
    uint32_t position = schedule_->position(c, rank);
    if (position == kNone)
      continue;
    CollectivePart part = common_[i].part;
    part.position = position;
    part.memberBegin = part.memberEnd = uint32_t(members.size());
    if (c.memberBegin != c.memberEnd) {
      members.append(schedule_->members.begin() + c.memberBegin, schedule_->members.begin() + c.memberEnd);
      part.memberEnd = uint32_t(members.size());
    }
    part.countsBegin = uint32_t(counts.size());
    counts.append(counts_.begin() + common_[i].countsBegin, counts_.begin() + common_[i].countsEnd);
    auto take = [&](uint32_t direction) {
      for (; entry != entries_.end() && entry->rank == rank && entry->collective == i && entry->direction == direction;
           ++entry)
        pieces.push_back(entry->piece);
      return uint32_t(pieces.size());
    };
    part.outBegin = uint32_t(pieces.size());
    part.outEnd = part.inBegin = take(0);
    part.inEnd = take(1);
    collectives.push_back(part);
  }
}

void CollectiveParts::describe(const Schedule &schedule, const Graph &graph, char *text, size_t size) const {
  // Consecutive collectives with the same text are counted.
  char last[96] = "";
  uint32_t repeats = 0;
  size_t used = 0;
  text[0] = 0;
  auto flush = [&]() {
    if (!repeats)
      return;
    char item[128];
    if (repeats > 1)
      std::snprintf(item, sizeof item, "%s%u x %s", used ? "; " : "", repeats, last);
    else
      std::snprintf(item, sizeof item, "%s%s", used ? "; " : "", last);
    size_t length = std::strlen(item);
    if (used + length + 6 > size) {
      if (used + 6 <= size && std::strcmp(text + used - 3, "...")) {
        std::memcpy(text + used, "; ...", 6);
        used += 5;
      }
      return;
    }
    std::memcpy(text + used, item, length + 1);
    used += length;
  };
  for (uint32_t i = 0; i < schedule.collectives.size(); ++i) {
    const Collective &c = schedule.collectives[i];
    uint64_t bytes = i < common_.size() ? common_[i].part.block : 0;
    if (i < common_.size() && bytes == 0)
      for (uint32_t t = c.begin; t < c.end; ++t)
        bytes += schedule.transfers[t].size;
    char item[96];
    if (c.kind == CollectiveKind::Barrier)
      std::snprintf(item, sizeof item, "barrier(%u ranks)", schedule.numMembers(c, graph));
    else
      std::snprintf(item, sizeof item, "%s(%u ranks, %llu bytes)", name(c.kind), schedule.numMembers(c, graph),
                    static_cast<unsigned long long>(bytes));
    if (std::strcmp(item, last) == 0) {
      ++repeats;
      continue;
    }
    flush();
    std::memcpy(last, item, sizeof last);
    repeats = 1;
  }
  flush();
}

} // namespace comm::cdag::run
