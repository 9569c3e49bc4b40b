// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Terms.h"
#include "Hash.h"

#include <algorithm>

namespace comm::cdag {

bool TermTable::flatten(Value value) {
  uint32_t p = graph_.numRanks();
  const Expression &root = sst_.expressions[value.id - p];
  size_t limit = 4 * size_t(p) + 16;
  flat_.clear();
  stack_.clear();
  stack_.push_back(value);
  while (!stack_.empty()) {
    Value at = stack_.back();
    stack_.pop_back();
    if (++work_ > kMaxWork || flat_.size() > limit)
      return false;
    if (at.id < p) {
      if (at.offset & kScratchBit && !sst_.localValues)
        return false;
      flat_.push_back({at.id, at.offset});
      continue;
    }
    const Expression &e = sst_.expressions[at.id - p];
    // The bytes inside an element do not reduce independently.
    if (e.op != root.op || e.type != root.type || at.offset % e.elemSize)
      return false;
    stack_.push_back({e.right.id, e.right.offset + at.offset});
    stack_.push_back({e.left.id, e.left.offset + at.offset});
  }
  return true;
}

uint32_t TermTable::intern(const TermList &header) {
  if ((lists_.size() + 1) * 2 > hash_.size()) {
    hash_.assign(hash_.empty() ? 64 : hash_.size() * 2, kNone);
    for (uint32_t i = 0; i < lists_.size(); ++i) {
      size_t at = hashTerms(begin(i), end(i)) & (hash_.size() - 1);
      while (hash_[at] != kNone)
        at = (at + 1) & (hash_.size() - 1);
      hash_[at] = i;
    }
  }
  size_t at = hashTerms(flat_.begin(), flat_.end()) & (hash_.size() - 1);
  for (; hash_[at] != kNone; at = (at + 1) & (hash_.size() - 1)) {
    const TermList &other = lists_[hash_[at]];
    if (other.op == header.op && other.type == header.type && length(hash_[at]) == flat_.size() &&
        std::equal(flat_.begin(), flat_.end(), begin(hash_[at]),
                   [](const Term &a, const Term &b) { return a.rank == b.rank && a.offset == b.offset; }))
      return hash_[at];
  }
  uint32_t index = static_cast<uint32_t>(lists_.size());
  TermList fresh = header;
  fresh.begin = static_cast<uint32_t>(terms_.size());
  terms_.append(flat_.begin(), flat_.end());
  fresh.end = static_cast<uint32_t>(terms_.size());
  lists_.push_back(fresh);
  hash_[at] = index;
  return index;
}

bool TermTable::normalize(Value value, uint32_t &list, Addr &base) {
  uint32_t index = value.id - graph_.numRanks();
  const Expression &e = sst_.expressions[index];
  if (value.offset % e.elemSize)
    return false;
  if (memo_[index].list == kUnknown) {
    memo_[index].list = kNone;
    if (!flatten({value.id, 0}))
      return false;
    OperatorLaws laws = graph_.laws(e.op);
    bool rounds = isFloatingPoint(e.type) && (e.op == uint8_t(Operator::Sum) || e.op == uint8_t(Operator::Prod));
    bool associative = laws.associative && (!rounds || options_.reorderFloatingPoint);
    // With two contributions there is nothing to reassociate: a op b is the same, rounded or not.
    if (!associative && flat_.size() > 2)
      return false;
    if (laws.commutative)
      std::sort(flat_.begin(), flat_.end(),
                [](const Term &a, const Term &b) { return a.rank != b.rank ? a.rank < b.rank : a.offset < b.offset; });
    bool logical = e.op == uint8_t(Operator::LAnd) || e.op == uint8_t(Operator::LOr);
    if (laws.commutative && (laws.idempotent || logical)) {
      size_t n = 0;
      for (const Term &term : flat_)
        if (!n || flat_[n - 1].rank != term.rank || flat_[n - 1].offset != term.offset)
          flat_[n++] = term;
      flat_.resize(n);
    }
    if (flat_.size() < 2)
      return false;
    memo_[index].base = flat_[0].offset;
    for (Term &term : flat_)
      term.offset -= memo_[index].base;
    TermList header = {0, 0, e.op, e.type, laws.commutative, true, e.elemSize};
    if (laws.commutative) {
      for (size_t i = 1; i < flat_.size(); ++i)
        header.distinct &= flat_[i - 1].rank != flat_[i].rank;
    } else {
      Vec<Rank> ranks;
      for (const Term &term : flat_)
        ranks.push_back(term.rank);
      std::sort(ranks.begin(), ranks.end());
      header.distinct = std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
    }
    memo_[index].list = intern(header);
  }
  if (memo_[index].list == kNone)
    return false;
  list = memo_[index].list;
  base = memo_[index].base + value.offset;
  return true;
}

} // namespace comm::cdag
