//===- Reductions.cpp - Analyses of reductions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Graph/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace comm::graph;

/// Whether an operation reduces.
static bool isReduction(AccessOpInterface op) {
  return llvm::any_of(op.getAccesses(), [](const Access &access) { return access.kind == AccessKind::Reduce; });
}

/// Returns the operations inside the statement that only the reduction uses.
static llvm::SetVector<Operation *> getSlice(Operation *statement, Operation *reduction) {
  llvm::SetVector<Operation *> slice;
  slice.insert(reduction);
  for (size_t i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (op && statement->isProperAncestor(op) && op->getNumRegions() == 0 &&
          llvm::all_of(op->getUsers(), [&](Operation *user) { return slice.contains(user); }))
        slice.insert(op);
    }
  return slice;
}

std::optional<Exclusive> comm::graph::getExclusive(Operation *statement) {
  Exclusive result;
  bool isUnknown = false;
  statement->walk([&](Operation *op) {
    isUnknown |= isa<CallOpInterface>(op);
    auto access = dyn_cast<AccessOpInterface>(op);
    if (!access || !isReduction(access))
      return;
    isUnknown |= result.reduction != nullptr;
    result.reduction = op;
  });
  if (!result.reduction || isUnknown)
    return std::nullopt;
  llvm::SetVector<Operation *> slice = getSlice(statement, result.reduction);
  for (Operation *op : slice)
    if (auto access = dyn_cast<AccessOpInterface>(op))
      for (const Access &each : access.getAccesses())
        result.elements.insert(each.object);
  WalkResult touched = statement->walk([&](AccessOpInterface op) {
    for (const Access &each : op.getAccesses())
      if (!slice.contains(op) && result.elements.contains(each.object))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (touched.wasInterrupted())
    return std::nullopt;
  return result;
}

llvm::SetVector<Value> comm::graph::getCacheSafe(Operation *statement) {
  llvm::SetVector<Value> reads, updates;
  if (!getExclusive(statement))
    return reads;
  statement->walk([&](AccessOpInterface op) {
    for (const Access &each : op.getAccesses())
      if (isa<PropertyType>(each.object.getType()))
        (each.kind == AccessKind::Read ? reads : updates).insert(each.object);
  });
  reads.set_subtract(updates);
  return reads;
}

bool comm::graph::isLocal(const PlacedAccess &access) {
  // Each process fills or copies its own part of a whole property.
  return access.place == Place::Own ||
         (!access.access.index && isa<PropertyType>(access.access.object.getType()) && isa<FillOp, CopyOp>(access.op));
}

/// Adds the loop's accesses to the pulse. Returns whether any of them needs other processes.
static bool addLoop(ForallOp loop, Pulse &pulse) {
  for (const PlacedAccess &each : getAccesses(loop)) {
    Value object = each.access.object;
    if (isa<CellType>(object.getType())) {
      if (each.access.kind != AccessKind::Read)
        pulse.combined.insert(object);
    } else if (isLocal(each)) {
      pulse.local.insert(object);
    } else {
      (each.access.kind == AccessKind::Read ? pulse.remoteReads : pulse.remoteUpdates).insert(object);
    }
  }
  return !pulse.remoteReads.empty() || !pulse.remoteUpdates.empty() || !pulse.combined.empty();
}

SmallVector<Pulse> comm::graph::getPulses(Block &block) {
  SmallVector<Pulse> pulses;
  Pulse current;
  auto end = [&] {
    if (!current.operations.empty())
      pulses.push_back(std::exchange(current, Pulse()));
  };
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<ForallOp>(&op); loop && !loop.getOrdered()) {
      current.operations.push_back(&op);
      if (addLoop(loop, current))
        end();
      continue;
    }
    auto access = dyn_cast<AccessOpInterface>(&op);
    if (op.getNumRegions() > 0 || isa<CallOpInterface>(&op) || !access)
      continue;
    bool isWhole = false;
    for (const Access &each : access.getAccesses())
      if (isa<PropertyType>(each.object.getType())) {
        current.local.insert(each.object);
        isWhole = true;
      }
    if (isWhole)
      current.operations.push_back(&op);
  }
  end();
  return pulses;
}

