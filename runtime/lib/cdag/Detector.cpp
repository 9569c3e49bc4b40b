// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Detector.h"

#include <algorithm>
#include <tuple>

namespace comm::cdag {

namespace {

bool bySource(const Transfer &a, const Transfer &b) {
  return std::tie(a.src, a.srcAddr, a.size, a.dst, a.dstAddr) < std::tie(b.src, b.srcAddr, b.size, b.dst, b.dstAddr);
}

void sortMoves(Vec<Transfer> &transfers) {
  // Common patterns are already sorted.
  if (!std::is_sorted(transfers.begin(), transfers.end(), bySource))
    std::sort(transfers.begin(), transfers.end(), bySource);
}

/// Appends the bounds of pieces inside [lo, hi) to `cuts`.
struct Bounds {
  Vec<Addr> all;
  void collect(const Transfer *first, const Transfer *last) {
    all.clear();
    for (; first != last; ++first) {
      all.push_back(first->srcAddr);
      all.push_back(first->srcAddr + first->size);
    }
    std::sort(all.begin(), all.end());
    all.resize(static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin()));
  }
  const Addr *firstInside(const Transfer &t) const { return std::upper_bound(all.begin(), all.end(), t.srcAddr); }
};

} // namespace

void refine(Vec<Transfer> &transfers) {
  sortMoves(transfers);
  Bounds bounds;
  size_t n = transfers.size();
  bool cut = false;
  for (size_t begin = 0, end; begin < n; begin = end) {
    // Collect pieces of one source that overlap without being identical.
    Addr reach = transfers[begin].srcAddr + transfers[begin].size;
    bool same = true;
    for (end = begin + 1; end < n && transfers[end].src == transfers[begin].src && transfers[end].srcAddr < reach;
         ++end) {
      same &= transfers[end].srcAddr == transfers[begin].srcAddr && transfers[end].size == transfers[begin].size;
      reach = std::max(reach, transfers[end].srcAddr + transfers[end].size);
    }
    if (same)
      continue;
    bounds.collect(transfers.begin() + begin, transfers.begin() + end);
    size_t extra = 0;
    for (size_t i = begin; i < end; ++i) {
      const Transfer &t = transfers[i];
      extra += static_cast<size_t>(std::lower_bound(bounds.all.begin(), bounds.all.end(), t.srcAddr + t.size) -
                                   bounds.firstInside(t));
    }
    // Nested pieces would multiply, so leave them whole.
    if (extra > 8 * (end - begin) + 4096)
      continue;
    for (size_t i = begin; i < end; ++i) {
      for (;;) {
        Transfer &t = transfers[i];
        const Addr *inside = bounds.firstInside(t);
        if (inside == bounds.all.end() || *inside >= t.srcAddr + t.size)
          break;
        uint64_t head = *inside - t.srcAddr;
        Transfer first = t;
        first.size = head;
        t.srcAddr += head;
        t.dstAddr += head;
        t.size -= head;
        transfers.push_back(first);
        cut = true;
      }
    }
  }
  if (cut)
    sortMoves(transfers);
}

uint32_t Detector::open(CollectiveKind kind, Rank root, bool selfCopies, const Vec<Rank> &members) {
  Collective c = {};
  c.kind = kind;
  c.root = root;
  c.selfCopies = selfCopies;
  c.memberBegin = c.memberEnd = static_cast<uint32_t>(out_.members.size());
  // All processes in order need no member list.
  bool all = members.size() == p_ || members.empty();
  for (uint32_t i = 0; all && i < members.size(); ++i)
    all = members[i] == i;
  if (!all) {
    out_.members.append(members.begin(), members.end());
    c.memberEnd = static_cast<uint32_t>(out_.members.size());
  }
  out_.collectives.push_back(c);
  return static_cast<uint32_t>(out_.collectives.size() - 1);
}

void Detector::prepareMoves() {
  refine(moves_);
  owner_.assign(moves_.size(), kNone);
}

bool Detector::coalesce() {
  // Join only free messages that are adjacent at both ends.
  Vec<Transfer> kept, open;
  Vec<uint32_t> keptOwner;
  for (uint32_t i = 0; i < moves_.size(); ++i) {
    if (owner_[i] != kNone) {
      kept.push_back(moves_[i]);
      keptOwner.push_back(owner_[i]);
    } else {
      open.push_back(moves_[i]);
    }
  }
  std::sort(open.begin(), open.end(), [](const Transfer &a, const Transfer &b) {
    return std::tie(a.dst, a.dstAddr) < std::tie(b.dst, b.dstAddr);
  });
  size_t n = 0;
  for (size_t i = 0; i < open.size(); ++i) {
    if (n && open[n - 1].src == open[i].src && open[n - 1].dst == open[i].dst &&
        open[n - 1].srcAddr + open[n - 1].size == open[i].srcAddr &&
        open[n - 1].dstAddr + open[n - 1].size == open[i].dstAddr)
      open[n - 1].size += open[i].size;
    else
      open[n++] = open[i];
  }
  if (n == open.size())
    return false;
  open.resize(n);
  size_t before = moves_.size();
  refine(open);
  if (kept.size() + open.size() >= before)
    return false; // cutting undid it
  // Merge both lists into one sorted list with a parallel list of owners.
  Vec<uint32_t> order(kept.size() + open.size());
  Vec<uint32_t> owners = keptOwner;
  owners.resize(order.size(), kNone);
  kept.append(open.begin(), open.end());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return bySource(kept[a], kept[b]); });
  moves_.clear();
  owner_.clear();
  for (uint32_t i : order) {
    moves_.push_back(kept[i]);
    owner_.push_back(owners[i]);
  }
  return true;
}

uint32_t Detector::findSelf(Rank rank, uint64_t size, bool anySize) {
  Transfer key = {rank, 0, 0, 0, 0};
  const Transfer *at = std::lower_bound(moves_.begin(), moves_.end(), key, bySource);
  // A process has few pieces that it only moves locally.
  for (; at != moves_.end() && at->src == rank; ++at) {
    uint32_t i = static_cast<uint32_t>(at - moves_.begin());
    if (at->dst == rank && owner_[i] == kNone && (anySize || at->size == size))
      return i;
  }
  return kNone;
}

void Detector::run() {
  moves_.swap(sst_.transfers);
  prepareMoves();
  if (p_ > 1) {
    if (options_.reductions)
      detectReductions();
    while (detectOnAll()) {
    }
    if (coalesce())
      while (detectOnAll()) {
      }
    if (options_.subsets)
      while (detectOnSubsets()) {
      }
  }
  live_.release();
  atoms_.release();
  assemble();
}

void detectCollectives(const Graph &graph, SingleTransfers &sst, const DetectOptions &options, Detection &out) {
  out = Detection();
  for (const Combined &c : sst.computed)
    out.rest.push_back({c.rank, c.addr, c.size});
  // Restored values need no action as long as nothing writes there.
  Detector(graph, sst, options, out).run();
}

} // namespace comm::cdag
