//===- MemRefObjects.cpp - Objects of memrefs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/MemRefObjects.h"

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace comm;

/// Beyond this number of objects, the value may be in any object.
static constexpr unsigned mostObjects = 32;

namespace {
/// Traces one value back to the origins of its memory.
class Tracer {
public:
  Tracer(SymbolTableCollection &symbols, SmallVectorImpl<MemoryObject> &found) : symbols(symbols), found(found) {}
  void trace(Value value, Value distinct);

private:
  void add(MemoryObject::Kind kind, Value value, Value distinct, Operation *global = nullptr, bool isNoAlias = false) {
    found.push_back({kind, value, global, isNoAlias, distinct});
  }
  bool traceSources(Value value, Value distinct);
  bool traceRegionBranch(RegionBranchOpInterface branch, Value value, Value distinct);
  bool traceBlockArgument(BlockArgument argument, Value distinct);

  SymbolTableCollection &symbols;
  SmallVectorImpl<MemoryObject> &found;
  /// Keyed by the promise, too: if a value is reached in two ways, one of them may lack the promise of distinct
  /// objects.
  llvm::DenseSet<std::pair<Value, Value>> visited;
};
} // namespace

/// Whether the operation only allocates its results.
static bool isAllocation(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || isa<MPIOpInterface>(op))
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return !effects.empty() && llvm::all_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Allocate>(effect.getEffect()) && effect.getValue() &&
           effect.getValue().getDefiningOp() == op;
  });
}

/// Traces the values that region control flow passes to the value, a result or a region argument of `branch`. Returns
/// false if they are unknown.
bool Tracer::traceRegionBranch(RegionBranchOpInterface branch, Value value, Value distinct) {
  SmallVector<RegionSuccessor> successors;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints())
    branch.getSuccessorRegions(point, successors);
  for (RegionSuccessor &successor : successors) {
    ValueRange inputs = successor.getSuccessorInputs();
    auto it = llvm::find(inputs, value);
    if (it == inputs.end())
      continue;
    SmallVector<Value> sources;
    branch.getPredecessorValues(successor, std::distance(inputs.begin(), it), sources);
    for (Value source : sources)
      trace(source, distinct);
    return !sources.empty();
  }
  return false;
}

bool Tracer::traceBlockArgument(BlockArgument argument, Value distinct) {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  if (block->isEntryBlock()) {
    if (auto function = dyn_cast<FunctionOpInterface>(parent)) {
      bool isNoAlias = !!function.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName());
      add(MemoryObject::Kind::Argument, argument, distinct, nullptr, isNoAlias);
      return true;
    }
    auto branch = dyn_cast<RegionBranchOpInterface>(parent);
    return branch && traceRegionBranch(branch, argument, distinct);
  }
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end; ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value source = branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()] : Value();
    if (!source)
      return false;
    trace(source, distinct);
  }
  return true;
}

bool Tracer::traceSources(Value value, Value distinct) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return traceBlockArgument(argument, distinct);
  Operation *op = value.getDefiningOp();
  if (op->hasTrait<OpTrait::DistinctObjectsTrait>()) {
    trace(op->getOperand(cast<OpResult>(value).getResultNumber()), distinct ? distinct : value);
    return true;
  }
  if (auto view = dyn_cast<ViewLikeOpInterface>(op); view && view.getViewDest() == value) {
    trace(view.getViewSource(), distinct);
    return true;
  }
  if (auto select = dyn_cast<SelectLikeOpInterface>(op)) {
    trace(select.getTrueValue(), distinct);
    trace(select.getFalseValue(), distinct);
    return true;
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return traceRegionBranch(branch, value, distinct);
  if (isa<memref::GetGlobalOp, LLVM::AddressOfOp>(op)) {
    SymbolRefAttr name = isa<memref::GetGlobalOp>(op) ? SymbolRefAttr(cast<memref::GetGlobalOp>(op).getNameAttr())
                                                      : SymbolRefAttr(cast<LLVM::AddressOfOp>(op).getGlobalNameAttr());
    Operation *global = symbols.lookupNearestSymbolFrom(op, name);
    if (!isa_and_nonnull<memref::GlobalOp, LLVM::GlobalOp>(global))
      return false; // an alias names another symbol's memory
    add(MemoryObject::Kind::Global, value, distinct, global);
    return true;
  }
  if (isAllocation(op)) {
    add(MemoryObject::Kind::Allocation, value, distinct);
    return true;
  }
  return false;
}

void Tracer::trace(Value value, Value distinct) {
  if (!visited.insert({value, distinct}).second)
    return;
  if (visited.size() > 8 * mostObjects || !traceSources(value, distinct))
    add(MemoryObject::Kind::Unknown, value, distinct);
}

ArrayRef<MemoryObject> MemRefObjects::find(Value value) {
  auto [it, isNew] = objects.try_emplace(value);
  if (isNew) {
    Tracer(symbols, it->second).trace(value, {});
    // A loop that is never entered passes no value.
    if (it->second.empty() || it->second.size() > mostObjects)
      it->second = {MemoryObject()};
  }
  return it->second;
}

/// Whether one operation produces both with the promise that they are distinct objects. The promise covers the results
/// of one execution, not those of different iterations, so the operation must run only once.
static bool arePromised(Value a, Value b) {
  if (!a || !b || a == b || a.getDefiningOp() != b.getDefiningOp())
    return false;
  Block *block = a.getParentBlock();
  return block->isEntryBlock() && isa<FunctionOpInterface>(block->getParentOp());
}

static bool areApart(const MemoryObject &a, const MemoryObject &b) {
  using Kind = MemoryObject::Kind;
  if (a.kind == Kind::Unknown || b.kind == Kind::Unknown)
    return false;
  if (a.kind == Kind::Global && b.kind == Kind::Global)
    return a.global != b.global;
  if (a.kind == Kind::Allocation || b.kind == Kind::Allocation)
    return a.value != b.value;
  return a.value != b.value && (a.isNoAlias || b.isNoAlias);
}

bool MemRefObjects::areApart(Value a, Value b) {
  SmallVector<MemoryObject, 2> first(find(a)); // the map may grow
  for (const MemoryObject &x : first)
    for (const MemoryObject &y : find(b))
      if (!::areApart(x, y) && !arePromised(x.distinct, y.distinct))
        return false;
  return true;
}
