//===- ScalarTranslation.cpp - Scalar evolution as expressions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslation.h"

#include "Comm/Analysis/Footprints/Interior.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace comm;

/// Larger than any distance between two addresses, and far from the limits of 64 bits.
static constexpr int64_t kFar = int64_t(1) << 62;

/// Limits the combinations of choices, and so the pieces per access.
static constexpr unsigned kMostWays = 8, kMostChoices = 16;

/// Number of the first range, distinct from the numbers of loops.
static constexpr unsigned kFirstRange = 1u << 24, kMostRanges = 8;

llvm::Value *Choices::choose(llvm::Value *value, const llvm::LoopInfo &loops) {
  auto *phi = llvm::dyn_cast<llvm::PHINode>(value);
  auto *select = llvm::dyn_cast<llvm::SelectInst>(value);
  // A value that a loop passes to its next iteration is not a choice.
  if (!select && (!phi || loops.isLoopHeader(phi->getParent())))
    return nullptr;
  const Choice *known = llvm::find_if(choices, [&](const Choice &choice) { return choice.value == value; });
  if (known == choices.end()) {
    choices.push_back({value, 0, phi ? phi->getNumIncomingValues() : 2, Expr()});
    known = &choices.back();
  }
  // The depth also limits cycles of phis outside of loops.
  if (choices.size() > kMostChoices || ++depth > 4 * kMostChoices) {
    tooMany = true;
    return nullptr;
  }
  return phi ? phi->getIncomingValue(known->chosen) : known->chosen ? select->getFalseValue() : select->getTrueValue();
}

std::optional<bool> Choices::chooseBit(const Expr &parity) {
  if (std::optional<int64_t> constant = parity.getConstant())
    return *constant != 0;
  Expr turned = (parity + Expr(1)).getParity();
  for (const Choice &choice : choices)
    if (!choice.value && (choice.parity == parity || choice.parity == turned))
      return choice.chosen != (choice.parity == turned);
  if (choices.size() >= kMostChoices) {
    tooMany = true;
    return std::nullopt;
  }
  choices.push_back({nullptr, 0, 2, parity});
  return false;
}

void Choices::forEachEven(llvm::function_ref<void(const Expr &)> fn) const {
  for (const Choice &choice : choices)
    if (!choice.value)
      fn((choice.parity + Expr(choice.chosen)).getParity());
}

void Choices::forEachCondition(llvm::function_ref<void(llvm::SelectInst &, bool)> fn) const {
  for (const Choice &choice : choices)
    if (auto *select = llvm::dyn_cast_or_null<llvm::SelectInst>(choice.value))
      fn(*select, choice.chosen == 0);
}

bool Choices::advance() {
  unsigned ways = 1;
  for (const Choice &choice : choices)
    ways = std::min(ways * choice.count, kMostWays + 1);
  tooMany |= ways > kMostWays;
  depth = 0;
  // Later choices may depend on this one, so they are made again for each of its values.
  while (!tooMany && !choices.empty()) {
    if (++choices.back().chosen < choices.back().count)
      return true;
    choices.pop_back();
  }
  return false;
}

llvm::SmallVector<const llvm::Loop *, 4> ScalarTranslator::getLoops() const {
  llvm::SmallVector<const llvm::Loop *, 4> around;
  for (const llvm::Loop *loop = scope.loops.getLoopFor(context->getParent()); loop; loop = loop->getParentLoop())
    if (scope.inUnit.contains(loop))
      around.push_back(loop);
  return around;
}

llvm::SmallVector<Counter, 4> ScalarTranslator::getCounters() const {
  llvm::SmallVector<Counter, 4> counters(ranges.begin(), ranges.end());
  for (const llvm::Loop *loop : getLoops())
    counters.push_back({scope.inUnit.lookup(loop), loop, Expr()});
  return counters;
}

Expr ScalarTranslator::getLast(const Counter &counter) {
  return counter.loop ? getLastIteration(*counter.loop) : counter.last;
}

Expr ScalarTranslator::addRange(const Expr &least, const Expr &most) {
  if (!usesRanges || ranges.size() == kMostRanges)
    return Expr::unknown();
  unsigned number = kFirstRange + ranges.size();
  ranges.push_back({number, nullptr, most - least});
  return least + Expr::iteration(number);
}

/// Assumes a positive divisor, which a condition checks. A signed remainder has the sign of the dividend.
Expr ScalarTranslator::translateRemainder(const Expr &dividend, const Expr &divisor, bool isSigned) {
  if (!usesRanges || divisor.isUnknown() || divisor.containsIterations())
    return Expr::unknown();
  Expr most = divisor - Expr(1), least;
  if (isSigned) {
    Predicate isNonNegative = Predicate::always();
    Expr exact = dropWraps(dividend, isNonNegative);
    std::optional<Bounds> bounds = exact.isUnknown() ? std::nullopt : getBounds(exact, isNonNegative);
    if (bounds)
      isNonNegative = isNonNegative && Predicate::lessOrEqual(Expr(), bounds->least);
    if (bounds && mayHold(isNonNegative))
      rangesHold = rangesHold && isNonNegative;
    else
      least = Expr() - most;
  }
  rangesHold = rangesHold && Predicate::lessOrEqual(Expr(1), divisor);
  return addRange(least, most);
}

