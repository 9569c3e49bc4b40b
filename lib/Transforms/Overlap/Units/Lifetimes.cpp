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

/// Returns the restore of the stack pointer at the end of the block, if the block always leads to one other block.
static LLVM::StackRestoreOp findLastRestore(Block &block) {
  Operation *end = block.getTerminator();
  return isa<LLVM::BrOp>(end) ? dyn_cast_or_null<LLVM::StackRestoreOp>(end->getPrevNode()) : LLVM::StackRestoreOp();
}

unsigned comm::joinStackRestores(FunctionOpInterface function) {
  unsigned number = 0;
  for (Block &join : function.getFunctionBody()) {
    if (join.hasNoPredecessors() || join.getSinglePredecessor())
      continue;
    SmallVector<LLVM::StackRestoreOp> restores;
    for (Block *from : join.getPredecessors())
      restores.push_back(findLastRestore(*from));
    auto isSame = [&](LLVM::StackRestoreOp restore) {
      return restore && restore.getPtr() == restores.front().getPtr();
    };
    if (!llvm::all_of(restores, isSame))
      continue;
    restores.front()->moveBefore(&join, join.begin());
    for (LLVM::StackRestoreOp restore : llvm::drop_begin(restores))
      restore->erase();
    ++number;
  }
  return number;
}

/// Returns the unit of that operation in its chain, or null if it is part of a larger unit.
static const Unit *findOwnUnit(Operation *op, const Chain &chain) {
  const auto *own = llvm::find_if(chain.getUnits(), [&](const Unit &unit) { return !unit.isPiece() && unit.op == op; });
  return own == chain.getUnits().end() ? nullptr : own;
}

/// Returns the save of the stack pointer that follows the restore, if the stack stays as it is in between and the chain
/// restores it again.
static LLVM::StackSaveOp findNextSave(LLVM::StackRestoreOp restore, const Chain &chain) {
  const Unit *own = findOwnUnit(restore, chain);
  if (!own)
    return nullptr;
  auto isRestore = [&](Operation *user) { return isa<LLVM::StackRestoreOp>(user) && findOwnUnit(user, chain); };
  for (const Unit &unit : llvm::make_range(std::next(own), chain.getUnits().end())) {
    auto save = unit.isPiece() ? LLVM::StackSaveOp() : dyn_cast<LLVM::StackSaveOp>(unit.op);
    if (save)
      return llvm::any_of(save->getUsers(), isRestore) ? save : nullptr;
    if (!mayRunBeforeRestore(unit))
      return nullptr;
  }
  return nullptr;
}

unsigned comm::joinStackScopes(FunctionOpInterface function, const ScopeTree &tree) {
  SmallVector<std::pair<LLVM::StackRestoreOp, LLVM::StackSaveOp>> pairs;
  function->walk([&](LLVM::StackRestoreOp restore) {
    const Chain *chain = tree.getChainOf(restore);
    if (LLVM::StackSaveOp save = chain ? findNextSave(restore, *chain) : LLVM::StackSaveOp())
      pairs.push_back({restore, save});
  });
  for (auto [restore, save] : pairs) {
    save.getRes().replaceAllUsesWith(restore.getPtr());
    restore->erase();
    save->erase();
  }
  return pairs.size();
}

/// Adds the operations right before `op` in its chain, in their order, that must move with it to the place before
/// `unit`. Returns false if one of them cannot.
static bool collectOperands(Operation *op, ArrayRef<Unit> passed, llvm::SmallSetVector<Operation *, 8> &moved) {
  constexpr size_t most = 32;
  for (Value operand : op->getOperands())
    for (const Unit &unit : passed) {
      Operation *definer = operand.getDefiningOp();
      if (unit.isPiece() &&
          (operand.getParentBlock() == unit.join || llvm::is_contained(unit.interior, operand.getParentBlock())))
        return false;
      if (unit.isPiece() || unit.op != definer || moved.contains(definer))
        continue;
      if (!isPure(definer) || moved.size() >= most || !collectOperands(definer, passed, moved))
        return false;
    }
  moved.insert(op);
  return true;
}

/// Returns the operation before which the stack can be changed instead, and what moves there; null if there is no
/// communication to pass.
static Operation *findEarlierPlace(Operation *change, const Chain &chain, llvm::SmallSetVector<Operation *, 8> &moved) {
  const Unit *own = findOwnUnit(change, chain);
  Operation *place = nullptr;
  if (!own)
    return nullptr;
  for (const Unit *unit = own; unit != chain.getUnits().begin();) {
    --unit;
    llvm::SmallSetVector<Operation *, 8> needed;
    if (!mayRunBeforeRestore(*unit) || !collectOperands(change, llvm::ArrayRef(unit, own), needed))
      break;
    if (!unit->isPiece() && isa<MPIOpInterface>(unit->op)) {
      place = unit->op;
      moved = needed;
    }
  }
  return place;
}

unsigned comm::changeStackEarlier(FunctionOpInterface function, llvm::function_ref<const ScopeTree &()> getTree) {
  SmallVector<Operation *> changes;
  function->walk([&](Operation *op) {
    auto variable = dyn_cast<LLVM::AllocaOp>(op);
    if (isa<LLVM::StackSaveOp>(op) || (variable && !getVariableSize(variable, DataLayout::closest(variable))))
      changes.push_back(op);
  });
  unsigned number = 0;
  for (Operation *change : changes) {
    llvm::SmallSetVector<Operation *, 8> moved;
    const Chain *chain = getTree().getChainOf(change);
    Operation *place = chain ? findEarlierPlace(change, *chain, moved) : nullptr;
    if (!place)
      continue;
    for (Operation *op : moved)
      op->moveBefore(place);
    ++number;
  }
  return number;
}
