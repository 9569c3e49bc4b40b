// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders operations with collectives and collectives with each other, and replaces the synchronization of removed
// operations.
#include "PlannerImpl.h"

#include <algorithm>

namespace comm::cdag {

bool Planner::isAfter(OpId op, uint32_t collective) const {
  const OpCollective *at = std::lower_bound(after_.begin(), after_.end(), op, [&](const OpCollective &a, OpId key) {
    return a.op != key ? a.op < key : a.collective < collective;
  });
  return at != after_.end() && at->op == op && at->collective == collective;
}

bool Planner::orderData() {
  auto less = [](const OpCollective &a, const OpCollective &b) {
    return a.op != b.op ? a.op < b.op : a.collective < b.collective;
  };
  std::sort(after_.begin(), after_.end(), less);
  for (const OpCollective &b : before_)
    if (isAfter(b.op, b.collective))
      return false;
  for (const OpCollective &a : after_)
    depend(graph_.rank(a.op), operation(a.op), collective(a.collective));
  if (dataCollectives_ == 0)
    return true;
  for (OpId op = 0; op < graph_.numOps(); ++op) {
    if (schedule_.actions[op] != Action::Keep)
      continue;
    Rank rank = graph_.rank(op);
    Addr readLo, readHi, writeLo, writeHi;
    rangesOf(op, readLo, readHi, writeLo, writeHi);
    bool possible = true;
    // An operation that touches the target of a collective precedes it, unless it reads the collective's result.
    forEachPlace(targets_, rank, readLo, readHi, [&](const Place &place) {
      if (!isAfter(op, place.collective))
        depend(rank, collective(place.collective), operation(op));
    });
    forEachPlace(targets_, rank, writeLo, writeHi, [&](const Place &place) {
      possible &= !isAfter(op, place.collective);
      depend(rank, collective(place.collective), operation(op));
    });
    if (!possible)
      return false;
    forEachPlace(sources_, rank, writeLo, writeHi, [&](const Place &place) {
      if (place.producer != kNone) {
        // The collective reads after its producer and all earlier operations.
        if (executed_[op] <= executed_[place.producer])
          return;
        possible &= attempt_ != Attempt::Closed;
        depend(rank, operation(op), collective(place.collective));
        return;
      }
      if (attempt_ == Attempt::Closed)
        conflicts_.push_back({place.collective, rank});
      else
        depend(rank, operation(op), collective(place.collective));
    });
    if (!possible)
      return false;
  }
  for (const Place &place : sources_)
    if (place.producer != kNone)
      depend(place.rank, collective(place.collective), operation(place.producer));
  return true;
}

bool Planner::coincides(uint32_t c) const {
  // Compares each process's input and output bytes, block by block.
  const Collective &coll = schedule_.collectives[c];
  const Transfer *begin = schedule_.transfers.begin() + coll.begin;
  const Transfer *end = schedule_.transfers.begin() + coll.end;
  if (coll.kind == CollectiveKind::Alltoall) {
    for (const Transfer *t = begin; t != end; ++t) {
      const Transfer *back = std::lower_bound(begin, end, *t, [](const Transfer &a, const Transfer &key) {
        if (a.src != key.dst)
          return a.src < key.dst;
        return a.dst < key.src;
      });
      bool found = false;
      for (; back != end && back->src == t->dst && back->dst == t->src; ++back)
        found |= back->dstAddr == t->srcAddr && back->size == t->size;
      if (!found)
        return false;
    }
    return true;
  }
  if (coll.kind != CollectiveKind::Allreduce && coll.kind != CollectiveKind::Reduce &&
      coll.kind != CollectiveKind::Scan && coll.kind != CollectiveKind::Exscan)
    return false;
  const Transfer *inputs = begin + coll.numInputs;
  for (const Transfer *t = inputs; t != end; ++t) {
    const Transfer *in = std::lower_bound(begin, inputs, *t, [](const Transfer &a, const Transfer &key) {
      return a.src != key.dst ? a.src < key.dst : a.dstAddr < key.srcAddr;
    });
    if (in == inputs || in->src != t->dst || in->dstAddr != t->srcAddr || in->srcAddr != t->dstAddr ||
        in->size != t->size)
      return false;
  }
  return true;
}

bool Planner::stageConflicts() {
  std::sort(conflicts_.begin(), conflicts_.end(), [](const Conflict &a, const Conflict &b) {
    return a.collective != b.collective ? a.collective < b.collective : a.rank < b.rank;
  });
  if (!conflicts_.empty() && scratchUsed_.empty())
    scratchUsed_.assign(graph_.numRanks(), 0);
  auto less = [](const Place &a, const Place &b) {
    if (a.rank != b.rank)
      return a.rank < b.rank;
    return a.lo != b.lo ? a.lo < b.lo : a.hi < b.hi;
  };
  Vec<Place> blocks; // maxHi: the offset in scratch memory
  for (size_t begin = 0, end; begin < conflicts_.size(); begin = end) {
    uint32_t c = conflicts_[begin].collective;
    for (end = begin; end < conflicts_.size() && conflicts_[end].collective == c;)
      ++end;
    auto conflicting = [&](Rank rank) {
      const Conflict *at = std::lower_bound(conflicts_.begin() + begin, conflicts_.begin() + end, rank,
                                            [](const Conflict &a, Rank r) { return a.rank < r; });
      return at != conflicts_.begin() + end && at->rank == rank;
    };
    // Collect all that the collective reads on these processes, each block once.
    Collective &coll = schedule_.collectives[c];
    coll.inPlace = false;
    uint32_t last = coll.numInputs ? coll.begin + coll.numInputs : coll.end;
    blocks.clear();
    for (uint32_t i = coll.begin; i < last; ++i) {
      const Transfer &t = schedule_.transfers[i];
      if (!(t.srcAddr & kScratchBit) && conflicting(t.src))
        blocks.push_back({t.src, c, t.srcAddr, t.srcAddr + t.size, 0, producer_.empty() ? kNone : producer_[i]});
    }
    // Memory is saved at the start, before any operation computes.
    for (const Place &block : blocks)
      if (block.producer != kNone)
        return false;
    std::sort(blocks.begin(), blocks.end(), less);
    size_t n = 0;
    for (const Place &block : blocks) {
      if (n && !less(blocks[n - 1], block))
        continue;
      uint64_t &used = scratchUsed_[block.rank];
      if (!n || blocks[n - 1].rank != block.rank)
        used = (used + 63) / 64 * 64;
      blocks[n] = block;
      blocks[n++].maxHi = used;
      schedule_.stages.push_back({block.rank, block.lo, used, block.hi - block.lo});
      used += block.hi - block.lo;
      schedule_.scratchSize = std::max(schedule_.scratchSize, used);
    }
    blocks.resize(n);
    for (uint32_t i = coll.begin; i < last; ++i) {
      Transfer &t = schedule_.transfers[i];
      if (t.srcAddr & kScratchBit || !conflicting(t.src))
        continue;
      Place key = {t.src, c, t.srcAddr, t.srcAddr + t.size, 0, kNone};
      t.srcAddr = kScratchBit | std::lower_bound(blocks.begin(), blocks.end(), key, less)->maxHi;
    }
  }
  conflicts_.clear();
  return true;
}

bool Planner::orderCollectives() {
  // Find targets that overlap a source of the same or another collective.
  Vec<uint8_t> overlapsItself(dataCollectives_, 0);
  Vec<Conflict> itself;
  for (const Place &source : sources_)
    forEachPlace(targets_, source.rank, source.lo, source.hi, [&](const Place &target) {
      if (target.collective == source.collective) {
        overlapsItself[source.collective] = 1;
        itself.push_back({source.collective, source.rank});
      } else if (attempt_ == Attempt::Closed) {
        conflicts_.push_back({source.collective, source.rank});
      } else {
        depend(source.rank, collective(target.collective), collective(source.collective));
      }
    });
  for (uint32_t c = 0; c < dataCollectives_; ++c)
    schedule_.collectives[c].inPlace = overlapsItself[c] && attempt_ != Attempt::Closed && coincides(c);
  for (const Conflict &conflict : itself)
    if (!schedule_.collectives[conflict.collective].inPlace)
      conflicts_.push_back(conflict);
  return stageConflicts();
}

void Planner::addBarriers() {
  if (!options_.detect.barriers)
    return;
  if (!barriersKnown_) {
    findBarriers(graph_, matching_, barriers_);
    barriersKnown_ = true;
  }
  if (barriers_.groups.empty())
    return;
  Vec<uint32_t> barrierOf(graph_.numRanks(), kNone);
  for (const BarrierGroup &group : barriers_.groups) {
    uint32_t size = group.end - group.begin;
    if (size != graph_.numRanks() && (!options_.detect.subsets || size < options_.detect.subsetMinRanks))
      continue;
    Collective c = {};
    c.kind = CollectiveKind::Barrier;
    c.root = kNone;
    c.begin = c.end = static_cast<uint32_t>(schedule_.transfers.size());
    c.memberBegin = c.memberEnd = 0;
    if (size != graph_.numRanks()) {
      c.memberBegin = static_cast<uint32_t>(schedule_.members.size());
      schedule_.members.append(barriers_.ranks.begin() + group.begin, barriers_.ranks.begin() + group.end);
      c.memberEnd = static_cast<uint32_t>(schedule_.members.size());
    }
    for (uint32_t i = group.begin; i < group.end; ++i)
      barrierOf[barriers_.ranks[i]] = static_cast<uint32_t>(schedule_.collectives.size());
    schedule_.collectives.push_back(c);
  }
  node_.assign(graph_.numOps(), kNone);
  for (OpId op = 0; op < graph_.numOps(); ++op) {
    if (!graph_.isMessage(op) || barrierOf[graph_.rank(op)] == kNone)
      continue;
    OpId send = graph_.isSend(op) ? op : matching_.partner[op];
    if (graph_.size(send) != 0)
      continue;
    node_[op] = barrierOf[graph_.rank(op)];
    schedule_.actions[op] = Action::Drop;
  }
}

void Planner::synchronizeByBarrier() {
  // A barrier costs less than a long chain of empty messages (a ring) and synchronizes at least as much.
  if (!mayAddBarrier_ || attempt_ == Attempt::Closed || dataCollectives_ == 0)
    return;
  Vec<uint32_t> depth(graph_.numOps(), 0);
  uint32_t deepest = 0;
  for (OpId op : matching_.order) {
    for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
      depth[op] = std::max(depth[op], depth[d->on]);
    if (graph_.isRecv(op) && schedule_.actions[op] == Action::SyncOnly)
      depth[op] = std::max(depth[op], depth[matching_.partner[op]] + 1);
    deepest = std::max(deepest, depth[op]);
  }
  uint32_t rounds = 1;
  while ((uint64_t(1) << rounds) < graph_.numRanks())
    ++rounds;
  if (deepest <= 2 * rounds)
    return;
  addedBarrier_ = true;
  Vec<uint8_t> takesPart(graph_.numRanks(), 0);
  uint32_t number = static_cast<uint32_t>(schedule_.collectives.size());
  for (OpId op = 0; op < graph_.numOps(); ++op)
    if (schedule_.actions[op] == Action::SyncOnly) {
      takesPart[graph_.rank(op)] = 1;
      schedule_.actions[op] = Action::Drop;
      node_[op] = number;
    }
  Collective c = {};
  c.kind = CollectiveKind::Barrier;
  c.root = kNone;
  c.begin = c.end = static_cast<uint32_t>(schedule_.transfers.size());
  c.memberBegin = static_cast<uint32_t>(schedule_.members.size());
  for (Rank r = 0; r < graph_.numRanks(); ++r)
    if (takesPart[r])
      schedule_.members.push_back(r);
  c.memberEnd = static_cast<uint32_t>(schedule_.members.size());
  if (c.memberEnd - c.memberBegin == graph_.numRanks()) {
    schedule_.members.resize(c.memberBegin);
    c.memberBegin = c.memberEnd = 0;
  }
  schedule_.collectives.push_back(c);
}

void Planner::mergeLocals(const Vec<uint8_t> &held) {
  // Merge a removed local operation into the collective that stands for a neighboring operation. Otherwise it would
  // seem to come between the two.
  for (OpId op : matching_.order) {
    if (graph_.isMessage(op) || schedule_.actions[op] != Action::Drop || (!held.empty() && held[op]))
      continue;
    for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op) && node_[op] == kNone; ++d)
      node_[op] = node_[d->on];
  }
  for (size_t i = matching_.order.size(); i-- > 0;) {
    OpId op = matching_.order[i];
    if (node_[op] == kNone)
      continue;
    for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
      if (!graph_.isMessage(d->on) && node_[d->on] == kNone && schedule_.actions[d->on] == Action::Drop &&
          (held.empty() || !held[d->on]))
        node_[d->on] = node_[op];
  }
}

