//===- MemRefIndices.cpp - Indices as expressions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemRefIndices.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace comm;

//===----------------------------------------------------------------------===//
// Arithmetic that may wrap
//===----------------------------------------------------------------------===//

static constexpr Int128 kHalf = Int128(1) << 63;
/// Limits the size of expressions that are sums of sums.
static constexpr unsigned mostDepth = 8;
/// More elements than any memory can hold.
static constexpr Int128 kMostElements = Int128(1) << 62;
/// Magnitudes saturate here.
static constexpr Int128 kMost = Int128(1) << 66;

IndexExpr IndexExpr::constant(int64_t value) { return {Expr(value), value < 0 ? -Int128(value) : Int128(value), true}; }

static IndexExpr combine(const IndexExpr &a, const IndexExpr &b, Expr expr, Int128 magnitude) {
  magnitude = std::min(magnitude, kMost);
  return {std::move(expr), magnitude, a.isExact && b.isExact && magnitude < kHalf};
}

IndexExpr IndexExpr::operator+(const IndexExpr &other) const {
  return combine(*this, other, expr + other.expr, magnitude + other.magnitude);
}

IndexExpr IndexExpr::operator-(const IndexExpr &other) const {
  return combine(*this, other, expr - other.expr, magnitude + other.magnitude);
}

IndexExpr IndexExpr::operator*(const IndexExpr &other) const {
  // Neither factor exceeds 2^66, so compute only products that cannot overflow.
  bool isSmall = magnitude < (Int128(1) << 60) || other.magnitude < (Int128(1) << 60);
  return combine(*this, other, expr * other.expr, isSmall ? magnitude * other.magnitude : kMost);
}

IndexExpr IndexExpr::inView(const IndexExpr &offset, const IndexExpr &index, int64_t stride) {
  IndexExpr result = offset + index * constant(stride);
  result.isExact = offset.isExact && index.isExact;
  return result;
}

/// An index is at least 0 and less than the number of elements. Any other number congruent to it modulo 2^64 is farther
/// from 0 than this bound.
bool IndexExpr::isIndex() const { return isExact || magnitude < 4 * kMostElements - kMostElements; }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

IndexTranslator::IndexTranslator(const Unit &unit) : unit(unit), interior(unit.interior.begin(), unit.interior.end()) {
  unit.walk([&](Operation *op) { inside.insert(op); });
}

bool IndexTranslator::isBefore(Value value) const {
  if (Operation *op = value.getDefiningOp())
    return !inside.contains(op);
  Block *block = value.getParentBlock();
  return !interior.contains(block) && (!unit.isPiece() || block != unit.join) && !inside.contains(block->getParentOp());
}

/// Whether arithmetic on this type is modulo 2^64.
static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

/// Represents a value that is defined before the unit by a symbol.
static IndexExpr getSymbol(Value value) {
  auto integer = dyn_cast<IntegerType>(value.getType());
  bool isNumber = value.getType().isIndex() || (integer && integer.getWidth() > 1 && integer.getWidth() <= 64);
  return isNumber ? IndexExpr{Expr::symbol(value), kHalf, true} : IndexExpr();
}

IndexExpr IndexTranslator::translate(Value value) {
  if (std::optional<int64_t> number = getConstantInteger(value))
    return IndexExpr::constant(*number);
  if (isBefore(value)) {
    // Look into its definition: two symbols would not show that n + 1 is greater than n.
    IndexExpr computed = compute(value);
    if (!computed.expr.isUnknown() && (computed.isExact || computed.isIndex()))
      return computed;
    return getSymbol(value);
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    auto variables = loop ? loop.getLoopInductionVars() : std::nullopt;
    if (!variables)
      return {};
    auto it = llvm::find(*variables, value);
    return it == variables->end() ? IndexExpr() : count(loop, it - variables->begin()).value;
  }
  return compute(value);
}

IndexExpr IndexTranslator::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == mostDepth)
    return {};
  auto it = computed.find(value);
  if (it != computed.end())
    return it->second;
  ++depth;
  IndexExpr result = computeNew(op, value);
  --depth;
  return computed[value] = result;
}

/// Translates the operation that computes the value.
IndexExpr IndexTranslator::computeNew(Operation *op, Value value) {
  if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
    IndexExpr inner = translate(cast.getIn());
    return inner.isExact && isWide(value.getType()) ? inner : IndexExpr();
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return translate(apply.getAffineMap().getResult(0), apply.getAffineMap().getNumDims(), apply.getMapOperands());
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) || !isWide(value.getType()))
    return {};
  IndexExpr a = translate(op->getOperand(0)), b = translate(op->getOperand(1));
  IndexExpr result = isa<arith::AddIOp>(op) ? a + b : isa<arith::SubIOp>(op) ? a - b : a * b;
  auto flags = cast<arith::ArithIntegerOverflowFlagsInterface>(op).getOverflowAttr().getValue();
  if (a.isExact && b.isExact && bitEnumContainsAll(flags, arith::IntegerOverflowFlags::nsw)) {
    result.isExact = true;
    result.magnitude = std::min(result.magnitude, kHalf);
  }
  return result;
}

