//===- Folds.cpp - Values that iterations accumulate ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/Folds.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm;

SmallPtrSet<Block *, 16> comm::findLoopBlocks(Block *header, Block *latch) {
  SmallPtrSet<Block *, 16> blocks{header};
  SmallVector<Block *> work;
  if (latch && blocks.insert(latch).second)
    work.push_back(latch);
  while (!work.empty())
    for (Block *before : work.pop_back_val()->getPredecessors())
      if (blocks.insert(before).second)
        work.push_back(before);
  return blocks;
}

SmallVector<Block *> comm::listLoopBlocks(Block *header, Block *latch) {
  SmallPtrSet<Block *, 16> inside = findLoopBlocks(header, latch);
  return llvm::map_to_vector(
      llvm::make_filter_range(*header->getParent(), [&](Block &block) { return inside.contains(&block); }),
      [](Block &block) { return &block; });
}

/// Returns the value that the edge passes for the argument, or null.
static Value getHandedOver(BlockOperand &edge, unsigned argument) {
  auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
  return branch ? branch.getSuccessorOperands(edge.getOperandNumber())[argument] : Value();
}

Value comm::getNext(Block *latch, BlockArgument argument) {
  for (BlockOperand &edge : argument.getOwner()->getUses())
    if (edge.getOwner()->getBlock() == latch)
      return getHandedOver(edge, argument.getArgNumber());
  return {};
}

Value comm::getInitial(Block *latch, BlockArgument argument) {
  Value initial;
  for (BlockOperand &edge : argument.getOwner()->getUses()) {
    if (edge.getOwner()->getBlock() == latch)
      continue;
    if (initial)
      return {};
    initial = getHandedOver(edge, argument.getArgNumber());
  }
  return initial;
}

LLVM::BrOp comm::findEntry(Block *header, Block *latch) {
  LLVM::BrOp entry;
  for (BlockOperand &edge : header->getUses()) {
    if (edge.getOwner()->getBlock() == latch)
      continue;
    auto branch = dyn_cast<LLVM::BrOp>(edge.getOwner());
    if (!branch || entry)
      return {};
    entry = branch;
  }
  return entry;
}

//===----------------------------------------------------------------------===//
// Floating-point minima and maxima
//===----------------------------------------------------------------------===//

static LLVM::FastmathFlags getFastmathFlags(Operation *op) {
  auto flags = dyn_cast_or_null<LLVM::FastmathFlagsInterface>(op);
  auto attribute =
      flags ? dyn_cast_or_null<LLVM::FastmathFlagsAttr>(flags.getFastmathAttr()) : LLVM::FastmathFlagsAttr();
  return attribute ? attribute.getValue() : LLVM::FastmathFlags::none;
}

static bool hasFastmathFlag(Operation *op, LLVM::FastmathFlags flag) {
  return bitEnumContainsAll(getFastmathFlags(op), flag);
}

static bool mayReassociate(Operation *op) { return hasFastmathFlag(op, LLVM::FastmathFlags::reassoc); }

static constexpr unsigned kMostDepth = 6;

/// Returns true if the value is neither negative nor -0, however it is rounded or flushed. It may be NaN.
static bool isPositive(Value value, unsigned depth = kMostDepth) {
  llvm::APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return !number.isNegative();
  Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return false;
  auto isPositiveOperand = [&](unsigned operand) { return isPositive(op->getOperand(operand), depth - 1); };
  bool isSquare = op->getNumOperands() >= 2 && op->getOperand(0) == op->getOperand(1);
  if (isa<LLVM::FAbsOp, LLVM::UIToFPOp>(op) || (isa<LLVM::FMulOp>(op) && isSquare))
    return true;
  if (isa<LLVM::FMulAddOp, LLVM::FMAOp>(op))
    return isSquare && isPositiveOperand(2);
  if (isa<LLVM::FAddOp>(op))
    return isPositiveOperand(0) && isPositiveOperand(1);
  return isa<LLVM::SqrtOp, LLVM::FPExtOp, LLVM::FPTruncOp>(op) && isPositiveOperand(0);
}

/// Returns true if the value is never -0: zero has one representation.
static bool hasOneZero(Value value) { return isPositive(value) || value.getDefiningOp<LLVM::SIToFPOp>(); }

/// Returns true if the value is not a signaling NaN, since arithmetic computes it.
static bool isQuiet(Value value, unsigned depth = kMostDepth) {
  Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return false;
  if (isa<LLVM::FAbsOp, LLVM::FNegOp>(op))
    return isQuiet(op->getOperand(0), depth - 1);
  return isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp, LLVM::FMulAddOp, LLVM::SqrtOp, LLVM::SIToFPOp,
             LLVM::UIToFPOp, LLVM::FPExtOp, LLVM::FPTruncOp>(op);
}

