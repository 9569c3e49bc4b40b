//===- ComputeAgain.cpp - A value once more, at another place --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeAgain.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// Longer computations are not done twice.
static constexpr unsigned mostDepth = 12;

/// Bytes of an object that is there from the beginning of the function, or from where it is made, to `at`.
std::optional<uint64_t> ComputeAgain::getSize(Value object) {
  if (auto variable = object.getDefiningOp<LLVM::AllocaOp>())
    return getVariableSize(variable, layout);
  if (auto address = object.getDefiningOp<LLVM::AddressOfOp>()) {
    auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(address, address.getGlobalNameAttr());
    return global ? std::optional<uint64_t>(layout.getTypeSize(global.getGlobalType()).getFixedValue()) : std::nullopt;
  }
  auto made = object.getDefiningOp<CallOpInterface>();
  if (!made || getCalleeName(made) != "_Znwm" || made.getArgOperands().size() != 1)
    return std::nullopt;
  bool mayBeGone = llvm::any_of(object.getUsers(), [&](Operation *user) {
    return isDeallocation(user) && findReachable(user->getBlock()).contains(at->getBlock());
  });
  std::optional<int64_t> size = getConstantInteger(made.getArgOperands().front());
  return size && !mayBeGone ? std::optional<uint64_t>(*size) : std::nullopt;
}

bool ComputeAgain::canLoad(LLVM::LoadOp load) {
  std::optional<int64_t> offset = getConstantOffset(load.getAddr(), layout);
  Value object = getBasePointer(load.getAddr());
  std::optional<uint64_t> size =
      isThere(object) || object.getDefiningOp<LLVM::AddressOfOp>() ? getSize(object) : std::nullopt;
  return isPlainAccess(load) && offset && *offset >= 0 && size &&
         *offset + layout.getTypeSize(load.getType()).getFixedValue() <= *size;
}

/// Of what control has chosen, one value that is computed without another choice; else null.
Value ComputeAgain::guess(BlockArgument argument, unsigned depth) {
  std::optional<SmallVector<Value>> passed = getPassedValues(argument);
  if (!passed || argument.getOwner()->isEntryBlock())
    return nullptr;
  auto it = llvm::find_if(
      *passed, [&](Value value) { return value != argument && canCompute(value, depth + 1, /*mayGuess=*/false); });
  return it == passed->end() ? Value() : *it;
}

bool ComputeAgain::canCompute(Value value, unsigned depth, bool mayGuess) {
  if (isThere(value))
    return true;
  if (depth == mostDepth)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return mayGuess && guess(cast<BlockArgument>(value), depth);
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 || isa<CallOpInterface>(op))
    return false;
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (load ? !canLoad(load) : !isPure(op) || oracle.getBehavior(op).mayTrap)
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return canCompute(operand, depth + 1, mayGuess); });
}

/// Whether it is computed from what is loaded in the same iteration.
bool ComputeAgain::isLoaded(Value value) {
  auto [known, isNew] = loaded.try_emplace(value, false);
  Operation *op = value.getDefiningOp();
  if (!isNew || !op || op->getNumRegions() != 0 || op->getNumResults() != 1)
    return known->second;
  CFGLoop *around = loops.getLoop(at->getBlock());
  bool result = false;
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    result = (!around || around->contains(op->getBlock())) && canLoad(load);
  else if (isPure(op) && !isa<CallOpInterface>(op) && !oracle.getBehavior(op).mayTrap)
    result = llvm::any_of(op->getOperands(), [&](Value operand) { return isLoaded(operand); });
  return loaded[value] = result;
}

bool ComputeAgain::mayDiffer(Value value) {
  if (isLoaded(value))
    return true;
  CFGLoop *loop = loops.getLoop(value.getParentBlock());
  if (loop && !loop->contains(at->getBlock()))
    return !value.getDefiningOp() || !value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
  Operation *op = value.getDefiningOp();
  if (isThere(value))
    return false;
  return !op || isa<LLVM::LoadOp>(op) ||
         llvm::any_of(op->getOperands(), [&](Value operand) { return mayDiffer(operand); });
}

Value ComputeAgain::compute(Value value, OpBuilder &builder, IRMapping &known) {
  if (isThere(value) && !isLoaded(value))
    return value;
  if (Value done = known.lookupOrNull(value))
    return done;
  Operation *op = value.getDefiningOp();
  if (!op) {
    Value one = compute(guess(cast<BlockArgument>(value), 0), builder, known);
    known.map(value, one);
    return one;
  }
  for (Value operand : op->getOperands())
    known.map(operand, compute(operand, builder, known));
  Operation *copy = builder.clone(*op, known);
  known.map(value, copy->getResult(0));
  return copy->getResult(0);
}
