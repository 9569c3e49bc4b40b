// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/WaitSets.h"

#include <algorithm>

namespace comm::cdag {

void waitSetsOf(const Graph &graph, const Matching &matching, Rank first, bool emptyOnly, Vec<uint64_t> &sets) {
  sets.assign(graph.numRanks(), 0);
  Vec<uint64_t> reach(graph.numOps(), 0);
  for (OpId op : matching.order) {
    Rank rank = graph.rank(op);
    uint64_t set = rank >= first && rank - first < 64 ? uint64_t(1) << (rank - first) : 0;
    for (auto *d = graph.depsBegin(op); d != graph.depsEnd(op); ++d)
      set |= reach[d->on];
    if (graph.isRecv(op)) {
      OpId send = matching.partner[op];
      if (!emptyOnly || graph.size(send) == 0)
        set |= reach[send];
    }
    reach[op] = set;
    sets[rank] |= set;
  }
  for (Rank r = first; r < graph.numRanks() && r - first < 64; ++r)
    sets[r] |= uint64_t(1) << (r - first);
}

void waitSetsOf(const Graph &graph, const Matching &matching, const Schedule &schedule, Rank first,
                Vec<uint64_t> &sets) {
  // Iterate to a fixed point over the operations and each process's entry into and exit from each collective. Sets only
  // grow.
  uint32_t p = graph.numRanks();
  sets.assign(p, 0);
  Vec<uint64_t> reach(graph.numOps(), 0);
  size_t count = schedule.collectives.size();
  Vec<uint64_t> entry(count * p, 0), exit(count * p, 0);
  auto own = [&](Rank r) { return r >= first && r - first < 64 ? uint64_t(1) << (r - first) : 0; };
  for (bool changed = true; changed;) {
    changed = false;
    auto grow = [&](uint64_t &set, uint64_t by) {
      changed |= (set | by) != set;
      set |= by;
    };
    for (OpId op : matching.order) {
      uint64_t set = own(graph.rank(op));
      for (auto *d = graph.depsBegin(op); d != graph.depsEnd(op); ++d)
        set |= reach[d->on];
      if (graph.isRecv(op) && schedule.action(op) != Action::Drop)
        set |= reach[matching.partner[op]];
      grow(reach[op], set);
    }
    for (const ScheduleDependency &d : schedule.dependencies) {
      uint64_t set = d.on.collective ? exit[d.on.index * size_t(p) + d.rank] : reach[d.on.index];
      grow(d.op.collective ? entry[d.op.index * size_t(p) + d.rank] : reach[d.op.index], set);
    }
    for (size_t c = 0; c < count; ++c) {
      const Collective &coll = schedule.collectives[c];
      uint32_t n = schedule.numMembers(coll, graph);
      for (uint32_t i = 0; i < n; ++i) {
        Rank to = schedule.member(coll, i);
        uint64_t set = own(to) | entry[c * p + to];
        for (uint32_t j = 0; j < n; ++j) {
          Rank from = schedule.member(coll, j);
          if (j != i && schedule.synchronizes(coll, from, to))
            set |= own(from) | entry[c * p + from];
        }
        grow(exit[c * p + to], set);
      }
    }
  }
  for (OpId op = 0; op < graph.numOps(); ++op)
    sets[graph.rank(op)] |= reach[op];
  for (size_t c = 0; c < count; ++c)
    for (Rank r = 0; r < p; ++r)
      sets[r] |= exit[c * p + r];
  for (Rank r = 0; r < p; ++r)
    sets[r] |= own(r);
}

namespace {

/// Looks for an operation through which all processes of a component wait for each other: all of them reach it, and it
/// reaches all. The wait sets of the component are then complete, whatever its size. Linear patterns, trees and rings
/// have one.
class Hub {
public:
  Hub(const Graph &graph, const Matching &matching, const Vec<Rank> &component, const Vec<uint32_t> &size)
      : graph_(graph), matching_(matching), component_(component), size_(size) {}