using Kind = FoldKind;

namespace {
/// The relations of two numbers that satisfy a comparison.
struct Truths {
  bool less, equal, greater, unordered;
};
} // namespace

static Truths getTruths(LLVM::FCmpPredicate predicate) {
  using P = LLVM::FCmpPredicate;
  auto isOneOf = [&](std::initializer_list<P> all) { return llvm::is_contained(all, predicate); };
  return {isOneOf({P::olt, P::ole, P::one, P::ord, P::ult, P::ule, P::une, P::_true}),
          isOneOf({P::oeq, P::ole, P::oge, P::ord, P::ueq, P::ule, P::uge, P::_true}),
          isOneOf({P::ogt, P::oge, P::one, P::ord, P::ugt, P::uge, P::une, P::_true}),
          isOneOf({P::uno, P::ueq, P::une, P::ult, P::ule, P::ugt, P::uge, P::_true})};
}

namespace {
/// How a minimum or maximum chooses between the old value and another one.
struct Choice {
  Kind kind = Kind::None;
  bool takesEqual = false, takesNaN = false;
  /// Zero may have two representations.
  bool hasTwoZeros = false;

  bool choosesAs(const Choice &other) const {
    return kind == other.kind && takesEqual == other.takesEqual && takesNaN == other.takesNaN;
  }
};
} // namespace

/// Recognizes `select(x > old, x, old)` and equivalent forms, and likewise minima. If a NaN is never taken and equal
/// numbers have equal bits (zero may have two representations), the result is the initial value or the largest of all
/// larger ones, in any order. Otherwise the order matters. `anyOrder`: assume that there are no NaNs.
static Choice classifyChoice(LLVM::SelectOp select, Value old, Value initial, bool anyOrder) {
  auto compare = select.getCondition().getDefiningOp<LLVM::FCmpOp>();
  if (!compare)
    return {};
  bool isOldFirst = compare.getLhs() == old;
  Value other = isOldFirst ? compare.getRhs() : compare.getLhs();
  bool takesOldIfTrue = select.getTrueValue() == old;
  Value taken = takesOldIfTrue ? select.getFalseValue() : select.getTrueValue();
  if ((!isOldFirst && compare.getRhs() != old) || (!takesOldIfTrue && select.getFalseValue() != old) || other == old ||
      taken != other)
    return {};
  Truths takes = getTruths(compare.getPredicate());
  if (takesOldIfTrue)
    takes = {!takes.less, !takes.equal, !takes.greater, !takes.unordered};
  if (isOldFirst)
    std::swap(takes.less, takes.greater);
  // Now `takes` tells whether the other value is taken if it is less than the old one, and so on.
  if (takes.less == takes.greater)
    return {};
  bool areNumbers = anyOrder || hasFastmathFlag(compare, LLVM::FastmathFlags::nnan);
  // Zero is not larger than an initial value that is not negative.
  llvm::APFloat number(0.0);
  bool neverTakesZero = takes.greater && !takes.equal && matchPattern(initial, m_ConstantFloat(&number)) &&
                        !number.isNaN() && !number.isNegative();
  bool mayHaveTwoZeros = !neverTakesZero && !hasOneZero(other);
  bool takesNaN = takes.unordered && !areNumbers;
  return {takes.greater ? Kind::FPMax : Kind::FPMin, takes.equal, takesNaN, mayHaveTwoZeros};
}

