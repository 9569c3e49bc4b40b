//===- Lifetimes.cpp - Extend lifetimes of message buffers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/Lifetimes.h"

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

/// Maximum size in bytes. Variables that are alive at different times share stack slots; those that live as long as the
/// function do not.
static constexpr int64_t kLargestVariable = 64;

static bool isSmall(LLVM::AllocaOp variable) {
  std::optional<int64_t> size = getVariableSize(variable, DataLayout::closest(variable));
  return size && *size <= kLargestVariable;
}

unsigned comm::extendLifetimes(FunctionOpInterface function, const ScopeTree &tree) {
  llvm::SmallSetVector<Operation *, 8> variables;
  function->walk([&](MPIOpInterface op) {
    for (const BufferAccess &access : op.getAccesses())
      if (access.param->role != mpi::Role::Request)
        if (auto variable = getBasePointer(access.buffer).getDefiningOp<LLVM::AllocaOp>())
          if (isSmall(variable))
            variables.insert(variable);
  });
  if (variables.empty())
    return 0;
  auto isInUnit = [&](Operation *marker) {
    Chain *chain = tree.getChainOf(marker);
    return !chain || llvm::none_of(chain->getUnits(), [](const Unit &unit) {
      return !unit.isPiece() && (getInterval(unit.op) || unit.op->hasAttr(kFollowedAttrName));
    });
  };
  unsigned numExtended = 0;
  // The tree refers to operations, so erase none before the last query.
  SmallVector<Operation *> erased;
  for (Operation *variable : variables) {
    SmallVector<Operation *> markers;
    for (Operation *user : variable->getUsers())
      if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user))
        markers.push_back(user);
    if (llvm::none_of(markers, isInUnit))
      continue;
    llvm::append_range(erased, markers);
    ++numExtended;
  }
  for (Operation *marker : erased)
    marker->erase();
  return numExtended;
}

/// Whether the stack may stay as it is while the operation runs: it allocates nothing that outlives the operation, and
/// little in functions that it calls.
static bool needsLittleStack(Operation *op) {
  if (isa<LLVM::AllocaOp, LLVM::StackSaveOp, LLVM::StackRestoreOp, LLVM::InlineAsmOp>(op))
    return false;
  if (isa<MPIOpInterface>(op) || !isa<CallOpInterface>(op))
    return true;
  auto call = dyn_cast<LLVM::CallOp>(op);
  LLVM::MemoryEffectsAttr effects = call ? call.getMemoryEffectsAttr() : LLVM::MemoryEffectsAttr();
  return effects && effects.getOther() == LLVM::ModRefInfo::NoModRef &&
         effects.getArgMem() == LLVM::ModRefInfo::NoModRef;
}

static bool mayRunBeforeRestore(const Unit &unit) {
  bool isFree = !unit.leavesAbnormally();
  unit.walk([&](Operation *op) { isFree &= needsLittleStack(op); });
  return isFree;
}

/// Returns the operation before which the stack pointer can be restored, or null if no loop comes before it.
static Operation *findLaterPlace(Operation *restore, const Chain &chain) {
  ArrayRef<Unit> units = chain.getUnits();
  const auto *own = llvm::find_if(units, [&](const Unit &unit) { return !unit.isPiece() && unit.op == restore; });
  if (own == units.end())
    return nullptr;
  bool passesLoop = false;
  for (const Unit &unit : llvm::make_range(std::next(own), units.end())) {
    if (!mayRunBeforeRestore(unit))
      return passesLoop ? unit.op : nullptr;
    passesLoop |= unit.isPiece();
  }
  return passesLoop ? chain.getBlocks().back()->getTerminator() : nullptr;
}

unsigned comm::restoreStackLater(FunctionOpInterface function, const ScopeTree &tree) {
  SmallVector<Operation *> restores;
  function->walk([&](LLVM::StackRestoreOp op) { restores.push_back(op); });
  SmallVector<std::pair<Operation *, Operation *>> moves;
  for (Operation *restore : restores)
    if (const Chain *chain = tree.getChainOf(restore))
      if (Operation *place = findLaterPlace(restore, *chain))
        moves.push_back({restore, place});
  // The tree refers to operations, so move none before the last query.
  for (auto [restore, place] : moves)
    restore->moveBefore(place);
  return moves.size();
}
