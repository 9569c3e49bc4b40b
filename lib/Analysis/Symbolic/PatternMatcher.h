//===- PatternMatcher.h - Queries of collective patterns --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_SYMBOLIC_PATTERNMATCHER_H
#define COMM_LIB_ANALYSIS_SYMBOLIC_PATTERNMATCHER_H

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// The messages of one class of processes that no collective accounts for yet, in program order.
struct ClassMessages {
  const ProcessClass *processes = nullptr;
  std::vector<MessageSet> sets;
  std::vector<OwnCopy> copies;
  std::vector<bool> taken;
};

/// A collective and the sets that it accounts for: (class, index in its messages).
struct PatternMatch {
  CollectivePlan plan;
  llvm::SmallVector<std::pair<unsigned, unsigned>, 4> sets;
};

/// A pattern's view of a graph, and the queries that patterns share.
class PatternMatcher {
public:
  PatternMatcher(SymbolicGraph &graph, std::vector<ClassMessages> &classes, const MayOverlap &mayOverlap,
                 Obstacle &obstacle)
      : graph(graph), symbols(graph.symbols), classes(classes), mayOverlap(mayOverlap), obstacle(obstacle) {}

  /// For rooted patterns: the class that is a single process, and the others. Null if there are no two such classes.
  ClassMessages *getRoot() { return classes.size() == 2 ? &classes[rootIndex()] : nullptr; }
  ClassMessages *getOthers() { return classes.size() == 2 ? &classes[1 - rootIndex()] : nullptr; }
  unsigned rootIndex() const { return classes[0].processes->members.back().isEqual ? 0 : 1; }
  /// Returns the first set of the class from `begin` on that is not taken and that `accept` accepts; -1 if there is
  /// none.
  static int find(const ClassMessages &messages, unsigned begin, llvm::function_ref<bool(const MessageSet &)> accept);

  /// Whether the tags of each message, or its counts and datatypes, are equal on both sides. Each is in terms of the
  /// process itself and Symbols::peer. For messages among processes that all do the same, the receiver's view is
  /// swapped.
  bool sameTags(const MessageSet &send, const Poly &sendTag, const Poly &receiveTag);
  bool sameBlocks(const MessageSet &send, const MessageSet &receive);
  /// For counts of rooted collectives, which must be the same in all processes.
  bool isUniformCount(const MessageSet &set);
  /// Returns the first block if block q begins q blocks after it.
  std::optional<SymbolicAddress> getFirstBlock(const MessageSet &set);
  /// Whether all peers get the same buffer.
  bool isOneBlock(const MessageSet &set) const;
  Poly getBytes(const MessageSet &set) const { return set.count * Poly(set.event->extent); }
  void describe(const MessageSet &set, CollectivePlan &plan);

  std::nullopt_t fail(const MessageSet &set, const llvm::Twine &reason);
  bool refuse(const MessageSet &set, const llvm::Twine &reason);

  SymbolicGraph &graph;
  Symbols &symbols;
  std::vector<ClassMessages> &classes;
  const MayOverlap &mayOverlap;
  Obstacle &obstacle;
};

/// One way to implement a collective with messages.
class CollectivePattern {
public:
  virtual ~CollectivePattern();
  /// Matches a collective that begins with the first set that is not taken.
  virtual std::optional<PatternMatch> match(PatternMatcher &matcher) const = 0;
};

/// The patterns, in the order in which they are tried.
llvm::ArrayRef<const CollectivePattern *> getSymmetricPatterns();
llvm::ArrayRef<const CollectivePattern *> getRootedPatterns();

} // namespace comm

#endif // COMM_LIB_ANALYSIS_SYMBOLIC_PATTERNMATCHER_H
