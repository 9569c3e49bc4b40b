//===- ScalarParity.cpp - Parity of numbers -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep over the points of one color starts at `1 + (i + color) % 2`, or tests `(i + j + color) % 2 == 0`. The
// analysis looks through sums, products, operations that keep the last bit, and variables that each iteration toggles.
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslation.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace comm;
using namespace llvm::PatternMatch;

/// Number of the first assumed variable, distinct from the numbers of loops and ranges.
static constexpr unsigned kFirstAssumed = 1u << 25;
/// Limits the operations visited for one number.
static constexpr unsigned kMostParityWork = 128;

static std::optional<Expr> addParities(std::optional<Expr> a, std::optional<Expr> b) {
  return a && b ? std::optional<Expr>((*a + *b).getParity()) : std::nullopt;
}

/// The product is even if either factor is even, even if the other is unknown.
static std::optional<Expr> multiplyParities(std::optional<Expr> a, std::optional<Expr> b) {
  if ((a && a->isZero()) || (b && b->isZero()))
    return Expr();
  return a && b ? std::optional<Expr>((*a * *b).getParity()) : std::nullopt;
}

/// Whether the number is 0 or 1.
static bool isBit(const llvm::Value *value, const llvm::DataLayout &layout) {
  return value->getType()->isIntegerTy() &&
         (value->getType()->isIntegerTy(1) || llvm::computeKnownBits(value, layout).getMaxValue().ule(1));
}

static const llvm::DataLayout &getLayout(const llvm::Instruction &instruction) {
  return instruction.getModule()->getDataLayout();
}

std::optional<Expr> ScalarTranslator::findParity(const llvm::SCEV *scev) {
  if (!scev->getType()->isIntegerTy() || scope.scalars.getTypeSizeInBits(scev->getType()) > 64 ||
      ++parityWork > kMostParityWork)
    return std::nullopt;
  switch (scev->getSCEVType()) {
  case llvm::scConstant:
    return Expr(llvm::cast<llvm::SCEVConstant>(scev)->getAPInt()[0] ? 1 : 0);
  case llvm::scTruncate:
  case llvm::scZeroExtend:
  case llvm::scSignExtend:
    return findParity(llvm::cast<llvm::SCEVCastExpr>(scev)->getOperand());
  case llvm::scAddExpr:
  case llvm::scMulExpr: {
    bool isSum = scev->getSCEVType() == llvm::scAddExpr;
    std::optional<Expr> result = Expr(isSum ? 0 : 1);
    for (const llvm::SCEV *operand : llvm::cast<llvm::SCEVNAryExpr>(scev)->operands())
      result = isSum ? addParities(result, findParity(operand)) : multiplyParities(result, findParity(operand));
    return result;
  }
  case llvm::scAddRecExpr: {
    const auto *recurrence = llvm::cast<llvm::SCEVAddRecExpr>(scev);
    if (!recurrence->isAffine() || !recurrence->getLoop()->contains(context))
      return std::nullopt;
    auto it = scope.inUnit.find(recurrence->getLoop());
    if (it == scope.inUnit.end()) {
      Expr around = translateOuterRecurrence(recurrence).getParity();
      return around.isUnknown() ? std::nullopt : std::optional<Expr>(around);
    }
    std::optional<Expr> step = findParity(recurrence->getStepRecurrence(scope.scalars));
    return addParities(findParity(recurrence->getStart()), multiplyParities(step, Expr::iteration(it->second)));
  }
  case llvm::scUnknown:
    return findParity(llvm::cast<llvm::SCEVUnknown>(scev)->getValue());
  default: {
    // For example the first row of a process, a minimum of its rank and a remainder.
    Expr parity = translate(scev, /*modulo64=*/false).getParity();
    return parity.isUnknown() || parity.containsIterations() ? std::nullopt : std::optional<Expr>(parity);
  }
  }
}

