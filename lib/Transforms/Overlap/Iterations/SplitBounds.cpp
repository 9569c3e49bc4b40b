//===- SplitBounds.cpp - Find the interior at run time --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/SplitNest.h"

#include "Comm/Analysis/Footprints/SizeLimiter.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

using namespace mlir;
using namespace comm;

/// The arithmetic fits into 64 bits for at most this many iterations.
static constexpr int64_t kMostIterations = int64_t(1) << 61;
/// Lengths are clamped to this, so that products of lengths stay small.
static constexpr int64_t kLong = int64_t(1) << 30;

namespace {
class BoundsBuilder {
public:
  explicit BoundsBuilder(const NestSplit &split)
      : split(split), entry(split.boundsAt ? split.boundsAt : split.unit.op), builder(entry),
        loc(split.unit.op->getLoc()), i64(builder.getI64Type()) {}
  SplitBounds run();

private:
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  }
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) { return LLVM::SelectOp::create(builder, loc, condition, a, b); }
  Value both(Value a, Value b) { return LLVM::AndOp::create(builder, loc, a, b); }

  Predicate getAssumptions() const;
  Part findInterior(Materializer &code, unsigned level, Value count);
  Value pays(ArrayRef<Part> interior);

  const NestSplit &split;
  Operation *entry;
  OpBuilder builder;
  Location loc;
  Type i64;
};
} // namespace

Predicate BoundsBuilder::getAssumptions() const {
  Predicate holds = split.holds;
  for (auto [loop, touched] : llvm::zip_equal(split.loops, split.touched)) {
    holds = holds && Predicate::lessOrEqual(loop.count, Expr(kMostIterations)) &&
            Predicate::lessOrEqual(Expr(), loop.count);
    for (const TouchingIterations &each : touched)
      holds = holds && each.valid;
  }
  return holds;
}

/// Finds the longest range that the touched ones leave between the two ends of the loop. Each touched range is assigned
/// to the nearer end. The result is right for all numbers, because the program checks the assumptions.
Part BoundsBuilder::findInterior(Materializer &code, unsigned level, Value count) {
  Value none = constant(0), low = none, high = count;
  for (const TouchingIterations &each : split.touched[level]) {
    Value begin = code.getNarrow(each.range.begin), end = code.getNarrow(each.range.end);
    Value sum = LLVM::AddOp::create(builder, loc, begin, end);
    Value isThere = compare(LLVM::ICmpPredicate::ult, begin, end);
    Value isLow = both(isThere, compare(LLVM::ICmpPredicate::ule, sum, count));
    Value isHigh = both(isThere, compare(LLVM::ICmpPredicate::ugt, sum, count));
    low = LLVM::UMaxOp::create(builder, loc, low, select(isLow, end, none));
    high = LLVM::UMinOp::create(builder, loc, high, select(isHigh, begin, count));
  }
  if (level == 0 && split.keepsLast) {
    Value last = LLVM::SubOp::create(builder, loc, count, constant(1));
    high = select(compare(LLVM::ICmpPredicate::ult, last, high), last, high);
  }
  return {low, high};
}

/// Returns whether the interior can hide more than two loops cost.
Value BoundsBuilder::pays(ArrayRef<Part> interior) {
  Value product, result, length;
  for (const Part &part : interior) {
    // The bounds are at most kMostIterations; an empty range has length 0.
    Value isSome = compare(LLVM::ICmpPredicate::ult, part.begin, part.end);
    length = select(isSome, LLVM::SubOp::create(builder, loc, part.end, part.begin), constant(0));
    Value some = LLVM::UMinOp::create(builder, loc, length, constant(kLong));
    product =
        product ? LLVM::UMinOp::create(builder, loc, LLVM::MulOp::create(builder, loc, product, some), constant(kLong))
                      .getResult()
                : some;
  }
  result = compare(LLVM::ICmpPredicate::uge, product, constant(split.price->leastIterations));
  return both(result, compare(LLVM::ICmpPredicate::uge, length, constant(split.price->leastOfInnermost)));
}

