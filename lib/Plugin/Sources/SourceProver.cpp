//===- SourceProver.cpp - Whether a number is a process -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges alone do not suffice: MPI_ANY_SOURCE is -1 in some implementations and MPI_PROC_NULL is -2, so the range of "a
// process or MPI_PROC_NULL" contains it. Values with several origins are checked origin by origin.
//
//===----------------------------------------------------------------------===//

#include "SourceProver.h"

#include "Reloads.h"
#include "VariableValues.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace comm;

static constexpr unsigned maxDepth = 24, maxSteps = 2000;
/// Larger than any machine, and small enough that `rank + size - 1` does not overflow.
static constexpr uint64_t maxProcesses = uint64_t(1) << 29;

bool SourceProver::excludes(const ConstantRange &range) const {
  return none_of(anySources,
                 [&](int64_t any) { return range.contains(APInt(range.getBitWidth(), any, /*isSigned=*/true)); });
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// [from, to).
static ConstantRange makeRange(unsigned width, uint64_t from, uint64_t to) {
  return ConstantRange(APInt(width, from), APInt(width, to));
}

static ConstantRange getNotNegative(unsigned width) {
  return ConstantRange(APInt::getZero(width), APInt::getSignedMinValue(width));
}

/// Returns the range of an output parameter that is a rank or the number of processes.
static std::optional<ConstantRange> getOutcome(const mpi::Function &function, const mpi::Param &param) {
  if (!tellsProcesses(function, param))
    return std::nullopt;
  return StringRef(param.name) == "rank" ? makeRange(32, 0, maxProcesses) : makeRange(32, 1, maxProcesses + 1);
}

ConstantRange SourceProver::getVariableRange(LoadInst &load) {
  unsigned width = load.getType()->getIntegerBitWidth();
  std::optional<VariableValues> variable = getVariableValues(objects, load);
  if (!variable)
    return ConstantRange::getFull(width);
  ConstantRange result = ConstantRange::getEmpty(width);
  for (int64_t number : variable->numbers)
    result = result.unionWith(ConstantRange(APInt(width, number, /*isSigned=*/true)), ConstantRange::Signed);
  for (const ObjectUses::Outcome &outcome : variable->outcomes) {
    std::optional<ConstantRange> range = width == 32 ? getOutcome(*outcome.function, *outcome.param) : std::nullopt;
    result = result.unionWith(range.value_or(ConstantRange::getFull(width)), ConstantRange::Signed);
  }
  for (StoreInst *store : variable->stores)
    result = result.unionWith(getRange(store->getValueOperand()), ConstantRange::Signed);
  return result;
}

/// Handles the variable of a Fortran DO loop, which counts up by 1 from a constant next to a counter that counts down
/// by 1 from the number of iterations and ends the loop.
std::optional<ConstantRange> SourceProver::getDoVariableRange(PHINode &phi) {
  using namespace PatternMatch;
  BasicBlock *header = phi.getParent();
  if (phi.getNumIncomingValues() != 2)
    return std::nullopt;
  for (unsigned latch : {0, 1}) {
    BasicBlock *end = phi.getIncomingBlock(latch);
    auto *first = dyn_cast<ConstantInt>(phi.getIncomingValue(1 - latch));
    auto *branch = dyn_cast<BranchInst>(end->getTerminator());
    if (!first || first->isNegative() || !match(phi.getIncomingValue(latch), m_Add(m_Specific(&phi), m_One())) ||
        !branch || !branch->isConditional() || branch->getSuccessor(0) != header || branch->getSuccessor(1) == header)
      continue;
    for (PHINode &counter : header->phis()) {
      Value *next = counter.getType()->isIntegerTy() ? counter.getIncomingValueForBlock(end) : nullptr;
      if (!next || !match(next, m_Add(m_Specific(&counter), m_AllOnes())))
        continue;
      CmpPredicate predicate;
      bool endsLoop = (match(branch->getCondition(), m_ICmp(predicate, m_Specific(&counter), m_One())) ||
                       match(branch->getCondition(), m_ICmp(predicate, m_Specific(next), m_Zero()))) &&
                      ICmpInst::isGT(predicate);
      ConstantRange iterations = getRange(counter.getIncomingValue(1 - latch));
      if (!endsLoop || !iterations.isAllNonNegative())
        continue;
      unsigned width = phi.getType()->getIntegerBitWidth(), wide = std::max(width, iterations.getBitWidth()) + 1;
      APInt past = iterations.getUnsignedMax().zext(wide) + first->getValue().zext(wide);
      if (past.isStrictlyPositive() && past.getActiveBits() < width)
        return ConstantRange(first->getValue(), past.trunc(width) + 1);
    }
  }
  return std::nullopt;
}

ConstantRange SourceProver::computeRange(Value *value) {
  unsigned width = value->getType()->getIntegerBitWidth();
  ConstantRange unknown = ConstantRange::getFull(width);
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return ConstantRange(constant->getValue());
  if (auto *phi = dyn_cast<PHINode>(value))
    if (std::optional<ConstantRange> range = getDoVariableRange(*phi))
      return *range;
  if (isa<PHINode, LoadInst>(value)) {
    // By induction: nonnegative if that follows from nonnegative earlier values.
    notNegative.insert(value);
    ConstantRange result = ConstantRange::getEmpty(width);
    if (auto *phi = dyn_cast<PHINode>(value))
      for (Value *incoming : phi->incoming_values())
        result = result.unionWith(getRange(incoming), ConstantRange::Signed);
    else
      result = getVariableRange(*cast<LoadInst>(value));
    notNegative.erase(value);
    return result.isAllNonNegative() ? result : unknown;
  }
  if (auto *select = dyn_cast<SelectInst>(value))
    return getRange(select->getTrueValue()).unionWith(getRange(select->getFalseValue()), ConstantRange::Signed);
  if (auto *freeze = dyn_cast<FreezeInst>(value))
    return getRange(freeze->getOperand(0));
  if (auto *cast = dyn_cast<CastInst>(value); cast && cast->getSrcTy()->isIntegerTy())
    return getRange(cast->getOperand(0)).castOp(cast->getOpcode(), width);
  if (auto *call = dyn_cast<IntrinsicInst>(value);
      call && ConstantRange::isIntrinsicSupported(call->getIntrinsicID())) {
    SmallVector<ConstantRange, 2> operands;
    for (Value *argument : call->args())
      operands.push_back(getRange(argument));
    return ConstantRange::intrinsic(call->getIntrinsicID(), operands);
  }
  auto *binary = dyn_cast<BinaryOperator>(value);
  if (!binary)
    return unknown;
  ConstantRange left = getRange(binary->getOperand(0)), right = getRange(binary->getOperand(1));
  if (auto *wrapping = dyn_cast<OverflowingBinaryOperator>(binary))
    return left.overflowingBinaryOp(binary->getOpcode(), right, wrapping->getNoWrapKind());
  return left.binaryOp(binary->getOpcode(), right);
}

ConstantRange SourceProver::getRange(Value *value) {
  unsigned width = value->getType()->getIntegerBitWidth();
  if (notNegative.contains(value))
    return getNotNegative(width);
  if (depth >= maxDepth || ++steps > maxSteps)
    return ConstantRange::getFull(width);
  ++depth;
  ConstantRange result = computeRange(value);
  --depth;
  return result;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

bool SourceProver::isKnownUnder(Value *value, Value *condition, bool isTrue) {
  using namespace PatternMatch;
  Value *a, *b;
  if (isTrue ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
             : match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
    return isKnownUnder(value, a, isTrue) || isKnownUnder(value, b, isTrue);
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare)
    return false;
  auto *limit = dyn_cast<ConstantInt>(compare->getOperand(1));
  Value *compared = compare->getOperand(0);
  if (!limit || compared->getType() != value->getType())
    return false;
  const APInt *more;
  APInt offset(limit->getBitWidth(), 0);
  if (value != compared) {
    if (!match(value, m_Add(m_Specific(compared), m_APInt(more))))
      return false;
    offset = *more;
  }
  CmpInst::Predicate predicate = isTrue ? compare->getPredicate() : compare->getInversePredicate();
  ConstantRange range = ConstantRange::makeExactICmpRegion(predicate, limit->getValue());
  range = range.intersectWith(getRange(compared), ConstantRange::Signed);
  return excludes(range.add(ConstantRange(offset)));
}

/// Whether the condition implies a >= b for nonnegative `a` and `b`: it compares them, or states `a / b > 0`. If `b` is
/// 1, also if it states that `a % c` or `a / c` is not 0.
bool SourceProver::isAtLeastUnder(Value *a, Value *b, Value *condition, bool isTrue) {
  using namespace PatternMatch;
  Value *first, *second;
  if (isTrue ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
             : match(condition, m_LogicalOr(m_Value(first), m_Value(second))))
    return isAtLeastUnder(a, b, first, isTrue) || isAtLeastUnder(a, b, second, isTrue);
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || compare->getOperand(0)->getType() != a->getType())
    return false;
  CmpInst::Predicate predicate = isTrue ? compare->getPredicate() : compare->getInversePredicate();
  Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  if (left == b && right == a) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (left == a && right == b)
    return (ICmpInst::isGE(predicate) || ICmpInst::isGT(predicate)) && getRange(b).isAllNonNegative();
  auto *limit = dyn_cast<ConstantInt>(right);
  Value *divisor;
  bool isQuotient = match(left, m_IDiv(m_Specific(a), m_Value(divisor)));
  if (!limit || (!isQuotient && !match(left, m_IRem(m_Specific(a), m_Value(divisor)))))
    return false;
  // A remainder has the sign of `a`; a positive quotient implies a positive divisor.
  ConstantRange range = ConstantRange::makeExactICmpRegion(predicate, limit->getValue());
  if (!isQuotient || getRange(divisor).isAllNonNegative())
    range = range.intersectWith(getNotNegative(limit->getBitWidth()), ConstantRange::Signed);
  return range.getSignedMin().isStrictlyPositive() && (match(b, m_One()) || (isQuotient && divisor == b));
}

/// Handles `rank - columns` where `rank / columns > 0`, and `rank - 1` where `rank % columns > 0`: grids of processes.
bool SourceProver::isDifferenceKnown(Value *value, Instruction *at) {
  using namespace PatternMatch;
  Value *a, *b;
  if (match(value, m_Add(m_Value(a), m_AllOnes())))
    b = ConstantInt::get(value->getType(), 1);
  else if (!match(value, m_Sub(m_Value(a), m_Value(b))))
    return false;
  if (!getRange(a).isAllNonNegative() || !excludes(getNotNegative(value->getType()->getIntegerBitWidth())))
    return false;
  const DominatorTree &dominance = objects.getDominance(*at->getFunction());
  for (auto *node = dominance.getNode(at->getParent()); node && node->getIDom(); node = node->getIDom()) {
    auto *branch = dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (bool isTrue : {true, false})
      if (dominance.dominates(BasicBlockEdge(branch->getParent(), branch->getSuccessor(isTrue ? 0 : 1)),
                              at->getParent()) &&
          isAtLeastUnder(a, b, branch->getCondition(), isTrue))
        return true;
  }
  return false;
}

bool SourceProver::isPhiKnown(PHINode &phi) {
  return all_of(seq(0u, phi.getNumIncomingValues()), [&](unsigned i) {
    Value *value = phi.getIncomingValue(i);
    BasicBlock *from = phi.getIncomingBlock(i);
    auto *branch = dyn_cast<BranchInst>(from->getTerminator());
    if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) &&
        isKnownUnder(value, branch->getCondition(), branch->getSuccessor(0) == phi.getParent()))
      return true;
    return isKnown(value, from->getTerminator());
  });
}

