//===- Edit.cpp - Changes of IR that cannot go wrong ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edit.h"

#include <algorithm>

using namespace comm::python;

/// Checks the uses in the operation and its regions at its current position.
static void recordNestedUses(const OpRef &user, MlirOperation op) {
  MlirOperation root = user->op;
  auto check = [&](MlirOperation definer, auto &&use) {
    if (!isWithin(definer, root))
      use();
  };
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (op.ptr == root.ptr)
      checkUse(user, value);
    else
      check(definerOf(value), [&] { checkUse(user, value); });
  }
  for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(op); i < n; ++i) {
    MlirBlock block = mlirOperationGetSuccessor(op, i);
    check(mlirBlockGetParentOperation(block), [&] { checkSuccessor(user, block); });
  }
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); block.ptr;
         block = mlirBlockGetNextInRegion(block))
      for (MlirOperation nested = mlirBlockGetFirstOperation(block); nested.ptr;
           nested = mlirOperationGetNextInBlock(nested))
        recordNestedUses(user, nested);
}

void comm::python::recordUses(const OpRef &op) { recordNestedUses(op, op->op); }

static void put(MlirOperation op, MlirBlock block, MlirOperation before) {
  if (before.ptr)
    mlirBlockInsertOwnedOperationBefore(block, before, op);
  else
    mlirBlockAppendOwnedOperation(block, op);
}

static void checkTarget(const OpRef &op, const BlockRef &block) {
  checkSame(op->context, block->context);
  checkMutable(*block);
  MlirOperation parent = mlirBlockGetParentOperation(block->get());
  if (!parent.ptr)
    throw py::value_error("the block is in no region");
  if (op->isModule)
    throw py::value_error("the operation of a Module stays outside of blocks: insert a clone of it");
  if (isWithin(parent, op->op))
    throw py::value_error("the operation cannot be put into itself");
}

void comm::python::insertInto(const OpRef &op, const BlockRef &block, const OpRef &before) {
  op->get();
  MlirBlock target = block->get();
  if (!op->owned)
    throw py::value_error("the operation is in a block already: use move_before or move_after");
  if (before && mlirOperationGetBlock(before->get()).ptr != target.ptr)
    throw py::value_error("the operation to insert before is no longer in that block");
  checkTarget(op, block);
  put(op->op, target, before ? before->op : MlirOperation{nullptr});
  op->owned = false;
  try {
    recordUses(op);
  } catch (...) {
    mlirOperationRemoveFromParent(op->op);
    op->owned = true;
    throw;
  }
  joined(op);
}

void comm::python::moveTo(const OpRef &op, const BlockRef &block, MlirOperation before) {
  op->get();
  if (op->owned) {
    insertInto(op, block, before.ptr ? internOp(op->context, before) : nullptr);
    return;
  }
  checkMutable(*op, /*itself=*/true);
  checkTarget(op, block);
  MlirBlock target = block->get();
  if (before.ptr == op->op.ptr)
    return;
  if (rootOf(op->op).ptr == rootOf(mlirBlockGetParentOperation(target)).ptr) {
    mlirOperationRemoveFromParent(op->op);
    put(op->op, target, before);
    return;
  }
  detach(op);
  insertInto(op, block, before.ptr ? internOp(op->context, before) : nullptr);
}

void comm::python::detach(const OpRef &op) {
  op->get();
  if (op->owned)
    throw py::value_error("the operation is in no block");
  checkMutable(*op, /*itself=*/true);
  checkNoOutsideUse(op->op, "the operation cannot be detached");
  MlirBlock block = mlirOperationGetBlock(op->op);
  MlirOperation next = mlirOperationGetNextInBlock(op->op);
  mlirOperationRemoveFromParent(op->op);
  op->owned = true;
  try {
    recordUses(op);
  } catch (...) {
    put(op->op, block, next);
    joined(op);
    throw;
  }
}