void Planner::mergeSynchronization() {
  Action removed = options_.sync == SyncPolicy::Keep || attempt_ == Attempt::Closed ? Action::SyncOnly : Action::Drop;
  // Group collectives by process, except those that include all processes.
  Vec<uint32_t> everyone, begin, list;
  if (attempt_ != Attempt::Closed) {
    begin.assign(size_t(graph_.numRanks()) + 1, 0);
    for (uint32_t c = 0; c < dataCollectives_; ++c) {
      const Collective &coll = schedule_.collectives[c];
      if (coll.memberBegin == coll.memberEnd)
        everyone.push_back(c);
      for (uint32_t i = coll.memberBegin; i < coll.memberEnd; ++i)
        ++begin[schedule_.members[i] + 1];
    }
    for (Rank r = 0; r < graph_.numRanks(); ++r)
      begin[r + 1] += begin[r];
    list.resize(begin[graph_.numRanks()]);
    Vec<uint32_t> fill = begin;
    for (uint32_t c = 0; c < dataCollectives_; ++c) {
      const Collective &coll = schedule_.collectives[c];
      for (uint32_t i = coll.memberBegin; i < coll.memberEnd; ++i)
        list[fill[schedule_.members[i]]++] = c;
    }
  }
  // Messages of a chain a, b, c become one collective, which must then synchronize a with c. All kinds do, except an
  // alltoallv that lacks some pairs; it stands only for sends that wait for nothing.
  Vec<uint8_t> chains(dataCollectives_, 1);
  for (uint32_t c = 0; c < dataCollectives_; ++c) {
    const Collective &coll = schedule_.collectives[c];
    if (coll.kind != CollectiveKind::Alltoallv)
      continue;
    uint64_t members = schedule_.numMembers(coll, graph_), pairs = 0;
    for (uint32_t i = coll.begin; i < coll.end; ++i) {
      const Transfer &t = schedule_.transfers[i];
      pairs += t.src != t.dst &&
               (i == coll.begin || schedule_.transfers[i - 1].src != t.src || schedule_.transfers[i - 1].dst != t.dst);
    }
    chains[c] = pairs == members * (members - 1);
  }
  constexpr unsigned kMaxTries = 64;
  auto standIn = [&](OpId send, Rank from, Rank to) {
    unsigned tries = 0;
    bool chained = graph_.depsBegin(send) != graph_.depsEnd(send);
    auto serves = [&](uint32_t c) {
      return (chains[c] || !chained) && schedule_.synchronizes(schedule_.collectives[c], from, to);
    };
    for (uint32_t c : everyone) {
      if (++tries > kMaxTries)
        return kNone;
      if (serves(c))
        return c;
    }
    uint32_t i = begin[from], j = begin[to];
    while (i < begin[from + 1] && j < begin[to + 1] && tries < kMaxTries) {
      if (list[i] != list[j]) {
        list[i] < list[j] ? ++i : ++j;
        continue;
      }
      if (serves(list[i]))
        return list[i];
      ++i;
      ++j;
      ++tries;
    }
    return kNone;
  };
  if (node_.empty() && attempt_ != Attempt::Closed && dataCollectives_)
    node_.assign(graph_.numOps(), kNone);
  // In the Careful attempt, a collective stands for a message only if no kept operation precedes either end, so that
  // the collective never waits for one.
  Vec<uint8_t> held;
  if (attempt_ == Attempt::Careful)
    held.assign(graph_.numOps(), 0);
  auto isHeld = [&](OpId op) {
    if (held[op])
      return true;
    for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
      if (held[d->on] ||
          (graph_.isMessage(d->on) ? node_.empty() || node_[d->on] == kNone : schedule_.actions[d->on] == Action::Keep))
        return true;
    return false;
  };
  for (OpId send : matching_.order) {
    if (!held.empty())
      held[send] = isHeld(send);
    if (!graph_.isSend(send) || schedule_.actions[send] != Action::Drop || graph_.size(send) == 0)
      continue;
    OpId recv = matching_.partner[send];
    uint32_t c = kNone;
    if (attempt_ != Attempt::Closed && dataCollectives_ && (held.empty() || (!held[send] && !isHeld(recv))))
      c = standIn(send, graph_.rank(send), graph_.rank(recv));
    if (c == kNone) {
      schedule_.actions[send] = schedule_.actions[recv] = removed;
    } else {
      node_[send] = c;
      node_[recv] = c;
    }
  }
  synchronizeByBarrier();
  if (node_.empty())
    return;
  mergeLocals(held);
  for (const Dependency &d : graph_.dependencies()) {
    uint32_t on = node_[d.on], op = node_[d.op];
    if (on == op)
      continue;
    depend(graph_.rank(d.op), op == kNone ? operation(d.op) : collective(op),
           on == kNone ? operation(d.on) : collective(on));
  }
}