/// Bounds a minimum or maximum of numbers that change with the iterations: near one operand (the maximum of `i - 1` and
/// 0 is i - 1 or i), or anywhere between the bounds of all operands.
Expr ScalarTranslator::limitExtreme(const Expr &extreme, llvm::ArrayRef<Expr> operands, bool isMost) {
  constexpr int64_t near = 16;
  if (!usesRanges || extreme.isUnknown() || !extreme.containsIterations())
    return extreme;
  Expr least, most;
  Predicate holds = Predicate::always();
  for (size_t i = 0; i < operands.size(); ++i) {
    Predicate exact = Predicate::always();
    Expr operand = dropWraps(operands[i], exact), beyond;
    if (operand.isUnknown())
      return Expr::unknown();
    for (size_t other = 0; other < operands.size(); ++other)
      if (other != i) {
        Expr rest = dropWraps(operands[other], exact);
        std::optional<Bounds> distance = getBounds(isMost ? rest - operand : operand - rest, exact);
        beyond = distance ? Expr::max(beyond, distance->most) : Expr::unknown();
      }
    std::optional<int64_t> constant = beyond.getConstant();
    if (operand.containsIterations() && constant && *constant <= near) {
      rangesHold = rangesHold && exact;
      return isMost ? addRange(operand, operand + beyond) : addRange(operand - beyond, operand);
    }
    std::optional<Bounds> bounds = getBounds(operand, exact);
    if (!bounds)
      return Expr::unknown();
    auto pick = isMost ? Expr::max : Expr::min;
    least = i ? pick(least, bounds->least) : bounds->least;
    most = i ? pick(most, bounds->most) : bounds->most;
    holds = holds && exact;
  }
  rangesHold = rangesHold && holds;
  return addRange(least, most);
}

/// Reduces coefficients modulo 2^width to the ones closest to 0: 2^32 - 1 becomes -1.
static Expr reduceCoefficients(const Expr &expr, unsigned width) {
  if (expr.isUnknown() || width >= 64)
    return expr;
  Expr result;
  for (const Expr::Term &term : expr.getTerms()) {
    Expr reduced(llvm::SignExtend64(static_cast<uint64_t>(term.coefficient), width));
    for (const AtomRef &atom : term.atoms)
      reduced = reduced * Expr::ofAtom(atom);
    result = result + reduced;
  }
  return result;
}

Expr ScalarTranslator::limit(const Expr &expr, unsigned width, bool modulo64) {
  if (!modulo64 || width != 64)
    return Expr::wrap(reduceCoefficients(expr, width), width, /*isSigned=*/true);
  cut |= Expr::wrap(expr, width, /*isSigned=*/true) != expr;
  return expr;
}

Expr ScalarTranslator::combine(const llvm::SCEVNAryExpr *scev, bool isProduct, bool modulo64) {
  Expr result(isProduct ? 1 : 0);
  // The operands of a sum or product that does not wrap must be exact.
  bool isExact = scev->hasNoSignedWrap();
  auto kind = isProduct ? llvm::Instruction::Mul : llvm::Instruction::Add;
  isExact |= scev->getNumOperands() == 2 &&
             scope.scalars.willNotOverflow(kind, /*Signed=*/true, scev->getOperand(0), scev->getOperand(1), context);
  for (const llvm::SCEV *operand : scev->operands()) {
    Expr value = translate(operand, modulo64 && !isExact);
    result = isProduct ? result * value : result + value;
  }
  unsigned width = scope.scalars.getTypeSizeInBits(scev->getType());
  return isExact ? result : limit(result, width, modulo64);
}

/// In the unit: start + step * iteration.
Expr ScalarTranslator::translateRecurrence(const llvm::SCEVAddRecExpr *scev, bool modulo64) {
  if (!scev->isAffine() || !scev->getLoop()->contains(context))
    return Expr::unknown();
  auto it = scope.inUnit.find(scev->getLoop());
  if (it == scope.inUnit.end())
    return translateOuterRecurrence(scev);
  bool isExact = scev->hasNoSignedWrap();
  Expr start = translate(scev->getStart(), modulo64 && !isExact);
  Expr step = translate(scev->getStepRecurrence(scope.scalars), modulo64 && !isExact);
  Expr value = start + step * Expr::iteration(it->second);
  unsigned width = scope.scalars.getTypeSizeInBits(scev->getType());
  return isExact ? value : limit(value, width, modulo64);
}

