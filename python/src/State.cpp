//===- State.cpp - What Python holds of MLIR, and whether it lives --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "comm-c/Dialect.h"
#include "comm-c/Registration.h"

using namespace comm::python;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static std::unordered_map<void *, ContextState *> &liveContexts() {
  static auto *live = new std::unordered_map<void *, ContextState *>();
  return *live;
}

ContextState::ContextState() {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  commRegisterAllDialects(registry);
  context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  liveContexts()[context.ptr] = this;
}

ContextState::~ContextState() {
  liveContexts().erase(context.ptr);
  mlirContextDestroy(context);
}

ContextRef ContextState::of(MlirContext context) { return liveContexts().at(context.ptr)->shared_from_this(); }

//===----------------------------------------------------------------------===//
// Operations, blocks, values
//===----------------------------------------------------------------------===//

OpState::~OpState() {
  if (!death) {
    context->ops.erase(op.ptr);
    if (owned) {
      kill(*context, op, /*self=*/false, "the module or operation that it was in is gone");
      ++context->numChanges;
      mlirOperationDestroy(op);
    }
  }
  context->dependents.erase(this);
}

MlirOperation OpState::get() const {
  if (death)
    throwDead("operation", death);
  return op;
}

BlockState::~BlockState() {
  if (!death)
    context->blocks.erase(block.ptr);
}

MlirBlock BlockState::get() const {
  if (death)
    throwDead("block", death);
  return block;
}

MlirValue ValueRef::get() const {
  if (op) {
    if (op->death)
      throwDead("value", op->death);
  } else {
    if (block->death)
      throwDead("value", block->death);
    if (block->numErasedArgs != numErasedArgs)
      throwDead("value", "arguments of its block were erased");
  }
  return value;
}

OpRef comm::python::internOp(const ContextRef &context, MlirOperation op) {
  OpState *&slot = context->ops[op.ptr];
  if (slot)
    return slot->shared_from_this();
  OpRef state = std::make_shared<OpState>(context, op);
  slot = state.get();
  if (!context->runs.empty())
    context->runs.back()->created.push_back(state);
  return state;
}

BlockRef comm::python::internBlock(const ContextRef &context, MlirBlock block) {
  BlockState *&slot = context->blocks[block.ptr];
  if (slot)
    return slot->shared_from_this();
  BlockRef state = std::make_shared<BlockState>(context, block);
  slot = state.get();
  auto parent = context->ops.find(mlirBlockGetParentOperation(block).ptr);
  if (parent != context->ops.end() && parent->second->owned)
    state->owner = parent->second->shared_from_this();
  if (!context->runs.empty())
    context->runs.back()->blocks.push_back(state);
  return state;
}

ValueRef comm::python::makeValue(const ContextRef &context, MlirValue value) {
  ValueRef result;
  result.value = value;
  if (mlirValueIsAOpResult(value)) {
    result.op = internOp(context, mlirOpResultGetOwner(value));
  } else {
    result.block = internBlock(context, mlirBlockArgumentGetOwner(value));
    result.numErasedArgs = result.block->numErasedArgs;
  }
  return result;
}

OpRef comm::python::adoptOp(const ContextRef &context, MlirOperation op) {
  OpRef state = internOp(context, op);
  state->owned = true;
  ++context->numChanges;
  return state;
}

void comm::python::killBlock(ContextState &context, MlirBlock block, const char *why) {
  if (auto it = context.blocks.find(block.ptr); it != context.blocks.end()) {
    it->second->death = why;
    context.blocks.erase(it);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(block); op.ptr; op = mlirOperationGetNextInBlock(op))
    kill(context, op, /*self=*/true, why);
}

void comm::python::kill(ContextState &context, MlirOperation op, bool self, const char *why) {
  if (self)
    if (auto it = context.ops.find(op.ptr); it != context.ops.end()) {
      it->second->death = why;
      context.ops.erase(it);
    }
  if (context.ops.empty() && context.blocks.empty())
    return;
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); block.ptr;
         block = mlirBlockGetNextInRegion(block))
      killBlock(context, block, why);
}

bool comm::python::isWithin(MlirOperation op, MlirOperation ancestor) {
  for (; op.ptr; op = mlirOperationGetParentOperation(op))
    if (op.ptr == ancestor.ptr)
      return true;
  return false;
}

MlirOperation comm::python::rootOf(MlirOperation op) {
  for (MlirOperation parent = op; parent.ptr; parent = mlirOperationGetParentOperation(op))
    op = parent;
  return op;
}

