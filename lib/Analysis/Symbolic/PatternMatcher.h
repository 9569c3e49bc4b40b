//===- PatternMatcher.h - What patterns of collectives ask ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_SYMBOLIC_PATTERNMATCHER_H
#define COMM_LIB_ANALYSIS_SYMBOLIC_PATTERNMATCHER_H

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// The messages of one class of processes that no collective stands for yet, in program order.
struct ClassMessages {
  const ProcessClass *processes = nullptr;
  std::vector<MessageSet> sets;
  std::vector<OwnCopy> copies;
  std::vector<bool> taken;
};

/// A collective and the sets that it stands for: (class, index in its messages).
struct PatternMatch {
  CollectivePlan plan;
  llvm::SmallVector<std::pair<unsigned, unsigned>, 4> sets;
};

/// A pattern's view of a graph, and the questions that all patterns ask.
class PatternMatcher {
public:
  PatternMatcher(SymbolicGraph &graph, std::vector<ClassMessages> &classes, const MayOverlap &mayOverlap,
                 Obstacle &obstacle)
      : graph(graph), symbols(graph.symbols), classes(classes), mayOverlap(mayOverlap), obstacle(obstacle) {}

  /// For rooted patterns: the class that is one process, and the others. Null if the processes are not of these two.
  ClassMessages *getRoot() { return classes.size() == 2 ? &classes[rootIndex()] : nullptr; }
  ClassMessages *getOthers() { return classes.size() == 2 ? &classes[1 - rootIndex()] : nullptr; }
  unsigned rootIndex() const { return classes[0].processes->members.back().isEqual ? 0 : 1; }
  /// The first set of the class that is not taken and that `accept` takes, from `begin` on; -1 if there is none.
  static int find(const ClassMessages &messages, unsigned begin, llvm::function_ref<bool(const MessageSet &)> accept);

  /// Tags that are equal for each message; counts and datatypes that are equal. Each is in terms of the process itself
  /// and Symbols::peer; for messages among all alike, the receiver's are turned round.
  bool sameTags(const MessageSet &send, const Poly &sendTag, const Poly &receiveTag);
  bool sameBlocks(const MessageSet &send, const MessageSet &receive);
  /// Counts of rooted collectives: nobody checks that all processes have the same.
  bool isUniformCount(const MessageSet &set);
  /// The first block, if block q begins q blocks later.
  std::optional<SymbolicAddress> getFirstBlock(const MessageSet &set);
  /// The whole buffer is the same for all peers.
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

/// One way to spell a collective.
class CollectivePattern {
public:
  virtual ~CollectivePattern();
  /// A collective that begins with the first set that is not taken.
  virtual std::optional<PatternMatch> match(PatternMatcher &matcher) const = 0;
};

/// In the order in which they are tried.
llvm::ArrayRef<const CollectivePattern *> getSymmetricPatterns();
llvm::ArrayRef<const CollectivePattern *> getRootedPatterns();

} // namespace comm

#endif // COMM_LIB_ANALYSIS_SYMBOLIC_PATTERNMATCHER_H