/// Around the unit: expresses the recurrence with a variable of the same loop that is available before the unit. The
/// last bits may be enough (`t % 2`).
Expr ScalarTranslator::translateOuterRecurrence(const llvm::SCEVAddRecExpr *scev) {
  if (!scev->getType()->isIntegerTy())
    return Expr::unknown();
  llvm::ScalarEvolution &scalars = scope.scalars;
  unsigned width = scev->getType()->getIntegerBitWidth();
  for (llvm::PHINode &phi : scev->getLoop()->getHeader()->phis()) {
    if (!phi.getType()->isIntegerTy() || phi.getType()->getIntegerBitWidth() < width)
      continue;
    const auto *variable = llvm::dyn_cast<llvm::SCEVAddRecExpr>(scalars.getSCEV(&phi));
    mlir::Value value = variable && variable->isAffine() ? scope.getAvailable(&phi) : mlir::Value();
    if (!value)
      continue;
    Expr step = translate(scev->getStepRecurrence(scalars), false);
    Expr ofVariable = translate(variable->getStepRecurrence(scalars), false);
    Expr factor = step.divideExactly(ofVariable);
    if (factor.isUnknown())
      continue;
    Expr sum =
        translate(scev->getStart(), false) + factor * (Expr::symbol(value) - translate(variable->getStart(), false));
    bool isExact = phi.getType() == scev->getType() && scev->hasNoSignedWrap() && variable->hasNoSignedWrap();
    return isExact ? sum : Expr::wrap(sum, width, /*isSigned=*/true);
  }
  return Expr::unknown();
}

Expr ScalarTranslator::translateUnsigned(const llvm::SCEV *scev) {
  Expr value = translate(scev, /*modulo64=*/false);
  if (scope.scalars.isKnownNonNegative(scev) ||
      scope.scalars.isKnownPredicateAt(llvm::CmpInst::ICMP_SGE, scev, scope.scalars.getZero(scev->getType()), context))
    return value;
  return Expr::wrap(value, scope.scalars.getTypeSizeInBits(scev->getType()), /*isSigned=*/false);
}

static bool mayDependOnIterations(const Expr &expr) { return expr.isUnknown() || expr.containsIterations(); }

/// Whether the expression must wrap: `(i - 1) & 255` from 0 on looks like a counter of type unsigned char, but wraps
/// intentionally.
bool ScalarTranslator::wrapsForSure(const Expr &expr) {
  Predicate isExact = Predicate::always();
  return !expr.isUnknown() && !dropWraps(expr, isExact).isUnknown() && !mayHold(isExact);
}

/// Scalar evolution represents an unsigned `x % n` as x - x / n * n and merges it with the other terms of a sum.
std::optional<Expr> ScalarTranslator::translateWithRemainder(const llvm::SCEVAddExpr *scev, bool modulo64) {
  if (!usesRanges)
    return std::nullopt;
  for (const llvm::SCEV *operand : scev->operands()) {
    const auto *product = llvm::dyn_cast<llvm::SCEVMulExpr>(operand);
    if (!product)
      continue;
    for (const llvm::SCEV *factor : product->operands()) {
      const auto *division = llvm::dyn_cast<llvm::SCEVUDivExpr>(factor);
      if (!division || !mayDependOnIterations(translateUnsigned(division->getLHS())))
        continue;
      const llvm::SCEV *remainder = scope.scalars.getURemExpr(division->getLHS(), division->getRHS());
      const llvm::SCEV *rest = scope.scalars.getMinusSCEV(scev, remainder);
      if (llvm::SCEVExprContains(rest, [&](const llvm::SCEV *part) { return part == division; }))
        continue;
      Expr ofRemainder =
          translateRemainder(Expr::unknown(), translate(division->getRHS(), /*modulo64=*/false), /*isSigned=*/false);
      return limit(translate(rest, modulo64) + ofRemainder, scope.scalars.getTypeSizeInBits(scev->getType()), modulo64);
    }
  }
  return std::nullopt;
}

/// Returns the quotient, modulo 2^64 / divisor, of a number of 64 bits that is a multiple of the divisor. Unknown for
/// other numbers.
template <typename Number> Expr ScalarTranslator::divideMultiple(Number *number, int64_t divisor) {
  bool wasCut = cut;
  Expr multiple = translate(number, /*modulo64=*/true);
  cut = wasCut;
  return multiple.isUnknown() ? multiple : multiple.divideExactly(Expr(divisor));
}

/// `ashr (x * 2^32), 29`, which optimizers generate for indices of type int. Exact if the operand is a multiple of
/// 2^shift.
Expr ScalarTranslator::translateShift(llvm::BinaryOperator &shift) {
  auto *by = llvm::dyn_cast<llvm::ConstantInt>(shift.getOperand(1));
  if (shift.getOpcode() != llvm::Instruction::AShr || !shift.getType()->isIntegerTy(64) || !by ||
      by->getValue().uge(62))
    return Expr::unknown();
  unsigned bits = by->getZExtValue(), zeros = 0;
  Expr quotient = divideMultiple(shift.getOperand(0), int64_t(1) << bits);
  if (quotient.isUnknown())
    return quotient;
  // Factors of 2 in the value become trailing zeros.
  for (Expr half = quotient.divideExactly(Expr(2)); !half.isUnknown() && bits + zeros < 62 && !half.isZero();
       half = quotient.divideExactly(Expr(2))) {
    quotient = half;
    ++zeros;
  }
  unsigned width = 64 - bits - zeros;
  return Expr::wrap(reduceCoefficients(quotient, width), width, /*isSigned=*/true) * Expr(int64_t(1) << zeros);
}