/// Classifies maxnum and minnum, which prefer numbers to NaNs but leave open which of two zeros or two NaNs they
/// return.
static Kind classifyExtreme(Operation *op, Value old, Value initial) {
  Value other = op->getOperand(0) == old ? op->getOperand(1) : op->getOperand(0);
  llvm::APFloat number(0.0);
  if (!matchPattern(initial, m_ConstantFloat(&number)) || number.isNaN() || number.isNegZero() || !hasOneZero(other) ||
      !isQuiet(other))
    return Kind::None;
  return isa<LLVM::MaxNumOp>(op) ? Kind::FPMax : Kind::FPMin;
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

/// Returns how the operation adds to the old value, or None if it does something else or uses that value more than
/// once.
static Kind classify(Operation *op, Value old, Value initial, bool anyOrder) {
  if (llvm::count(op->getOperands(), old) != 1 || op->getNumResults() != 1)
    return Kind::None;
  if (isa<LLVM::AddOp>(op) || (isa<LLVM::SubOp>(op) && op->getOperand(0) == old))
    return Kind::Sum;
  if (isa<LLVM::MulOp>(op))
    return Kind::Product;
  if (isa<LLVM::AndOp>(op))
    return Kind::And;
  if (isa<LLVM::OrOp>(op))
    return Kind::Or;
  if (isa<LLVM::XOrOp>(op))
    return Kind::Xor;
  if (isa<LLVM::SMaxOp>(op))
    return Kind::SMax;
  if (isa<LLVM::SMinOp>(op))
    return Kind::SMin;
  if (isa<LLVM::UMaxOp>(op))
    return Kind::UMax;
  if (isa<LLVM::UMinOp>(op))
    return Kind::UMin;
  if (isa<LLVM::MaxNumOp, LLVM::MinNumOp>(op))
    return classifyExtreme(op, old, initial);
  if (!anyOrder && !mayReassociate(op))
    return Kind::None;
  if (isa<LLVM::FAddOp>(op) || (isa<LLVM::FSubOp>(op) && op->getOperand(0) == old) ||
      (isa<LLVM::FMulAddOp, LLVM::FMAOp>(op) && op->getOperand(2) == old))
    return Kind::FPSum;
  return isa<LLVM::FMulOp>(op) ? Kind::FPProduct : Kind::None;
}

namespace {
class FoldFinder {
public:
  FoldFinder(BlockArgument argument, ArrayRef<FootprintAnalysis::Loop> loops, bool anyOrder)
      : loops(loops), anyOrder(anyOrder) {
    for (const FootprintAnalysis::Loop &loop : loops)
      blocks.push_back(findLoopBlocks(loop.header, loop.latch));
    fold.argument = argument;
    fold.initial = getInitial(loops.front().latch, argument);
  }
  std::optional<Fold> find();

private:
  bool follow(Value value);
  bool followUse(OpOperand &use);
  bool add(Operation *op, Kind found);
  bool choose(LLVM::SelectOp select, const Choice &choice);
  bool set(Value constant, Block *block);
  bool comesFromItself(BlockArgument argument);
  bool leavesAsTotal(Value value);

  ArrayRef<FootprintAnalysis::Loop> loops;
  bool anyOrder;
  SmallVector<SmallPtrSet<Block *, 16>> blocks;
  Fold fold;
  SmallVector<Value> work;
  SmallVector<LLVM::SelectOp> merges;
  SmallVector<Choice> choices;
};
} // namespace

bool FoldFinder::add(Operation *op, Kind found) {
  // Code around the loop whose iterations are distributed is executed twice, so it must not add anything.
  if (found == Kind::None || (fold.kind != Kind::None && fold.kind != found) || !blocks.back().contains(op->getBlock()))
    return false;
  fold.kind = found;
  fold.updates.push_back(op);
  return follow(op->getResult(0));
}

bool FoldFinder::choose(LLVM::SelectOp select, const Choice &choice) {
  choices.push_back(choice);
  fold.takesEqual |= choice.takesEqual;
  fold.takesNaN |= choice.takesNaN;
  fold.isOrdered |= choice.takesNaN || choice.hasTwoZeros;
  return add(select, choice.kind);
}

/// Records that the fold is set to this constant in the block. Returns false if it is not a constant or does not fit.
bool FoldFinder::set(Value constant, Block *block) {
  llvm::APInt number;
  bool isSet = fold.kind == Kind::Set;
  if (!matchPattern(constant, m_ConstantInt(&number)) || (fold.kind != Kind::None && !isSet) ||
      (isSet && fold.constant != number) || !blocks.back().contains(block))
    return false;
  fold.kind = Kind::Set;
  fold.constant = number;
  return true;
}

bool FoldFinder::follow(Value value) {
  if (fold.values.insert(value).second)
    work.push_back(value);
  return true;
}

bool FoldFinder::followUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!blocks.front().contains(op->getBlock()))
    return true;
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
    bool staysInside = argument && blocks.front().contains(argument->getOwner());
    return argument && (!staysInside || *argument == fold.argument || follow(*argument));
  }
  // A comparison may only be used to choose.
  if (isa<LLVM::FCmpOp>(op))
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      auto select = dyn_cast<LLVM::SelectOp>(user);
      return select && select.getCondition() == op->getResult(0) &&
             classifyChoice(select, use.get(), fold.initial, anyOrder).kind != Kind::None;
    });
  if (auto select = dyn_cast<LLVM::SelectOp>(op)) {
    if (select.getCondition() == use.get())
      return false;
    if (Choice choice = classifyChoice(select, use.get(), fold.initial, anyOrder); choice.kind != Kind::None)
      return fold.values.contains(select.getRes()) || choose(select, choice);
    Value other = select.getTrueValue() == use.get() ? select.getFalseValue() : select.getTrueValue();
    if (!set(other, op->getBlock()))
      merges.push_back(select);
    return follow(select.getRes());
  }
  return add(op, classify(op, use.get(), fold.initial, anyOrder));
}