bool SourceProver::isSelectKnown(SelectInst &select, Instruction *at) {
  auto isArmKnown = [&](Value *arm, bool isTrue) {
    return isKnownUnder(arm, select.getCondition(), isTrue) || isKnown(arm, at);
  };
  return isArmKnown(select.getTrueValue(), true) && isArmKnown(select.getFalseValue(), false);
}

namespace {
/// The effect of a block on a stored value.
enum class Passage {
  Overwritten, // the variable is overwritten
  Quiet,       // the value is not observed, and control does not leave
  Other
};
} // namespace

static Passage pass(const StoreInst &store, const LoadInst &load, BasicBlock::const_iterator from,
                    BasicBlock::const_iterator end) {
  auto getPlace = [](const StoreInst &of) {
    const DataLayout &layout = of.getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(of.getPointerOperandType()), 0);
    const Value *object = of.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    return std::pair(object, offset);
  };
  for (; from != end; ++from) {
    auto *other = dyn_cast<StoreInst>(from);
    if (other && other->isSimple() && other->getValueOperand()->getType() == store.getValueOperand()->getType() &&
        getPlace(*other) == getPlace(store))
      return Passage::Overwritten;
    bool isCall = isa<CallBase>(from) && (!isa<IntrinsicInst>(from) || from->mayReadOrWriteMemory());
    if (&*from == &load || isCall || from->isAtomic() || from->isVolatile())
      return Passage::Other;
  }
  return Passage::Quiet;
}

