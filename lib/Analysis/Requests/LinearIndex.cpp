//===- LinearIndex.cpp - Linear array indices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Requests/LinearIndex.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace comm;

/// Larger than any sum of offsets in a real object.
static constexpr int64_t kMost = int64_t(1) << 40;

static bool isSmall(int64_t n) { return -kMost < n && n < kMost; }

/// Whether the addition does not wrap. A 64-bit number that wraps is not an index.
static bool isExact(Operation *op, LLVM::IntegerOverflowFlags flags) {
  bool isSigned = bitEnumContainsAll(flags, LLVM::IntegerOverflowFlags::nsw);
  bool isUnsigned = bitEnumContainsAll(flags, LLVM::IntegerOverflowFlags::nuw);
  return isSigned || (isUnsigned && op->getResult(0).getType().isInteger(64));
}

LinearIndex comm::getLinearIndex(Value value) {
  LinearIndex index{value, 0};
  while (index.symbol) {
    Value symbol = index.symbol;
    std::optional<int64_t> constant = getConstantInteger(symbol);
    if (constant && isSmall(*constant))
      return {nullptr, index.constant + *constant};
    Value inner, added;
    int64_t sign = 1;
    if (auto op = symbol.getDefiningOp<LLVM::SExtOp>())
      inner = op.getArg();
    else if (auto op = symbol.getDefiningOp<LLVM::ZExtOp>(); op && (op.getNonNeg() || isNonNegative(op.getArg())))
      inner = op.getArg();
    else if (auto op = symbol.getDefiningOp<LLVM::TruncOp>();
             op && bitEnumContainsAll(op.getOverflowFlags(), LLVM::IntegerOverflowFlags::nsw))
      inner = op.getArg();
    else if (auto op = symbol.getDefiningOp<LLVM::AddOp>(); op && isExact(op, op.getOverflowFlags()))
      inner = op.getLhs(), added = op.getRhs();
    else if (auto op = symbol.getDefiningOp<LLVM::SubOp>();
             op && bitEnumContainsAll(op.getOverflowFlags(), LLVM::IntegerOverflowFlags::nsw))
      inner = op.getLhs(), added = op.getRhs(), sign = -1;
    else if (auto op = symbol.getDefiningOp<LLVM::OrOp>(); op && op.getIsDisjoint())
      inner = op.getLhs(), added = op.getRhs();
    if (!inner)
      return index;
    if (added) {
      std::optional<int64_t> more = getConstantInteger(added);
      if (!more || !isSmall(*more) || !isSmall(index.constant + sign * *more))
        return index;
      index.constant += sign * *more;
    }
    index.symbol = inner;
  }
  return index;
}

bool comm::isNonNegative(Value value) {
  // By induction: none of the values is the first to be negative.
  SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (seen.size() > 64)
      return false;
    if (std::optional<int64_t> constant = getConstantInteger(current)) {
      if (*constant < 0)
        return false;
      continue;
    }
    if (auto op = current.getDefiningOp<LLVM::AddOp>(); op && isExact(op, op.getOverflowFlags())) {
      work.append({op.getLhs(), op.getRhs()});
      continue;
    }
    if (auto op = current.getDefiningOp<LLVM::ZExtOp>())
      continue;
    if (auto op = current.getDefiningOp<LLVM::SExtOp>()) {
      work.push_back(op.getArg());
      continue;
    }
    if (auto op = current.getDefiningOp<LLVM::SelectOp>()) {
      work.append({op.getTrueValue(), op.getFalseValue()});
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(current);
    std::optional<SmallVector<Value>> passed = argument ? getPassedValues(argument) : std::nullopt;
    if (!passed)
      return false;
    llvm::append_range(work, *passed);
  }
  return true;
}

std::optional<LinearIndex> comm::add(LinearIndex a, LinearIndex b) {
  if (a.symbol && b.symbol)
    return std::nullopt;
  return LinearIndex{a.symbol ? a.symbol : b.symbol, a.constant + b.constant};
}

std::optional<LinearIndex> comm::getElement(Value pointer, const DataLayout &layout, uint64_t size) {
  if (size == 0)
    return std::nullopt;
  int64_t bytes = 0;
  Value symbol;
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>()) {
    pointer = gep.getBase();
    if (std::optional<int64_t> offset = getConstantOffset(gep, layout)) {
      bytes += *offset;
      continue;
    }
    // There may be one index that is not constant, in units of elements.
    Type type = gep.getElemType();
    for (auto [i, index] : llvm::enumerate(gep.getIndices())) {
      if (i > 0) {
        auto array = dyn_cast<LLVM::LLVMArrayType>(type);
        if (!array)
          return std::nullopt;
        type = array.getElementType();
      }
      int64_t scale = layout.getTypeSize(type).getFixedValue();
      auto attribute = dyn_cast<IntegerAttr>(index);
      LinearIndex linear = attribute ? LinearIndex{nullptr, attribute.getInt()} : getLinearIndex(cast<Value>(index));
      bytes += linear.constant * scale;
      if (!linear.symbol)
        continue;
      if (symbol || scale != static_cast<int64_t>(size))
        return std::nullopt;
      symbol = linear.symbol;
    }
  }
  if (bytes % static_cast<int64_t>(size) != 0)
    return std::nullopt;
  return LinearIndex{symbol, bytes / static_cast<int64_t>(size)};
}
