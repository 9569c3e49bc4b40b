// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: final values that combine one contribution of each of several processes with one operator.
#include "Detector.h"
#include "Hash.h"

#include <algorithm>
#include <tuple>

namespace comm::cdag {

void Detector::membersOf(uint32_t list, Vec<Rank> &members) const {
  members.clear();
  for (const Term *t = terms_.begin(list); t != terms_.end(list); ++t)
    members.push_back(t->rank);
}

bool Detector::reduction(CollectiveKind kind, Rank root, uint32_t list, const Vec<Rank> &members, uint32_t &index) {
  if (!bigEnough(members.size()))
    return false;
  index = open(kind, root, false, members);
  out_.collectives[index].op = terms_.list(list).op;
  out_.collectives[index].type = terms_.list(list).type;
  return true;
}

void Detector::detectReductions() {
  for (const Combined &c : sst_.combined) {
    uint32_t list;
    Addr base;
    if (terms_.normalize(c.value, list, base) && terms_.list(list).distinct && c.size % terms_.list(list).elemSize == 0)
      results_.push_back({list, c.rank, base, c.addr, c.size});
    else
      out_.rest.push_back({c.rank, c.addr, c.size});
  }
  // All or nothing: taking only some of many equal values does not give a collective.
  if (terms_.exhausted()) {
    for (const Transfer &t : results_)
      out_.rest.push_back({t.dst, t.dstAddr, t.size});
    results_.release();
  }
  sst_.combined.release();
  Vec<Transfer> whole = results_;
  refine(results_);
  // Parts of elements cannot be reduced.
  for (const Transfer &t : results_)
    if (t.size % terms_.list(t.src).elemSize) {
      results_.swap(whole);
      std::sort(results_.begin(), results_.end(), [](const Transfer &a, const Transfer &b) {
        return std::tie(a.src, a.srcAddr, a.size, a.dst) < std::tie(b.src, b.srcAddr, b.size, b.dst);
      });
      break;
    }
  whole.release();
  resultOwner_.assign(results_.size(), kNone);
  allreduces();
  reduceScatters();
  scans(/*exclusive=*/false);
  scans(/*exclusive=*/true);
  reduces();
}

void Detector::allreduces() {
  Vec<Rank> members, sorted;
  uint32_t n = static_cast<uint32_t>(results_.size());
  for (uint32_t begin = 0, end; begin < n; begin = end) {
    const Transfer &first = results_[begin];
    for (end = begin; end < n && results_[end].src == first.src && results_[end].srcAddr == first.srcAddr &&
                      results_[end].size == first.size;)
      ++end;
    if (end - begin < terms_.length(first.src))
      continue;
    membersOf(first.src, members);
    sorted = members;
    std::sort(sorted.begin(), sorted.end());
    // Receivers are sorted; check that all members are among them.
    size_t found = 0;
    for (uint32_t i = begin; i < end && found < sorted.size(); ++i)
      found += results_[i].dst == sorted[found];
    uint32_t c;
    if (found < sorted.size() || !reduction(CollectiveKind::Allreduce, kNone, first.src, members, c))
      continue;
    found = 0;
    for (uint32_t i = begin; i < end && found < sorted.size(); ++i)
      if (results_[i].dst == sorted[found]) {
        resultOwner_[i] = c;
        ++found;
      }
  }
}

void Detector::reduceScatters() {
  // Sort results by the set of contributing processes, then by receiver.
  struct Candidate {
    uint64_t group;
    Rank dst;
    uint32_t result;
  };
  Vec<Candidate> candidates;
  for (uint32_t i = 0; i < results_.size(); ++i) {
    if (resultOwner_[i] != kNone)
      continue;
    const TermList &list = terms_.list(results_[i].src);
    uint64_t h = mix(list.op * 256u + uint8_t(list.type));
    bool isMember = false;
    for (const Term *t = terms_.begin(results_[i].src); t != terms_.end(results_[i].src); ++t) {
      h = list.commutative ? h + hashTerm(t->rank, 0) : mix(h + hashTerm(t->rank, 0));
      isMember |= t->rank == results_[i].dst;
    }
    if (isMember)
      candidates.push_back({h, results_[i].dst, i});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return std::tie(a.group, a.dst, a.result) < std::tie(b.group, b.dst, b.result);
  });
  Vec<Rank> members, others;
  for (size_t begin = 0, end; begin < candidates.size(); begin = end) {
    uint32_t list = results_[candidates[begin].result].src;
    membersOf(list, members);
    uint32_t receivers = 0;
    bool same = true;
    for (end = begin; end < candidates.size() && candidates[end].group == candidates[begin].group; ++end) {
      receivers += end == begin || candidates[end].dst != candidates[end - 1].dst;
      uint32_t other = results_[candidates[end].result].src;
      if (other == list)
        continue;
      // Hashes may collide.
      membersOf(other, others);
      same &= others.size() == members.size() && std::equal(members.begin(), members.end(), others.begin()) &&
              terms_.list(other).op == terms_.list(list).op && terms_.list(other).type == terms_.list(list).type;
    }
    uint32_t c;
    if (!same || receivers != members.size() || !reduction(CollectiveKind::ReduceScatter, kNone, list, members, c))
      continue;
    for (size_t i = begin; i < end; ++i)
      resultOwner_[candidates[i].result] = c;
  }
}