bool Planner::acyclic() {
  // Nodes are operations (the two ends of a message are one node), then collectives.
  uint32_t n = graph_.numOps();
  uint32_t count = static_cast<uint32_t>(schedule_.collectives.size());
  bool intoCollective = false;
  for (const ScheduleDependency &d : schedule_.dependencies)
    intoCollective |= d.op.collective;
  if (!intoCollective)
    return true; // the operations alone are a subgraph of the graph
  auto nodeOf = [&](OpId op) {
    if (!node_.empty() && node_[op] != kNone)
      return n + node_[op];
    if (graph_.isRecv(op) && schedule_.actions[op] != Action::Drop)
      return matching_.partner[op];
    return op;
  };
  auto refOf = [&](NodeRef ref) { return ref.collective ? n + ref.index : nodeOf(ref.index); };
  Vec<uint32_t> begin(size_t(n) + count + 1, 0), waits(size_t(n) + count, 0);
  auto forEachEdge = [&](auto fn) {
    for (const Dependency &d : graph_.dependencies()) {
      uint32_t on = nodeOf(d.on), op = nodeOf(d.op);
      if (on != op)
        fn(on, op);
    }
    for (const ScheduleDependency &d : schedule_.dependencies) {
      uint32_t on = refOf(d.on), op = refOf(d.op);
      if (on != op)
        fn(on, op);
    }
  };
  forEachEdge([&](uint32_t on, uint32_t op) {
    ++begin[on + 1];
    ++waits[op];
  });
  for (uint32_t i = 0; i < n + count; ++i)
    begin[i + 1] += begin[i];
  Vec<uint32_t> successors(begin[n + count]), fill = begin;
  forEachEdge([&](uint32_t on, uint32_t op) { successors[fill[on]++] = op; });
  fill.release();
  Vec<uint32_t> queue;
  for (uint32_t i = 0; i < n + count; ++i)
    if (waits[i] == 0)
      queue.push_back(i);
  Vec<uint32_t> order;
  for (size_t i = 0; i < queue.size(); ++i) {
    if (queue[i] >= n)
      order.push_back(queue[i] - n);
    for (uint32_t k = begin[queue[i]]; k < begin[queue[i] + 1]; ++k)
      if (--waits[successors[k]] == 0)
        queue.push_back(successors[k]);
  }
  if (queue.size() != size_t(n) + count)
    return false;
  // Sort the collectives in an order that all processes can follow.
  Vec<uint32_t> place(count, 0);
  Vec<Collective> sorted;
  for (uint32_t i = 0; i < count; ++i) {
    place[order[i]] = i;
    sorted.push_back(schedule_.collectives[order[i]]);
  }
  schedule_.collectives.swap(sorted);
  for (ScheduleDependency &d : schedule_.dependencies) {
    if (d.on.collective)
      d.on.index = place[d.on.index];
    if (d.op.collective)
      d.op.index = place[d.op.index];
  }
  return true;
}

} // namespace comm::cdag