/// Whether the load sees the stored value only where that is known: `left = rank - 1; if (rank == 0) left =
/// MPI_PROC_NULL;`. Follows all paths from the store, through branches whose arms rejoin, until an arm overwrites the
/// value. It visits each block once, and the first block dominates all others, so conditions refer to the values at the
/// store.
bool SourceProver::isKnownWhereSeen(StoreInst &store, LoadInst &load) {
  constexpr unsigned mostBlocks = 8;
  const DominatorTree &dominance = objects.getDominance(*store.getFunction());
  SmallPtrSet<const BasicBlock *, 16> seen;
  const BasicBlock *block = store.getParent();
  BasicBlock::const_iterator from = std::next(store.getIterator());
  while (seen.insert(block).second && seen.size() <= mostBlocks && dominance.dominates(store.getParent(), block)) {
    Passage passage = pass(store, load, from, block->end());
    if (passage != Passage::Quiet)
      return passage == Passage::Overwritten;
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch)
      return false;
    const BasicBlock *join = branch->getSuccessor(0);
    if (branch->isConditional() && join != branch->getSuccessor(1)) {
      const BasicBlock *other = branch->getSuccessor(1);
      // if (c) { arm } join
      bool isSecond = other->getSinglePredecessor() == block && other->getSingleSuccessor() == join;
      const BasicBlock *arm = isSecond ? other : join;
      join = isSecond ? join : other;
      if (arm->getSinglePredecessor() != block || arm->getSingleSuccessor() != join || !seen.insert(arm).second)
        return false;
      passage = pass(store, load, arm->begin(), arm->end());
      if (passage == Passage::Other)
        return false;
      if (passage == Passage::Overwritten &&
          isKnownUnder(store.getValueOperand(), branch->getCondition(), /*isTrue=*/isSecond))
        return true;
    }
    block = join;
    from = block->begin();
  }
  return false;
}

