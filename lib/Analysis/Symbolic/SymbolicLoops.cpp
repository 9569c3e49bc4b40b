//===- SymbolicLoops.cpp - All iterations of a loop at once ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value that a loop carries to the next iteration is guessed from one iteration, as a closed form in the number of
// the iteration. It is then proved by induction: given the closed forms, one iteration computes those of the next one.
//
//===----------------------------------------------------------------------===//

#include "SymbolicExecutor.h"

using namespace mlir;
using namespace comm;
using LLVM::ICmpPredicate;

namespace {
/// Loops with at most this many iterations are executed one by one.
constexpr int64_t maxUnrolled = 16;
constexpr unsigned maxRounds = 6;
} // namespace

LogicalResult SymbolicExecutor::iterate(CFGLoop *loop, const State &state, ArrayRef<SymbolicValue> arguments,
                                        Walk &walk) {
  walk.loop = loop;
  State inside;
  inside.env = state.env;
  for (auto [argument, value] : llvm::zip(loop->getHeader()->getArguments(), arguments))
    inside.env[argument] = value;
  return explore(loop->getHeader(), std::move(inside), walk);
}

/// Returns how often control returns to the header, from the comparison of the exit branch; unknown if that is not
/// linear in the number of the iteration.
static Poly countIterations(Symbols &symbols, const SymbolicCompare &exit, bool continuesOnTrue, Atom iteration) {
  ICmpPredicate predicate = exit.predicate;
  Poly d = exit.difference;
  if (!continuesOnTrue) {
    switch (predicate) {
    case ICmpPredicate::eq:
      predicate = ICmpPredicate::ne;
      break;
    case ICmpPredicate::slt:
      predicate = ICmpPredicate::sge;
      break;
    case ICmpPredicate::sle:
      predicate = ICmpPredicate::sgt;
      break;
    case ICmpPredicate::sgt:
      predicate = ICmpPredicate::sle;
      break;
    case ICmpPredicate::sge:
      predicate = ICmpPredicate::slt;
      break;
    default:
      return Poly();
    }
  }
  std::optional<int64_t> step = d.getLinear(iteration);
  if (!step || std::abs(*step) != 1 || symbols.mentionsKind(d, Symbols::Kind::Phi))
    return Poly();
  // The loop continues while d < 0, and d grows by 1 in each iteration.
  if (*step == -1) {
    d = -d;
    if (predicate == ICmpPredicate::sgt)
      predicate = ICmpPredicate::slt;
    else if (predicate == ICmpPredicate::sge)
      predicate = ICmpPredicate::sle;
    else if (predicate != ICmpPredicate::ne)
      return Poly();
  }
  Poly start = d - Poly::of(iteration);
  if (symbols.mentionsKind(start, Symbols::Kind::Iteration))
    return Poly();
  Poly back;
  if (predicate == ICmpPredicate::slt || predicate == ICmpPredicate::ne)
    back = -start;
  else if (predicate == ICmpPredicate::sle)
    back = Poly(1) - start;
  return symbols.isNonNegative(back) ? back : Poly();
}

/// Returns a closed form for a value with the given initial value and values at the ends of the iterations, or unknown.
static SymbolicValue guess(Symbols &symbols, SymbolicEvaluator &values, const SymbolicValue &initial,
                           const SymbolicValue &phi, ArrayRef<SymbolicValue> ends, Atom iteration) {
  auto isPhiOf = [&](const SymbolicValue &value) { return value == phi; };
  if (llvm::all_of(ends, [&](const SymbolicValue &end) { return isPhiOf(end) || end == initial; }))
    return initial;
  const SymbolicValue &end = ends.front();
  if (!end || llvm::any_of(ends, [&](const SymbolicValue &other) { return !(other == end); }))
    return {};
  bool isAddress = phi.address.base != nullptr;
  const Poly &next = isAddress ? end.address.offset : end.integer;
  const Poly &first = isAddress ? initial.address.offset : initial.integer;
  const Poly &before = isAddress ? phi.address.offset : phi.integer;
  Poly t = Poly::of(iteration);
  auto varies = [&](const Poly &value) {
    return symbols.mentionsKind(value, Symbols::Kind::Phi) || symbols.mentionsKind(value, Symbols::Kind::Iteration);
  };
  SymbolicValue result = initial;
  Poly &form = isAddress ? result.address.offset : result.integer;
  if (isAddress && (end.address.base != phi.address.base || !initial.address.base))
    return {};
  // It grows by the same number in each iteration.
  if (Poly step = next - before; step && !varies(step)) {
    form = first + step * t;
    return result;
  }
  if (isAddress)
    return {};
  // The same, modulo the number of processes.
  for (const auto &[monomial, factor] : next.getTerms())
    if (next.getTerms().size() == 1 && monomial.size() == 1 && factor == 1 &&
        symbols.getKind(monomial.front()) == Symbols::Kind::Mod)
      if (Poly step = symbols.getModulo(monomial.front()) - before; step && !varies(step) && symbols.isRank(first)) {
        form = symbols.mod(first + step * t);
        return result;
      }
  // It is the value of another expression in the previous iteration.
  if (!symbols.mentionsKind(next, Symbols::Kind::Phi)) {
    if (symbols.substitute(next, iteration, Poly(-1)) == first) {
      form = symbols.substitute(next, iteration, t - Poly(1));
      return result;
    }
  }
  return {};
}