/// Returns true if the argument gets a value of the fold or the constant that it is set to on all edges.
bool FoldFinder::comesFromItself(BlockArgument argument) {
  return llvm::all_of(argument.getOwner()->getUses(), [&](BlockOperand &edge) {
    Value value = getHandedOver(edge, argument.getArgNumber());
    return value && (fold.values.contains(value) || set(value, edge.getOwner()->getBlock()));
  });
}

/// Returns true if the value, wherever it leaves a loop, is what the last iteration would pass to the next one.
bool FoldFinder::leavesAsTotal(Value value) {
  for (size_t level = 0; level < loops.size(); ++level) {
    const FootprintAnalysis::Loop &loop = loops[level];
    const SmallPtrSet<Block *, 16> &inside = blocks[level];
    if (!inside.contains(value.getParentBlock()))
      continue;
    bool leaves = llvm::any_of(value.getUses(), [&](OpOperand &use) {
      if (!inside.contains(use.getOwner()->getBlock()))
        return true;
      auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
      auto argument = branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
      return argument && !inside.contains(argument->getOwner());
    });
    bool isTotal = llvm::any_of(loop.header->getArguments(), [&](BlockArgument argument) {
      return fold.values.contains(argument) && getNext(loop.latch, argument) == value;
    });
    if (leaves && !isTotal)
      return false;
  }
  return true;
}

std::optional<Fold> FoldFinder::find() {
  if (!fold.initial)
    return std::nullopt;
  follow(fold.argument);
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses())
      if (!followUse(use))
        return std::nullopt;
  // One argument in each loop, so that there is one total.
  for (const FootprintAnalysis::Loop &loop : loops)
    if (llvm::count_if(loop.header->getArguments(), [&](Value value) { return fold.values.contains(value); }) != 1)
      return std::nullopt;
  Value next = getNext(loops.front().latch, fold.argument);
  if (!next || !fold.values.contains(next))
    return std::nullopt;
  for (Value value : fold.values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if ((argument && argument != fold.argument && !comesFromItself(argument)) || !leavesAsTotal(value))
      return std::nullopt;
  }
  if (fold.kind == Kind::None)
    return std::nullopt;
  // All updates of an ordered fold choose alike, since one rule combines its parts.
  auto choosesAlike = [&](const Choice &choice) { return choice.choosesAs(choices.front()); };
  if (fold.isOrdered && (choices.size() != fold.updates.size() || !llvm::all_of(choices, choosesAlike)))
    return std::nullopt;
  // The parts of a nest are not consecutive.
  if (fold.isOrdered && loops.size() > 1) {
    if (llvm::any_of(choices, [](const Choice &choice) { return choice.hasTwoZeros; }))
      return std::nullopt;
    fold.isOrdered = false;
    fold.isRepeated = true;
  }
  // Each update uses the fold once, and what it adds does not depend on the fold.
  for (Operation *op : fold.updates)
    if (llvm::count_if(op->getOperands(), [&](Value operand) { return fold.values.contains(operand); }) != 1)
      return std::nullopt;
  for (LLVM::SelectOp select : merges)
    if (!fold.values.contains(select.getTrueValue()) || !fold.values.contains(select.getFalseValue()))
      return std::nullopt;
  return std::move(fold);
}

std::optional<Fold> comm::findFold(BlockArgument argument, ArrayRef<FootprintAnalysis::Loop> loops, bool anyOrder) {
  if (!isa<IntegerType, FloatType>(argument.getType()))
    return std::nullopt; // A vector holds several folds.
  return FoldFinder(argument, loops, anyOrder).find();
}

/// Drops the flags that exclude infinity and NaN, with which parts of an ordered fold begin.
static void takeAnyNumber(Operation *op) {
  using Flags = LLVM::FastmathFlags;
  Flags flags = getFastmathFlags(op);
  if (flags != Flags::none)
    op->setAttr(cast<LLVM::FastmathFlagsInterface>(op).getFastmathAttrName(),
                LLVM::FastmathFlagsAttr::get(op->getContext(), bitEnumClear(flags, Flags::nnan | Flags::ninf)));
}

void Fold::dropPromises() const {
  for (Operation *op : updates) {
    if (isOrdered || isRepeated) {
      takeAnyNumber(op);
      takeAnyNumber(cast<LLVM::SelectOp>(op).getCondition().getDefiningOp());
    }
    if (auto arithmetic = dyn_cast<LLVM::IntegerOverflowFlagsInterface>(op))
      arithmetic.setOverflowFlags(LLVM::IntegerOverflowFlags::none);
    if (auto bits = dyn_cast<LLVM::OrOp>(op))
      bits.setIsDisjoint(false);
  }
}