//===----------------------------------------------------------------------===//
// Monotonic reductions
//===----------------------------------------------------------------------===//

static Growth getGrowthOf(Value value, Value property, ReductionKind kind, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (depth > 16)
    return Growth::None;
  if (!op)
    return Growth::Constant;
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getProperty() == property ? Growth::Copied : Growth::Constant;
  auto grow = [&](Value operand) { return getGrowthOf(operand, property, kind, depth + 1); };
  // One of the two numbers may depend on the property, and the sum rises with it.
  auto shift = [&](Value left, Value right, bool isDifference) {
    Growth a = grow(left), b = grow(right);
    if (a == Growth::Constant && b == Growth::Constant)
      return Growth::Constant;
    bool isGood =
        (b == Growth::Constant && a != Growth::None) || (!isDifference && a == Growth::Constant && b != Growth::None);
    return isGood ? Growth::Shifted : Growth::None;
  };
  if (auto checked = dyn_cast<CheckedOp>(op))
    if (checked.getKind() == ArithKind::add || checked.getKind() == ArithKind::sub)
      return shift(checked.getLhs(), checked.getRhs(), checked.getKind() == ArithKind::sub);
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return shift(op->getOperand(0), op->getOperand(1), isa<arith::SubFOp>(op));
  if (isa<ConvertOp, ToIdOp, FromIdOp>(op)) {
    Growth inner = grow(op->getOperand(0));
    return inner == Growth::Copied ? Growth::Shifted : inner;
  }
  if (isa<arith::MinSIOp, arith::MaxSIOp, arith::MinimumFOp, arith::MaximumFOp>(op)) {
    Growth a = grow(op->getOperand(0)), b = grow(op->getOperand(1));
    if (a == Growth::None || b == Growth::None)
      return Growth::None;
    return a == Growth::Constant && b == Growth::Constant ? Growth::Constant : Growth::Shifted;
  }
  // Booleans: `and` and `or` rise with both operands.
  if (isa<arith::AndIOp, arith::OrIOp>(op) && value.getType().isInteger(1)) {
    Growth a = grow(op->getOperand(0)), b = grow(op->getOperand(1));
    bool isGood = a != Growth::None && b != Growth::None;
    return !isGood ? Growth::None : a == Growth::Constant && b == Growth::Constant ? Growth::Constant : Growth::Shifted;
  }
  // Any other operation must not depend on the property.
  bool isConstant = op->getNumRegions() == 0 &&
                    llvm::all_of(op->getOperands(), [&](Value each) { return grow(each) == Growth::Constant; });
  return isConstant && !isa<CallOpInterface>(op) ? Growth::Constant : Growth::None;
}

Growth comm::graph::getGrowth(ReduceOp reduce) {
  if (!isMonotonic(reduce.getKind()))
    return Growth::None;
  return getGrowthOf(reduce.getValue(), reduce.getProperty(), reduce.getKind(), 0);
}

//===----------------------------------------------------------------------===//
// Neighborhoods
//===----------------------------------------------------------------------===//

SmallVector<NeighborEdge> comm::graph::getNeighborEdges(Operation *root) {
  SmallVector<NeighborEdge> found;
  root->walk([&](FindEdgeOp search) {
    Value source = stripConversions(search.getSource()), target = stripConversions(search.getTarget());
    for (Value neighbor : {target, source}) {
      ForallOp loop = getLoopOf(neighbor);
      if (!loop || !loop.getCenter() || cast<BlockArgument>(neighbor).getArgNumber() != 0)
        continue;
      bool isInward = loop.getDomain() == Domain::in_neighbors;
      Value center = neighbor == target ? source : target;
      if (stripConversions(loop.getCenter()) == center && isInward == (neighbor == source)) {
        found.push_back({search, loop});
        break;
      }
    }
  });
  return found;
}