void comm::python::erase(const OpRef &op) {
  MlirOperation raw = op->get();
  if (op->isModule)
    throw py::value_error("the operation of a Module cannot be erased: drop the Module");
  checkMutable(*op, /*itself=*/true);
  checkNoOutsideUse(raw, "the operation cannot be erased");
  kill(*op->context, raw, /*self=*/true, "it was erased");
  op->owned = false;
  mlirOperationDestroy(raw);
  op->dependencies.clear();
  op->context->dependents.erase(op.get());
}

/// Calls fn for each value that is defined in the operation's regions.
template <typename Fn> static void forEachInnerValue(MlirOperation op, Fn &&fn) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); block.ptr;
         block = mlirBlockGetNextInRegion(block)) {
      for (intptr_t i = 0, numArgs = mlirBlockGetNumArguments(block); i < numArgs; ++i)
        fn(mlirBlockGetArgument(block, i));
      for (MlirOperation inner = mlirBlockGetFirstOperation(block); inner.ptr;
           inner = mlirOperationGetNextInBlock(inner)) {
        for (intptr_t i = 0, numResults = mlirOperationGetNumResults(inner); i < numResults; ++i)
          fn(mlirOperationGetResult(inner, i));
        forEachInnerValue(inner, fn);
      }
    }
}

void comm::python::eraseBlock(const BlockRef &block) {
  MlirBlock raw = block->get();
  checkMutable(*block);
  for (intptr_t i = 0, n = mlirBlockGetNumPredecessors(raw); i < n; ++i)
    if (mlirBlockGetPredecessor(raw, i).ptr != raw.ptr)
      throw py::value_error("the block cannot be erased: branches lead to it");
  std::vector<MlirOperation> ops;
  for (MlirOperation op = mlirBlockGetFirstOperation(raw); op.ptr; op = mlirOperationGetNextInBlock(op))
    ops.push_back(op);
  auto checkUses = [&](MlirValue value) {
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      while (user.ptr && mlirOperationGetBlock(user).ptr != raw.ptr)
        user = mlirOperationGetParentOperation(user);
      if (!user.ptr)
        throw py::value_error("the block cannot be erased: its values are used outside of it");
    }
  };
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(raw); i < n; ++i)
    checkUses(mlirBlockGetArgument(raw, i));
  for (MlirOperation op : ops) {
    for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
      checkUses(mlirOperationGetResult(op, i));
    forEachInnerValue(op, checkUses);
  }
  killBlock(*block->context, raw, "it was erased");
  mlirBlockDetach(raw);
  mlirBlockDestroy(raw);
}

void comm::python::setOperand(const OpRef &op, intptr_t index, const ValueRef &value) {
  checkMutable(*op, /*itself=*/true);
  checkSame(op->context, value.context());
  MlirValue raw = value.get();
  checkUse(op, raw);
  mlirOperationSetOperand(op->get(), index, raw);
}

void comm::python::replaceUses(const ValueRef &of, const ValueRef &with, const std::vector<OpRef> &except) {
  MlirValue from = of.get(), to = with.get();
  checkSame(of.context(), with.context());
  if (mlirValueEqual(from, to))
    return;
  std::vector<std::pair<OpRef, intptr_t>> uses;
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    OpRef user = internOp(of.context(), mlirOpOperandGetOwner(use));
    if (std::find(except.begin(), except.end(), user) != except.end())
      continue;
    checkMutable(*user, /*itself=*/true);
    checkUse(user, to);
    uses.emplace_back(user, mlirOpOperandGetOperandNumber(use));
  }
  for (auto &[user, index] : uses)
    mlirOperationSetOperand(user->op, index, to);
}

void comm::python::checkDepth(const std::string &text) {
  constexpr int kMost = 1000;
  int depth = 0;
  for (char c : text) {
    if (c == '(' || c == '[' || c == '{' || c == '<')
      ++depth;
    else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0)
      --depth;
    if (depth > kMost)
      throw py::value_error("the text nests brackets more than 1000 deep");
  }
}
