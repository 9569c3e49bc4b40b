//===- FilledSlots.cpp - Which writers filled the slots of a wait ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilledSlots.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace comm;

/// Limits on the names of one number and on the rounds of the analysis.
static constexpr size_t kMostNames = 32;
static constexpr unsigned kMostRounds = 32;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

SlotNumber::SlotNumber(LinearIndex index) : first(index.symbol), constant(index.constant) {
  Operation *op = first ? first.getDefiningOp() : nullptr;
  auto isExact = [](LLVM::IntegerOverflowFlags flags) {
    return bitEnumContainsAll(flags, LLVM::IntegerOverflowFlags::nsw);
  };
  auto set = [&](LinearIndex a, LinearIndex b) {
    if (!a.symbol || !b.symbol)
      return;
    first = a.symbol, second = b.symbol;
    constant += a.constant + b.constant;
  };
  if (auto sum = dyn_cast_or_null<LLVM::AddOp>(op); sum && isExact(sum.getOverflowFlags())) {
    set(getLinearIndex(sum.getLhs()), getLinearIndex(sum.getRhs()));
  } else if (auto shift = dyn_cast_or_null<LLVM::ShlOp>(op);
             shift && isExact(shift.getOverflowFlags()) && getConstantInteger(shift.getRhs()) == 1) {
    set(getLinearIndex(shift.getLhs()), getLinearIndex(shift.getLhs()));
  } else if (auto product = dyn_cast_or_null<LLVM::MulOp>(op);
             product && isExact(product.getOverflowFlags()) && getConstantInteger(product.getRhs()) == 2) {
    set(getLinearIndex(product.getLhs()), getLinearIndex(product.getLhs()));
  }
}

bool SlotNumber::operator==(const SlotNumber &other) const {
  return constant == other.constant &&
         ((first == other.first && second == other.second) || (first == other.second && second == other.first));
}

std::optional<SlotNumber> SlotNumber::minus(const SlotNumber &other, SameValue areSame) const {
  SlotNumber result = *this;
  result.constant -= other.constant;
  for (Value value : {other.first, other.second}) {
    auto isIt = [&](Value mine) { return mine && (mine == value || areSame(mine, value)); };
    if (!value)
      continue;
    if (isIt(result.second))
      result.second = nullptr;
    else if (isIt(result.first))
      result.first = std::exchange(result.second, nullptr);
    else
      return std::nullopt;
  }
  return result;
}

