//===- CollectivePatterns.cpp - Proved collectives ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

#include "PatternMatcher.h"

#include "llvm/ADT/Twine.h"

using namespace comm;

CollectivePattern::~CollectivePattern() = default;

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

std::nullopt_t PatternMatcher::fail(const MessageSet &set, const llvm::Twine &reason) {
  refuse(set, reason);
  return std::nullopt;
}

bool PatternMatcher::refuse(const MessageSet &set, const llvm::Twine &reason) {
  obstacle = {set.event->op, reason.str()};
  return false;
}

int PatternMatcher::find(const ClassMessages &messages, unsigned begin,
                         llvm::function_ref<bool(const MessageSet &)> accept) {
  for (unsigned i = begin; i < messages.sets.size(); ++i)
    if (!messages.taken[i] && accept(messages.sets[i]))
      return i;
  return -1;
}

bool PatternMatcher::sameTags(const MessageSet &send, const Poly &sendTag, const Poly &receiveTag) {
  if (sendTag != receiveTag)
    return refuse(send, "its tag differs from that of its other end");
  if (symbols.mentionsKind(sendTag, Symbols::Kind::Opaque))
    return refuse(send, "its tag may differ between processes");
  return true;
}

bool PatternMatcher::sameBlocks(const MessageSet &send, const MessageSet &receive) {
  if (send.event->datatype != receive.event->datatype)
    return refuse(send, "its datatype differs from that of its other end");
  if (send.count != receive.count)
    return refuse(send, "its count differs from that of its other end");
  for (Symbols::Kind kind : {Symbols::Kind::Rank, Symbols::Kind::Peer, Symbols::Kind::Iteration, Symbols::Kind::Mod})
    if (symbols.mentionsKind(send.count, kind))
      return refuse(send, "its count is not the same for all processes");
  if (symbols.isUniform(send.count) && !symbols.isPositive(send.count))
    return refuse(send, "its count may be 0");
  return true;
}

bool PatternMatcher::isUniformCount(const MessageSet &set) {
  return symbols.isUniform(set.count) ||
         refuse(set, "its count may differ between processes, which a collective with a root does not allow");
}

bool PatternMatcher::isOneBlock(const MessageSet &set) const {
  return !symbols.mentionsKind(set.buffer.offset, Symbols::Kind::Peer);
}

std::optional<SymbolicAddress> PatternMatcher::getFirstBlock(const MessageSet &set) {
  SymbolicAddress first = set.buffer;
  first.offset = first.offset - Poly::of(Symbols::peer) * getBytes(set);
  if (symbols.mentionsKind(first.offset, Symbols::Kind::Peer))
    return fail(set, isOneBlock(set) ? "all of its messages use the same memory"
                                     : "its blocks are not contiguous in the order of processes");
  return first;
}

void PatternMatcher::describe(const MessageSet &set, CollectivePlan &plan) {
  plan.count = set.count;
  plan.datatype = set.event->datatype;
  plan.extent = set.event->extent;
  plan.mayBeEmpty = !symbols.isUniform(set.count);
}

//===----------------------------------------------------------------------===//
// Several collectives
//===----------------------------------------------------------------------===//

/// Whether executing the two collectives in this order preserves the effects on messages and memory.
static bool mayFollow(PatternMatcher &matcher, const PatternMatch &first, const PatternMatch &second) {
  // Messages between two processes match in order, unless different tags keep them apart.
  auto getTag = [&](const PatternMatch &match) {
    return matcher.classes[match.sets[0].first].sets[match.sets[0].second].tag.getConstant();
  };
  bool tagsDiffer = getTag(first) && getTag(second) && *getTag(first) != *getTag(second);
  for (auto [whose, index] : first.sets)
    for (auto [other, otherIndex] : second.sets) {
      if (whose != other)
        continue;
      const MessageSet &a = matcher.classes[whose].sets[index], &b = matcher.classes[other].sets[otherIndex];
      if (!tagsDiffer && a.isSend() == b.isSend() && index > otherIndex)
        return matcher.refuse(b, "its messages could be matched with those of another collective");
      bool isBefore = index < otherIndex && (a.event->loop < 0 || a.event->loop != b.event->loop);
      if (!isBefore && !(a.isSend() && b.isSend()) && matcher.mayOverlap(a.event->op, b.event->op))
        return matcher.refuse(b, "it may touch what another collective of the same loop does");
    }
  return true;
}