bool SourceProver::isLoadKnown(Value *load) {
  std::optional<VariableValues> variable = getVariableValues(objects, *cast<LoadInst>(load));
  if (!variable)
    return variablesAreKnown;
  if (any_of(variable->numbers, [&](int64_t number) { return is_contained(anySources, number); }))
    return false;
  // Functions that return a process never return MPI_ANY_SOURCE, except for the source in a status.
  for (const ObjectUses::Outcome &outcome : variable->outcomes)
    if (!getOutcome(*outcome.function, *outcome.param) &&
        (outcome.param->role != mpi::Role::Rank || StringRef(outcome.param->name) == "source"))
      return false;
  return all_of(variable->stores, [&](StoreInst *store) {
    return isKnown(store->getValueOperand(), store) || isKnownWhereSeen(*store, *cast<LoadInst>(load));
  });
}

bool SourceProver::isArgumentKnown(Value *value) {
  auto *argument = cast<Argument>(value);
  Function &function = *argument->getParent();
  if (!function.hasLocalLinkage())
    return variablesAreKnown;
  return all_of(function.uses(), [&](const Use &use) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    return call && call->isCallee(&use) && call->arg_size() > argument->getArgNo() &&
           isKnown(call->getArgOperand(argument->getArgNo()), call);
  });
}

/// Whether control continues after the instruction, given what is known of MPI's functions.
static bool passesOn(const Instruction &instruction) {
  const mpi::Function *function = getCalledMPIFunction(instruction);
  return function ? !function->mayCallBack : isGuaranteedToTransferExecutionToSuccessor(&instruction);
}

/// Whether the call executes after each execution of `at`, i.e. on all paths. Loops on these paths only compute; the
/// language lets compilers assume that they terminate.
static bool isExecutedAfter(const CallInst *call, const Instruction *at, Objects &objects) {
  constexpr size_t mostBlocks = 64;
  const BasicBlock *begin = at->getParent(), *end = call->getParent();
  if (begin == end && at->comesBefore(call))
    return std::all_of(at->getIterator(), call->getIterator(), passesOn);
  if (begin == end || !std::all_of(at->getIterator(), begin->end(), passesOn) ||
      !std::all_of(end->begin(), call->getIterator(), passesOn))
    return false;
  SmallSetVector<const BasicBlock *, 16> between(succ_begin(begin), succ_end(begin));
  for (size_t i = 0; i < between.size(); ++i) {
    const BasicBlock *block = between[i];
    if (block == end)
      continue;
    if (block == begin || between.size() > mostBlocks || succ_empty(block) || !all_of(*block, passesOn))
      return false;
    between.insert(succ_begin(block), succ_end(block));
  }
  LoopInfo loops(objects.getDominance(*at->getFunction()));
  return all_of(between, [&](const BasicBlock *block) {
    const Loop *loop = block == end ? nullptr : loops.getLoopFor(block);
    for (; loop && !loop->contains(begin); loop = loop->getParentLoop())
      if (!isMustProgress(loop))
        return false;
    bool isInLoop = block != end && loops.getLoopFor(block) != loops.getLoopFor(begin);
    return !isInLoop || none_of(*block, [](const Instruction &instruction) {
      if (const auto *copy = dyn_cast<MemIntrinsic>(&instruction))
        return copy->isVolatile();
      return isa<CallBase>(instruction) ? instruction.mayHaveSideEffects()
                                        : instruction.isAtomic() || instruction.isVolatile();
    });
  });
}

