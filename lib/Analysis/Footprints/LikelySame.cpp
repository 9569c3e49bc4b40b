//===- LikelySame.cpp - Values that nobody changes in between --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LikelySame.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// More operations lead from a value to what it is computed of in no program.
static constexpr unsigned kMostDepth = 8;

Value comm::getPassed(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->isEntryBlock())
    return {};
  Value passed;
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value other = branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()] : Value();
    if (!other || (passed && passed != other && other != value))
      return {};
    if (other != value && !isa_and_nonnull<LLVM::PoisonOp, LLVM::UndefOp>(other.getDefiningOp()))
      passed = other;
  }
  return passed;
}

static bool isLikelySame(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  if (a.getType() != b.getType() || depth == kMostDepth)
    return false;
  if (Value passed = getPassed(a))
    return isLikelySame(passed, b, depth + 1);
  if (Value passed = getPassed(b))
    return isLikelySame(a, passed, depth + 1);
  Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  if (!one || !other || one->getName() != other->getName() || one->getNumResults() != 1 ||
      one->getNumRegions() != 0 || one->getNumOperands() != other->getNumOperands())
    return false;
  // Of a load, attributes say what is next to it.
  auto load = dyn_cast<LLVM::LoadOp>(one);
  if (load ? load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic
           : !isPure(one) || one->getPropertiesAsAttribute() != other->getPropertiesAsAttribute())
    return false;
  return llvm::all_of(llvm::zip_equal(one->getOperands(), other->getOperands()), [&](auto operands) {
    return isLikelySame(std::get<0>(operands), std::get<1>(operands), depth + 1);
  });
}

bool comm::isLikelySame(Value a, Value b) { return ::isLikelySame(a, b, 0); }
