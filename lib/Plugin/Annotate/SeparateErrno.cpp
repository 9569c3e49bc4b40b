//===- SeparateErrno.cpp - Variables that cannot be errno -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pow and the like set errno, a thread-local int that the library owns. LLVM therefore reloads all other ints after
// such a call, numbers of rows and columns included, and a loop that reloads its trip count cannot be split. Alias
// scopes mark the accesses that cannot be to errno. The scopes are named so that they are the same in all files that
// are linked.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

static constexpr StringLiteral kScopeName = "comm.errno";

/// Returns `!{!{"comm.errno", !{"comm.errno"}}}`, the list of only that scope.
static MDNode *getScopes(LLVMContext &context) {
  auto *name = MDString::get(context, kScopeName);
  MDNode *domain = MDNode::get(context, name);
  return MDNode::get(context, MDNode::get(context, {name, domain}));
}

static bool setsErrnoAlone(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && !isa<IntrinsicInst>(call) && !call->doesNotAccessMemory() &&
         call->getMemoryEffects().onlyAccessesErrnoMem();
}

/// Returns whether the type of the access is a member of a structure: errno is an int of its own.
static bool isMember(const Instruction &access) {
  const MDNode *tag = access.getMetadata(LLVMContext::MD_tbaa);
  return tag && tag->getNumOperands() >= 3 && tag->getOperand(0) != tag->getOperand(1);
}

/// Returns whether this is a load or store of an int that is not errno. Variables that clang shrank to one bit have
/// lost their type.
static bool isElsewhere(const Instruction &instruction) {
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  Type *type = pointer ? getLoadStoreType(&instruction) : nullptr;
  if (!pointer || instruction.isVolatile() || instruction.isAtomic() ||
      !(type->isIntegerTy(32) || type->isIntegerTy(1)))
    return false;
  auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer));
  return (variable && !variable->isDeclaration() && !variable->isThreadLocal()) ||
         (type->isIntegerTy(32) && isMember(instruction));
}

bool comm::separateErrno(Module &module) {
  SmallVector<Instruction *> calls, accesses;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (setsErrnoAlone(instruction))
        calls.push_back(&instruction);
      else if (isElsewhere(instruction))
        accesses.push_back(&instruction);
  if (calls.empty() || accesses.empty())
    return false;
  MDNode *scopes = getScopes(module.getContext());
  auto add = [&](Instruction *instruction, unsigned kind) {
    instruction->setMetadata(kind, MDNode::concatenate(instruction->getMetadata(kind), scopes));
  };
  for (Instruction *call : calls)
    add(call, LLVMContext::MD_alias_scope);
  for (Instruction *access : accesses)
    add(access, LLVMContext::MD_noalias);
  return true;
}
