// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search for large cliques, which all-to-all collectives on process subsets need. The problem is NP-complete in general
// (paper, section 4.1).
#ifndef COMM_CDAG_CLIQUES_H
#define COMM_CDAG_CLIQUES_H

#include "Comm/CDag/Types.h"
#include "Comm/CDag/Vec.h"

namespace comm::cdag {

/// An undirected graph as a matrix of bits.
class BitGraph {
public:
  explicit BitGraph(uint32_t vertices) : n_(vertices), words_((vertices + 63) / 64), bits_(size_t(n_) * words_, 0) {}
  uint32_t size() const { return n_; }
  uint32_t words() const { return words_; }
  void join(uint32_t a, uint32_t b) {
    row(a)[b / 64] |= uint64_t(1) << (b % 64);
    row(b)[a / 64] |= uint64_t(1) << (a % 64);
  }
  void part(uint32_t a, uint32_t b) {
    row(a)[b / 64] &= ~(uint64_t(1) << (b % 64));
    row(b)[a / 64] &= ~(uint64_t(1) << (a % 64));
  }
  bool joined(uint32_t a, uint32_t b) const { return row(a)[b / 64] >> (b % 64) & 1; }
  uint64_t *row(uint32_t v) { return bits_.begin() + size_t(v) * words_; }
  const uint64_t *row(uint32_t v) const { return bits_.begin() + size_t(v) * words_; }
  uint32_t degree(uint32_t v) const;

private:
  uint32_t n_, words_;
  Vec<uint64_t> bits_;
};

/// Returns a large clique, in increasing order. The search is greedy from many starts, then swaps one vertex for two.
/// It is polynomial and does not always find the largest clique.
Vec<uint32_t> largeClique(const BitGraph &graph);

/// Returns a largest clique. Exponential; for tests on small graphs.
Vec<uint32_t> largestClique(const BitGraph &graph);

} // namespace comm::cdag

#endif