MlirOperation comm::python::definerOf(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

void comm::python::checkSame(const ContextRef &a, const ContextRef &b) {
  if (a != b)
    throw py::value_error("the objects belong to different contexts");
}

void comm::python::checkMutable(const OpState &op, bool itself) {
  op.get();
  for (const RunFrame *run : op.context->runs) {
    if (!isWithin(op.op, run->root))
      continue;
    bool isAnchor = run->anchor.ptr && op.op.ptr == run->anchor.ptr;
    if (run->anchor.ptr && (isAnchor ? !itself : isWithin(op.op, run->anchor)))
      continue;
    throw std::runtime_error("passes are running: a pass may change only the contents of its own operation");
  }
  ++op.context->numChanges;
}

void comm::python::checkMutable(const BlockState &block) {
  MlirOperation parent = mlirBlockGetParentOperation(block.get());
  if (parent.ptr && !block.context->runs.empty())
    checkMutable(*internOp(block.context, parent));
  ++block.context->numChanges;
}

/// Returns the owner of an operation, following the operations that it was inserted into.
static OpRef ownerOf(const ContextRef &context, MlirOperation op) { return internOp(context, rootOf(op)); }

static bool dependsOn(const OpState &op, const OpState &other) {
  if (&op == &other)
    return true;
  for (const OpRef &dependency : op.dependencies)
    if (dependsOn(*dependency, other))
      return true;
  return op.host && dependsOn(*op.host, other);
}

/// Makes `user`'s owner keep the owner of `definer` alive, or raises.
static void keep(const OpRef &user, MlirOperation definer) {
  MlirOperation root = rootOf(user->op), source = rootOf(definer);
  if (root.ptr == source.ptr)
    return;
  OpRef owner = ownerOf(user->context, root), kept = ownerOf(user->context, source);
  if (owner->isModule || !owner->owned)
    throw py::value_error(
        "the value belongs to another module, or to an operation that is in no block yet: insert that "
        "first");
  if (!kept->owned || dependsOn(*kept, *owner))
    throw py::value_error("the operations would depend on each other: insert one of them first");
  for (const OpRef &dependency : owner->dependencies)
    if (dependency == kept)
      return;
  owner->dependencies.push_back(kept);
  owner->context->dependents.insert(owner.get());
}

void comm::python::checkUse(const OpRef &user, MlirValue value) {
  // The common case: the value is defined in the same block.
  MlirBlock block = mlirOperationGetBlock(user->op);
  if (mlirValueIsAOpResult(value)) {
    MlirOperation definer = mlirOpResultGetOwner(value);
    if (block.ptr && mlirOperationGetBlock(definer).ptr == block.ptr)
      return;
    keep(user, definer);
    return;
  }
  MlirBlock owner = mlirBlockArgumentGetOwner(value);
  if (owner.ptr != block.ptr)
    keep(user, mlirBlockGetParentOperation(owner));
}

void comm::python::checkSuccessor(const OpRef &user, MlirBlock block) {
  keep(user, mlirBlockGetParentOperation(block));
}

template <typename Fn> static void forEachNested(MlirOperation op, Fn &&fn);
template <typename Fn> static void forEachIn(MlirBlock block, Fn &&fn) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); op.ptr; op = mlirOperationGetNextInBlock(op))
    forEachNested(op, fn);
}
/// Calls fn(op) for the operation and all nested ones.
template <typename Fn> static void forEachNested(MlirOperation op, Fn &&fn) {
  fn(op);
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); block.ptr;
         block = mlirBlockGetNextInRegion(block))
      forEachIn(block, fn);
}

static void checkUsesWithin(MlirValue value, MlirOperation op, const char *what) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!isWithin(mlirOpOperandGetOwner(use), op))
      throw py::value_error(std::string(what) + ": its values are used outside of it; replace these uses first");
}

void comm::python::checkNoOutsideUse(MlirOperation root, const char *what) {
  forEachNested(root, [&](MlirOperation op) {
    for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
      checkUsesWithin(mlirOperationGetResult(op, i), root, what);
    for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
      for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); block.ptr;
           block = mlirBlockGetNextInRegion(block)) {
        for (intptr_t i = 0, numArgs = mlirBlockGetNumArguments(block); i < numArgs; ++i)
          checkUsesWithin(mlirBlockGetArgument(block, i), root, what);
        for (intptr_t i = 0, numPreds = mlirBlockGetNumPredecessors(block); i < numPreds; ++i) {
          // A detached branch is in no block.
          MlirBlock before = mlirBlockGetPredecessor(block, i);
          if (!before.ptr || !isWithin(mlirBlockGetParentOperation(before), root))
            throw py::value_error(std::string(what) + ": branches outside of it lead into it");
        }
      }
  });
}

void comm::python::checkUsesOnly(MlirOperation op, MlirOperation root) {
  forEachNested(op, [&](MlirOperation user) {
    auto check = [&](MlirOperation definer) {
      if (!isWithin(definer, op) && rootOf(definer).ptr != root.ptr)
        throw py::value_error("it uses values of another module, or of an operation that is in no block");
    };
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(user); i < n; ++i)
      check(definerOf(mlirOperationGetOperand(user, i)));
    for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(user); i < n; ++i)
      check(mlirBlockGetParentOperation(mlirOperationGetSuccessor(user, i)));
  });
}

void comm::python::joined(const OpRef &op) {
  op->owned = false;
  op->dependencies.clear();
  op->context->dependents.erase(op.get());
  for (OpState *dependent : op->context->dependents)
    for (const OpRef &dependency : dependent->dependencies)
      if (dependency == op)
        op->host = ownerOf(op->context, op->op);
}

OpState *comm::python::findDependent(ContextState &context, MlirOperation root) {
  MlirOperation top = rootOf(root);
  for (OpState *dependent : context.dependents) {
    bool found = false;
    forEachNested(dependent->op, [&](MlirOperation op) {
      for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
        found |= rootOf(definerOf(mlirOperationGetOperand(op, i))).ptr == top.ptr;
      for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(op); i < n; ++i)
        found |= rootOf(mlirBlockGetParentOperation(mlirOperationGetSuccessor(op, i))).ptr == top.ptr;
    });
    if (found && dependent->op.ptr != top.ptr)
      return dependent;
  }
  return nullptr;
}

bool comm::python::crashesVerifier(MlirOperation op) {
  return !mlirOperationGetParentOperation(op).ptr &&
         toString(mlirIdentifierStr(mlirOperationGetName(op))) == "linalg.index";
}

void comm::python::verify(const OpRef &op, const std::string &what) {
  op->get();
  if (op->verified == op->context->numChanges)
    return;
  DiagnosticCollector collector(op->context);
  bool lacksParent = crashesVerifier(op->op);
  if (lacksParent)
    mlirEmitError(mlirOperationGetLocation(op->op), "'linalg.index' op is not inside an operation of linalg");
  if (lacksParent || !mlirOperationVerify(op->op))
    collector.raise(what);
  op->verified = op->context->numChanges;
}
