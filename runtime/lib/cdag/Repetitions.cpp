// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Repetitions.h"
#include "Comm/CDag/IntervalForest.h"

#include <algorithm>

namespace comm::cdag {

namespace {

class Folder {
public:
  Folder(Graph &graph, const Matching &matching) : graph_(graph), matching_(matching), place_(graph.numOps(), 0) {}

  uint32_t run(Graph &phase);

private:
  bool repeats(uint32_t times) const;
  bool sameOperation(OpId a, OpId b) const;
  uint32_t lengthOf(Rank rank, uint32_t times) const { return graph_.numOpsOf(rank) / times; }
  uint32_t phaseOf(OpId op, uint32_t times) const { return place_[op] / lengthOf(graph_.rank(op), times); }
  /// Returns the corresponding operation of the first phase.
  OpId first(OpId op, uint32_t times) const {
    Rank rank = graph_.rank(op);
    return graph_.opOf(rank, place_[op] % lengthOf(rank, times));
  }
  void build(uint32_t times, Graph &phase) const;
  bool readsBeforeWriting(const Buffer &buffer, uint32_t times) const;

  Graph &graph_;
  const Matching &matching_;
  Vec<uint32_t> place_; ///< index of an operation among those of its process
};

bool Folder::sameOperation(OpId a, OpId b) const {
  if (graph_.kind(a) != graph_.kind(b) || graph_.addr(a) != graph_.addr(b) || graph_.size(a) != graph_.size(b))
    return false;
  if (!graph_.isLocal(a))
    return true;
  return graph_.source(a) == graph_.source(b) && graph_.reduction(a) == graph_.reduction(b);
}

bool Folder::repeats(uint32_t times) const {
  // Collects the dependencies of an operation within its phase, as operations of the first phase.
  Vec<OpId> mine, firsts;
  auto within = [&](OpId op, Vec<OpId> &out) {
    out.clear();
    for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d) {
      uint32_t on = phaseOf(d->on, times), own = phaseOf(op, times);
      if (on > own)
        return false;
      if (on == own)
        out.push_back(first(d->on, times));
    }
    std::sort(out.begin(), out.end());
    return true;
  };
  for (OpId op = 0; op < graph_.numOps(); ++op) {
    OpId model = first(op, times);
    if (!sameOperation(op, model))
      return false;
    if (graph_.isMessage(op)) {
      OpId partner = matching_.partner[op];
      if (phaseOf(partner, times) != phaseOf(op, times) || first(partner, times) != matching_.partner[model])
        return false;
    }
    if (!within(op, mine) || !within(model, firsts) || mine.size() != firsts.size() ||
        !std::equal(mine.begin(), mine.end(), firsts.begin()))
      return false;
  }
  return true;
}

bool Folder::readsBeforeWriting(const Buffer &buffer, uint32_t times) const {
  struct Written {
    Written advanced(uint64_t) const { return *this; }
  };
  IntervalForest<Written> written(graph_.numRanks());
  bool found = false;
  Addr begin = buffer.start, end = buffer.start + buffer.size;
  auto reads = [&](Rank rank, Addr addr, uint64_t size) {
    Addr lo = std::max(addr, begin), hi = std::min(addr + size, end);
    if (lo < hi)
      written.pieces(rank, lo, hi, [&](Addr, Addr, const Written *w) { found |= w == nullptr; });
  };
  for (OpId op : matching_.order) {
    Rank rank = graph_.rank(op);
    if ((buffer.rank != kNone && buffer.rank != rank) || phaseOf(op, times) != 0)
      continue;
    Addr addr = graph_.addr(op);
    uint64_t size = graph_.size(op);
    if (graph_.isSend(op))
      reads(rank, addr, size);
    if (graph_.isLocal(op))
      reads(rank, graph_.source(op), size);
    if (graph_.kind(op) == OpKind::Reduce)
      reads(rank, addr, size);
    if (graph_.isRecv(op))
      size = graph_.size(matching_.partner[op]);
    if (graph_.isRecv(op) || graph_.isLocal(op))
      written.assign(rank, addr, addr + size, Written());
  }
  return found;
}

void Folder::build(uint32_t times, Graph &phase) const {
  phase = graph_.withoutOperations();
  for (const Buffer &buffer : graph_.buffers())
    phase.addBuffer(buffer.rank, buffer.start, buffer.size, graph_.bufferName(buffer),
                    buffer.temporary && !readsBeforeWriting(buffer, times));
  Vec<OpId> number(graph_.numOps(), kNone);
  // Give each message a unique tag. Messages are at most half as many as the numbers of operations.
  Vec<int32_t> tag(graph_.numOps(), 0);
  int32_t tags = 0;
  for (OpId op = 0; op < graph_.numOps(); ++op)
    if (graph_.isSend(op) && phaseOf(op, times) == 0)
      tag[op] = tags++;
  for (OpId op = 0; op < graph_.numOps(); ++op) {
    if (phaseOf(op, times) != 0)
      continue;
    Operation operation = graph_.operation(op);
    if (graph_.isSend(op))
      operation.tag = tag[op];
    if (graph_.isRecv(op)) {
      OpId send = matching_.partner[op];
      operation.peer = graph_.rank(send);
      operation.tag = tag[send];
    }
    number[op] = phase.add(graph_.rank(op), operation);
  }
  for (const Dependency &d : graph_.dependencies())
    if (number[d.op] != kNone && number[d.on] != kNone)
      phase.addDependency(number[d.op], number[d.on]);
}

uint32_t Folder::run(Graph &phase) {
  uint32_t common = 0;
  for (Rank rank = 0; rank < graph_.numRanks(); ++rank) {
    uint32_t a = graph_.numOpsOf(rank), b = common;
    while (b) {
      uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    common = a;
    for (uint32_t i = 0; i < graph_.numOpsOf(rank); ++i)
      place_[graph_.opOf(rank, i)] = i;
  }
  for (uint32_t times = common; times > 1; --times)
    if (common % times == 0 && repeats(times)) {
      build(times, phase);
      return times;
    }
  return 1;
}

} // namespace

uint32_t foldRepetitions(Graph &graph, const Matching &matching, Graph &phase) {
  graph.freeze();
  return Folder(graph, matching).run(phase);
}

} // namespace comm::cdag
