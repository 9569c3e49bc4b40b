// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators of collectives as sends, receives and local operations, using the algorithms that programs use.
#ifndef COMM_CDAG_PATTERNS_H
#define COMM_CDAG_PATTERNS_H

#include "Comm/CDag/Builder.h"
#include "Comm/CDag/Graph.h"

namespace comm::cdag {

/// The layout of a pattern. Member i of `members` is process i of the algorithm. Addresses are the same on all
/// processes.
struct PatternOptions {
  uint64_t bytes = 8; ///< of one block (bcast, reduce: of the whole message)
  uint32_t root = 0;  ///< index into the members
  Addr sendAt = 0;    ///< contributions
  Addr recvAt = 0;    ///< results; 0: after the contributions
  Addr tempAt = 0;    ///< scratch memory of the algorithm; 0: after the results
  int32_t tag = 0;    ///< of the first message; later ones count up
  Operator op = Operator::Sum;
  ElementType type = ElementType::Int64;
  bool selfCopies = true; ///< whether own blocks are copied to the result
};

/// One entry of the table of patterns.
struct Pattern {
  const char *name; ///< e.g. "bcast-binomial"
  CollectiveKind kind;
  bool powerOfTwo; ///< whether it is defined for powers of two only
  void (*emit)(Builder &, const Vec<Rank> &members, const PatternOptions &);
};

const Pattern *patternsBegin();
const Pattern *patternsEnd();
/// Returns the pattern of that name, or null.
const Pattern *findPattern(const char *name);

/// Appends the pattern on the members to a graph under construction and declares its temporary memory. Fills in the
/// default addresses of `options`.
Error emitPattern(Graph &graph, Builder &builder, const Pattern &pattern, const Vec<Rank> &members,
                  PatternOptions &options);

/// Makes a graph of the pattern on processes 0 to ranks-1.
Error generatePattern(const char *name, uint32_t ranks, const PatternOptions &options, Graph &graph);

} // namespace comm::cdag

#endif
