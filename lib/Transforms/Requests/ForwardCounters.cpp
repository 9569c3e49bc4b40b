//===- ForwardCounters.cpp - Forward members of a local structure ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForwardCounters.h"

#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Parameters.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"

#include <map>

using namespace mlir;
using namespace comm;

namespace {
class Forwarder {
public:
  Forwarder(LLVM::AllocaOp object, uint64_t handleSize)
      : object(object), layout(DataLayout::closest(object)), handleSize(handleSize) {}

  /// Returns true if only this function, and MPI during a call, has pointers to the object.
  bool isPrivate();
  /// Forwards within blocks and makes places constant, which distinguishes more of them.
  void runOnBlock(Block &block);
  /// Forwards across blocks what the object contains at a place on all paths to it.
  void runOnRegion(Region &region);

private:
  struct Stored {
    Value value;
    int64_t size;
    bool operator==(const Stored &other) const { return value == other.value && size == other.size; }
  };
  /// By offset.
  using Contents = std::map<int64_t, Stored>;

  bool isHarmless(OpOperand &use);
  bool isInObject(Value pointer) {
    return isa<LLVM::LLVMPointerType>(pointer.getType()) && getBasePointer(pointer) == object.getResult();
  }
  std::optional<int64_t> getOffset(Value pointer);
  int64_t getSize(Type type) { return layout.getTypeSize(type).getFixedValue(); }
  void overwrite(std::optional<int64_t> offset, int64_t size);
  void overwriteByCall(Operation *op);
  void makeConstant(Operation *op);
  /// Returns what the load finds, or null if that is unknown.
  Value findKnown(LLVM::LoadOp load);
  /// Updates `known` with the effects of the operation.
  void transfer(Operation *op);
  Contents findIncoming(Block *block, const DenseMap<Block *, Contents> &out);

  LLVM::AllocaOp object;
  DataLayout layout;
  int64_t handleSize;
  Contents known;
};
} // namespace

bool Forwarder::isHarmless(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<LLVM::LoadOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::MemsetOp>(op))
    return true;
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return store.getValue() != use.get();
  if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp>(op))
    return true;
  std::optional<Parameter> parameter = findParameter(use);
  return parameter && !parameter->keepsAddress();
}

bool Forwarder::isPrivate() {
  return walkPointerUses(object.getResult(), layout,
                         [&](OpOperand &use, std::optional<int64_t>) { return isHarmless(use); });
}

std::optional<int64_t> Forwarder::getOffset(Value pointer) {
  std::optional<LinearIndex> bytes = getElement(pointer, layout, 1);
  return bytes && !bytes->symbol ? std::optional(bytes->constant) : std::nullopt;
}

void Forwarder::overwrite(std::optional<int64_t> offset, int64_t size) {
  if (!offset)
    return known.clear();
  for (auto it = known.begin(); it != known.end();) {
    bool isApart = it->first + it->second.size <= *offset || *offset + size <= it->first;
    it = isApart ? std::next(it) : known.erase(it);
  }
}

void Forwarder::overwriteByCall(Operation *op) {
  for (OpOperand &use : op->getOpOperands()) {
    if (!isInObject(use.get()))
      continue;
    std::optional<Parameter> parameter = findParameter(use);
    std::optional<int64_t> size = parameter ? getWrittenSize(*parameter) : std::nullopt;
    if (size && parameter->get().role == mpi::Role::Request && !parameter->get().isArray)
      size = handleSize;
    if (size != 0)
      overwrite(size ? getOffset(use.get()) : std::nullopt, size.value_or(0));
  }
}

/// Rewrites places that are now constant as such.
void Forwarder::makeConstant(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &use : op->getOpOperands()) {
    Value value = use.get();
    if (isa<IntegerType>(value.getType()) && isa<MPIOpInterface>(op) && !getConstantInteger(value)) {
      LinearIndex index = getLinearIndex(value);
      if (!index.symbol)
        use.set(LLVM::ConstantOp::create(builder, op->getLoc(), value.getType(),
                                         builder.getIntegerAttr(value.getType(), index.constant)));
    }
    if (!isa<LLVM::LLVMPointerType>(value.getType()) || getBasePointer(value) != object.getResult())
      continue;
    std::optional<int64_t> offset = getConstantOffset(value, layout) ? std::nullopt : getOffset(value);
    if (!offset || *offset != static_cast<int32_t>(*offset))
      continue;
    use.set(LLVM::GEPOp::create(builder, op->getLoc(), value.getType(), builder.getI8Type(), object.getResult(),
                                ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(*offset)}));
  }
}

Value Forwarder::findKnown(LLVM::LoadOp load) {
  if (load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic || !isInObject(load.getAddr()))
    return {};
  std::optional<int64_t> offset = getOffset(load.getAddr());
  auto it = offset ? known.find(*offset) : known.end();
  return it == known.end() || it->second.value.getType() != load.getType() ? Value() : it->second.value;
}