/// `and (x * 2^2), 0xfffffffc`, which optimizers generate for indices of type int that are multiples of 4. Scalar
/// evolution has the lower `width` bits of (x * 2^2) / 2^2 for it, which are those of x. Returns nullopt for other
/// quotients.
std::optional<Expr> ScalarTranslator::translateMasked(const llvm::SCEVUDivExpr *division, unsigned width) {
  const auto *divisor = llvm::dyn_cast<llvm::SCEVConstant>(division->getRHS());
  if (!division->getType()->isIntegerTy(64) || !divisor || !divisor->getAPInt().isPowerOf2() ||
      divisor->getAPInt().logBase2() + width > 64)
    return std::nullopt;
  Expr quotient = divideMultiple(division->getLHS(), divisor->getAPInt().getSExtValue());
  if (quotient.isUnknown())
    return std::nullopt;
  return Expr::wrap(reduceCoefficients(quotient, width), width, /*isSigned=*/true);
}

/// Translates a value that is computed in the unit and that scalar evolution cannot analyze.
Expr ScalarTranslator::translateLeaf(llvm::Value *leaf, bool modulo64) {
  if (mlir::Value value = scope.getAvailable(leaf))
    return Expr::symbol(value);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(leaf)) {
    if (std::optional<Expr> number = translateTableEntry(*load))
      return *number;
    if (std::optional<Expr> number = findLoaded ? findLoaded(*load) : std::nullopt)
      return *number;
  }
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(leaf))
    if (std::optional<bool> bit = chooseBit(findParity(select->getCondition())))
      return translate(*bit ? select->getTrueValue() : select->getFalseValue(), modulo64);
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(leaf))
    for (auto translateVariable : {&ScalarTranslator::translateToggled, &ScalarTranslator::translateNestCounter})
      if (std::optional<Expr> number = (this->*translateVariable)(*phi))
        return *number;
  if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(leaf))
    for (const Expr &number : {translateBitOfRemainder(*operation), translateShift(*operation)})
      if (!number.isUnknown())
        return number;
  if (llvm::Value *chosen = choices && !usesBitsAlone ? choices->choose(leaf, scope.loops) : nullptr)
    return translate(chosen, modulo64);
  auto *remainder = llvm::dyn_cast<llvm::BinaryOperator>(leaf);
  if (!usesRanges || !remainder || remainder->getOpcode() != llvm::Instruction::SRem)
    return Expr::unknown();
  Expr dividend = translate(remainder->getOperand(0), /*modulo64=*/false);
  return translateRemainder(dividend, translate(remainder->getOperand(1), /*modulo64=*/false), /*isSigned=*/true);
}

void ScalarTranslator::findBounds(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &bounds) {
  forEachPart(condition, isTrue, [&](llvm::Value *part) { findBoundsOfPart(part, isTrue, bounds); });
}

void ScalarTranslator::findBoundsOfPart(llvm::Value *condition, bool isTrue, llvm::SmallVectorImpl<Expr> &bounds) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
    return;
  Predicate holds = Predicate::always();
  Expr distance = dropWraps(translate(compare->getOperand(0), /*modulo64=*/false) -
                                translate(compare->getOperand(1), /*modulo64=*/false),
                            holds);
  if (distance.isUnknown() || !distance.containsIterations() || !holds.isTrue())
    return;
  auto isNonNegative = [&](unsigned operand) {
    return scope.scalars.isKnownNonNegative(scope.scalars.getSCEV(compare->getOperand(operand)));
  };
  llvm::CmpInst::Predicate predicate = isTrue ? compare->getPredicate() : compare->getInversePredicate();
  bool isBelow = predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_ULE;
  // A number below a nonnegative one in an unsigned comparison is also below it in a signed comparison.
  if (llvm::ICmpInst::isUnsigned(predicate) && isNonNegative(1) &&
      (isBelow || compare->hasSameSign() || isNonNegative(0)))
    predicate = llvm::ICmpInst::getSignedPredicate(predicate);
  switch (predicate) {
  case llvm::ICmpInst::ICMP_EQ:
    bounds.push_back(distance);
    bounds.push_back(Expr() - distance);
    break;
  case llvm::ICmpInst::ICMP_SGE:
    bounds.push_back(distance);
    break;
  case llvm::ICmpInst::ICMP_SGT:
    bounds.push_back(distance - Expr(1));
    break;
  case llvm::ICmpInst::ICMP_SLE:
    bounds.push_back(Expr() - distance);
    break;
  case llvm::ICmpInst::ICMP_SLT:
    bounds.push_back(Expr() - distance - Expr(1));
    break;
  default:
    break;
  }
}

