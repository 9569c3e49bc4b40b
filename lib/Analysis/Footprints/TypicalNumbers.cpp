//===- TypicalNumbers.cpp - Typical values of symbols ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypicalNumbers.h"

#include "LikelySame.h"

#include "Comm/Analysis/Footprints/Interior.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace comm;

std::optional<Int128> TypicalNumbers::evaluate(const Expr &expr) {
  return expr.evaluate([&](Value value) { return choose(value); },
                       [](unsigned) -> std::optional<int64_t> { return std::nullopt; });
}

bool TypicalNumbers::holds(const Predicate &predicate) {
  return predicate.evaluate([&](Value value) { return choose(value); }).value_or(false);
}

/// Whether the value is the position of the process among others: its rank or coordinates.
static bool isPlace(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto query = dyn_cast_if_present<MPIOpInterface>(op))
    return query.getOutcome("rank") == value;
  return op && op->hasAttr(kPlaceAttrName);
}

/// Whether a typical number equals a constant: few sizes are zero. Returns none for other comparisons.
std::optional<int64_t> TypicalNumbers::compare(LLVM::ICmpOp op, unsigned depth) {
  bool isEquality = op.getPredicate() == LLVM::ICmpPredicate::eq;
  std::optional<int64_t> constant = getConstantInteger(op.getRhs());
  if (!constant || (!isEquality && op.getPredicate() != LLVM::ICmpPredicate::ne))
    return std::nullopt;
  std::optional<int64_t> number = choose(op.getLhs(), depth + 1);
  if (!number)
    return std::nullopt;
  // As a signed number, true is -1.
  return (*number == *constant) == isEquality ? -1 : 0;
}

/// Computes an address with one index.
std::optional<int64_t> TypicalNumbers::compute(LLVM::GEPOp op, unsigned depth) {
  if (op.getIndices().size() != 1)
    return std::nullopt;
  auto constant = dyn_cast<IntegerAttr>(op.getIndices()[0]);
  std::optional<int64_t> base = choose(op.getBase(), depth + 1);
  std::optional<int64_t> index = constant ? constant.getInt() : choose(cast<Value>(op.getIndices()[0]), depth + 1);
  auto size = static_cast<int64_t>(DataLayout::closest(op).getTypeSize(op.getElemType()).getFixedValue());
  int64_t offset = 0, result = 0;
  if (!base || !index || llvm::MulOverflow(*index, size, offset) || llvm::AddOverflow(*base, offset, result))
    return std::nullopt;
  return result;
}

/// Computes the result of simple arithmetic. Returns none for other operations.
std::optional<int64_t> TypicalNumbers::compute(Operation *op, unsigned depth) {
  if (isa<LLVM::ZExtOp>(op)) {
    std::optional<int64_t> number = choose(op->getOperand(0), depth + 1);
    unsigned width = op->getOperand(0).getType().getIntOrFloatBitWidth();
    return number && width < 64 ? std::optional<int64_t>(*number & ((int64_t(1) << width) - 1)) : number;
  }
  if (auto comparison = dyn_cast<LLVM::ICmpOp>(op))
    return compare(comparison, depth);
  if (isa<LLVM::SExtOp, LLVM::TruncOp, LLVM::FreezeOp>(op))
    return choose(op->getOperand(0), depth + 1);
  // Quotients of nonzero numbers are unknown; a quotient of 0 is 0, such as the first row of the first process.
  if (isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::AShrOp, LLVM::LShrOp>(op))
    return choose(op->getOperand(0), depth + 1) == 0 ? std::optional<int64_t>(0) : std::nullopt;
  if (!isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp, LLVM::SMaxOp, LLVM::SMinOp, LLVM::XOrOp>(op))
    return std::nullopt;
  std::optional<int64_t> a = choose(op->getOperand(0), depth + 1), b = choose(op->getOperand(1), depth + 1);
  int64_t result = 0;
  if (!a || !b)
    return std::nullopt;
  if (isa<LLVM::ShlOp>(op) && (*b < 0 || *b > 62))
    return std::nullopt;
  if (isa<LLVM::SMaxOp>(op))
    return std::max(*a, *b);
  if (isa<LLVM::SMinOp>(op))
    return std::min(*a, *b);
  if (isa<LLVM::XOrOp>(op))
    return *a ^ *b;
  bool overflows = isa<LLVM::AddOp>(op)   ? llvm::AddOverflow(*a, *b, result)
                   : isa<LLVM::SubOp>(op) ? llvm::SubOverflow(*a, *b, result)
                   : isa<LLVM::ShlOp>(op) ? llvm::MulOverflow(*a, int64_t(1) << *b, result)
                                          : llvm::MulOverflow(*a, *b, result);
  return overflows ? std::nullopt : std::optional(result);
}