bool SourceProver::isDestination(const Value *value, const Instruction *at) {
  auto isSendTo = [&](const User *user) {
    auto *call = dyn_cast<CallInst>(user);
    const mpi::Function *function = call ? getCalledMPIFunction(*call) : nullptr;
    int destination = function ? function->findParam("dest") : -1;
    if (destination < 0 || call->arg_size() <= static_cast<unsigned>(destination) ||
        call->getArgOperand(destination) != value || call->getFunction() != at->getFunction())
      return false;
    // The call used the same value as `at`: a path from the value's definition to `at` that avoids the call would
    // extend to one from the function's entry.
    bool isBefore = call == at || objects.getDominance(*at->getFunction()).dominates(call, at);
    return isBefore || isExecutedAfter(call, at, objects);
  };
  return !isa<Constant>(value) && any_of(value->users(), isSendTo);
}

bool SourceProver::isKnownOfReloads(Value *value, Instruction *at) {
  using namespace PatternMatch;
  // Match `rank - 1`, `rank - columns`, `rank + columns`.
  Value *loaded = value, *other = nullptr;
  const APInt *constant;
  APInt offset(value->getType()->getIntegerBitWidth(), 0);
  auto *sum = dyn_cast<BinaryOperator>(value);
  if (match(value, m_Add(m_Value(loaded), m_APInt(constant))))
    offset = *constant;
  else if (sum && (sum->getOpcode() == Instruction::Sub || sum->getOpcode() == Instruction::Add)) {
    bool isSecond = sum->isCommutative() && !isa<LoadInst, PHINode>(sum->getOperand(0));
    loaded = sum->getOperand(isSecond);
    other = sum->getOperand(!isSecond);
  } else {
    loaded = value;
  }
  if (!isa<LoadInst, PHINode>(loaded))
    return false;
  auto isEqual = [&](User *user, Value *same) {
    if (!other)
      return match(user, m_Add(m_Specific(same), m_SpecificInt(offset)));
    return sum->isCommutative() ? match(user, m_c_Add(m_Specific(same), m_Specific(other)))
                                : match(user, m_Sub(m_Specific(same), m_Specific(other)));
  };
  const DominatorTree &dominance = objects.getDominance(*at->getFunction());
  for (Value *same : findReloads(objects, *loaded, dominance)) {
    if (any_of(same->users(), [&](User *user) { return isEqual(user, same) && isDestination(user, at); }))
      return true;
    if (other)
      continue;
    if (offset.isZero() && isDestination(same, at))
      return true;
    if (!dominance.dominates(same, at))
      continue;
    ConstantRange range = getRanges(*at->getFunction()).getConstantRange(same, at, /*UndefAllowed=*/false);
    range = range.intersectWith(getRange(same), ConstantRange::Signed);
    if (excludes(range.add(ConstantRange(offset))))
      return true;
  }
  return false;
}

bool SourceProver::isKnown(Value *value, Instruction *at) {
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return !is_contained(anySources, constant->getSExtValue());
  if (!value->getType()->isIntegerTy() || isa<Constant>(value))
    return false; // undefined, or computed from addresses
  if (assumed.contains(value) || excludes(getRange(value)) || isDestination(value, at))
    return true;
  if (excludes(getRanges(*at->getFunction()).getConstantRange(value, at, /*UndefAllowed=*/false)) ||
      isKnownOfReloads(value, at) || isDifferenceKnown(value, at))
    return true;
  if (depth >= maxDepth || ++steps > maxSteps)
    return false;
  ++depth;
  assumed.insert(value);
  bool result = false;
  if (auto *phi = dyn_cast<PHINode>(value))
    result = isPhiKnown(*phi);
  else if (auto *select = dyn_cast<SelectInst>(value))
    result = isSelectKnown(*select, at);
  else if (auto *freeze = dyn_cast<FreezeInst>(value))
    result = isKnown(freeze->getOperand(0), at);
  else if (isa<LoadInst>(value))
    result = isLoadKnown(value);
  else if (isa<Argument>(value))
    result = isArgumentKnown(value);
  else
    result = variablesAreKnown;
  assumed.erase(value);
  --depth;
  return result;
}
