// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Dataflow.h"
#include "Comm/CDag/IntervalForest.h"
#include "Hash.h"

namespace comm::cdag {

namespace {

/// The contents of a piece of memory.
struct Held {
  Value value;
  Held advanced(uint64_t bytes) const { return {{value.id, value.offset + bytes}}; }
};

/// A piece of memory that is read: bytes [at, at + size) from its start.
struct Read {
  uint64_t at, size;
  Value value;
};

class Propagation {
public:
  Propagation(const Graph &graph, size_t maxPieces, bool localValues, SingleTransfers &out)
      : graph_(graph), maxPieces_(maxPieces), localValues_(localValues), out_(out), memory_(graph.numRanks()) {}

  bool run(const Matching &matching);
  void extract();

private:
  void read(Rank rank, Addr addr, uint64_t size, Vec<Read> &into);
  void write(Rank rank, Addr addr, const Vec<Read> &pieces);
  void reduce(OpId op);
  Value combine(OpId op, Value left, Value right);
  void rehash();
  bool isStep(OpId op, Value left, Value right) const;
  Value local(OpId op, uint64_t at, uint64_t size);

  const Graph &graph_;
  size_t maxPieces_;
  bool localValues_;
  SingleTransfers &out_;
  IntervalForest<Held> memory_;
  Vec<Read> source_, target_, result_;
  size_t written_ = 0;
  uint64_t nextLocal_ = 0;
  /// Expressions by content. Equal expressions are shared, so that both partners hold the same one after a step of
  /// recursive doubling.
  Vec<uint32_t> table_;
};

uint64_t hashOf(const Expression &e) {
  uint64_t h = hashTerm(e.left.id, e.left.offset);
  return mix(h + hashTerm(e.right.id, e.right.offset) * 3 + e.op * 64u + unsigned(e.type));
}

bool same(const Expression &a, const Expression &b) {
  return a.left.id == b.left.id && a.left.offset == b.left.offset && a.right.id == b.right.id &&
         a.right.offset == b.right.offset && a.op == b.op && a.type == b.type;
}

void Propagation::read(Rank rank, Addr addr, uint64_t size, Vec<Read> &into) {
  into.clear();
  memory_.pieces(rank, addr, addr + size, [&](Addr lo, Addr hi, const Held *held) {
    Value value = held ? held->value : Value{rank, lo};
    into.push_back({lo - addr, hi - lo, value});
  });
}

void Propagation::write(Rank rank, Addr addr, const Vec<Read> &pieces) {
  for (size_t i = 0; i < pieces.size();) {
    // Join neighbors that continue the same value.
    uint64_t size = pieces[i].size;
    size_t j = i + 1;
    for (; j < pieces.size() && pieces[j].value.id == pieces[i].value.id &&
           pieces[j].value.offset == pieces[i].value.offset + size;
         ++j)
      size += pieces[j].size;
    memory_.assign(rank, addr + pieces[i].at, addr + pieces[i].at + size, {pieces[i].value});
    ++written_;
    i = j;
  }
}

Value Propagation::combine(OpId op, Value left, Value right) {
  const Reduction &info = graph_.reduction(op);
  if (info.sourceFirst) {
    Value swap = left;
    left = right;
    right = swap;
  }
  // Use a canonical order if the operator is commutative.
  if (graph_.laws(info.op).commutative && (left.id > right.id || (left.id == right.id && left.offset > right.offset))) {
    Value swap = left;
    left = right;
    right = swap;
  }
  Expression fresh = {left, right, info.op, info.type, graph_.elementBytes(op)};
  if ((out_.expressions.size() + 1) * 2 > table_.size())
    rehash();
  size_t mask = table_.size() - 1, at = hashOf(fresh) & mask;
  for (; table_[at] != kNone; at = (at + 1) & mask)
    if (same(out_.expressions[table_[at]], fresh))
      return {graph_.numRanks() + table_[at], 0};
  table_[at] = static_cast<uint32_t>(out_.expressions.size());
  out_.expressions.push_back(fresh);
  return {graph_.numRanks() + table_[at], 0};
}

void Propagation::rehash() {
  table_.assign(table_.empty() ? 64 : table_.size() * 2, kNone);
  size_t mask = table_.size() - 1;
  for (uint32_t i = 0; i < out_.expressions.size(); ++i) {
    size_t at = hashOf(out_.expressions[i]) & mask;
    while (table_[at] != kNone)
      at = (at + 1) & mask;
    table_[at] = i;
  }
}

bool Propagation::isStep(OpId op, Value left, Value right) const {
  const Reduction &info = graph_.reduction(op);
  uint32_t p = graph_.numRanks();
  Rank rank = graph_.rank(op);
  // Both operands are the process's own data.
  if (left.id == rank && right.id == rank)
    return false;
  for (Value operand : {left, right}) {
    if (operand.id < p)
      continue;
    const Expression &e = out_.expressions[operand.id - p];
    if (e.op != info.op || e.type != info.type || operand.offset % e.elemSize)
      return false;
  }
  return true;
}

Value Propagation::local(OpId op, uint64_t at, uint64_t size) {
  Addr address = kScratchBit | nextLocal_;
  // Leave a gap, so that different values never appear adjacent.
  nextLocal_ += size + 64;
  out_.locals.push_back({address, graph_.addr(op) + at, size, graph_.rank(op), op});
  return {graph_.rank(op), address};
}

void Propagation::reduce(OpId op) {
  Rank rank = graph_.rank(op);
  read(rank, graph_.addr(op), graph_.size(op), target_);
  read(rank, graph_.source(op), graph_.size(op), source_);
  result_.clear();
  size_t i = 0, j = 0;
  uint64_t at = 0;
  bool steps = true; // whether all pieces are steps of reductions across processes
  while (at < graph_.size(op) && steps) {
    uint64_t endI = target_[i].at + target_[i].size;
    uint64_t endJ = source_[j].at + source_[j].size;
    uint64_t end = endI < endJ ? endI : endJ;
    Value left = {target_[i].value.id, target_[i].value.offset + (at - target_[i].at)};
    Value right = {source_[j].value.id, source_[j].value.offset + (at - source_[j].at)};
    // An element that combines two values is not a step either.
    steps = end % graph_.elementBytes(op) == 0 && (!localValues_ || isStep(op, left, right));
    if (steps)
      result_.push_back({at, end - at, combine(op, left, right)});
    at = end;
    i += end == endI;
    j += end == endJ;
  }
  if (!steps) {
    result_.clear();
    result_.push_back({0, graph_.size(op), local(op, 0, graph_.size(op))});
  }
  write(rank, graph_.addr(op), result_);
}

bool Propagation::run(const Matching &matching) {
  for (OpId op : matching.order) {
    if (graph_.size(op) == 0)
      continue;
    switch (graph_.kind(op)) {
    case OpKind::Recv: {
      OpId send = matching.partner[op];
      read(graph_.rank(send), graph_.addr(send), graph_.size(send), source_);
      write(graph_.rank(op), graph_.addr(op), source_);
      break;
    }
    case OpKind::Copy:
      if (graph_.source(op) == graph_.addr(op))
        break;
      read(graph_.rank(op), graph_.source(op), graph_.size(op), source_);
      write(graph_.rank(op), graph_.addr(op), source_);
      break;
    case OpKind::Reduce:
      reduce(op);
      break;
    case OpKind::Send:
    case OpKind::Nop:
      break;
    }
    if (written_ > maxPieces_)
      return false;
  }
  return true;
}

void Propagation::extract() {
  Liveness live(graph_);
  uint32_t p = graph_.numRanks();
  // Nearly exact, so that the array does not grow while the trees occupy memory.
  size_t count = 0;
  for (Rank rank = 0; rank < p; ++rank)
    memory_.forEach(rank, [&](Addr, Addr, Held &held) { count += held.value.id < p; });
  out_.transfers.reserve(count);
  for (Rank rank = 0; rank < p; ++rank)
    memory_.forEach(rank, [&](Addr begin, Addr end, Held &held) {
      live.forEachLive(rank, begin, end, [&](Addr lo, Addr hi) {
        Value value = held.advanced(lo - begin).value;
        bool isLocal = value.id < p && value.offset & kScratchBit;
        if (isLocal && (value.id == rank || !localValues_))
          out_.computed.push_back({rank, lo, hi - lo, value});
        else if (value.id >= p)
          out_.combined.push_back({rank, lo, hi - lo, value});
        else if (value.id == rank && value.offset == lo)
          out_.restored.push_back({rank, lo, hi - lo, value});
        else
          out_.transfers.push_back({value.id, rank, value.offset, lo, hi - lo});
      });
    });
}

} // namespace

void propagate(const Graph &graph, const Matching &matching, size_t maxPieces, SingleTransfers &out, bool localValues) {
  out = SingleTransfers();
  out.localValues = localValues;
  Propagation propagation(graph, maxPieces, localValues, out);
  if (propagation.run(matching)) {
    propagation.extract();
    return;
  }
  out = SingleTransfers();
  out.complete = false;
}

} // namespace comm::cdag