Predicate ScalarTranslator::holdsAlways(llvm::Value *condition, bool isTrue) {
  using namespace llvm::PatternMatch;
  llvm::Value *first, *second;
  bool isAnd = match(condition, m_LogicalAnd(m_Value(first), m_Value(second)));
  if (!isAnd && !match(condition, m_LogicalOr(m_Value(first), m_Value(second))))
    return holdsAlwaysOfPart(condition, isTrue) && rangesHold;
  // It is enough if one side of a false "and" is always false.
  Predicate ofFirst = holdsAlways(first, isTrue), ofSecond = holdsAlways(second, isTrue);
  return isAnd == isTrue ? ofFirst && ofSecond : ofFirst || ofSecond;
}

Predicate ScalarTranslator::holdsAlwaysOfPart(llvm::Value *condition, bool isTrue) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compare || !scope.scalars.isSCEVable(compare->getOperand(0)->getType()))
    return Predicate::never();
  llvm::CmpInst::Predicate predicate = isTrue ? compare->getPredicate() : compare->getInversePredicate();
  const llvm::Loop *here = scope.loops.getLoopFor(context->getParent());
  auto translateOperand = [&](unsigned operand) {
    const llvm::SCEV *scev = scope.scalars.getSCEVAtScope(compare->getOperand(operand), here);
    return llvm::ICmpInst::isUnsigned(predicate) ? translateUnsigned(scev) : translate(scev, /*modulo64=*/false);
  };
  // What must be positive: a distance in one of the two directions.
  Predicate holds = Predicate::always();
  Expr distance = dropWraps(translateOperand(1) - translateOperand(0), holds);
  std::optional<Bounds> bounds = distance.isUnknown() ? std::nullopt : getBounds(distance, holds);
  if (!bounds)
    return Predicate::never();
  Predicate isBelow = Predicate::lessOrEqual(Expr(1), bounds->least);
  Predicate isAbove = Predicate::lessOrEqual(bounds->most, Expr(-1));
  switch (predicate) {
  case llvm::ICmpInst::ICMP_SLT:
  case llvm::ICmpInst::ICMP_ULT:
    return holds && isBelow;
  case llvm::ICmpInst::ICMP_SGT:
  case llvm::ICmpInst::ICMP_UGT:
    return holds && isAbove;
  case llvm::ICmpInst::ICMP_SLE:
  case llvm::ICmpInst::ICMP_ULE:
    return holds && Predicate::lessOrEqual(Expr(), bounds->least);
  case llvm::ICmpInst::ICMP_SGE:
  case llvm::ICmpInst::ICMP_UGE:
    return holds && Predicate::lessOrEqual(bounds->most, Expr());
  case llvm::ICmpInst::ICMP_NE:
    return holds && (isBelow || isAbove);
  default:
    return Predicate::never();
  }
}

/// Returns the quotient as computed by the program before the unit, for divisors that are not known to be positive.
Expr ScalarTranslator::findQuotient(const llvm::SCEVUDivExpr *division) {
  for (llvm::Instruction &instruction : llvm::instructions(*context->getFunction())) {
    if (instruction.getOpcode() != llvm::Instruction::UDiv || instruction.getType() != division->getType() ||
        scope.scalars.getSCEV(&instruction) != division)
      continue;
    if (mlir::Value available = scope.getAvailable(&instruction))
      return Expr::symbol(available);
  }
  return Expr::unknown();
}

