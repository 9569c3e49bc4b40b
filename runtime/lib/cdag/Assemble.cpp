// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns what the detector took into collectives as a Schedule has them. Collectives of one shape become one with
// noncontiguous blocks (paper, section 2.4.3), and adjacent blocks become one block.
#include "Detector.h"

#include <algorithm>
#include <tuple>

namespace comm::cdag {

namespace {

bool byPair(const Transfer &a, const Transfer &b) {
  return std::tie(a.src, a.dst, a.srcAddr, a.dstAddr) < std::tie(b.src, b.dst, b.srcAddr, b.dstAddr);
}

bool continues(const Transfer &a, const Transfer &b) {
  return a.src == b.src && a.dst == b.dst && a.srcAddr + a.size == b.srcAddr && a.dstAddr + a.size == b.dstAddr;
}

bool isReduction(CollectiveKind kind) { return kind >= CollectiveKind::Allreduce && kind <= CollectiveKind::Reduce; }
bool isScan(CollectiveKind kind) { return kind == CollectiveKind::Scan || kind == CollectiveKind::Exscan; }

} // namespace

void Detector::uniteSameShapes(Vec<uint32_t> &target) {
  Vec<Collective> &all = out_.collectives;
  auto compare = [&](uint32_t i, uint32_t j) -> int {
    const Collective &a = all[i], &b = all[j];
    auto order = [](uint64_t x, uint64_t y) { return x < y ? -1 : x > y; };
    if (int o = order(uint64_t(a.kind), uint64_t(b.kind)))
      return o;
    if (isScan(a.kind))
      return order(i, j);
    if (int o = order(a.root, b.root))
      return o;
    if (int o = order(a.selfCopies * 65536u + a.op * 256u + unsigned(a.type),
                      b.selfCopies * 65536u + b.op * 256u + unsigned(b.type)))
      return o;
    uint32_t n = a.memberEnd - a.memberBegin;
    if (int o = order(n, b.memberEnd - b.memberBegin))
      return o;
    for (uint32_t k = 0; k < n; ++k)
      if (int o = order(out_.members[a.memberBegin + k], out_.members[b.memberBegin + k]))
        return o;
    return 0;
  };
  Vec<uint32_t> order(all.size());
  for (uint32_t i = 0; i < all.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t i, uint32_t j) {
    int o = compare(i, j);
    return o ? o < 0 : i < j;
  });
  target.assign(all.size(), 0);
  for (size_t i = 0; i < order.size(); ++i)
    target[order[i]] = i && compare(order[i - 1], order[i]) == 0 ? target[order[i - 1]] : order[i];
  // Keep the first of each shape and renumber.
  Vec<Collective> kept;
  Vec<uint32_t> number(all.size(), kNone);
  for (uint32_t i = 0; i < all.size(); ++i)
    if (target[i] == i) {
      number[i] = static_cast<uint32_t>(kept.size());
      kept.push_back(all[i]);
    }
  for (uint32_t &t : target)
    t = number[t];
  all.swap(kept);
}

void Detector::uniteBlocks(Vec<Transfer> &sorted) const {
  // Unite only where the k-th and the next block are adjacent for all pairs, so that blocks stay comparable. If pairs
  // have different numbers of blocks (vector forms), unite the blocks of each pair separately.
  size_t n = sorted.size(), blocks = 0;
  bool uniform = true;
  for (size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin; end < n && sorted[end].src == sorted[begin].src && sorted[end].dst == sorted[begin].dst;)
      ++end;
    if (begin && end - begin != blocks)
      uniform = false;
    blocks = end - begin;
  }
  if (n == 0 || (uniform && blocks == 1))
    return;
  Vec<uint8_t> joins(uniform ? blocks : 0, 1);
  if (uniform)
    for (size_t i = 0; i < n; ++i)
      if (i % blocks)
        joins[i % blocks] &= continues(sorted[i - 1], sorted[i]);
  size_t kept = 0;
  for (size_t i = 0; i < n; ++i) {
    bool join = uniform ? i % blocks && joins[i % blocks] : kept && continues(sorted[kept - 1], sorted[i]);
    if (join)
      sorted[kept - 1].size += sorted[i].size;
    else
      sorted[kept++] = sorted[i];
  }
  sorted.resize(kept);
}

void Detector::assembleMovement(Collective &c, Vec<Transfer> &mine) {
  if (!std::is_sorted(mine.begin(), mine.end(), byPair))
    std::sort(mine.begin(), mine.end(), byPair);
  uniteBlocks(mine);
  c.numInputs = 0;
}