/// Whether a single process does what the collectives do then: nothing, or what it sends to itself.
static bool isRightAlone(SymbolicGraph &graph, llvm::ArrayRef<CollectivePlan> plans, Obstacle &obstacle) {
  graph.assume(nullptr);
  auto alone = [&](const SymbolicAddress &address) {
    Poly offset = graph.symbols.substitute(address.offset, [&](Atom atom) {
      if (atom == Symbols::size)
        return Poly(1);
      bool isZero = atom == Symbols::rank || graph.symbols.getKind(atom) == Symbols::Kind::Mod;
      return isZero ? Poly(0) : Poly();
    });
    return SymbolicAddress{address.base, offset};
  };
  std::vector<const SymbolicEvent *> sent, received;
  std::vector<OwnCopy> copies;
  for (const SymbolicEvent &event : graph.alone.events) {
    if (event.kind == SymbolicEvent::Kind::Copy) {
      if (std::optional<OwnCopy> copy = describeCopy(graph, graph.alone, event))
        copies.push_back(*copy);
      continue;
    }
    if (!event.peer.isZero() || !event.conditions.empty()) {
      obstacle = {event.op, "a single process would do something else"};
      return false;
    }
    (event.kind == SymbolicEvent::Kind::Send ? sent : received).push_back(&event);
  }
  size_t next = 0;
  for (const CollectivePlan &plan : plans) {
    if (plan.own != CollectivePlan::Own::Delivered)
      continue;
    bool isScatter = plan.kind == CollectivePlan::Kind::Scatter;
    SymbolicAddress source = alone(plan.rootOwn.base && !isScatter ? plan.rootOwn : plan.send);
    SymbolicAddress target = alone(plan.rootOwn.base && isScatter ? plan.rootOwn : plan.receive);
    Poly count = graph.symbols.substitute(plan.count, Symbols::size, Poly(1));
    auto isHalf = [&](const std::vector<const SymbolicEvent *> &halves, const SymbolicAddress &buffer) {
      return next < halves.size() && halves[next]->buffer == buffer && halves[next]->count == count &&
             halves[next]->datatype == plan.datatype;
    };
    if (isHalf(sent, source) && isHalf(received, target) && sent[next]->tag == received[next]->tag) {
      ++next;
      continue;
    }
    for (const CopyBeside &beside : graph.copies)
      copies.push_back({alone(beside.copy.buffer), alone(beside.copy.source),
                        graph.symbols.substitute(beside.copy.count, Symbols::size, Poly(1))});
    bool isCopied = plan.ownIsCopied && llvm::any_of(copies, [&](const OwnCopy &copy) {
                      return copy.source == source && copy.target == target && copy.bytes == count * Poly(plan.extent);
                    });
    if (!isCopied) {
      obstacle = {plan.messages.front(), "a single process would not do the same"};
      return false;
    }
  }
  if (next != sent.size() || next != received.size()) {
    obstacle = {plans.empty() ? nullptr : plans.front().messages.front(), "a single process would do more"};
    return false;
  }
  return true;
}

std::optional<std::vector<CollectivePlan>> comm::matchCollectives(SymbolicGraph &graph, const MayOverlap &mayOverlap,
                                                                  Obstacle &obstacle) {
  std::vector<ClassMessages> classes;
  for (const ProcessClass &processes : graph.classes) {
    graph.assume(&processes);
    ClassMessages messages;
    messages.processes = &processes;
    for (const SymbolicEvent &event : processes.events) {
      if (event.kind == SymbolicEvent::Kind::Copy) {
        if (std::optional<OwnCopy> copy = describeCopy(graph, processes, event))
          messages.copies.push_back(*copy);
        continue;
      }
      std::optional<MessageSet> set = describeMessages(graph, processes, event, obstacle);
      if (!set)
        return std::nullopt;
      messages.sets.push_back(*set);
    }
    // A copy outside of the graph may move into it, if nothing in between conflicts.
    for (const CopyBeside &beside : graph.copies)
      if (std::optional<OwnCopy> copy = describeCopy(graph, processes, beside.copy);
          copy && graph.classes.size() == 1 &&
          llvm::none_of(beside.between, [&](mlir::Operation *op) { return mayOverlap(op, beside.copy.op); }))
        messages.copies.push_back(*copy);
    messages.taken.resize(messages.sets.size());
    classes.push_back(std::move(messages));
  }
  if (classes.size() > 2) {
    obstacle = {nullptr, "more than one process behaves differently from the others"};
    return std::nullopt;
  }
  // Facts proved from here on must hold for the processes of either class, without facts about only one of them.
  ProcessClass everyone;
  graph.assume(&everyone);
  PatternMatcher matcher(graph, classes, mayOverlap, obstacle);
  std::vector<PatternMatch> found;
  auto isLeft = [&] {
    return llvm::any_of(classes, [](const ClassMessages &each) { return llvm::is_contained(each.taken, false); });
  };
  while (isLeft()) {
    std::optional<PatternMatch> match;
    obstacle = {};
    for (const CollectivePattern *pattern : classes.size() == 1 ? getSymmetricPatterns() : getRootedPatterns())
      if ((match = pattern->match(matcher)))
        break;
    if (!match) {
      if (obstacle.reason.empty())
        obstacle = {nullptr, "its messages cannot be proved to be a collective for every number of processes"};
      return std::nullopt;
    }
    match->plan.messages.clear();
    for (auto [whose, index] : match->sets) {
      classes[whose].taken[index] = true;
      match->plan.messages.push_back(classes[whose].sets[index].event->op);
    }
    for (const PatternMatch &earlier : found)
      if (!mayFollow(matcher, earlier, *match))
        return std::nullopt;
    found.push_back(std::move(*match));
  }
  std::vector<CollectivePlan> plans;
  for (PatternMatch &match : found)
    plans.push_back(std::move(match.plan));
  if (!isRightAlone(graph, plans, obstacle))
    return std::nullopt;
  return plans;
}