Expr ScalarTranslator::translate(const llvm::SCEV *scev, bool modulo64) {
  if (!scev->getType()->isIntegerTy() || scope.scalars.getTypeSizeInBits(scev->getType()) > 64)
    return Expr::unknown();
  unsigned width = scope.scalars.getTypeSizeInBits(scev->getType());
  auto ofOperands = [&](bool isMost, auto translateOne) {
    llvm::SmallVector<Expr, 2> operands;
    for (const llvm::SCEV *operand : llvm::cast<llvm::SCEVNAryExpr>(scev)->operands())
      operands.push_back(translateOne(operand));
    Expr result = operands.front();
    for (const Expr &operand : llvm::ArrayRef(operands).drop_front())
      result = isMost ? Expr::max(result, operand) : Expr::min(result, operand);
    return limitExtreme(result, operands, isMost);
  };
  auto unsignedOperands = [&](bool isMost) {
    Expr result = ofOperands(isMost, [&](const llvm::SCEV *operand) { return translateUnsigned(operand); });
    return Expr::wrap(result, width, /*isSigned=*/true);
  };
  auto signedOperands = [&](bool isMost) {
    return ofOperands(isMost, [&](const llvm::SCEV *operand) { return translate(operand, false); });
  };
  switch (scev->getSCEVType()) {
  case llvm::scConstant: {
    const llvm::APInt &value = llvm::cast<llvm::SCEVConstant>(scev)->getAPInt();
    return Expr(value.getSExtValue());
  }
  case llvm::scUnknown:
    return translateLeaf(llvm::cast<llvm::SCEVUnknown>(scev)->getValue(), modulo64);
  case llvm::scPtrToInt: {
    // The number of elements of a vector is the difference of two pointers. No object has a negative address.
    const auto *leaf = llvm::dyn_cast<llvm::SCEVUnknown>(llvm::cast<llvm::SCEVCastExpr>(scev)->getOperand());
    mlir::Value pointer = leaf ? scope.getAvailable(leaf->getValue()) : mlir::Value();
    return pointer ? Expr::symbol(pointer) : Expr::unknown();
  }
  case llvm::scTruncate: {
    const llvm::SCEV *operand = llvm::cast<llvm::SCEVCastExpr>(scev)->getOperand();
    if (const auto *division = llvm::dyn_cast<llvm::SCEVUDivExpr>(operand))
      if (std::optional<Expr> number = translateMasked(division, width))
        return *number;
    const auto *leaf = llvm::dyn_cast<llvm::SCEVUnknown>(operand);
    if (std::optional<Expr> number = leaf ? translateNarrowCounter(leaf->getValue(), scev->getType()) : std::nullopt)
      return *number;
    return Expr::wrap(reduceCoefficients(translate(operand, false), width), width, /*isSigned=*/true);
  }
  case llvm::scZeroExtend: {
    const llvm::SCEV *operand = llvm::cast<llvm::SCEVCastExpr>(scev)->getOperand();
    unsigned bits = scope.scalars.getTypeSizeInBits(operand->getType());
    if (bits == 1)
      if (std::optional<bool> bit = chooseBit(findParity(operand)))
        return Expr(*bit ? 1 : 0);
    Expr value = translateUnsigned(operand);
    if (usesRanges && bits < 32 && mayDependOnIterations(value) && (isMaskWidth(bits) || wrapsForSure(value)))
      return addRange(Expr(), Expr((int64_t(1) << bits) - 1));
    return value;
  }
  case llvm::scSignExtend: {
    const llvm::SCEV *operand = llvm::cast<llvm::SCEVCastExpr>(scev)->getOperand();
    if (scope.scalars.getTypeSizeInBits(operand->getType()) == 1)
      if (std::optional<bool> bit = chooseBit(findParity(operand)))
        return Expr(*bit ? -1 : 0);
    return translate(operand, false);
  }
  case llvm::scAddExpr:
    if (std::optional<Expr> sum = translateWithRemainder(llvm::cast<llvm::SCEVAddExpr>(scev), modulo64))
      return *sum;
    return combine(llvm::cast<llvm::SCEVNAryExpr>(scev), /*isProduct=*/false, modulo64);
  case llvm::scMulExpr:
    return combine(llvm::cast<llvm::SCEVNAryExpr>(scev), /*isProduct=*/true, modulo64);
  case llvm::scAddRecExpr:
    return translateRecurrence(llvm::cast<llvm::SCEVAddRecExpr>(scev), modulo64);
  case llvm::scUDivExpr: {
    const auto *division = llvm::cast<llvm::SCEVUDivExpr>(scev);
    Expr divisor = translateUnsigned(division->getRHS());
    if (!divisor.isPositive())
      return findQuotient(division);
    return Expr::wrap(Expr::floorDiv(translateUnsigned(division->getLHS()), divisor), width, /*isSigned=*/true);
  }
  case llvm::scSMaxExpr:
    return signedOperands(/*isMost=*/true);
  case llvm::scSMinExpr:
    return signedOperands(/*isMost=*/false);
  case llvm::scUMaxExpr:
    return unsignedOperands(/*isMost=*/true);
  case llvm::scUMinExpr:
    return unsignedOperands(/*isMost=*/false);
  default:
    return Expr::unknown();
  }
}

Expr ScalarTranslator::translate(llvm::Value *value, bool modulo64) {
  if (!scope.scalars.isSCEVable(value->getType()))
    return Expr::unknown();
  const llvm::Loop *here = scope.loops.getLoopFor(context->getParent());
  return translate(scope.scalars.getSCEVAtScope(value, here), modulo64);
}

