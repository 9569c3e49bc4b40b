// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of reductions as lists of original contributions. Nested expressions under one operator become one list, which
// the operator's laws bring into a normal form.
#ifndef COMM_CDAG_TERMS_H
#define COMM_CDAG_TERMS_H

#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Dataflow.h"

namespace comm::cdag {

/// A contribution: the original memory of `rank` at the list's base address plus `offset` (wrapping).
struct Term {
  Rank rank;
  uint64_t offset;
};

/// A list in normal form. Lists of commutative operators are sorted by process; the others keep the order of
/// combination. The first term's offset is 0.
struct TermList {
  uint32_t begin, end; ///< into the table's terms
  uint8_t op;
  ElementType type;
  bool commutative;
  bool distinct; ///< no process contributes twice
  uint32_t elemSize;
};

class TermTable {
public:
  TermTable(const Graph &graph, const SingleTransfers &sst, const DetectOptions &options)
      : graph_(graph), sst_(sst), options_(options), memo_(sst.expressions.size(), Memo{kUnknown, 0}) {}

  /// Computes the list of a value and its base address. Returns false if the value is not such a list (it contains
  /// other operators or parts of elements, or its order must not change) or is longer than any collective allows.
  bool normalize(Value value, uint32_t &list, Addr &base);

  /// Returns true if the budget ran out, in which case some values may not have been normalized.
  bool exhausted() const { return work_ > kMaxWork; }
  const TermList &list(uint32_t i) const { return lists_[i]; }
  const Term *begin(uint32_t i) const { return terms_.begin() + lists_[i].begin; }
  const Term *end(uint32_t i) const { return terms_.begin() + lists_[i].end; }
  uint32_t length(uint32_t i) const { return lists_[i].end - lists_[i].begin; }

private:
  static constexpr uint32_t kUnknown = kNone - 1;
  /// Total number of contributions to inspect before the analysis gives up.
  static constexpr size_t kMaxWork = size_t(1) << 26;
  struct Memo {
    uint32_t list; ///< kNone: not a list
    Addr base;
  };
  bool flatten(Value value);
  uint32_t intern(const TermList &header);

  const Graph &graph_;
  const SingleTransfers &sst_;
  const DetectOptions &options_;
  Vec<Memo> memo_;
  Vec<Term> terms_;
  Vec<TermList> lists_;
  Vec<uint32_t> hash_;
  Vec<Term> flat_;
  Vec<Value> stack_;
  size_t work_ = 0;
};

} // namespace comm::cdag

#endif
