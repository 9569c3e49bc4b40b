//===- LikelySame.cpp - Values that are likely equal ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LikelySame.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// Limits the depth of the search through operands.
static constexpr unsigned kMostDepth = 8;
/// Give up on objects with more pointers into them.
static constexpr size_t kMostPointers = 256;

static bool isLikelySame(Value a, Value b, unsigned depth);

/// Whether both are loads that most likely return the same, such as one in each arm of a branch.
static bool areSameLoads(Value a, Value b, unsigned depth) {
  return depth < kMostDepth && a.getDefiningOp<LLVM::LoadOp>() && b.getDefiningOp<LLVM::LoadOp>() &&
         isLikelySame(a, b, depth + 1);
}

static Value getPassed(Value value, unsigned depth) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->isEntryBlock())
    return {};
  Value passed;
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value other = branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()] : Value();
    if (other && (other == value || isa_and_nonnull<LLVM::PoisonOp, LLVM::UndefOp>(other.getDefiningOp())))
      continue;
    if (!other || (passed && passed != other && !areSameLoads(passed, other, depth)))
      return {};
    if (!passed)
      passed = other;
  }
  return passed;
}

Value comm::getPassed(Value value) { return ::getPassed(value, 0); }

/// Whether both operations compute the same, ignoring overflow flags and metadata of loads.
static bool areOfOneKind(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || a->getNumResults() != 1 || a->getNumRegions() != 0 ||
      a->getNumOperands() != b->getNumOperands())
    return false;
  if (auto load = dyn_cast<LLVM::LoadOp>(a))
    return !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  if (auto address = dyn_cast<LLVM::GEPOp>(a))
    return address.getElemType() == cast<LLVM::GEPOp>(b).getElemType() &&
           address.getRawConstantIndices() == cast<LLVM::GEPOp>(b).getRawConstantIndices();
  return isPure(a) && (isa<LLVM::IntegerOverflowFlagsInterface, LLVM::NonNegFlagInterface>(a) ||
                       a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute());
}

/// Whether the value is loaded from memory or carried around a loop.
static bool isMoved(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return value.getDefiningOp<LLVM::LoadOp>() || (argument && !argument.getOwner()->isEntryBlock() && !getPassed(value));
}

/// Returns the value that was initially stored where the load reads: an allocated array, a size. Null if there is none,
/// or if it was copied from elsewhere in memory, as when two arrays are swapped.
static Value findStored(LLVM::LoadOp load, unsigned depth) {
  SmallVector<Value, 8> pointers{getBasePointer(load.getAddr())};
  for (size_t i = 0; i < pointers.size() && pointers.size() < kMostPointers; ++i)
    for (OpOperand &use : pointers[i].getUses()) {
      if (isa<LLVM::GEPOp>(use.getOwner()) && use.getOperandNumber() == 0)
        pointers.push_back(use.getOwner()->getResult(0));
      auto store = dyn_cast<LLVM::StoreOp>(use.getOwner());
      if (store && store.getAddr() == use.get() && store.getValue().getType() == load.getType() &&
          !isMoved(store.getValue()) && isLikelySame(store.getAddr(), load.getAddr(), depth + 1))
        return store.getValue();
    }
  return {};
}

/// Whether both have the same constant distance from one pointer, however the distance is written.
static bool isSamePlace(Value a, Value b, unsigned depth) {
  if (!isa<LLVM::LLVMPointerType>(a.getType()) || !(a.getDefiningOp<LLVM::GEPOp>() || b.getDefiningOp<LLVM::GEPOp>()))
    return false;
  Operation *op = a.getDefiningOp<LLVM::GEPOp>() ? a.getDefiningOp() : b.getDefiningOp();
  DataLayout layout = DataLayout::closest(op);
  std::optional<int64_t> offset = getConstantOffset(a, layout), other = getConstantOffset(b, layout);
  return offset && offset == other && isLikelySame(getBasePointer(a), getBasePointer(b), depth + 1);
}

static bool isLikelySame(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  if (a.getType() != b.getType() || depth == kMostDepth)
    return false;
  if (isSamePlace(a, b, depth))
    return true;
  if (Value passed = ::getPassed(a, depth + 1))
    return isLikelySame(passed, b, depth + 1);
  if (Value passed = ::getPassed(b, depth + 1))
    return isLikelySame(a, passed, depth + 1);
  for (auto [value, other] : {std::pair(a, b), std::pair(b, a)})
    if (auto load = value.getDefiningOp<LLVM::LoadOp>(); load && !other.getDefiningOp<LLVM::LoadOp>())
      return findStored(load, depth) == other;
  Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  return one && other && areOfOneKind(one, other) &&
         llvm::all_of(llvm::zip_equal(one->getOperands(), other->getOperands()), [&](auto operands) {
           return isLikelySame(std::get<0>(operands), std::get<1>(operands), depth + 1);
         });
}

Value comm::findStoredFirst(Value value) {
  auto load = value.getDefiningOp<LLVM::LoadOp>();
  return load ? findStored(load, 0) : Value();
}

bool comm::isLikelySame(Value a, Value b) { return ::isLikelySame(a, b, 0); }
