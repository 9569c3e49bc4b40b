// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives on some of the processes (paper, section 4): rooted ones on the largest subsets, in polynomial time;
// all-to-all ones on large cliques.
#include "Comm/CDag/Cliques.h"
#include "Detector.h"
#include "Hash.h"

#include <algorithm>
#include <tuple>

namespace comm::cdag {

namespace {

/// Larger components are not searched for cliques.
constexpr uint32_t kMaxVertices = 4096;

/// Calls fn(clique) for large cliques of at least `least` processes, no two of which share an edge. Edges have a < b
/// and may be in any order.
template <typename Fn> void forEachClique(Vec<Edge> &edges, uint32_t least, Fn fn) {
  Vec<Rank> ranks;
  for (const Edge &e : edges) {
    ranks.push_back(e.a);
    ranks.push_back(e.b);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(static_cast<size_t>(std::unique(ranks.begin(), ranks.end()) - ranks.begin()));
  auto vertex = [&](Rank r) {
    return static_cast<uint32_t>(std::lower_bound(ranks.begin(), ranks.end(), r) - ranks.begin());
  };
  // Search each connected component separately, because subsets are usually disjoint.
  Vec<uint32_t> parent(ranks.size());
  for (uint32_t v = 0; v < parent.size(); ++v)
    parent[v] = v;
  auto find = [&](uint32_t v) {
    while (parent[v] != v)
      v = parent[v] = parent[parent[v]];
    return v;
  };
  for (Edge &e : edges) {
    e = {vertex(e.a), vertex(e.b)};
    parent[find(e.a)] = find(e.b);
  }
  std::sort(edges.begin(), edges.end(), [&](const Edge &x, const Edge &y) { return find(x.a) < find(y.a); });
  Vec<uint32_t> members, index(ranks.size(), kNone);
  for (size_t begin = 0, end; begin < edges.size(); begin = end) {
    members.clear();
    for (end = begin; end < edges.size() && find(edges[end].a) == find(edges[begin].a); ++end) {
      for (uint32_t v : {edges[end].a, edges[end].b})
        if (index[v] == kNone) {
          index[v] = 0;
          members.push_back(v);
        }
    }
    if (members.size() < least || members.size() > kMaxVertices)
      continue;
    std::sort(members.begin(), members.end());
    for (uint32_t i = 0; i < members.size(); ++i)
      index[members[i]] = i;
    BitGraph graph(static_cast<uint32_t>(members.size()));
    for (size_t i = begin; i < end; ++i)
      graph.join(index[edges[i].a], index[edges[i].b]);
    for (;;) {
      Vec<uint32_t> clique = largeClique(graph);
      if (clique.size() < least)
        break;
      for (uint32_t a : clique)
        for (uint32_t b : clique)
          if (a < b)
            graph.part(a, b);
      for (uint32_t &v : clique)
        v = ranks[members[v]];
      fn(clique);
    }
  }
}

} // namespace

bool Detector::allgatherInClosedGroups() {
  // Each process of such a group sends a piece to exactly the other members. Grouping by a hash of the set of sender
  // and receivers needs no search.
  findAtoms();
  struct Entry {
    uint64_t key;
    uint32_t atom;
  };
  Vec<Entry> entries;
  for (uint32_t i = 0; i < atoms_.size(); ++i) {
    const Atom &atom = atoms_[i];
    if (atom.count + 1 < options_.subsetMinRanks)
      continue;
    const Transfer &first = moves_[atom.begin];
    uint64_t key = hashTerm(first.src, 0);
    Rank last = kNone;
    for (uint32_t k = atom.begin; k < atom.end; ++k)
      if (isFree(k) && moves_[k].dst != last) {
        last = moves_[k].dst;
        key += hashTerm(last, 0);
      }
    entries.push_back({mix(key + mix(first.size)), i});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.key != b.key ? a.key < b.key : a.atom < b.atom; });
  auto setOf = [&](const Atom &atom, Vec<Rank> &set) {
    set.clear();
    for (uint32_t k = atom.begin; k < atom.end; ++k)
      if (isFree(k) && (set.empty() || set.back() != moves_[k].dst))
        set.push_back(moves_[k].dst);
    set.push_back(moves_[atom.begin].src);
    std::sort(set.begin(), set.end());
  };
  bool found = false;
  Vec<Rank> group, set;
  Vec<uint32_t> chosen;
  for (size_t begin = 0, end; begin < entries.size(); begin = end) {
    const Transfer &first = moves_[atoms_[entries[begin].atom].begin];
    setOf(atoms_[entries[begin].atom], group);
    // Take one piece of each sender; atoms are sorted by sender.
    chosen.clear();
    bool self = true, same = true;
    for (end = begin; end < entries.size() && entries[end].key == entries[begin].key; ++end) {
      const Atom &atom = atoms_[entries[end].atom];
      if (!chosen.empty() && moves_[atoms_[chosen.back()].begin].src == moves_[atom.begin].src)
        continue;
      chosen.push_back(entries[end].atom);
      self &= selfOf(atom) != kNone;
      setOf(atom, set);
      same &= set.size() == group.size() && std::equal(set.begin(), set.end(), group.begin()) &&
              moves_[atom.begin].size == first.size;
    }
    if (!same || chosen.size() != group.size())
      continue;
    uint32_t c = open(CollectiveKind::Allgather, kNone, self, group);
    for (uint32_t atom : chosen) {
      if (self)
        owner_[selfOf(atoms_[atom])] = c;
      takeAtom(atoms_[atom], c);
    }
    found = true;
  }
  return found;
}

bool Detector::allgatherOnSubsets() {
  findAtoms();
  uint32_t least = options_.subsetMinRanks;
  Vec<uint32_t> wide;
  for (uint32_t i = 0; i < atoms_.size(); ++i)
    if (atoms_[i].count >= least - 1)
      wide.push_back(i);
  auto move = [&](uint32_t atom) -> const Transfer & { return moves_[atoms_[atom].begin]; };
  // For each process and size, the atom with the most receivers.
  std::sort(wide.begin(), wide.end(), [&](uint32_t a, uint32_t b) {
    if (move(a).size != move(b).size)
      return move(a).size < move(b).size;
    if (move(a).src != move(b).src)
      return move(a).src < move(b).src;
    if (atoms_[a].count != atoms_[b].count)
      return atoms_[a].count > atoms_[b].count;
    return a < b;
  });
  bool found = false;
  Vec<uint32_t> atomOf(p_, kNone);
  Vec<Edge> edges;
  for (size_t begin = 0, end; begin < wide.size(); begin = end) {
    Vec<Rank> sources;
    for (end = begin; end < wide.size() && move(wide[end]).size == move(wide[begin]).size; ++end)
      if (atomOf[move(wide[end]).src] == kNone) {
        atomOf[move(wide[end]).src] = wide[end];
        sources.push_back(move(wide[end]).src);
      }
    // Returns the first free transfer of the atom to a process.
    auto transferTo = [&](uint32_t atom, Rank dst) {
      const Transfer *first = moves_.begin() + atoms_[atom].begin;
      const Transfer *last = moves_.begin() + atoms_[atom].end;
      const Transfer *at = std::lower_bound(first, last, dst, [](const Transfer &t, Rank r) { return t.dst < r; });
      for (; at != last && at->dst == dst; ++at)
        if (isFree(static_cast<uint32_t>(at - moves_.begin())))
          return static_cast<uint32_t>(at - moves_.begin());
      return kNone;
    };
    edges.clear();
    if (sources.size() >= least)
      for (Rank src : sources) {
        const Atom &atom = atoms_[atomOf[src]];
        for (uint32_t i = atom.begin; i < atom.end; ++i) {
          Rank dst = moves_[i].dst;
          if (src < dst && isFree(i) && atomOf[dst] != kNone && (i == atom.begin || moves_[i - 1].dst != dst) &&
              transferTo(atomOf[dst], src) != kNone)
            edges.push_back({src, dst});
        }
      }
    forEachClique(edges, least, [&](const Vec<Rank> &clique) {
      bool self = true;
      for (Rank r : clique)
        self &= selfOf(atoms_[atomOf[r]]) != kNone;
      uint32_t c = open(CollectiveKind::Allgather, kNone, self, clique);
      for (Rank r : clique) {
        if (self)
          owner_[selfOf(atoms_[atomOf[r]])] = c;
        for (Rank other : clique)
          if (other != r)
            owner_[transferTo(atomOf[r], other)] = c;
      }
      found = true;
    });
    for (Rank src : sources)
      atomOf[src] = kNone;
  }
  return found;
}

bool Detector::alltoallOnSubsets() {
  gatherLive();
  uint32_t least = options_.subsetMinRanks;
  if (live_.size() < size_t(least) * (least - 1))
    return false;
  std::sort(live_.begin(), live_.end(), [&](uint32_t a, uint32_t b) {
    const Transfer &s = moves_[a], &t = moves_[b];
    return std::tie(s.size, s.src, s.dst, a) < std::tie(t.size, t.src, t.dst, b);
  });
  auto move = [&](size_t i) -> const Transfer & { return moves_[live_[i]]; };
  bool found = false;
  Vec<Edge> edges;
  for (size_t begin = 0, end; begin < live_.size(); begin = end) {
    for (end = begin; end < live_.size() && move(end).size == move(begin).size;)
      ++end;
    auto between = [&](Rank src, Rank dst) {
      const uint32_t *at = std::lower_bound(live_.begin() + begin, live_.begin() + end, 0u, [&](uint32_t i, uint32_t) {
        const Transfer &t = moves_[i];
        return t.src != src ? t.src < src : t.dst < dst;
      });
      for (; at != live_.begin() + end && moves_[*at].src == src && moves_[*at].dst == dst; ++at)
        if (owner_[*at] == kNone)
          return *at;
      return kNone;
    };
    edges.clear();
    for (size_t i = begin; i < end; ++i) {
      Rank src = move(i).src, dst = move(i).dst;
      if (src < dst && (i == begin || move(i - 1).src != src || move(i - 1).dst != dst) && between(dst, src) != kNone)
        edges.push_back({src, dst});
    }
    forEachClique(edges, least, [&](const Vec<Rank> &clique) {
      uint64_t size = move(begin).size;
      Vec<uint32_t> self;
      for (Rank r : clique) {
        uint32_t own = findSelf(r, size, false);
        if (own != kNone)
          self.push_back(own);
      }
      bool complete = self.size() == clique.size();
      uint32_t c = open(CollectiveKind::Alltoall, kNone, complete, clique);
      if (complete)
        for (uint32_t own : self)
          owner_[own] = c;
      for (Rank a : clique)
        for (Rank b : clique)
          if (a != b)
            owner_[between(a, b)] = c;
      found = true;
    });
  }
  return found;
}

bool Detector::bcastOnSubsets() {
  findAtoms();
  std::sort(atoms_.begin(), atoms_.end(),
            [](const Atom &a, const Atom &b) { return a.count != b.count ? a.count > b.count : a.begin < b.begin; });
  bool found = false;
  Vec<Rank> members;
  for (const Atom &atom : atoms_) {
    if (atom.count + 1 < options_.subsetMinRanks)
      break;
    Rank src = moves_[atom.begin].src;
    members.clear();
    members.push_back(src);
    for (uint32_t i = atom.begin; i < atom.end; ++i)
      if (isFree(i) && moves_[i].dst != members.back())
        members.push_back(moves_[i].dst);
    std::sort(members.begin(), members.end());
    takeAtom(atom, open(CollectiveKind::Bcast, src, false, members));
    found = true;
  }
  return found;
}

bool Detector::rootedOnSubsets() {
  // Start with the process that has the most transfers of one size from or to others.
  gatherLive();
  Vec<uint32_t> sorted[2] = {live_, live_};
  auto partner = [&](uint32_t move, bool gathers) { return gathers ? moves_[move].src : moves_[move].dst; };
  auto root = [&](uint32_t move, bool gathers) { return gathers ? moves_[move].dst : moves_[move].src; };
  struct Run {
    uint32_t count, begin, end;
    bool gathers;
  };
  auto count = [&](Run &run) {
    run.count = 0;
    Rank last = kNone;
    for (uint32_t i = run.begin; i < run.end; ++i) {
      uint32_t move = sorted[run.gathers][i];
      if (isFree(move) && partner(move, run.gathers) != last) {
        last = partner(move, run.gathers);
        ++run.count;
      }
    }
  };
  uint32_t least = options_.subsetMinRanks + 1;
  if (options_.subsetMinFraction * p_ > least)
    least = static_cast<uint32_t>(options_.subsetMinFraction * p_ + 0.999);
  Vec<Run> heap;
  for (bool gathers : {false, true}) {
    Vec<uint32_t> &order = sorted[gathers];
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      auto key = [&](uint32_t i) { return std::tuple(root(i, gathers), moves_[i].size, partner(i, gathers), i); };
      return key(a) < key(b);
    });
    for (uint32_t begin = 0, end; begin < order.size(); begin = end) {
      for (end = begin; end < order.size() && root(order[end], gathers) == root(order[begin], gathers) &&
                        moves_[order[end]].size == moves_[order[begin]].size;)
        ++end;
      Run run = {0, begin, end, gathers};
      count(run);
      if (run.count + 1 >= least)
        heap.push_back(run);
    }
  }
  auto less = [](const Run &a, const Run &b) {
    if (a.count != b.count)
      return a.count < b.count;
    return a.gathers != b.gathers ? a.gathers < b.gathers : a.begin > b.begin;
  };
  std::make_heap(heap.begin(), heap.end(), less);
  bool found = false;
  Vec<Rank> members;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), less);
    Run run = heap.back();
    heap.pop_back();
    uint32_t before = run.count;
    count(run);
    if (run.count + 1 < least)
      continue;
    if (run.count < before) {
      heap.push_back(run);
      std::push_heap(heap.begin(), heap.end(), less);
      continue;
    }
    const Vec<uint32_t> &order = sorted[run.gathers];
    Rank r = root(order[run.begin], run.gathers);
    members.clear();
    for (uint32_t i = run.begin; i < run.end; ++i) {
      Rank other = partner(order[i], run.gathers);
      if (isFree(order[i]) && (members.empty() || members.back() != other))
        members.push_back(other);
    }
    members.push_back(r);
    std::sort(members.begin(), members.end());
    uint32_t c = open(run.gathers ? CollectiveKind::Gather : CollectiveKind::Scatter, r, false, members);
    Rank last = kNone;
    for (uint32_t i = run.begin; i < run.end; ++i)
      if (isFree(order[i]) && partner(order[i], run.gathers) != last) {
        last = partner(order[i], run.gathers);
        owner_[order[i]] = c;
      }
    found = true;
    // The remaining transfers may form another layer.
    count(run);
    if (run.count + 1 >= least) {
      heap.push_back(run);
      std::push_heap(heap.begin(), heap.end(), less);
    }
  }
  return found;
}

bool Detector::detectOnSubsets() {
  if (options_.subsetMinRanks < 2)
    return false;
  bool found = false;
  while (allgatherInClosedGroups() || allgatherOnSubsets())
    found = true;
  while (alltoallOnSubsets())
    found = true;
  found |= bcastOnSubsets();
  found |= rootedOnSubsets();
  return found;
}

} // namespace comm::cdag
