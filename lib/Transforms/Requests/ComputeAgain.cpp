//===- ComputeAgain.cpp - Recompute a value at another place --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeAgain.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/MPI/Standard.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// Longer computations are not repeated.
static constexpr unsigned mostDepth = 12;

bool FunctionLoops::areAll() {
  // Find a backedge to a block that does not dominate the source of the edge.
  llvm::DenseMap<Block *, bool> isOpen;
  SmallVector<std::pair<Block *, unsigned>> stack{{&body.front(), 0}};
  isOpen[&body.front()] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == block->getNumSuccessors()) {
      isOpen[block] = false;
      stack.pop_back();
      continue;
    }
    Block *successor = block->getSuccessor(next++);
    auto [known, isNew] = isOpen.try_emplace(successor, true);
    if (isNew)
      stack.emplace_back(successor, 0);
    else if (known->second && !dominance.dominates(successor, block))
      return false;
  }
  return true;
}

/// Returns true if the result of `operator new` may have been freed before `at`: by code that knows it, or through an
/// unknown pointer.
bool ComputeAgain::mayBeGone(Value object) {
  SmallVector<Value> addresses{object};
  bool isKnownElsewhere = false;
  for (size_t i = 0; i < addresses.size(); ++i)
    for (OpOperand &use : addresses[i].getUses()) {
      Operation *user = use.getOwner();
      auto store = dyn_cast<LLVM::StoreOp>(user);
      if (isa<LLVM::GEPOp, CastOp>(user))
        addresses.push_back(user->getResult(0));
      else if (!isa<LLVM::LoadOp, MPIOpInterface>(user) && !(store && store.getValue() != use.get()) &&
               !isDeallocation(user))
        isKnownElsewhere = true;
    }
  auto mayFree = [&](Operation *op) {
    if (!isa<CallOpInterface>(op) || isa<MPIOpInterface>(op))
      return false;
    if (!isDeallocation(op))
      return isKnownElsewhere && !callsNewOrDelete(op) && !mpi::lookupFunction(getCalleeName(op));
    Value freed = op->getNumOperands() > 0 ? getBasePointer(op->getOperand(0)) : Value();
    auto other = freed ? freed.getDefiningOp<CallOpInterface>() : CallOpInterface();
    return freed == object || !other || !callsNewOrDelete(other);
  };
  for (Block &block : *at->getParentRegion())
    for (Operation &op : block)
      if (mayFree(&op) && (&block == at->getBlock() || findReachable(&block).contains(at->getBlock())))
        return true;
  return false;
}

/// Returns the size of an object that exists from the beginning of the function, or from its creation, to `at`.
std::optional<uint64_t> ComputeAgain::getSize(Value object) {
  if (auto variable = object.getDefiningOp<LLVM::AllocaOp>())
    return getVariableSize(variable, layout);
  if (auto address = object.getDefiningOp<LLVM::AddressOfOp>()) {
    auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(address, address.getGlobalNameAttr());
    // A weak variable without definition does not exist.
    bool isThere = global && global.getLinkage() != LLVM::Linkage::ExternWeak;
    return isThere ? std::optional<uint64_t>(layout.getTypeSize(global.getGlobalType()).getFixedValue()) : std::nullopt;
  }
  auto made = object.getDefiningOp<CallOpInterface>();
  if (!made || getCalleeName(made) != "_Znwm" || made.getArgOperands().size() != 1)
    return std::nullopt;
  std::optional<int64_t> size = getConstantInteger(made.getArgOperands().front());
  return size && !mayBeGone(object) ? std::optional<uint64_t>(*size) : std::nullopt;
}

bool ComputeAgain::canLoad(LLVM::LoadOp load) {
  std::optional<int64_t> offset = getConstantOffset(load.getAddr(), layout);
  Value object = getBasePointer(load.getAddr());
  std::optional<uint64_t> size =
      isThere(object) || object.getDefiningOp<LLVM::AddressOfOp>() ? getSize(object) : std::nullopt;
  return isPlainAccess(load) && offset && *offset >= 0 && size &&
         *offset + layout.getTypeSize(load.getType()).getFixedValue() <= *size;
}

/// Returns one of the values that control flow selects, if it can be computed without another guess, or null.
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

/// Returns true if the value is computed from loads in the same iteration.
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