/// Handles `for (i = 1; i <= n; i += 16)` where LLVM has widened the counter and compares its low bits, which might
/// wrap. They do not if the limit and a step are a number of that width.
Expr ScalarTranslator::getLastOfNarrow(const llvm::Loop &loop) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
  auto *compare = branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || loop.getExitingBlock() != latch || !scope.scalars.isSCEVable(compare->getOperand(0)->getType()))
    return Expr::unknown();
  const llvm::SCEV *counter = scope.scalars.getSCEV(compare->getOperand(0)),
                   *limit = scope.scalars.getSCEV(compare->getOperand(1));
  llvm::CmpInst::Predicate stays =
      branch->getSuccessor(0) == loop.getHeader() ? compare->getPredicate() : compare->getInversePredicate();
  if (!llvm::isa<llvm::SCEVAddRecExpr>(counter)) {
    std::swap(counter, limit);
    stays = llvm::CmpInst::getSwappedPredicate(stays);
  }
  const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(counter);
  bool isUp = stays == llvm::CmpInst::ICMP_SLE || stays == llvm::CmpInst::ICMP_SLT;
  if (!recurrence || !isUp || recurrence->getLoop() != &loop || !recurrence->isAffine() ||
      !counter->getType()->isIntegerTy() || !scope.scalars.isLoopInvariant(limit, &loop))
    return Expr::unknown();
  ScalarTranslator there(scope, &*loop.getHeader()->getFirstInsertionPt());
  Expr step = there.translate(recurrence->getStepRecurrence(scope.scalars), /*modulo64=*/false);
  Expr first = there.translate(recurrence->getStart(), /*modulo64=*/false);
  Expr last = there.translate(limit, /*modulo64=*/false) - Expr(stays == llvm::CmpInst::ICMP_SLT ? 1 : 0);
  unsigned width = scope.scalars.getTypeSizeInBits(counter->getType());
  if (width > 62 || !step.getConstant() || !step.isPositive() || first.isUnknown() || last.isUnknown() ||
      first.containsIterations() || last.containsIterations())
    return Expr::unknown();
  rangesHold = rangesHold && Predicate::lessOrEqual(last + step, Expr((int64_t(1) << (width - 1)) - 1));
  return Expr::max(Expr(), Expr::floorDiv(last + step - first, step));
}

Expr ScalarTranslator::getLastIteration(const llvm::Loop &loop) {
  const llvm::SCEV *count = countsToLatch && loop.getLoopLatch()
                                ? scope.scalars.getExitCount(&loop, loop.getLoopLatch())
                                : scope.scalars.getBackedgeTakenCount(&loop);
  if (countsToLatch && llvm::isa<llvm::SCEVCouldNotCompute>(count))
    return Expr::unknown();
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count))
    count = scope.scalars.getSymbolicMaxBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count))
    return asksConditions ? getLastOfNarrow(loop) : Expr::unknown();
  if (scope.scalars.getTypeSizeInBits(count->getType()) > 64)
    return Expr::unknown();
  // Use what is known when the loop is entered. If it is not entered, the count does not matter.
  ScalarTranslator there(scope, &*loop.getHeader()->getFirstInsertionPt(), choices);
  there.usesBitsAlone = true;
  there.asksConditions = asksConditions;
  const llvm::SCEV *zero = scope.scalars.getZero(count->getType());
  bool isSigned = scope.scalars.isLoopEntryGuardedByCond(&loop, llvm::CmpInst::ICMP_SGE, count, zero) ||
                  scope.scalars.isKnownNonNegative(scope.scalars.applyLoopGuards(count, &loop));
  Expr last = isSigned ? there.translate(count, /*modulo64=*/false) : there.translateUnsigned(count);
  rangesHold = rangesHold && there.rangesHold;
  return last;
}

static bool isExtreme(const AtomRef &atom) {
  return (atom->kind == Atom::Kind::Min || atom->kind == Atom::Kind::Max) && Expr::ofAtom(atom).containsIterations();
}

/// Returns the term that is a multiple of a minimum or maximum which changes with the iterations, if any.
static const Expr::Term *findExtreme(const Expr &expr) {
  const auto *found = llvm::find_if(expr.getTerms(), [](const Expr::Term &term) {
    return llvm::count_if(term.atoms, isExtreme) == 1 && llvm::all_of(term.atoms, [](const AtomRef &atom) {
             return isExtreme(atom) || !Expr::ofAtom(atom).containsIterations();
           });
  });
  return found == expr.getTerms().end() ? nullptr : found;
}

bool ScalarTranslator::hasExtreme(const Expr &expr) { return !expr.isUnknown() && findExtreme(expr); }

/// Bounds an expression without extremes: by the first or last value of each counter.
std::optional<Expr> ScalarTranslator::getLinearBound(Expr bound, bool isMost, llvm::ArrayRef<Counter> counters,
                                                     Predicate &holds) {
  for (size_t i = 0; i < counters.size(); ++i) {
    unsigned number = counters[i].number;
    if (!bound.contains(number))
      continue;
    Expr factor, rest, last = dropWraps(getLast(counters[i]), holds);
    if (last.isUnknown() || last.contains(number) || !bound.splitLinear(number, factor, rest))
      return std::nullopt;
    Expr atEnd = rest + factor * last;
    if (factor.isNonNegative())
      bound = isMost ? atEnd : rest;
    else if ((Expr() - factor).isNonNegative())
      bound = isMost ? rest : atEnd;
    else if (!rest.containsIterations() && !atEnd.containsIterations())
      bound = isMost ? Expr::max(rest, atEnd) : Expr::min(rest, atEnd);
    else if (!factor.containsIterations()) {
      // The length of a row is a variable of the program, most likely not negative.
      bool isDown = goesDown(factor);
      holds = holds && Predicate::lessOrEqual(Expr(), isDown ? Expr() - factor : factor);
      bound = isMost != isDown ? atEnd : rest;
    } else
      return std::nullopt;
    if (hasExtreme(bound))
      return getBound(bound, isMost, counters.drop_front(i + 1), holds);
  }
  return bound.isUnknown() ? std::nullopt : std::optional(bound);
}