std::optional<Expr> ScalarTranslator::findParity(llvm::Value *value) {
  if (!value->getType()->isIntegerTy() || ++parityWork > kMostParityWork)
    return std::nullopt;
  for (unsigned i = 0; i < assumed.size(); ++i)
    if (assumed[i] == value)
      return Expr::iteration(kFirstAssumed + i);
  if (mlir::Value available = scope.getAvailable(value)) {
    Expr symbol = Expr::symbol(available);
    return symbol.isUnknown() ? std::nullopt : std::optional<Expr>(symbol);
  }
  const llvm::SCEV *scev = scope.scalars.getSCEV(value);
  if (const auto *leaf = llvm::dyn_cast<llvm::SCEVUnknown>(scev); !leaf || leaf->getValue() != value)
    return findParity(scev);
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction)
    return std::nullopt;
  // After a loop, the value is the one of its last iteration, which is unknown here.
  const llvm::Loop *loop = scope.loops.getLoopFor(instruction->getParent());
  return !loop || loop->contains(context) ? findParityOfLeaf(*instruction) : std::nullopt;
}

std::optional<Expr> ScalarTranslator::findParityOfLeaf(llvm::Instruction &leaf) {
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&leaf)) {
    const llvm::Loop *loop = scope.loops.getLoopFor(phi->getParent());
    return loop && loop->getHeader() == phi->getParent() ? findParityOfVariable(*phi, *loop) : std::nullopt;
  }
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&leaf)) {
    std::optional<Expr> ifTrue = findParity(select->getTrueValue()), ifFalse = findParity(select->getFalseValue());
    if (ifTrue && ifFalse && *ifTrue == *ifFalse)
      return ifTrue;
    return addParities(ifFalse, multiplyParities(findParity(select->getCondition()), addParities(ifTrue, ifFalse)));
  }
  if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&leaf)) {
    if (!compare->isEquality() || !isBit(compare->getOperand(0), getLayout(leaf)) ||
        !isBit(compare->getOperand(1), getLayout(leaf)))
      return std::nullopt;
    std::optional<Expr> differ = addParities(findParity(compare->getOperand(0)), findParity(compare->getOperand(1)));
    return compare->getPredicate() == llvm::ICmpInst::ICMP_NE ? differ : addParities(differ, Expr(1));
  }
  auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&leaf);
  if (!binary)
    return std::nullopt;
  const llvm::APInt *divisor;
  switch (binary->getOpcode()) {
  case llvm::Instruction::And:
    return multiplyParities(findParity(binary->getOperand(0)), findParity(binary->getOperand(1)));
  case llvm::Instruction::Xor:
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
    return addParities(findParity(binary->getOperand(0)), findParity(binary->getOperand(1)));
  case llvm::Instruction::SRem:
  case llvm::Instruction::URem:
    if (match(binary->getOperand(1), m_APInt(divisor)) && !divisor->isZero() && !(*divisor)[0])
      return findParity(binary->getOperand(0));
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Handles a variable that each iteration of the loop around the instruction toggles or keeps: `start = 3 - start`. By
/// induction: if one iteration adds a loop-invariant number to the parity, then so does each.
std::optional<Expr> ScalarTranslator::findParityOfVariable(llvm::PHINode &phi, const llvm::Loop &loop) {
  auto it = scope.inUnit.find(&loop);
  llvm::BasicBlock *latch = loop.getLoopLatch();
  if (it == scope.inUnit.end() || !latch || phi.getNumIncomingValues() != 2 || phi.getBasicBlockIndex(latch) < 0)
    return std::nullopt;
  unsigned ofLatch = phi.getBasicBlockIndex(latch);
  std::optional<Expr> first = findParity(phi.getIncomingValue(1 - ofLatch));
  if (!first)
    return std::nullopt;
  Expr itself = Expr::iteration(kFirstAssumed + assumed.size());
  assumed.push_back(&phi);
  std::optional<Expr> step = addParities(findParity(phi.getIncomingValue(ofLatch)), itself);
  bool isFixed = step.has_value();
  for (unsigned i = 0; isFixed && i < assumed.size(); ++i)
    isFixed = !step->contains(kFirstAssumed + i);
  for (const auto &[other, number] : scope.inUnit)
    isFixed = isFixed && !(loop.contains(other) && step->contains(number));
  assumed.pop_back();
  return isFixed ? addParities(first, multiplyParities(step, Expr::iteration(it->second))) : std::nullopt;
}

void ScalarTranslator::forEachPart(llvm::Value *condition, bool isTrue, llvm::function_ref<void(llvm::Value *)> visit) {
  llvm::Value *first, *second;
  bool isBoth = isTrue ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
                       : match(condition, m_LogicalOr(m_Value(first), m_Value(second)));
  if (!isBoth)
    return visit(condition);
  forEachPart(first, isTrue, visit);
  forEachPart(second, isTrue, visit);
}

void ScalarTranslator::findEvens(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &evens) {
  forEachPart(condition, isTrue, [&](llvm::Value *part) { findEvenOfPart(part, isTrue, evens); });
}

void ScalarTranslator::findEvenOfPart(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &evens) {
  parityWork = 0;
  std::optional<Expr> even;
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  bool isEqual = compare && compare->getPredicate() == (isTrue ? llvm::ICmpInst::ICMP_EQ : llvm::ICmpInst::ICMP_NE);
  if (isEqual) // Equal numbers have equal last bits.
    even = addParities(findParity(compare->getOperand(0)), findParity(compare->getOperand(1)));
  else
    even = addParities(findParity(condition), Expr(isTrue ? 1 : 0));
  if (even && even->containsIterations())
    evens.push_back(*even);
}

//===----------------------------------------------------------------------===//
// Alternating numbers
//===----------------------------------------------------------------------===//

/// Returns the current choice for the last bit of a number. None if its parity is unknown or the same in all
/// iterations.
std::optional<bool> ScalarTranslator::chooseBit(std::optional<Expr> parity) {
  parityWork = 0;
  return choices && parity && parity->containsIterations() ? choices->chooseBit(*parity) : std::nullopt;
}

/// Handles a variable that alternates between two numbers: `start = 3 - start`, `start ^= 3`.
std::optional<Expr> ScalarTranslator::translateToggled(llvm::PHINode &phi) {
  const llvm::Loop *loop = scope.loops.getLoopFor(phi.getParent());
  auto it = loop ? scope.inUnit.find(loop) : scope.inUnit.end();
  llvm::BasicBlock *latch = loop ? loop->getLoopLatch() : nullptr;
  if (!choices || it == scope.inUnit.end() || loop->getHeader() != phi.getParent() || !loop->contains(context) ||
      !latch || phi.getNumIncomingValues() != 2 || phi.getBasicBlockIndex(latch) < 0)
    return std::nullopt;
  unsigned ofLatch = phi.getBasicBlockIndex(latch), width = phi.getType()->getIntegerBitWidth();
  llvm::Value *next = phi.getIncomingValue(ofLatch);
  const llvm::APInt *sum;
  Expr first = translate(phi.getIncomingValue(1 - ofLatch), /*modulo64=*/false), second;
  std::optional<int64_t> known = first.getConstant();
  if (width > 64 || first.isUnknown() || first.contains(it->second))
    return std::nullopt;
  if (match(next, m_Sub(m_APInt(sum), m_Specific(&phi))))
    second = Expr::wrap(Expr(sum->getSExtValue()) - first, width, /*isSigned=*/true);
  else if (known && match(next, m_c_Xor(m_Specific(&phi), m_APInt(sum))))
    second = Expr(*known ^ sum->getSExtValue());
  else
    return std::nullopt;
  std::optional<bool> bit = chooseBit(Expr::iteration(it->second));
  return bit ? std::optional<Expr>(*bit ? second : first) : std::nullopt;
}

/// `x % 2`. A condition checks that x is not negative.
Expr ScalarTranslator::translateBitOfRemainder(llvm::BinaryOperator &remainder) {
  if (remainder.getOpcode() != llvm::Instruction::SRem || !asksConditions ||
      !match(remainder.getOperand(1), m_SpecificInt(2)))
    return Expr::unknown();
  std::optional<Expr> parity = findParity(remainder.getOperand(0));
  Predicate holds = Predicate::always();
  Expr dividend = dropWraps(translate(remainder.getOperand(0), /*modulo64=*/false), holds);
  std::optional<Bounds> bounds = dividend.isUnknown() ? std::nullopt : getBounds(dividend, holds);
  if (!parity || !bounds)
    return Expr::unknown();
  std::optional<bool> bit = chooseBit(parity);
  if (!bit)
    return Expr::unknown();
  rangesHold = rangesHold && holds && Predicate::lessOrEqual(Expr(), bounds->least);
  return Expr(*bit ? 1 : 0);
}