IndexExpr IndexTranslator::translate(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return IndexExpr::constant(*constant);
  return translate(cast<Value>(value));
}

IndexExpr IndexTranslator::translate(AffineExpr expr, unsigned numDims, ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IndexExpr::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return translate(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return translate(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul)
    return {};
  IndexExpr a = translate(binary.getLHS(), numDims, operands), b = translate(binary.getRHS(), numDims, operands);
  return expr.getKind() == AffineExprKind::Add ? a + b : a * b;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

IndexExpr IndexTranslator::getBound(Operation *loop, unsigned index, bool isLower) {
  auto interface = cast<LoopLikeOpInterface>(loop);
  if (auto bounds = isLower ? interface.getLoopLowerBounds() : interface.getLoopUpperBounds()) {
    IndexExpr bound = index < bounds->size() ? translate((*bounds)[index]) : IndexExpr();
    auto value = index < bounds->size() ? dyn_cast<Value>((*bounds)[index]) : Value();
    return !bound.isExact && value && isBefore(value) ? getSymbol(value) : bound;
  }
  auto affine = dyn_cast<affine::AffineForOp>(loop);
  if (!affine)
    return {};
  // From the maximum of the lower bounds to the minimum of the upper bounds.
  AffineMap map = isLower ? affine.getLowerBoundMap() : affine.getUpperBoundMap();
  ValueRange operands = isLower ? ValueRange(affine.getLowerBoundOperands()) : affine.getUpperBoundOperands();
  std::optional<IndexExpr> result;
  for (AffineExpr expr : map.getResults()) {
    IndexExpr bound = translate(expr, map.getNumDims(), operands);
    if (!result) {
      result = bound;
      continue;
    }
    result->expr = isLower ? Expr::max(result->expr, bound.expr) : Expr::min(result->expr, bound.expr);
    result->magnitude = std::max(result->magnitude, bound.magnitude);
    result->isExact &= bound.isExact;
  }
  return result.value_or(IndexExpr());
}

const IndexTranslator::Counted &IndexTranslator::count(Operation *loop, unsigned index) {
  auto it = loops.find({loop, index});
  if (it != loops.end())
    return it->second;
  Counted counted;
  counted.number = loops.size();
  loops[{loop, index}] = counted;
  auto forLoop = dyn_cast<scf::ForOp>(loop);
  IndexExpr begin = getBound(loop, index, /*isLower=*/true), end = getBound(loop, index, /*isLower=*/false);
  bool isKnown = begin.isExact && end.isExact && !begin.expr.isUnknown() && !end.expr.isUnknown();
  if (isKnown && !(forLoop && forLoop.getUnsignedCmp())) {
    std::optional<int64_t> step;
    if (auto affine = dyn_cast<affine::AffineForOp>(loop))
      step = affine.getStepAsInt();
    else if (auto steps = cast<LoopLikeOpInterface>(loop).getLoopSteps(); steps && index < steps->size())
      step = getConstantIntValue((*steps)[index]);
    // Assume 1 for an unknown step, which overestimates the iterations.
    if (!step || *step < 1)
      step = 1;
    counted.last = Expr::floorDiv(end.expr - Expr(1) - begin.expr, Expr(*step));
    counted.value = {begin.expr + Expr(*step) * Expr::iteration(counted.number), kHalf, true};
    if (begin.magnitude < kHalf && end.magnitude < kHalf)
      counted.value.magnitude = std::max(begin.magnitude, end.magnitude);
  }
  return loops[{loop, index}] = counted;
}

IndexRange IndexTranslator::spread(const IndexSpan &span, Operation *op) {
  if (span.first.expr.isUnknown() || span.last.expr.isUnknown() || !span.first.isIndex() || !span.last.isIndex())
    return {};
  IndexRange range{span.first.expr, span.last.expr};
  // Inner loops first: their trip counts may depend on the outer ones.
  for (Operation *parent = op->getParentOp(); parent && inside.contains(parent); parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    auto variables = loop ? loop.getLoopInductionVars() : std::nullopt;
    for (unsigned index = 0; variables && index < variables->size(); ++index) {
      auto it = loops.find({parent, index});
      if (it == loops.end())
        continue;
      Expr byFirst, first, byLast, last;
      if (!range.first.splitLinear(it->second.number, byFirst, first) ||
          !range.last.splitLinear(it->second.number, byLast, last))
        return {};
      auto isNegative = [](const Expr &expr) { return (Expr() - expr).isNonNegative(); };
      if ((!byFirst.isNonNegative() && !isNegative(byFirst)) || (!byLast.isNonNegative() && !isNegative(byLast)))
        return {};
      range.first = byFirst.isNonNegative() ? first : first + byFirst * it->second.last;
      range.last = byLast.isNonNegative() ? last + byLast * it->second.last : last;
    }
  }
  bool isFree = !range.first.isUnknown() && !range.last.isUnknown() && !range.first.containsIterations() &&
                !range.last.containsIterations();
  return isFree ? range : IndexRange();
}