/// Whether the value is the other one of two numbers: `1 - x` or `x ^ 1` of this argument.
static bool isOther(Value value, BlockArgument of) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<LLVM::SubOp, LLVM::XOrOp>(op))
    return false;
  std::optional<int64_t> a = getConstantInteger(op->getOperand(0)), b = getConstantInteger(op->getOperand(1));
  return (a == 1 && op->getOperand(1) == of) || (isa<LLVM::XOrOp>(op) && b == 1 && op->getOperand(0) == of);
}

/// Returns the initial value of a loop argument that alternates between two numbers, such as the index of the current
/// array.
static std::optional<int64_t> getFirstOfTwo(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  std::optional<SmallVector<Value>> passed = argument ? getPassedValues(argument) : std::nullopt;
  if (!passed || passed->size() != 2)
    return std::nullopt;
  for (unsigned first : {0, 1})
    if (isOther((*passed)[1 - first], argument))
      return getConstantInteger((*passed)[first]);
  return std::nullopt;
}

/// Returns a lower bound for a step over several dimensions if no size exceeds `most`. A step over one dimension counts
/// like any other size, unless it is a constant or in bytes. A number of bytes that the program has stored is known
/// better.
std::optional<int64_t> TypicalNumbers::chooseStride(Value value, int64_t most) {
  constexpr int64_t elementSize = 8;
  const TypicalStrides *strides = TypicalStrides::getCurrent();
  std::optional<TypicalStrides::Step> step = strides ? strides->getStep(value) : std::nullopt;
  if (!step || (step->dimensions == 1 && !step->countsBytes() && !getConstantInteger(value)) ||
      (step->countsBytes() && findFirst(value) != value && !findFirst(value).getDefiningOp<LLVM::LoadOp>()))
    return std::nullopt;
  int64_t bytes = step->dimensions ? elementSize : std::max(step->factor, step->size);
  for (unsigned dimension = 0; dimension < step->dimensions; ++dimension)
    if (llvm::MulOverflow(bytes, most, bytes))
      return std::nullopt;
  return bytes / step->factor;
}

/// Returns the value that a load finds, if known, or the first load of the same place that was seen. Returns other
/// values unchanged.
Value TypicalNumbers::findFirst(Value value) {
  if (!value.getDefiningOp<LLVM::LoadOp>())
    return value;
  auto [known, isNew] = firstLoads.try_emplace(value, value);
  if (!isNew)
    return known->second;
  if (Value stored = findStoredFirst(value))
    return firstLoads[value] = stored;
  auto *first = llvm::find_if(loads, [&](Value load) { return isLikelySame(load, value); });
  if (first != loads.end())
    return firstLoads[value] = *first;
  loads.push_back(value);
  return value;
}

std::optional<int64_t> TypicalNumbers::choose(Value value, unsigned depth) {
  constexpr unsigned mostDepth = 8;
  constexpr int64_t mostSteps = 32;
  bool isLarge = trial < kLargeTrials;
  int64_t size = isLarge ? 4000 : 200, change = isLarge ? 64 : 4;
  const TypicalStrides *strides = TypicalStrides::getCurrent();
  if (auto equal = strides && depth < mostDepth ? strides->getEqual(value) : std::nullopt)
    if (auto step = equal->other.evaluate([&](Value other) { return choose(other, depth + 1); },
                                          [](unsigned) -> std::optional<int64_t> { return std::nullopt; }))
      return static_cast<int64_t>(*step / equal->factor);
  if (std::optional<int64_t> stride = chooseStride(value, size + change * mostSteps))
    return stride;
  if (std::optional<int64_t> number = getConstantInteger(value))
    return number;
  Operation *op = value.getDefiningOp();
  // The position of a process among others (`rank % columns * width`) or a remainder. Assume the first process, and no
  // remainder.
  bool isMasked = isa_and_nonnull<LLVM::AndOp>(op) && getConstantInteger(op->getOperand(1)) == 1;
  if (isa_and_nonnull<LLVM::SRemOp, LLVM::URemOp>(op) || isMasked || isPlace(value))
    return 0;
  if (std::optional<int64_t> first = getFirstOfTwo(value))
    return first;
  if (depth < mostDepth) {
    if (Value passed = getPassed(value))
      return choose(passed, depth + 1);
    if (Value first = findFirst(value); first != value)
      return choose(first, depth + 1);
  }
  if (depth < mostDepth && value.getType().isInteger()) {
    if (std::optional<int64_t> result = op ? compute(op, depth) : std::nullopt)
      return result;
  }
  if (auto address = dyn_cast_if_present<LLVM::GEPOp>(op); address && depth < mostDepth)
    if (std::optional<int64_t> result = compute(address, depth))
      return result;
  auto [it, isNew] = seen.try_emplace(value, seen.size());
  auto integer = dyn_cast<IntegerType>(value.getType());
  int64_t index = it->second, step = trial % 3 == 0 ? 0 : trial % 3 == 1 ? change : -change;
  if (!integer && !value.getType().isIndex())
    return (index + 1) << 40;
  // As a signed number, true is -1.
  if (integer && integer.getWidth() == 1)
    return -1;
  return integer && integer.getWidth() < 16 ? 1 : size + step * std::min(index, mostSteps);
}
