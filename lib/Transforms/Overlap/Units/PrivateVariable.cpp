//===- PrivateVariable.cpp - A stack variable and its uses ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/PrivateVariable.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Parameters.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace comm;

/// Returns true if a called function does not keep the pointer that is passed to it.
static bool forgetsArgument(OpOperand &use) {
  auto call = dyn_cast<CallOpInterface>(use.getOwner());
  auto callee = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee()) : SymbolRefAttr();
  if (!callee || !isa<LLVM::CallOp, LLVM::InvokeOp>(use.getOwner()))
    return false;
  unsigned argument = use.getOperandNumber() - call.getArgOperands().getBeginOperandIndex();
  StringRef noCapture = LLVM::LLVMDialect::getNoCaptureAttrName();
  if (ArrayAttr attributes = call.getArgAttrsAttr())
    if (argument < attributes.size() && cast<DictionaryAttr>(attributes[argument]).get(noCapture))
      return true;
  auto function = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(use.getOwner(), callee);
  return function && argument < function.getNumArguments() && function.getArgAttr(argument, noCapture);
}

/// Returns true for messages that complete before their block ends, whichever successor it takes.
static bool isCompleteInBlock(Operation *start) {
  std::optional<Interval> interval = getInterval(start);
  return interval && interval->cleanups.empty() && interval->wait->getBlock() == start->getBlock();
}

void PrivateVariable::noteUse(OpOperand &use, std::optional<int64_t> offset) {
  Operation *op = use.getOwner();
  constexpr Range all{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  auto getRange = [&](Type type) {
    llvm::TypeSize size = layout.getTypeSize(type);
    return offset && !size.isScalable() ? Range{*offset, *offset + static_cast<int64_t>(size.getFixedValue())} : all;
  };
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    if (isPlainAccess(load) && offset)
      loads.push_back({load, getRange(load.getType())});
    else
      otherLoads.push_back(load);
    return;
  }
  auto store = dyn_cast<LLVM::StoreOp>(op);
  bool isInto = store && store.getValue() != use.get();
  changes.push_back({op, isInto ? getRange(store.getValue().getType()) : all});
  std::optional<Parameter> parameter = findParameter(use);
  bool isForgotten =
      isInto || isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::MemsetOp, LLVM::MemcpyOp, LLVM::MemmoveOp>(op) ||
      (parameter ? !parameter->keepsAddress() || isCompleteInBlock(op) : forgetsArgument(use));
  if (!isForgotten)
    shown.push_back(op);
}

PrivateVariable::PrivateVariable(LLVM::AllocaOp variable) : variable(variable), layout(DataLayout::closest(variable)) {
  walkPointerUses(variable.getResult(), layout, [&](OpOperand &use, std::optional<int64_t> offset) {
    noteUse(use, offset);
    return true;
  });
}

bool PrivateVariable::isKnownIn(const CFGLoop &loop) const {
  Region *region = loop.getHeader()->getParent();
  SmallVector<Block *> work;
  SmallPtrSet<Block *, 32> seen;
  for (Operation *op : shown)
    if (Operation *here = region->findAncestorOpInRegion(*op); here && seen.insert(here->getBlock()).second)
      work.push_back(here->getBlock());
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (loop.contains(block))
      return true;
    for (Block *next : block->getSuccessors())
      if (seen.insert(next).second)
        work.push_back(next);
  }
  return false;
}

std::optional<int64_t> PrivateVariable::getSize() const { return getVariableSize(variable, layout); }

bool PrivateVariable::isChangedIn(const CFGLoop &loop, Range range) const {
  Region *region = loop.getHeader()->getParent();
  return llvm::any_of(changes, [&](const std::pair<Operation *, Range> &change) {
    Operation *op = region->findAncestorOpInRegion(*change.first);
    return op && change.second.meets(range) && loop.contains(op->getBlock());
  });
}

DenseSet<CFGLoop *> comm::findCommunicatingLoops(const CFGLoopInfo &loops, Region &body) {
  DenseSet<CFGLoop *> communicating;
  body.walk([&](Operation *op) {
    if (getInterval(op) || op->hasAttr(kFollowedAttrName))
      for (CFGLoop *loop = loops.getLoopFor(body.findAncestorBlockInRegion(*op->getBlock())); loop;
           loop = loop->getParentLoop())
        communicating.insert(loop);
  });
  return communicating;
}
