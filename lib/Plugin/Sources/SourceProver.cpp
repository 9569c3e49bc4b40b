//===- SourceProver.cpp - Whether a number is a process --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges alone do not do: MPI_ANY_SOURCE is -1 in some implementations and MPI_PROC_NULL -2, so that the range of "a
// process or MPI_PROC_NULL" contains it. What may be several values is asked one by one.
//
//===----------------------------------------------------------------------===//

#include "SourceProver.h"

#include "VariableValues.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace comm;

static constexpr unsigned maxDepth = 24;
static constexpr int64_t maxBound = int64_t(1) << 40;

bool SourceProver::excludes(const ConstantRange &range) const {
  return none_of(anySources,
                 [&](int64_t any) { return range.contains(APInt(range.getBitWidth(), any, /*isSigned=*/true)); });
}

//===----------------------------------------------------------------------===//
// Lower bounds
//===----------------------------------------------------------------------===//

/// The least number that the function tells by that parameter.
static std::optional<int64_t> getLeastOutcome(const mpi::Function &function, const mpi::Param &param) {
  // A group's rank may be MPI_UNDEFINED; that of a communicator is one of its processes.
  if (function.findRole(mpi::Role::Comm, mpi::Direction::In) < 0)
    return std::nullopt;
  if (StringRef(param.name) == "rank")
    return 0;
  if (StringRef(param.name) == "size")
    return 1;
  return std::nullopt;
}

std::optional<int64_t> SourceProver::computeLowerBound(Value *value) {
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return constant->getSExtValue();
  auto bound = [&](unsigned operand) { return getLowerBound(cast<User>(value)->getOperand(operand)); };
  auto isNotNegative = [&](unsigned operand) { return bound(operand).value_or(-1) >= 0; };
  auto least = [&](auto &&values) -> std::optional<int64_t> {
    std::optional<int64_t> result;
    for (Value *each : values) {
      std::optional<int64_t> one = getLowerBound(each);
      if (!one)
        return std::nullopt;
      result = result ? std::min(*result, *one) : *one;
    }
    return result;
  };
  if (auto *phi = dyn_cast<PHINode>(value)) {
    // By induction: not negative, if that follows from earlier values that are not.
    assumedBounds[value] = 0;
    llvm::scope_exit forget([&] { assumedBounds.erase(value); });
    std::optional<int64_t> result = least(phi->incoming_values());
    return result.value_or(-1) >= 0 ? result : std::nullopt;
  }
  if (auto *select = dyn_cast<SelectInst>(value))
    return least(ArrayRef<Value *>{select->getTrueValue(), select->getFalseValue()});
  if (auto *load = dyn_cast<LoadInst>(value)) {
    std::optional<VariableValues> variable = getVariableValues(*load);
    if (!variable)
      return std::nullopt;
    int64_t result = variable->initial.value_or(maxBound);
    for (auto [function, param] : variable->outcomes) {
      std::optional<int64_t> one = getLeastOutcome(*function, *param);
      if (!one)
        return std::nullopt;
      result = std::min(result, *one);
    }
    assumedBounds[value] = 0;
    llvm::scope_exit forget([&] { assumedBounds.erase(value); });
    for (StoreInst *store : variable->stores) {
      std::optional<int64_t> one = getLowerBound(store->getValueOperand());
      if (!one)
        return std::nullopt;
      result = std::min(result, *one);
    }
    return result >= 0 && result < maxBound ? std::optional<int64_t>(result) : std::nullopt;
  }
  if (isa<ZExtInst>(value))
    return 0;
  if (isa<SExtInst, FreezeInst>(value))
    return bound(0);
  auto *binary = dyn_cast<BinaryOperator>(value);
  if (!binary)
    return std::nullopt;
  switch (binary->getOpcode()) {
  case Instruction::Add:
    if (!binary->hasNoSignedWrap() || !bound(0) || !bound(1))
      return std::nullopt;
    return *bound(0) + *bound(1);
  case Instruction::Mul:
  case Instruction::Shl:
    return binary->hasNoSignedWrap() && isNotNegative(0) && isNotNegative(1) ? std::optional<int64_t>(0) : std::nullopt;
  case Instruction::And:
    return isNotNegative(0) || isNotNegative(1) ? std::optional<int64_t>(0) : std::nullopt;
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::SDiv:
  case Instruction::UDiv:
    return isNotNegative(0) && isNotNegative(1) ? std::optional<int64_t>(0) : std::nullopt;
  case Instruction::SRem:
  case Instruction::AShr:
  case Instruction::LShr:
    return isNotNegative(0) ? std::optional<int64_t>(0) : std::nullopt;
  case Instruction::URem:
    return isNotNegative(0) || isNotNegative(1) ? std::optional<int64_t>(0) : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> SourceProver::getLowerBound(Value *value) {
  if (auto it = assumedBounds.find(value); it != assumedBounds.end())
    return it->second;
  if (depth >= maxDepth || ++steps > maxSteps)
    return std::nullopt;
  ++depth;
  std::optional<int64_t> result = computeLowerBound(value);
  --depth;
  return result && std::abs(*result) < maxBound ? result : std::nullopt;
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
  if (getLowerBound(compared).value_or(-1) >= 0)
    range = range.intersectWith(
        ConstantRange::getNonEmpty(APInt::getZero(range.getBitWidth()), APInt::getSignedMinValue(range.getBitWidth())));
  return excludes(range.add(ConstantRange(offset)));
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

bool SourceProver::isLoadKnown(Value *load) {
  std::optional<VariableValues> variable = getVariableValues(*cast<LoadInst>(load));
  if (!variable)
    return variablesAreKnown;
  if (variable->initial && is_contained(anySources, *variable->initial))
    return false;
  // MPI never answers MPI_ANY_SOURCE where it tells of a process, unless it is asked for the source of a status.
  for (auto [function, param] : variable->outcomes)
    if (!getLeastOutcome(*function, *param) && (param->role != mpi::Role::Rank || StringRef(param->name) == "source"))
      return false;
  return all_of(variable->stores, [&](StoreInst *store) { return isKnown(store->getValueOperand(), store); });
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

bool SourceProver::isKnown(Value *value, Instruction *at) {
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return !is_contained(anySources, constant->getSExtValue());
  if (!value->getType()->isIntegerTy() || isa<Constant>(value))
    return false; // undefined, or computed from addresses
  if (assumed.contains(value) || getLowerBound(value).value_or(-1) >= 0)
    return true;
  if (excludes(getRanges(*at->getFunction()).getConstantRange(value, at, /*UndefAllowed=*/false)))
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