LogicalResult SymbolicExecutor::runLoop(CFGLoop *loop, State &state, Block *&block) {
  Block *header = loop->getHeader();
  Operation *at = header->getTerminator();
  SmallVector<SymbolicValue> initial, closed;
  for (Value argument : header->getArguments())
    initial.push_back(state.env.lookup(argument));
  closed.resize(initial.size());
  Atom iteration = symbols.addIteration();
  bool hasMessages = false;
  for (Block *each : loop->getBlocks())
    for (Operation &inner : *each)
      hasMessages |= isa<MPIOpInterface>(inner);
  Poly trips;
  bool wasLenient = isLenient;
  setLenient(true);
  for (unsigned round = 0; round < maxRounds; ++round) {
    SmallVector<SymbolicValue> arguments = closed;
    for (auto [i, argument] : llvm::enumerate(header->getArguments())) {
      if (closed[i])
        continue;
      if (isa<LLVM::LLVMPointerType>(argument.getType()))
        arguments[i].address = {argument, Poly(0)};
      else if (argument.getType().isInteger() && argument.getType().getIntOrFloatBitWidth() > 1)
        arguments[i].integer = symbols.addPhi(symbols.isRank(initial[i].integer));
    }
    Walk walk;
    if (failed(iterate(loop, state, arguments, walk)))
      return failure();
    bool changed = false;
    for (unsigned i = 0; i < closed.size(); ++i) {
      if (closed[i] || !arguments[i] || !initial[i])
        continue;
      SmallVector<SymbolicValue> ends;
      for (const State &end : walk.ends)
        ends.push_back(end.next[i]);
      if (!ends.empty())
        closed[i] = guess(symbols, values, initial[i], arguments[i], ends, iteration);
      changed |= bool(closed[i]);
    }
    if (!trips && walk.exit && !walk.exitDiffers) {
      Poly back = countIterations(symbols, *walk.exit, walk.continuesOnTrue, iteration);
      // A branch in the header comes before the iteration, any other after it.
      bool atHeader = walk.exitBlock == header && loop->getLoopLatch() != header;
      trips = atHeader ? back : back + Poly(1);
      symbols.setTrips(iteration, trips);
      changed |= bool(trips);
    }
    if (!changed)
      break;
  }
  setLenient(wasLenient);
  if (hasMessages && !trips && !isLenient)
    return fail(at, "the trip count of a loop in it is not known in terms of the size");
  return finishLoop(loop, iteration, trips, closed, state, block);
}