void Detector::assembleReduction(Collective &c, Vec<Transfer> &mine) {
  uint32_t members = c.memberEnd - c.memberBegin;
  auto position = [&](Rank rank) {
    if (!members)
      return rank;
    for (uint32_t i = 0; i < members; ++i)
      if (out_.members[c.memberBegin + i] == rank)
        return i;
    return kNone;
  };
  bool scatters = c.kind == CollectiveKind::ReduceScatter;
  // Only a reduce_scatter identifies a block by its receiver. Its blocks are in the order of the members.
  Vec<uint32_t> place;
  if (scatters) {
    place.assign(p_, kNone);
    for (const Transfer &t : mine)
      if (place[t.dst] == kNone)
        place[t.dst] = position(t.dst);
  }
  std::sort(mine.begin(), mine.end(), [&](const Transfer &a, const Transfer &b) {
    if (scatters && a.dst != b.dst)
      return place[a.dst] < place[b.dst];
    return std::tie(a.src, a.srcAddr, a.size, a.dst) < std::tie(b.src, b.srcAddr, b.size, b.dst);
  });
  Vec<Transfer> inputs, results;
  uint64_t offset = 0;
  size_t previous = 0, previousEnd = 0; // the previous block, in `mine`
  for (size_t begin = 0, end; begin < mine.size(); begin = end) {
    const Transfer first = mine[begin];
    for (end = begin; end < mine.size() && mine[end].src == first.src && mine[end].srcAddr == first.srcAddr &&
                      mine[end].size == first.size && (!scatters || mine[end].dst == first.dst);)
      ++end;
    bool join = previousEnd > previous && end - begin == previousEnd - previous;
    for (size_t i = begin; join && i < end; ++i)
      join = continues(mine[previous + (i - begin)], mine[i]);
    if (join) {
      for (size_t i = begin; i < end; ++i) {
        Transfer &result = results[results.size() - (end - i)];
        result.size += first.size;
        mine[i].srcAddr = mine[previous + (i - begin)].srcAddr;
        mine[i].dstAddr = mine[previous + (i - begin)].dstAddr;
        mine[i].size += mine[previous + (i - begin)].size;
      }
      uint32_t terms = terms_.length(first.src);
      for (size_t i = inputs.size() - terms; i < inputs.size(); ++i)
        inputs[i].size += first.size;
    } else {
      for (const Term *t = terms_.begin(first.src); t != terms_.end(first.src); ++t)
        inputs.push_back({t->rank, t->rank, first.srcAddr + t->offset, offset, first.size});
      for (size_t i = begin; i < end; ++i)
        results.push_back({kNone, mine[i].dst, offset, mine[i].dstAddr, first.size});
    }
    offset += first.size;
    previous = begin;
    previousEnd = end;
  }
  auto byOffset = [](const Transfer &a, const Transfer &b) {
    return std::tie(a.src, a.dstAddr) < std::tie(b.src, b.dstAddr);
  };
  std::sort(inputs.begin(), inputs.end(), byOffset);
  std::sort(results.begin(), results.end(), [](const Transfer &a, const Transfer &b) {
    return std::tie(a.dst, a.srcAddr) < std::tie(b.dst, b.srcAddr);
  });
  c.numInputs = static_cast<uint32_t>(inputs.size());
  mine.swap(inputs);
  mine.append(results.begin(), results.end());
}

void Detector::assemble() {
  for (const Combined &c : sst_.combined)
    out_.rest.push_back({c.rank, c.addr, c.size});
  Vec<uint32_t> target;
  uniteSameShapes(target);
  uint32_t count = static_cast<uint32_t>(out_.collectives.size());
  // If one collective took everything, it gets the whole array.
  bool everything = count == 1 && results_.empty();
  for (uint32_t i = 0; everything && i < owner_.size(); ++i)
    everything = owner_[i] != kNone;
  if (everything) {
    owner_.release();
    assembleMovement(out_.collectives[0], moves_);
    out_.collectives[0].begin = 0;
    out_.collectives[0].end = static_cast<uint32_t>(moves_.size());
    out_.transfers.swap(moves_);
    return;
  }
  // Buckets by collective: first the moves, then the results.
  Vec<uint32_t> begin(size_t(count) + 1, 0);
  Vec<uint32_t> items(moves_.size() + results_.size());
  auto ownerOf = [&](uint32_t i) {
    uint32_t owner = i < moves_.size() ? owner_[i] : resultOwner_[i - moves_.size()];
    return owner == kNone ? kNone : target[owner];
  };
  auto item = [&](uint32_t i) -> const Transfer & {
    return i < moves_.size() ? moves_[i] : results_[i - moves_.size()];
  };
  for (uint32_t i = 0; i < items.size(); ++i) {
    uint32_t owner = ownerOf(i);
    if (owner != kNone)
      ++begin[owner + 1];
    else
      out_.rest.push_back({item(i).dst, item(i).dstAddr, item(i).size});
  }
  for (uint32_t c = 0; c < count; ++c)
    begin[c + 1] += begin[c];
  Vec<uint32_t> fill = begin;
  for (uint32_t i = 0; i < items.size(); ++i) {
    uint32_t owner = ownerOf(i);
    if (owner != kNone)
      items[fill[owner]++] = i;
  }
  Vec<Transfer> mine;
  for (uint32_t c = 0; c < count; ++c) {
    Collective &collective = out_.collectives[c];
    mine.clear();
    Transfer single = {};
    bool hasSingle = false;
    uint32_t longest = kNone;
    for (uint32_t i = begin[c]; i < begin[c + 1]; ++i) {
      bool isMove = items[i] < moves_.size();
      const Transfer &t = item(items[i]);
      if (isMove && isReduction(collective.kind)) {
        single = t; // a scan's result of one contribution
        hasSingle = true;
        continue;
      }
      if (isScan(collective.kind) && (longest == kNone || terms_.length(t.src) > terms_.length(mine[longest].src)))
        longest = static_cast<uint32_t>(mine.size());
      mine.push_back(t);
    }
    if (isScan(collective.kind)) {
      // A scan has one block, and its contributions are those of the longest result.
      Vec<Transfer> results = mine;
      mine.assign(1, results[longest]);
      assembleReduction(collective, mine);
      mine.resize(collective.numInputs);
      for (const Transfer &t : results)
        mine.push_back({kNone, t.dst, 0, t.dstAddr, t.size});
      if (hasSingle)
        mine.push_back({kNone, single.dst, 0, single.dstAddr, single.size});
    } else if (isReduction(collective.kind)) {
      assembleReduction(collective, mine);
    } else {
      assembleMovement(collective, mine);
    }
    collective.begin = static_cast<uint32_t>(out_.transfers.size());
    out_.transfers.append(mine.begin(), mine.end());
    collective.end = static_cast<uint32_t>(out_.transfers.size());
  }
}

} // namespace comm::cdag
