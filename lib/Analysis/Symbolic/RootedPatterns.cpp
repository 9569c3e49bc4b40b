//===- RootedPatterns.cpp - One process and all others ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PatternMatcher.h"

using namespace comm;

namespace {
/// The root exchanges one message with each other process, and possibly with itself; the others have one with the root.
class Linear : public CollectivePattern {
public:
  std::optional<PatternMatch> match(PatternMatcher &matcher) const final;
};
} // namespace

std::optional<PatternMatch> Linear::match(PatternMatcher &matcher) const {
  ClassMessages *root = matcher.getRoot(), *others = matcher.getOthers();
  if (!root)
    return std::nullopt;
  Symbols &symbols = matcher.symbols;
  Poly process = getSelf(*root->processes);
  auto isOne = [&](const MessageSet &set) { return set.peers == MessageSet::Peers::One && set.peer == process; };
  int many = PatternMatcher::find(*root, 0, [](const MessageSet &set) { return set.isToMany(); });
  if (many < 0)
    return std::nullopt;
  const MessageSet &all = root->sets[many];
  bool isScattered = all.isSend();
  auto isOtherEnd = [&](const MessageSet &set) { return isOne(set) && set.isSend() != isScattered; };
  int one = PatternMatcher::find(*others, 0, isOtherEnd);
  if (one < 0)
    return matcher.fail(all, "the other processes have no matching message with the root");
  const MessageSet &each = others->sets[one];

  PatternMatch match;
  CollectivePlan &plan = match.plan;
  unsigned rootIndex = matcher.rootIndex();
  match.sets = {{rootIndex, unsigned(many)}, {1 - rootIndex, unsigned(one)}};
  // The message between the root and process q: the root sees q as its peer, process q has it as its rank.
  auto ofProcess = [&](const Poly &tag, const Poly &rank) { return symbols.substitute(tag, Symbols::peer, rank); };
  const MessageSet &send = isScattered ? all : each, &receive = isScattered ? each : all;
  Poly rank = Poly::of(Symbols::rank);
  if (!matcher.sameTags(all, ofProcess(all.tag, rank), each.tag) || !matcher.sameBlocks(send, receive) ||
      !matcher.isUniformCount(all))
    return std::nullopt;
  matcher.describe(all, plan);
  plan.root = process;
  bool isBcast = isScattered && matcher.isOneBlock(all);
  SymbolicAddress blocks = all.buffer;
  if (!isBcast) {
    std::optional<SymbolicAddress> first = matcher.getFirstBlock(all);
    if (!first)
      return std::nullopt;
    blocks = *first;
  }
  plan.kind = isBcast       ? CollectivePlan::Kind::Bcast
              : isScattered ? CollectivePlan::Kind::Scatter
                            : CollectivePlan::Kind::Gather;
  plan.send = isScattered ? blocks : each.buffer;
  plan.receive = isScattered ? each.buffer : blocks;
  plan.messages.push_back(each.event->op);
  if (all.peers == MessageSet::Peers::Others) {
    plan.own = CollectivePlan::Own::InPlace;
    return match;
  }
  if (isBcast)
    return matcher.fail(all, "a broadcast does not copy what the root sends to itself");
  // The root's message to itself has two ends.
  int own = PatternMatcher::find(*root, 0, isOtherEnd);
  if (own < 0)
    return matcher.fail(all, "the root sends to itself without receiving the message, or vice versa");
  const MessageSet &self = root->sets[own];
  match.sets.push_back({rootIndex, unsigned(own)});
  if (!matcher.sameTags(all, ofProcess(all.tag, process), self.tag) || !matcher.sameBlocks(all, self))
    return std::nullopt;
  if (matcher.mayOverlap(all.event->op, self.event->op))
    return matcher.fail(self, "it may overlap what the others send or receive");
  plan.own = CollectivePlan::Own::Delivered;
  plan.rootOwn = self.buffer;
  plan.messages.push_back(self.event->op);
  return match;
}

llvm::ArrayRef<const CollectivePattern *> comm::getRootedPatterns() {
  static const Linear linear;
  static const CollectivePattern *const patterns[] = {&linear};
  return patterns;
}