SplitBounds BoundsBuilder::run() {
  SplitBounds bounds;
  // A branch is one unit of the chain, however long it is. It is taken if the loop may run at all.
  Block *before = entry->getBlock(), *after = before->splitBlock(entry), *made = new Block(), *asked = made;
  auto insert = [&](Block *block) { after->getParent()->getBlocks().insert(Region::iterator(after), block); };
  insert(made);
  builder.setInsertionPointToEnd(before);
  Value mayRun = Predicate::lessOrEqual(Expr(1), split.loops.front().count).materialize(builder, loc),
        none = constant(0);
  auto mayRunBranch = LLVM::CondBrOp::create(builder, loc, mayRun, made, ValueRange(), after, ValueRange());
  bounds.entry = mayRunBranch;
  // Numbers of the loops come first, followed by those of the interior.
  SmallVector<Value> results;
  auto hand = [&](Value value) -> Value {
    results.push_back(value);
    return after->addArgument(i64, loc);
  };
  builder.setInsertionPointToEnd(made);
  SmallVector<Value> counts;
  Value areKnown;
  {
    Materializer code(builder, loc, Arithmetic::Checked);
    Predicate fit = Predicate::always();
    for (const FootprintAnalysis::Loop &loop : split.loops) {
      fit = fit && Predicate::fits(loop.count);
      counts.push_back(code.getNarrow(loop.count));
      bounds.counts.push_back(hand(counts.back()));
      SmallVector<Value> &ofLoop = bounds.steps.emplace_back();
      for (auto [argument, step] : llvm::zip_equal(loop.header->getArguments(), loop.steps)) {
        bool isUsed = split.isNumbered(argument) && !step.isZero();
        ofLoop.push_back(isUsed ? hand(code.getNarrow(step)) : Value());
        if (isUsed)
          fit = fit && Predicate::fits(step);
      }
    }
    areKnown = code.get(fit);
  }
  LLVM::CondBrOp asks;
  SmallVector<Value> nothing(results);
  if (split.price) {
    // Within a node, no message makes progress while the program computes.
    insert(asked = new Block());
    Value spans = askRuntime(builder, loc, mpi::kAskSpansNodes);
    asks = LLVM::CondBrOp::create(builder, loc, spans, asked, ValueRange(), after, ValueRange());
    builder.setInsertionPointToEnd(asked);
  }
  Materializer code(builder, loc, Arithmetic::Checked);
  Value isRight = both(areKnown, code.get(getAssumptions())), zero = constant(0);
  SmallVector<Part> found;
  for (unsigned level = 0; level < split.loops.size(); ++level)
    found.push_back(findInterior(code, level, counts[level]));
  if (split.price)
    isRight = both(isRight, pays(found));
  for (const Part &part : found) {
    Value isSome = both(isRight, compare(LLVM::ICmpPredicate::ult, part.begin, part.end));
    Value low = hand(select(isSome, part.begin, zero));
    bounds.interior.push_back({low, hand(select(isSome, part.end, zero))});
  }
  auto end = LLVM::BrOp::create(builder, loc, results, after);
  end->setAttr(kBoundsAttrName, builder.getUnitAttr());
  nothing.resize(results.size(), none);
  if (asks)
    asks.getFalseDestOperandsMutable().assign(nothing);
  mayRunBranch.getFalseDestOperandsMutable().assign(SmallVector<Value>(results.size(), none));
  return bounds;
}

SplitBounds comm::computeBounds(const NestSplit &split) { return BoundsBuilder(split).run(); }

void SplitBounds::setRuns(const RunList &found, Operation *unit) {
  OpBuilder builder(unit);
  Location loc = unit->getLoc();
  Value isSome =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, interior.front().begin, interior.front().end);
  Value none = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(0));
  runs = RunList{found.numbers, LLVM::SelectOp::create(builder, loc, isSome, found.count, none), std::nullopt};
}

void comm::limitSizes(NestSplit &split) {
  SizeLimiter limiter;
  for (auto &touched : split.touched)
    for (TouchingIterations &each : touched)
      each = {{limiter.limit(each.range.begin), limiter.limit(each.range.end)}, limiter.limit(each.valid)};
  split.holds = limiter.limit(split.holds);
  split.holds = split.holds && limiter.holds();
}
