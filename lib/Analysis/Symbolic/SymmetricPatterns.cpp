//===- SymmetricPatterns.cpp - All processes do the same -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PatternMatcher.h"

using namespace comm;

namespace {
/// All processes send to and receive from all: an alltoall, or, if all get the same block, an allgather.
class Exchange : public CollectivePattern {
public:
  std::optional<PatternMatch> match(PatternMatcher &matcher) const final;
};

/// Each process forwards to one neighbor what it received from the other one, P - 1 times.
class Ring : public CollectivePattern {
public:
  std::optional<PatternMatch> match(PatternMatcher &matcher) const final;
};
} // namespace

/// Returns the send and the receive of the exchange that begins with the first set.
static std::optional<std::pair<unsigned, unsigned>> findPair(PatternMatcher &matcher,
                                                             llvm::function_ref<bool(const MessageSet &)> isPart) {
  ClassMessages &messages = matcher.classes.front();
  int first = PatternMatcher::find(messages, 0, [](const MessageSet &) { return true; });
  if (first < 0 || !isPart(messages.sets[first]))
    return std::nullopt;
  bool isSend = messages.sets[first].isSend();
  int second = PatternMatcher::find(messages, first + 1,
                                    [&](const MessageSet &set) { return isPart(set) && set.isSend() != isSend; });
  if (second < 0)
    return std::nullopt;
  return isSend ? std::make_pair(unsigned(first), unsigned(second)) : std::make_pair(unsigned(second), unsigned(first));
}

std::optional<PatternMatch> Exchange::match(PatternMatcher &matcher) const {
  auto pair = findPair(matcher, [](const MessageSet &set) { return set.isToMany(); });
  if (!pair)
    return std::nullopt;
  ClassMessages &messages = matcher.classes.front();
  const MessageSet &send = messages.sets[pair->first], &receive = messages.sets[pair->second];
  Symbols &symbols = matcher.symbols;
  if (send.peers != receive.peers)
    return matcher.fail(send, "it sends to itself without receiving the message, or vice versa");
  // Swap the view: the peer's rank is our peer, and its peer is our rank.
  Poly turned = symbols.substitute(receive.tag, [&](Atom atom) {
    return atom == Symbols::rank ? Poly::of(Symbols::peer) : atom == Symbols::peer ? Poly::of(Symbols::rank) : Poly();
  });
  if (!matcher.sameTags(send, send.tag, turned) || !matcher.sameBlocks(send, receive))
    return std::nullopt;
  std::optional<SymbolicAddress> target = matcher.getFirstBlock(receive);
  if (!target)
    return std::nullopt;

  PatternMatch match;
  CollectivePlan &plan = match.plan;
  match.sets = {{0, pair->first}, {0, pair->second}};
  matcher.describe(send, plan);
  plan.receive = *target;
  Poly bytes = matcher.getBytes(receive), rank = Poly::of(Symbols::rank);
  SymbolicAddress ownTarget{target->base, target->offset + rank * bytes};
  bool isGather = matcher.isOneBlock(send);
  if (isGather) {
    plan.kind = CollectivePlan::Kind::Allgather;
    plan.send = send.buffer;
  } else {
    std::optional<SymbolicAddress> source = matcher.getFirstBlock(send);
    if (!source)
      return std::nullopt;
    plan.kind = CollectivePlan::Kind::Alltoall;
    plan.send = *source;
  }
  bool skipsOwn = send.peers == MessageSet::Peers::Others;
  if (isGather && skipsOwn && send.buffer == ownTarget) {
    plan.own = CollectivePlan::Own::InPlace;
    return match;
  }
  if (matcher.mayOverlap(send.event->op, receive.event->op))
    return matcher.fail(receive, "it may write what is sent");
  if (skipsOwn) {
    SymbolicAddress ownSource = plan.send;
    if (!isGather)
      ownSource.offset = ownSource.offset + rank * bytes;
    bool isCopied = llvm::any_of(messages.copies, [&](const OwnCopy &copy) {
      return copy.target == ownTarget && copy.source == ownSource && copy.bytes == bytes;
    });
    plan.ownIsCopied = isCopied;
    plan.own = isCopied ? CollectivePlan::Own::Delivered : CollectivePlan::Own::Kept;
    if (isGather && !isCopied)
      return matcher.fail(receive, "an allgather would write the block of the process itself, too");
  }
  return match;
}

std::optional<PatternMatch> Ring::match(PatternMatcher &matcher) const {
  auto pair = findPair(matcher, [](const MessageSet &set) { return set.peers == MessageSet::Peers::Steps; });
  if (!pair)
    return std::nullopt;
  ClassMessages &messages = matcher.classes.front();
  const MessageSet &send = messages.sets[pair->first], &receive = messages.sets[pair->second];
  Symbols &symbols = matcher.symbols;
  Poly rank = Poly::of(Symbols::rank), size = Poly::of(Symbols::size), t = Poly::of(send.iteration);
  if (send.event->loop != receive.event->loop || send.trips != size - Poly(1))
    return matcher.fail(send, "it is not a ring with one step for each other process");
  if (!matcher.sameTags(send, send.tag, receive.tag) || symbols.mentionsKind(send.tag, Symbols::Kind::Rank) ||
      !matcher.sameBlocks(send, receive))
    return matcher.obstacle.op ? std::nullopt : matcher.fail(send, "the tags of its ring differ between processes");
  for (int64_t direction : {1, -1}) {
    Poly d(direction), bytes = matcher.getBytes(send);
    if (send.peer != symbols.mod(rank + d) || receive.peer != symbols.mod(rank - d))
      continue;
    // In step t, it sends the block of the process t places before it, which it received in step t - 1 or which is its
    // own, and receives the preceding one.
    Poly first = send.buffer.offset - bytes * symbols.mod(rank - d * t);
    if (symbols.mentionsKind(first, Symbols::Kind::Iteration) || send.buffer.base != receive.buffer.base ||
        receive.buffer.offset - bytes * symbols.mod(rank - d * t - d) != first)
      continue; // with two processes, both directions lead to the same neighbor
    PatternMatch match;
    match.sets = {{0, pair->first}, {0, pair->second}};
    matcher.describe(send, match.plan);
    match.plan.kind = CollectivePlan::Kind::Allgather;
    match.plan.own = CollectivePlan::Own::InPlace;
    match.plan.receive = {send.buffer.base, first};
    match.plan.send = {send.buffer.base, first + rank * bytes};
    return match;
  }
  return matcher.fail(send, "it is not a ring that passes on one block after another");
}

llvm::ArrayRef<const CollectivePattern *> comm::getSymmetricPatterns() {
  static const Exchange exchange;
  static const Ring ring;
  static const CollectivePattern *const patterns[] = {&exchange, &ring};
  return patterns;
}