/// Executes the iterations again, proves that the closed forms are right, and records the events.
LogicalResult SymbolicExecutor::finishLoop(CFGLoop *loop, Atom iteration, const Poly &trips,
                                           ArrayRef<SymbolicValue> guessed, State &state, Block *&block) {
  Block *header = loop->getHeader(), *exiting = loop->getExitingBlock(), *exit = loop->getExitBlock();
  Operation *at = header->getTerminator();
  if (!exiting || !exit || !loop->getLoopLatch())
    return fail(at, "a loop in it has several exits");
  bool atHeader = exiting == header && loop->getLoopLatch() != header;
  if (!atHeader && exiting != loop->getLoopLatch())
    return fail(at, "a loop in it exits in the middle of its body");
  SmallVector<SymbolicValue> closed(guessed);
  Walk walk;
  // If one guess is wrong, the others are in doubt, too.
  for (bool isSure = false; !isSure;) {
    walk = Walk();
    if (failed(iterate(loop, state, closed, walk)))
      return failure();
    isSure = true;
    for (unsigned i = 0; i < closed.size(); ++i) {
      if (!closed[i])
        continue;
      SymbolicValue later = values.substitute(closed[i], iteration, Poly::of(iteration) + Poly(1));
      bool holds = values.substitute(closed[i], iteration, Poly(0)) == state.env.lookup(header->getArgument(i)) &&
                   llvm::all_of(walk.ends, [&](const State &end) { return end.next[i] == later; });
      if (!holds) {
        closed[i] = {};
        isSure = false;
      }
    }
  }
  if (trips) {
    Poly back =
        walk.exit && !walk.exitDiffers ? countIterations(symbols, *walk.exit, walk.continuesOnTrue, iteration) : Poly();
    if ((atHeader ? back : back + Poly(1)) != trips)
      return fail(at, "the trip count of a loop in it is not known in terms of the size");
  }

  bool hasEvents = llvm::any_of(walk.ends, [](const State &end) { return !end.events.empty(); });
  if (atHeader)
    for (Operation &op : *header)
      if (auto message = dyn_cast<MPIOpInterface>(op); (message && !message.isLocal()) || isa<LLVM::MemcpyOp>(op))
        return fail(&op, "a loop in it exits after a message");
  if (hasEvents) {
    std::optional<int64_t> constant = trips.getConstant();
    if (!trips)
      return fail(at, "the trip count of a loop in it is not known in terms of the size");
    if (constant && *constant <= maxUnrolled) {
      if (failed(unroll(loop, iteration, *constant, closed, state)))
        return failure();
    } else {
      int index = result.loops.size();
      result.loops.push_back({iteration, trips});
      // An operation that is on all paths through the loop is unconditional. Events keep their program order: one on a
      // single path comes before the next operation that this path shares with the others.
      std::vector<SymbolicEvent> merged;
      for (size_t way = 0; way < walk.ends.size(); ++way) {
        size_t position = 0;
        for (SymbolicEvent &event : walk.ends[way].events) {
          if (event.loop >= 0)
            return fail(event.op, "it is in a nested loop");
          auto isSame = [&](const SymbolicEvent &other) {
            return other.op == event.op && other.buffer == event.buffer && other.count == event.count &&
                   (event.kind == SymbolicEvent::Kind::Copy ? other.source == event.source
                                                            : other.peer == event.peer && other.tag == event.tag);
          };
          bool everywhere = llvm::all_of(walk.ends, [&](const State &end) { return llvm::any_of(end.events, isSame); });
          if (everywhere && way > 0) {
            position = llvm::find_if(merged, isSame) - merged.begin() + 1;
            continue;
          }
          event.loop = index;
          if (everywhere)
            event.conditions.clear();
          merged.insert(merged.begin() + position++, event);
        }
      }
      addEvents(merged, state);
    }
  }

  // After the loop: what all paths agree on, as of the last iteration.
  Poly last = trips ? (atHeader ? trips : trips - Poly(1)) : Poly();
  auto asOfLast = [&](const SymbolicValue &value) {
    return value && last ? values.substitute(value, iteration, last) : SymbolicValue();
  };
  State &end = walk.ends.front();
  for (Block *each : loop->getBlocks()) {
    auto note = [&](Value value) {
      SymbolicValue known = end.env.lookup(value);
      for (const State &other : walk.ends)
        if (auto it = other.env.find(value); it == other.env.end() || !(it->second == known))
          known = {};
      if (atHeader && each != header)
        known = {};
      state.env[value] = asOfLast(known);
    };
    llvm::for_each(each->getArguments(), note);
    for (Operation &op : *each)
      llvm::for_each(op.getResults(), note);
  }
  Operation *terminator = exiting->getTerminator();
  unsigned index = terminator->getSuccessor(0) == exit ? 0 : 1;
  SmallVector<SymbolicValue> arguments;
  enter(terminator, index, state, arguments);
  for (auto [argument, value] : llvm::zip(exit->getArguments(), arguments))
    state.env[argument] = value;
  block = exit;
  return success();
}

LogicalResult SymbolicExecutor::unroll(CFGLoop *loop, Atom iteration, int64_t trips, ArrayRef<SymbolicValue> closed,
                                       State &state) {
  for (int64_t i = 0; i < trips; ++i) {
    SmallVector<SymbolicValue> arguments;
    for (const SymbolicValue &value : closed)
      arguments.push_back(value ? values.substitute(value, iteration, Poly(i)) : value);
    Walk walk;
    if (failed(iterate(loop, state, arguments, walk)))
      return failure();
    if (walk.ends.size() != 1)
      return fail(loop->getHeader()->getTerminator(), "a condition in it is not known in terms of rank and size");
    addEvents(walk.ends.front().events, state);
  }
  return success();
}

/// Events in a loop are subject to the conditions around the loop.
void SymbolicExecutor::addEvents(ArrayRef<SymbolicEvent> events, State &state) {
  for (SymbolicEvent event : events) {
    SmallVector<SymbolicCondition, 1> conditions = state.conditions;
    conditions.append(event.conditions);
    event.conditions = std::move(conditions);
    state.events.push_back(std::move(event));
  }
}