/// Bounds `rest + factor * min(a, b)`: the minimum of two sums, or their maximum if the factor is negative.
std::optional<Expr> ScalarTranslator::getBoundOfExtreme(const Expr &expr, const Expr::Term &extreme, bool isMost,
                                                        llvm::ArrayRef<Counter> counters, Predicate &holds) {
  const Atom &atom = **llvm::find_if(extreme.atoms, isExtreme);
  Expr factor(extreme.coefficient);
  for (const AtomRef &other : extreme.atoms)
    if (!isExtreme(other))
      factor = factor * Expr::ofAtom(other);
  Expr rest = expr - factor * Expr::ofAtom(atom);
  // The length of a row is a variable of the program, most likely not negative.
  bool isUp = factor.isNonNegative() || (!(Expr() - factor).isNonNegative() && !goesDown(factor));
  holds = holds && Predicate::lessOrEqual(Expr(), isUp ? factor : Expr() - factor);
  bool isMaximum = (atom.kind == Atom::Kind::Max) == isUp;
  llvm::SmallVector<Expr, 2> bounds;
  for (const Expr &operand : {atom.first, atom.second}) {
    Predicate ofOperand = Predicate::always();
    Expr sum = dropWraps(rest + factor * operand, ofOperand);
    std::optional<Expr> bound = sum.isUnknown() ? std::nullopt : getBound(sum, isMost, counters, ofOperand);
    // Either bound alone is one of a minimum from above, and of a maximum from below.
    if (!bound && isMaximum == isMost)
      return std::nullopt;
    if (!bound)
      continue;
    bounds.push_back(*bound);
    holds = holds && ofOperand;
  }
  if (bounds.size() < 2)
    return bounds.empty() ? std::nullopt : std::optional(bounds.front());
  if (isMaximum != isMost)
    for (unsigned i : {0, 1})
      if (!bounds[i].containsIterations() && bounds[1 - i].containsIterations())
        return bounds[i];
  return isMaximum ? Expr::max(bounds[0], bounds[1]) : Expr::min(bounds[0], bounds[1]);
}

std::optional<Expr> ScalarTranslator::getBound(const Expr &expr, bool isMost, llvm::ArrayRef<Counter> counters,
                                               Predicate &holds) {
  // Extremes of extremes: the end of a tile, which is not before its beginning.
  constexpr unsigned mostNested = 8;
  if (nestedExtremes >= mostNested)
    return std::nullopt;
  const Expr::Term *extreme = findExtreme(expr);
  if (!extreme)
    return getLinearBound(expr, isMost, counters, holds);
  ++nestedExtremes;
  std::optional<Expr> bound = getBoundOfExtreme(expr, *extreme, isMost, counters, holds);
  --nestedExtremes;
  return bound;
}

std::optional<Bounds> ScalarTranslator::getBounds(const Expr &expr, Predicate &holds) {
  llvm::SmallVector<Counter, 4> counters = getCounters();
  std::optional<Expr> least = getBound(expr, /*isMost=*/false, counters, holds);
  std::optional<Expr> most = least ? getBound(expr, /*isMost=*/true, counters, holds) : std::nullopt;
  if (!most || least->containsIterations() || most->containsIterations())
    return std::nullopt;
  return Bounds{*least, *most};
}

Expr ScalarTranslator::dropWraps(const Expr &expr, Predicate &holds) {
  if (!expr.containsIterations())
    return expr;
  return expr.map([&](const Atom &atom) -> Expr {
    Expr same = Expr::ofAtom(atom);
    if (atom.kind != Atom::Kind::Wrap || !same.containsIterations())
      return same;
    Expr inner = dropWraps(atom.first, holds);
    bool isNearEnd = !atom.isSigned && atom.number < 62 &&
                     llvm::any_of(
                         inner.getTerms(),
                         [&](const auto &term) {
                           constexpr int64_t near = int64_t(1) << 24;
                           return term.atoms.empty() && term.coefficient > (int64_t(1) << atom.number) - near;
                         });
    // Among congruent coefficients, use the ones closest to zero.
    if (atom.isSigned || isNearEnd)
      inner = reduceCoefficients(inner, atom.number);
    std::optional<Bounds> bounds = inner.isUnknown() ? std::nullopt : getBounds(inner, holds);
    if (!bounds)
      return Expr::unknown();
    int64_t most = atom.number >= 63 ? kFar : (int64_t(1) << (atom.number - (atom.isSigned ? 1 : 0))) - 1;
    int64_t least = !atom.isSigned ? 0 : atom.number >= 63 ? -kFar : -most - 1;
    holds =
        holds && Predicate::lessOrEqual(Expr(least), bounds->least) && Predicate::lessOrEqual(bounds->most, Expr(most));
    return inner;
  });
}
