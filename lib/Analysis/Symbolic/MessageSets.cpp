//===- MessageSets.cpp - Sets of messages between processes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/MessageSets.h"

using namespace comm;

Poly comm::getSelf(const ProcessClass &processes) {
  for (const ProcessClass::Member &member : processes.members)
    if (member.isEqual)
      return member.process;
  return Poly::of(Symbols::rank);
}

namespace {
/// The relation between the iterations of a loop and the peers.
struct PeerRange {
  /// The process that has no iteration; unknown if there is none.
  Poly missing;
  bool isComplete = false;
  /// The iteration of a given peer.
  Poly iteration;
};
} // namespace

/// Returns the range if the peers of the iterations are all processes, or all but one, each once.
static std::optional<PeerRange> getPeerRange(Symbols &symbols, const SymbolicLoop &loop, const Poly &peer) {
  Poly size = Poly::of(Symbols::size), t = Poly::of(loop.iteration), q = Poly::of(Symbols::peer);
  bool misses = loop.trips == size - Poly(1);
  if (!misses && loop.trips != size)
    return std::nullopt;
  PeerRange range;
  range.isComplete = !misses;
  std::optional<int64_t> step = peer.getLinear(loop.iteration);
  if (step && std::abs(*step) == 1) {
    // a, a + 1, ..., or descending.
    Poly start = peer - Poly(*step) * t;
    bool varies = false;
    symbols.forEachAtom(start, [&](Atom atom) { varies |= atom == loop.iteration; });
    Poly least = *step == 1 ? start : start - loop.trips + Poly(1);
    if (varies || !(least.isZero() || (misses && least == Poly(1))))
      return std::nullopt;
    if (misses)
      range.missing = least.isZero() ? size - Poly(1) : Poly(0);
    range.iteration = Poly(*step) * (q - start);
    return range;
  }
  // (a + t) mod P.
  if (peer.getTerms().size() != 1)
    return std::nullopt;
  const auto &[monomial, factor] = *peer.getTerms().begin();
  if (factor != 1 || monomial.size() != 1 || symbols.getKind(monomial.front()) != Symbols::Kind::Mod)
    return std::nullopt;
  Poly inner = symbols.getModulo(monomial.front());
  step = inner.getLinear(loop.iteration);
  if (!step || std::abs(*step) != 1)
    return std::nullopt;
  Poly start = inner - Poly(*step) * t;
  if (symbols.mentionsKind(start, Symbols::Kind::Iteration))
    return std::nullopt;
  if (misses)
    range.missing = symbols.mod(start - Poly(*step));
  range.iteration = symbols.mod(Poly(*step) * (q - start));
  return range;
}

/// Returns the peer of the iteration that the condition selects.
static Poly getPeerOf(Symbols &symbols, const SymbolicLoop &loop, const Poly &peer, const Poly &difference) {
  std::optional<int64_t> step = difference.getLinear(loop.iteration);
  if (!step || std::abs(*step) != 1)
    return Poly();
  Poly rest = difference - Poly(*step) * Poly::of(loop.iteration);
  if (symbols.mentionsKind(rest, Symbols::Kind::Iteration))
    return Poly();
  Poly iteration = Poly(-*step) * rest, at = symbols.substitute(peer, loop.iteration, iteration);
  return symbols.isRank(iteration) && symbols.isRank(at) ? at : Poly();
}

std::optional<MessageSet> comm::describeMessages(SymbolicGraph &graph, const ProcessClass &processes,
                                                 const SymbolicEvent &event, Obstacle &obstacle) {
  auto fail = [&](const char *reason) -> std::optional<MessageSet> {
    obstacle = {event.op, reason};
    return std::nullopt;
  };
  Symbols &symbols = graph.symbols;
  MessageSet set;
  set.event = &event;
  set.peer = event.peer;
  set.buffer = event.buffer;
  set.count = event.count;
  set.tag = event.tag;
  if (event.loop < 0)
    return event.conditions.empty() ? std::optional<MessageSet>(set) : fail("whether it happens depends on a loop");
  const SymbolicLoop &loop = processes.loops[event.loop];
  if (!symbols.mentionsKind(event.peer, Symbols::Kind::Iteration)) {
    if (!event.conditions.empty())
      return fail("whether it happens depends on the iteration");
    set.peers = MessageSet::Peers::Steps;
    set.iteration = loop.iteration;
    set.trips = loop.trips;
    return set;
  }
  std::optional<PeerRange> range = getPeerRange(symbols, loop, event.peer);
  if (!range)
    return fail("its loop does not visit every process exactly once");
  Poly self = getSelf(processes), leftOut = range->missing;
  for (const SymbolicCondition &condition : event.conditions) {
    Poly peer = getPeerOf(symbols, loop, event.peer, condition.difference);
    if (condition.isZero || !peer || (leftOut && leftOut != peer))
      return fail("whether it happens depends on the iteration");
    leftOut = peer;
  }
  if (leftOut && leftOut != self)
    return fail("its loop leaves out a process other than its own");
  if (!leftOut && !range->isComplete)
    return fail("its loop does not visit every process exactly once");
  set.peers = leftOut ? MessageSet::Peers::Others : MessageSet::Peers::All;
  for (Poly *value : {&set.buffer.offset, &set.count, &set.tag})
    *value = symbols.substitute(*value, loop.iteration, range->iteration);
  set.peer = Poly::of(Symbols::peer);
  return set;
}

std::optional<OwnCopy> comm::describeCopy(SymbolicGraph &graph, const ProcessClass &processes,
                                          const SymbolicEvent &event) {
  OwnCopy copy{event.buffer, event.source, event.count};
  if (!copy.target.base || !copy.source.base || !copy.bytes)
    return std::nullopt;
  if (event.loop < 0)
    return event.conditions.empty() ? std::optional<OwnCopy>(copy) : std::nullopt;
  // It happens once, in the iteration for its own block.
  const SymbolicLoop &loop = processes.loops[event.loop];
  if (event.conditions.size() != 1 || !event.conditions.front().isZero)
    return std::nullopt;
  Poly at = getPeerOf(graph.symbols, loop, Poly::of(loop.iteration), event.conditions.front().difference);
  if (!at || !graph.symbols.isNonNegative(loop.trips - Poly(1) - at))
    return std::nullopt;
  for (Poly *value : {&copy.target.offset, &copy.source.offset, &copy.bytes})
    *value = graph.symbols.substitute(*value, loop.iteration, at);
  return copy;
}
