// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dependencies of a graph in the forward direction.
#ifndef COMM_CDAG_SUCCESSORS_H
#define COMM_CDAG_SUCCESSORS_H

#include "Comm/CDag/Graph.h"

namespace comm::cdag {

class Successors {
public:
  struct Range {
    const OpId *first, *last;
    const OpId *begin() const { return first; }
    const OpId *end() const { return last; }
  };

  /// The graph must be frozen.
  explicit Successors(const Graph &graph) {
    uint32_t n = graph.numOps();
    begin_.assign(size_t(n) + 1, 0);
    ops_.resize(graph.numDependencies());
    for (const Dependency &dep : graph.dependencies())
      ++begin_[dep.on + 1];
    for (uint32_t i = 0; i < n; ++i)
      begin_[i + 1] += begin_[i];
    for (const Dependency &dep : graph.dependencies())
      ops_[begin_[dep.on]++] = dep.op;
    for (uint32_t i = n; i > 0; --i)
      begin_[i] = begin_[i - 1];
    begin_[0] = 0;
  }
  Range of(OpId op) const { return {ops_.begin() + begin_[op], ops_.begin() + begin_[op + 1]}; }

private:
  Vec<uint32_t> begin_;
  Vec<OpId> ops_;
};

} // namespace comm::cdag

#endif