std::optional<SlotNumber> SlotNumber::plus(const SlotNumber &other) const {
  SlotNumber result = *this;
  result.constant += other.constant;
  for (Value value : {other.first, other.second}) {
    if (!value)
      continue;
    if (result.second)
      return std::nullopt;
    (result.first ? result.second : result.first) = value;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

void FilledSlots::State::fillTo(SlotNumber end) {
  while (filled.size() < kMostNames && !isFilledTo(end)) {
    filled.push_back(end);
    if (!end.isConstant() || !slots.count(end.constant))
      return;
    end = end + 1;
  }
}

void FilledSlots::State::reset(const SlotNumber &first) {
  isReached = true;
  filled.assign({first});
  slots.clear();
  writers.clear();
}

/// Returns true if all slots before `end` are filled, by one of its names or another equal value.
bool FilledSlots::isFilledTo(const State &state, const SlotNumber &end) const {
  auto isSame = [&](Value a, Value b) { return a == b || (a && b && areSame(a, b)); };
  return state.isFilledTo(end) || llvm::any_of(state.filled, [&](const SlotNumber &name) {
           return name.constant == end.constant && isSame(name.first, end.first) && isSame(name.second, end.second);
         });
}

void FilledSlots::join(State &state, const State &other) const {
  if (!other.isReached)
    return;
  if (!state.isReached) {
    state = other;
    return;
  }
  llvm::erase_if(state.filled, [&](const SlotNumber &name) { return !isFilledTo(other, name); });
  for (auto it = state.slots.begin(); it != state.slots.end();)
    it = other.slots.count(*it) ? std::next(it) : state.slots.erase(it);
  state.writers.insert_range(other.writers);
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

FilledSlots::FilledSlots(Region &region, DominanceInfo &dominance, CFGLoopInfo &loops, const SlotUses &uses,
                         SameValue areSame)
    : dominance(dominance), loops(loops), uses(uses), areSame(areSame) {
  llvm::ReversePostOrderTraversal<Block *> traversal(&region.front());
  order.assign(traversal.begin(), traversal.end());
}

void FilledSlots::transfer(Operation &op, State &state) {
  if (auto it = uses.writers.find(&op); it != uses.writers.end()) {
    const SlotNumber &slot = it->second;
    if (slot.isConstant())
      state.slots.insert(slot.constant);
    if (isFilledTo(state, slot))
      state.fillTo(slot + 1);
    state.writers.insert(&op);
    return;
  }
  auto it = uses.waits.find(&op);
  if (it != uses.waits.end() && !(it->second && it->second->isApartFrom(wanted)))
    state.reset(wanted.first);
}

/// Adds what the condition of a branch implies if control takes that successor.
void FilledSlots::addBranchFacts(Block *from, unsigned successor, State &state) {
  std::optional<KnownCondition> asked = getAsked(from, successor);
  auto compare = asked ? asked->value.getDefiningOp<LLVM::ICmpOp>() : LLVM::ICmpOp();
  if (!compare || !compare.getLhs().getType().isIntOrIndex())
    return;
  SlotNumber a = getLinearIndex(compare.getLhs()), b = getLinearIndex(compare.getRhs());
  bool isTrue = asked->isTrue;
  // Slots before a number are filled if those before another one are that is at least as large, or if it is not beyond
  // the first slot, since then there are none.
  auto addAtMost = [&](const SlotNumber &small, const SlotNumber &large) {
    for (size_t i = 0; i < state.filled.size(); ++i)
      if (std::optional<SlotNumber> rest = state.filled[i].minus(large, areSame))
        if (std::optional<SlotNumber> filled = small.plus(*rest))
          state.fillTo(*filled);
  };
  using Kind = LLVM::ICmpPredicate;
  Kind kind = compare.getPredicate();
  auto isOne = [&](Kind ifTrue, Kind ifFalse) { return (kind == ifTrue && isTrue) || (kind == ifFalse && !isTrue); };
  if (isOne(Kind::eq, Kind::ne)) {
    addAtMost(a, b);
    addAtMost(b, a);
  } else if (isOne(Kind::sle, Kind::sgt) || (isOne(Kind::ule, Kind::ugt) && isNonNegative(compare.getRhs()))) {
    addAtMost(a, b);
  } else if (isOne(Kind::slt, Kind::sge) || (isOne(Kind::ult, Kind::uge) && isNonNegative(compare.getRhs()))) {
    addAtMost(a + 1, b);
  } else if (isOne(Kind::sge, Kind::slt) || (isOne(Kind::uge, Kind::ult) && isNonNegative(compare.getLhs()))) {
    addAtMost(b, a);
  } else if (isOne(Kind::sgt, Kind::sle) || (isOne(Kind::ugt, Kind::ule) && isNonNegative(compare.getLhs()))) {
    addAtMost(b + 1, a);
  }
}

/// Returns true if the condition of the wait is false on that edge. It is evaluated once per iteration of the loop
/// around the wait.
bool FilledSlots::isContradicted(Block *from, unsigned successor) {
  std::optional<KnownCondition> asked = guard.value ? getAsked(from, successor) : std::nullopt;
  CFGLoop *loop = loops.getLoopFor(from);
  return asked && asked->isTrue != guard.isTrue && (!loop || loop->contains(wait->getBlock())) &&
         (asked->value == guard.value || areSame(asked->value, guard.value));
}

/// Returns the state on the edge from that block to its successor.
FilledSlots::State FilledSlots::takeEdge(Block *from, unsigned successor) {
  State state = out.lookup(from);
  if (!state.isReached || isContradicted(from, successor))
    return State();
  Block *to = from->getSuccessor(successor);
  addBranchFacts(from, successor, state);
  SmallVector<SlotNumber, 4> before = std::move(state.filled);
  state.filled.clear();
  // A value that is computed again there, or not on each path to it, may change, and so may the numbers named by it. An
  // argument of the block that receives the value replaces it. Pairs of the remaining old part of a name and the new
  // part:
  SmallVector<std::pair<SlotNumber, SlotNumber>> names;
  for (const SlotNumber &name : before)
    names.push_back({name, {}});
  auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
  for (auto [i, argument] : llvm::enumerate(to->getArguments())) {
    Value passed = branch ? branch.getSuccessorOperands(successor)[i] : Value();
    if (!passed || !passed.getType().isIntOrIndex())
      continue;
    SlotNumber number = getLinearIndex(passed);
    for (size_t at = 0; at < names.size() && names.size() < kMostNames; ++at) {
      auto [old, replaced] = names[at];
      std::optional<SlotNumber> rest = old.minus(number, areSame), more = replaced.plus(LinearIndex{argument, 0});
      bool isUseful =
          rest && more &&
          (!number.isConstant() || llvm::none_of(ArrayRef{replaced.first, replaced.second},
                                                 [&, argument = argument](Value value) { return value == argument; }));
      if (isUseful)
        names.push_back({*rest, *more});
    }
  }
  auto isStill = [&](Value value) { return !value || dominance.properlyDominates(value.getParentBlock(), to); };
  for (const auto &[old, replaced] : names)
    if (isStill(old.first) && isStill(old.second))
      if (std::optional<SlotNumber> name = old.plus(replaced))
        state.fillTo(*name);
  return state;
}

FilledSlots::State FilledSlots::getIncoming(Block *block) {
  State state;
  // Consider a single iteration of each loop around the wait.
  CFGLoop *loop = loops.getLoopFor(block);
  bool isAround = loop && loop->getHeader() == block && loop->contains(wait->getBlock());
  if (block->isEntryBlock() || isAround) {
    state.reset(wanted.first);
    return state;
  }
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
    join(state, takeEdge(*it, it.getSuccessorIndex()));
  return state;
}

llvm::SmallSetVector<Operation *, 8> FilledSlots::findWriters(Operation *op, const SlotRange &slots,
                                                              const KnownCondition &condition) {
  wait = op;
  wanted = slots;
  guard = condition;
  out.clear();
  State atWait;
  for (unsigned round = 0;; ++round) {
    bool changed = false;
    for (Block *block : order) {
      State state = getIncoming(block);
      for (Operation &inner : *block) {
        if (&inner == wait)
          atWait = state;
        transfer(inner, state);
      }
      State &known = out[block];
      auto isEqual = [&]() {
        return known.isReached == state.isReached && known.slots == state.slots &&
               known.writers.size() == state.writers.size() && known.filled.size() == state.filled.size() &&
               llvm::all_of(known.filled, [&](const SlotNumber &name) { return state.isFilledTo(name); });
      };
      if (isEqual())
        continue;
      changed = true;
      known = std::move(state);
    }
    if (!changed)
      break;
    if (round == kMostRounds)
      return {};
  }
  if (!atWait.isReached || !isFilledTo(atWait, slots.end))
    return {};
  return atWait.writers;
}