void Detector::scans(bool exclusive) {
  // Find chains: each result has the terms of its predecessor and one more.
  struct Entry {
    uint64_t hash;
    uint32_t result;
  };
  Vec<Entry> byHash;
  Vec<uint32_t> longest;
  auto setHash = [&](uint32_t i, uint32_t except) {
    const Transfer &r = results_[i];
    uint64_t h = mix(r.size * 64 + terms_.list(r.src).op);
    for (const Term *t = terms_.begin(r.src); t != terms_.end(r.src); ++t)
      if (t->rank != except)
        h += hashTerm(t->rank, t->offset + r.srcAddr);
    return h;
  };
  auto termOf = [&](uint32_t i, Rank rank) -> const Term * {
    uint32_t list = results_[i].src;
    for (const Term *t = terms_.begin(list); t != terms_.end(list); ++t)
      if (t->rank == rank)
        return t;
    return nullptr;
  };
  for (uint32_t i = 0; i < results_.size(); ++i)
    if (resultOwner_[i] == kNone && (termOf(i, results_[i].dst) == nullptr) == exclusive) {
      byHash.push_back({setHash(i, kNone), i});
      longest.push_back(i);
    }
  if (byHash.empty())
    return;
  std::sort(byHash.begin(), byHash.end(),
            [](const Entry &a, const Entry &b) { return a.hash != b.hash ? a.hash < b.hash : a.result < b.result; });
  std::sort(longest.begin(), longest.end(), [&](uint32_t a, uint32_t b) {
    uint32_t la = terms_.length(results_[a].src);
    uint32_t lb = terms_.length(results_[b].src);
    return la != lb ? la > lb : a < b;
  });
  // Returns true if the terms of `child` are those of `parent` and `rank`'s, in this order if order matters.
  auto extends = [&](uint32_t parent, uint32_t child, Rank rank) {
    const Transfer &a = results_[parent], &b = results_[child];
    const TermList &la = terms_.list(a.src), &lb = terms_.list(b.src);
    if (la.op != lb.op || la.type != lb.type || a.size != b.size || terms_.length(a.src) + 1 != terms_.length(b.src))
      return false;
    const Term *t = terms_.begin(a.src);
    for (const Term *u = terms_.begin(b.src); u != terms_.end(b.src); ++u) {
      if (u->rank == rank) {
        if (!lb.commutative && u + 1 != terms_.end(b.src))
          return false;
        continue;
      }
      if (t == terms_.end(a.src) || t->rank != u->rank || t->offset + a.srcAddr != u->offset + b.srcAddr)
        return false;
      ++t;
    }
    return true;
  };
  // Returns an untaken result with the terms of `i` except `rank`'s. In an exclusive scan it must belong to `rank`,
  // otherwise it must end with its receiver's term.
  auto parentOf = [&](uint32_t i, Rank rank) {
    uint64_t h = setHash(i, rank);
    const Entry *at =
        std::lower_bound(byHash.begin(), byHash.end(), h, [](const Entry &e, uint64_t key) { return e.hash < key; });
    for (; at != byHash.end() && at->hash == h; ++at)
      if (resultOwner_[at->result] == kNone && extends(at->result, i, rank) &&
          (!exclusive || results_[at->result].dst == rank))
        return at->result;
    return kNone;
  };
  Vec<uint32_t> chain;
  Vec<Rank> members;
  for (uint32_t start : longest) {
    if (resultOwner_[start] != kNone)
      continue;
    // Walk from the last member back to the first.
    chain.clear();
    members.clear();
    uint32_t at = start;
    if (exclusive)
      members.push_back(results_[at].dst);
    bool broken = false;
    for (;;) {
      chain.push_back(at);
      uint32_t list = results_[at].src;
      if (terms_.length(list) == 2)
        break;
      uint32_t parent = kNone;
      if (!exclusive) {
        members.push_back(results_[at].dst);
        parent = parentOf(at, results_[at].dst);
      } else {
        for (const Term *t = terms_.end(list); t != terms_.begin(list);) {
          --t;
          parent = parentOf(at, t->rank);
          if (parent != kNone)
            break;
        }
        if (parent != kNone)
          members.push_back(results_[parent].dst);
      }
      broken = parent == kNone;
      if (broken)
        break;
      at = parent;
    }
    if (broken)
      continue;
    // Two terms left: the chain's first two processes.
    uint32_t list = results_[at].src;
    const Term *t = terms_.begin(list);
    Rank second = exclusive ? t[1].rank : results_[at].dst;
    const Term &head = t[0].rank == second ? t[1] : t[0];
    if (!terms_.list(list).commutative && t[1].rank != second)
      continue;
    members.push_back(second);
    members.push_back(head.rank);
    std::reverse(members.begin(), members.end());
    // A single contribution is a plain transfer to the first process itself or, in an exclusive scan, to the second.
    Rank receiver = exclusive ? second : head.rank;
    Addr source = head.offset + results_[at].srcAddr;
    uint32_t single = kNone;
    for (uint32_t i = 0; i < moves_.size() && single == kNone; ++i)
      if (owner_[i] == kNone && moves_[i].src == head.rank && moves_[i].dst == receiver &&
          moves_[i].srcAddr == source && moves_[i].size == results_[at].size)
        single = i;
    // A single result is a reduce.
    if (chain.size() == 1 && single == kNone)
      continue;
    // Skip chains in which a process takes part twice (an exclusive scan may end at one of its own).
    Vec<Rank> sorted = members;
    std::sort(sorted.begin(), sorted.end());
    uint32_t c;
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() ||
        !reduction(exclusive ? CollectiveKind::Exscan : CollectiveKind::Scan, kNone, list, members, c))
      continue;
    for (uint32_t i : chain)
      resultOwner_[i] = c;
    if (single != kNone)
      owner_[single] = c;
  }
}

