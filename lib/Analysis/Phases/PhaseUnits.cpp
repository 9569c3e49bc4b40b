//===- PhaseUnits.cpp - Unit queries for phases ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseUnits.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"

using namespace mlir;
using namespace comm;

std::string comm::describe(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee()))
      return "the call of " + llvm::demangle(callee.getLeafReference().getValue());
  return (isa<CallOpInterface>(op) ? "an indirect call " : "an operation ") + op->getName().getStringRef().str();
}

std::string comm::whyNotBeside(Operation *op, const Behavior &behavior) {
  bool onlyComputes = !behavior.mayNotContinue() && !behavior.synchronizes && !behavior.isObservable &&
                      !behavior.communicates && !behavior.changesMPIState && !behavior.readsTime;
  return onlyComputes ? "" : describe(op) + " next to it does more than compute";
}

bool comm::loadsSameVariable(Value a, Value b) {
  auto first = a.getDefiningOp<LLVM::LoadOp>(), second = b.getDefiningOp<LLVM::LoadOp>();
  if (!first || !second || first.getVolatile_() || second.getVolatile_())
    return false;
  auto global = first.getAddr().getDefiningOp<LLVM::AddressOfOp>(),
       other = second.getAddr().getDefiningOp<LLVM::AddressOfOp>();
  return first.getAddr() == second.getAddr() || (global && other && global.getGlobalName() == other.getGlobalName());
}

bool comm::contains(const Unit &unit, Operation *op) {
  if (!unit.isPiece())
    return unit.op->isAncestor(op);
  for (Block *block : unit.interior)
    if (Operation *ancestor = block->getParent()->findAncestorOpInRegion(*op))
      if (ancestor->getBlock() == block)
        return true;
  return false;
}

bool comm::isDefinedIn(const Unit &unit, Value value) {
  if (Operation *definition = value.getDefiningOp())
    return definition != unit.op && contains(unit, definition);
  Block *owner = value.getParentBlock();
  return unit.isPiece() ? llvm::is_contained(unit.interior, owner)
                        : owner->getParentOp() && unit.op->isAncestor(owner->getParentOp());
}

bool comm::isReachable(const Unit &unit, Operation *from, Operation *to) {
  if (!unit.isPiece())
    return true;
  Block *begin = from->getBlock(), *end = to->getBlock();
  if (begin->getParent() != unit.op->getParentRegion() || end->getParent() != unit.op->getParentRegion())
    return true;
  if (begin == end && from->isBeforeInBlock(to))
    return true;
  llvm::SmallPtrSet<Block *, 8> inside(unit.interior.begin(), unit.interior.end()), seen;
  SmallVector<Block *> work(begin->succ_begin(), begin->succ_end());
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (!inside.contains(block) || !seen.insert(block).second)
      continue;
    if (block == end)
      return true;
    work.append(block->succ_begin(), block->succ_end());
  }
  return false;
}

bool comm::isInCycle(const Unit &unit, Operation *op) {
  if (unit.isPiece() && unit.isLoop && isReachable(unit, op, op))
    return true;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (contains(unit, loop))
      return true;
  return false;
}
