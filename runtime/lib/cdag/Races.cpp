// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds races, separately for each process and in the order in which the matching executed its operations. Chains
// (paths that cover the operations) usually show that two accesses are ordered; otherwise a backward search decides.
#include "Comm/CDag/AccessMap.h"
#include "Comm/CDag/Match.h"

#include <algorithm>

namespace comm::cdag {

namespace {

struct Piece {
  Addr lo, hi;
  bool write;
};

class RaceFinder {
public:
  RaceFinder(Graph &graph, const Matching &matching);
  Error run();
  bool complete() const { return work_ <= kMaxWork; }

private:
  /// Number of conflicts to inspect before giving up.
  static constexpr uint64_t kMaxWork = uint64_t(1) << 28;
  /// Returns the pieces of memory that an operation touches: at most two.
  unsigned pieces(OpId op, Piece out[2]) const;
  Error checkSmall();
  Error checkLarge();
  /// Returns true if there is a path from x to y, where x was executed earlier.
  bool ordered(OpId x, OpId y);
  Error race(OpId x, OpId y) const;

  Graph &graph_;
  Vec<uint32_t> place_; ///< index in the order of execution
  Vec<OpId> chain_;
  /// All operations of the process that were executed before this place are ancestors.
  Vec<uint32_t> joined_;
  uint64_t work_ = 0;
  AccessMap accesses_;
  Vec<OpId> ops_; ///< operations of the current process that touch memory
  Vec<OpId> found_;
  Vec<OpId> stack_;
  Vec<uint32_t> visited_; ///< per operation, the last search that visited it
  uint32_t search_ = 0;
  OpId searchedFor_ = kNone;
  uint32_t searchedTo_ = 0;
};

RaceFinder::RaceFinder(Graph &graph, const Matching &matching)
    : graph_(graph), place_(graph.numOps(), 0), chain_(graph.numOps(), kNone), joined_(graph.numOps(), 0),
      accesses_(1) {
  // An operation that is the only one without a successor joins all earlier ones.
  Vec<uint8_t> extended(graph.numOps(), 0), followed(graph.numOps(), 0), joins(graph.numOps(), 0);
  Vec<uint32_t> sinks(graph.numRanks(), 0);
  for (uint32_t i = 0; i < matching.order.size(); ++i) {
    OpId op = matching.order[i];
    place_[op] = i;
    chain_[op] = op;
    uint32_t &open = sinks[graph.rank(op)];
    for (auto *d = graph.depsBegin(op); d != graph.depsEnd(op); ++d) {
      if (!extended[d->on] && chain_[op] == op) {
        extended[d->on] = 1;
        chain_[op] = chain_[d->on];
      }
      open -= !followed[d->on];
      followed[d->on] = 1;
      joined_[op] = std::max(joined_[op], joins[d->on] ? place_[d->on] + 1 : joined_[d->on]);
    }
    joins[op] = ++open == 1;
  }
}

unsigned RaceFinder::pieces(OpId op, Piece out[2]) const {
  uint64_t size = graph_.size(op);
  if (size == 0 || graph_.kind(op) == OpKind::Nop)
    return 0;
  Addr addr = graph_.addr(op);
  if (graph_.isMessage(op)) {
    out[0] = {addr, addr + size, graph_.isRecv(op)};
    return 1;
  }
  Addr source = graph_.source(op);
  if (source == addr) {
    // A copy onto itself does nothing.
    if (graph_.kind(op) == OpKind::Copy)
      return 0;
    out[0] = {addr, addr + size, true};
    return 1;
  }
  out[0] = {source, source + size, false};
  out[1] = {addr, addr + size, true};
  return 2;
}

bool RaceFinder::ordered(OpId x, OpId y) {
  if (chain_[x] == chain_[y] || place_[x] < joined_[y])
    return true;
  for (auto *d = graph_.depsBegin(y); d != graph_.depsEnd(y); ++d)
    if (chain_[d->on] == chain_[x] && place_[d->on] >= place_[x])
      return true;
  // Search backwards from y. One search serves all x that are not too early.
  if (visited_.empty())
    visited_.assign(graph_.numOps(), 0);
  if (searchedFor_ != y || searchedTo_ > place_[x]) {
    searchedFor_ = y;
    searchedTo_ = place_[x];
    ++search_;
    stack_.clear();
    stack_.push_back(y);
    while (!stack_.empty()) {
      OpId op = stack_.back();
      stack_.pop_back();
      for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
        if (place_[d->on] >= searchedTo_ && visited_[d->on] != search_) {
          ++work_;
          visited_[d->on] = search_;
          stack_.push_back(d->on);
        }
    }
  }
  return visited_[x] == search_;
}

Error RaceFinder::race(OpId x, OpId y) const {
  if (x > y)
    std::swap(x, y);
  char first[160], second[160];
  graph_.describe(x, first, sizeof(first));
  graph_.describe(y, second, sizeof(second));
  return makeError(ErrorCode::Race, graph_.rank(y), y,
                   "race on process %u: %s and %s touch the same bytes, and "
                   "neither depends on the other",
                   graph_.rank(y), first, second);
}

Error RaceFinder::checkSmall() {
  for (size_t j = 1; j < ops_.size(); ++j) {
    Piece mine[2];
    unsigned n = pieces(ops_[j], mine);
    for (size_t i = 0; i < j; ++i) {
      Piece other[2];
      unsigned m = pieces(ops_[i], other);
      bool conflict = false;
      for (unsigned a = 0; a < n; ++a)
        for (unsigned b = 0; b < m; ++b)
          conflict |= (mine[a].write || other[b].write) && mine[a].lo < other[b].hi && other[b].lo < mine[a].hi;
      if (conflict && !ordered(ops_[i], ops_[j]))
        return race(ops_[i], ops_[j]);
    }
  }
  return Error();
}

Error RaceFinder::checkLarge() {
  accesses_.clear();
  for (OpId op : ops_) {
    Piece mine[2];
    unsigned n = pieces(op, mine);
    found_.clear();
    for (unsigned a = 0; a < n; ++a) {
      uint64_t size = mine[a].hi - mine[a].lo;
      if (mine[a].write)
        accesses_.write(0, mine[a].lo, size, op, found_);
      else
        accesses_.read(0, mine[a].lo, size, op, found_);
    }
    // Start with the earliest one, so that one search serves all.
    if (found_.size() > 1)
      std::sort(found_.begin(), found_.end(), [&](OpId a, OpId b) { return place_[a] < place_[b]; });
    work_ += found_.size() + n;
    if (!complete())
      return Error();
    for (OpId other : found_)
      if (other != op && !ordered(other, op))
        return race(other, op);
  }
  return Error();
}

Error RaceFinder::run() {
  for (Rank rank = 0; rank < graph_.numRanks(); ++rank) {
    ops_.clear();
    bool writes = false;
    for (uint32_t i = 0; i < graph_.numOpsOf(rank); ++i) {
      OpId op = graph_.opOf(rank, i);
      Piece mine[2];
      if (pieces(op, mine)) {
        ops_.push_back(op);
        writes |= !graph_.isSend(op);
      }
    }
    if (!writes || ops_.size() < 2)
      continue;
    std::sort(ops_.begin(), ops_.end(), [&](OpId a, OpId b) { return place_[a] < place_[b]; });
    // With few operations, as most processes have, comparing pairs is faster than trees.
    if (Error error = ops_.size() <= 12 ? checkSmall() : checkLarge())
      return error;
    if (!complete())
      return Error();
  }
  return Error();
}

} // namespace

Error checkRaces(Graph &graph, const Matching &matching, bool *complete) {
  graph.freeze();
  RaceFinder finder(graph, matching);
  Error error = finder.run();
  if (complete)
    *complete = finder.complete();
  return error;
}

} // namespace comm::cdag