void Detector::reduces() {
  // Results at several processes that are not all contributors, or prefixes that do not form a scan, would need more
  // collectives than the replaced messages are worth. Detect none in that case.
  Vec<Rank> members;
  Vec<uint32_t> chosen;
  uint64_t cost = 0;
  for (uint32_t i = 0; i < results_.size(); ++i) {
    const Transfer &t = results_[i];
    if (resultOwner_[i] != kNone)
      continue;
    auto sameValue = [&](uint32_t j) {
      return results_[j].src == t.src && results_[j].srcAddr == t.srcAddr && results_[j].size == t.size;
    };
    if ((i > 0 && sameValue(i - 1)) || (i + 1 < results_.size() && sameValue(i + 1)))
      continue;
    membersOf(t.src, members);
    if (!bigEnough(members.size()) || std::find(members.begin(), members.end(), t.dst) == members.end())
      continue;
    chosen.push_back(i);
    // Results of the same shape will share a collective.
    bool joins = false;
    if (chosen.size() > 1) {
      const Transfer &last = results_[chosen[chosen.size() - 2]];
      joins = last.src == t.src && last.dst == t.dst;
    }
    cost += joins ? 0 : members.size() - 1;
  }
  if (cost > messages_)
    return;
  for (uint32_t i : chosen) {
    membersOf(results_[i].src, members);
    uint32_t c;
    if (reduction(CollectiveKind::Reduce, results_[i].dst, results_[i].src, members, c))
      resultOwner_[i] = c;
  }
}

} // namespace comm::cdag
