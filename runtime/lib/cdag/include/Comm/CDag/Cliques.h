// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large groups in which everyone is joined to everyone: the search that
// all-collectives on process subsets need, which is NP-complete in general (paper,
// section 4.1).
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

/// A large clique, in increasing order: greedy from many starts, then swaps of
/// one vertex against two. Polynomial; not always the largest.
Vec<uint32_t> largeClique(const BitGraph &graph);

/// A largest clique: exponential, for tests on small graphs.
Vec<uint32_t> largestClique(const BitGraph &graph);

} // namespace comm::cdag

#endif