void Forwarder::transfer(Operation *op) {
  auto isScalar = [](Type type) { return isa<IntegerType, LLVM::LLVMPointerType, FloatType>(type); };
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    // A loaded value stays in memory until it is overwritten.
    std::optional<int64_t> offset = isInObject(load.getAddr()) ? getOffset(load.getAddr()) : std::nullopt;
    if (offset && !load.getVolatile_() && isScalar(load.getType()))
      known.try_emplace(*offset, Stored{load.getResult(), getSize(load.getType())});
  } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    if (!isInObject(store.getAddr()))
      return;
    std::optional<int64_t> offset = getOffset(store.getAddr());
    Type type = store.getValue().getType();
    overwrite(offset, getSize(type));
    if (offset && isScalar(type) && !store.getVolatile_())
      known[*offset] = {store.getValue(), getSize(type)};
  } else if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::MemsetOp, LLVM::MemcpyOp, LLVM::MemmoveOp>(op)) {
    if (llvm::any_of(op->getOperands(), [&](Value operand) { return isInObject(operand); }))
      known.clear();
  } else if (isa<MPIOpInterface, CallOpInterface>(op)) {
    overwriteByCall(op);
  }
}

void Forwarder::runOnBlock(Block &block) {
  known.clear();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      if (Value value = findKnown(load)) {
        load.getResult().replaceAllUsesWith(value);
        load.erase();
        continue;
      }
    if (isa<MPIOpInterface>(op))
      makeConstant(&op);
    transfer(&op);
  }
}

/// Returns what the preceding blocks agree on. No loop can pass a value before its definition, since it is unknown on
/// the first path there.
Forwarder::Contents Forwarder::findIncoming(Block *block, const DenseMap<Block *, Contents> &out) {
  std::optional<Contents> result;
  if (block->isEntryBlock())
    result.emplace();
  for (Block *before : block->getPredecessors()) {
    auto it = out.find(before);
    if (it == out.end())
      continue; // not reached yet
    if (!result) {
      result = it->second;
      continue;
    }
    for (auto entry = result->begin(); entry != result->end();) {
      auto other = it->second.find(entry->first);
      bool agree = other != it->second.end() && other->second == entry->second;
      entry = agree ? std::next(entry) : result->erase(entry);
    }
  }
  return result.value_or(Contents());
}

/// Returns the only value other than itself that all edges pass for the argument, or null if there are several.
static Value findOnlyOperand(BlockArgument argument) {
  std::optional<SmallVector<Value>> passed = getPassedValues(argument);
  Value only;
  for (Value operand : passed.value_or(SmallVector<Value>())) {
    if (operand == argument)
      continue;
    if (only && operand != only)
      return {};
    only = operand;
  }
  return only;
}

/// Replaces members that were loaded again for the next iteration but are now the same value in all iterations.
static void simplifyArguments(Region &region) {
  DominanceInfo dominance;
  for (bool changed = true; changed;) {
    changed = false;
    for (Block &block : llvm::drop_begin(region))
      for (BlockArgument argument : block.getArguments()) {
        if (argument.use_empty())
          continue;
        Value only = findOnlyOperand(argument);
        if (!only || !dominance.properlyDominates(only.getParentBlock(), &block))
          continue;
        argument.replaceAllUsesWith(only);
        changed = true;
      }
  }
}

void Forwarder::runOnRegion(Region &region) {
  llvm::ReversePostOrderTraversal<Block *> order(&region.front());
  DenseMap<Block *, Contents> out;
  constexpr unsigned mostRounds = 16;
  bool changed = true;
  for (unsigned round = 0; changed && round < mostRounds; ++round) {
    changed = false;
    for (Block *block : order) {
      known = findIncoming(block, out);
      for (Operation &op : *block)
        transfer(&op);
      auto [it, isNew] = out.try_emplace(block, known);
      changed |= isNew || it->second != known;
      it->second = known;
    }
  }
  if (changed)
    return;
  // Keep loads until the end: the contents of other blocks refer to them.
  DenseMap<Value, Value> values;
  SmallVector<LLVM::LoadOp> found;
  for (Block *block : order) {
    known = findIncoming(block, out);
    for (Operation &op : *block) {
      auto load = dyn_cast<LLVM::LoadOp>(op);
      if (Value value = load ? findKnown(load) : Value()) {
        values[load.getResult()] = value;
        found.push_back(load);
      }
      transfer(&op);
    }
  }
  for (LLVM::LoadOp load : found) {
    Value value = load.getResult();
    while (Value other = values.lookup(value))
      value = other;
    load.getResult().replaceAllUsesWith(value);
  }
  for (LLVM::LoadOp load : found)
    load.erase();
  if (!found.empty())
    simplifyArguments(region);
}

void comm::forwardCounters(LLVM::AllocaOp object, uint64_t handleSize) {
  Forwarder forwarder(object, handleSize);
  if (!forwarder.isPrivate())
    return;
  Region &region = *object->getParentRegion();
  for (Block &block : region)
    forwarder.runOnBlock(block);
  forwarder.runOnRegion(region);
}