  /// Sets complete[c] = 1 for components with a hub.
  void find(Vec<uint8_t> &complete) {
    // The candidate is the first operation that enough processes seem to reach (a process that reaches it on several
    // paths counts several times).
    uint32_t p = graph_.numRanks();
    Vec<OpId> candidate(p, kNone);
    Vec<uint32_t> count(graph_.numOps(), 0);
    for (OpId op : matching_.order) {
      Rank c = component_[graph_.rank(op)];
      uint64_t sum = graph_.depsBegin(op) == graph_.depsEnd(op);
      for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
        sum += count[d->on];
      if (isEmptyRecv(op))
        sum += count[matching_.partner[op]];
      count[op] = static_cast<uint32_t>(std::min<uint64_t>(sum, p));
      if (candidate[c] == kNone && size_[c] > 1 && count[op] >= size_[c])
        candidate[c] = op;
    }
    count.release();
    // Find the nodes that the candidates reach, and those that reach them. Components are disjoint, so one pass each
    // serves all.
    Vec<uint8_t> marked(graph_.numOps(), 0);
    Vec<uint32_t> reaching(p, 0), reached(p, 0);
    Vec<uint8_t> seen(p, 0);
    for (OpId op : candidate)
      if (op != kNone)
        marked[op] = 1;
    for (OpId op : matching_.order) {
      for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
        marked[op] |= marked[d->on];
      if (isEmptyRecv(op))
        marked[op] |= marked[matching_.partner[op]];
      countRank(marked, op, seen, reached);
    }
    marked.assign(graph_.numOps(), 0);
    seen.assign(p, 0);
    for (OpId op : candidate)
      if (op != kNone)
        marked[op] = 1;
    for (size_t i = matching_.order.size(); i-- > 0;) {
      OpId op = matching_.order[i];
      countRank(marked, op, seen, reaching);
      if (!marked[op])
        continue;
      for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
        marked[d->on] = 1;
      if (isEmptyRecv(op))
        marked[matching_.partner[op]] = 1;
    }
    for (Rank c = 0; c < p; ++c)
      complete[c] = size_[c] > 1 && reached[c] == size_[c] && reaching[c] == size_[c];
  }

private:
  bool isEmptyRecv(OpId op) const { return graph_.isRecv(op) && graph_.size(matching_.partner[op]) == 0; }
  void countRank(const Vec<uint8_t> &marked, OpId op, Vec<uint8_t> &seen, Vec<uint32_t> &counts) const {
    Rank r = graph_.rank(op);
    if (!marked[op] || seen[r])
      return;
    seen[r] = 1;
    ++counts[component_[r]];
  }

  const Graph &graph_;
  const Matching &matching_;
  const Vec<Rank> &component_;
  const Vec<uint32_t> &size_;
};

} // namespace

void findBarriers(const Graph &graph, const Matching &matching, BarrierGroups &out) {
  out.groups.clear();
  out.ranks.clear();
  uint32_t p = graph.numRanks();
  Vec<Rank> parent;
  auto find = [&](Rank r) {
    while (parent[r] != r)
      r = parent[r] = parent[parent[r]];
    return r;
  };
  for (OpId op = 0; op < graph.numOps(); ++op) {
    if (!graph.isSend(op) || graph.size(op) != 0)
      continue;
    if (parent.empty()) {
      parent.resize(p);
      for (Rank r = 0; r < p; ++r)
        parent[r] = r;
    }
    parent[find(graph.rank(op))] = find(graph.peer(op));
  }
  if (parent.empty())
    return;
  for (Rank r = 0; r < p; ++r)
    parent[r] = find(r);
  Vec<uint32_t> size(p, 0);
  for (Rank r = 0; r < p; ++r)
    ++size[parent[r]];
  Vec<uint8_t> hasHub(p, 0);
  Hub(graph, matching, parent, size).find(hasHub);
  Vec<uint8_t> complete(p, 1);
  Vec<uint64_t> sets, whole(p, 0);
  double budget = 2e9;
  for (uint64_t first = 0; first < p; first += 64) {
    bool wanted = false;
    for (Rank r = Rank(first); r < p && r - first < 64; ++r)
      wanted |= size[parent[r]] > 1 && complete[parent[r]] && !hasHub[parent[r]];
    if (!wanted)
      continue;
    budget -= double(graph.numOps()) + graph.numDependencies();
    if (budget < 0) {
      complete = hasHub;
      break;
    }
    waitSetsOf(graph, matching, Rank(first), /*emptyOnly=*/true, sets);
    whole.assign(p, 0);
    for (Rank r = Rank(first); r < p && r - first < 64; ++r)
      whole[parent[r]] |= uint64_t(1) << (r - first);
    for (Rank r = 0; r < p; ++r)
      if (!hasHub[parent[r]] && (whole[parent[r]] & ~sets[r]))
        complete[parent[r]] = 0;
  }
  Vec<uint32_t> at(p, kNone);
  uint32_t total = 0;
  for (Rank r = 0; r < p; ++r)
    if (parent[r] == r && size[r] > 1 && complete[r]) {
      out.groups.push_back({total, total});
      at[r] = static_cast<uint32_t>(out.groups.size() - 1);
      total += size[r];
    }
  out.ranks.resize(total);
  for (Rank r = 0; r < p; ++r)
    if (at[parent[r]] != kNone)
      out.ranks[out.groups[at[parent[r]]].end++] = r;
}

} // namespace comm::cdag
