//===- LibraryState.cpp - State in the C library --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryState.h"

#include "RankDiagnostics.h"
#include "RankTables.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

namespace {
struct Rewiring {
  const char *name, *replacement;
};
struct SharedState {
  const char *name, *what;
};
} // namespace

// rewirings and sharedStates, from LibraryState.json. Functions that end ranks are in the runtime, the others in
// runtime/lib/ranks-start.
#include "LibraryState.inc"

/// Returns an instruction that uses the value, for a message, or null.
static const Instruction *findInstruction(const Value &value) {
  for (const User *user : value.users())
    if (const auto *instruction = dyn_cast<Instruction>(user))
      return instruction;
  return nullptr;
}

/// Renames a declaration, or merges it with an existing one of the new name.
static void rename(GlobalValue &value, StringRef name) {
  Module &module = *value.getParent();
  if (GlobalValue *other = module.getNamedValue(name)) {
    value.replaceAllUsesWith(other);
    value.eraseFromParent();
    return;
  }
  value.setName(name);
}

/// Handles a definition by the program, which replaces the library's. Other files cannot know about it and refer to the
/// per-rank replacement, so this adds an alias of that name.
static bool offerOwnDefinition(GlobalValue &value, StringRef replacement) {
  if (value.hasLocalLinkage() || value.hasAvailableExternallyLinkage() || value.getParent()->getNamedValue(replacement))
    return false;
  if (auto *function = dyn_cast<Function>(&value))
    GlobalAlias::create(function->getValueType(), function->getAddressSpace(), function->getLinkage(), replacement,
                        function, function->getParent())
        ->setVisibility(function->getVisibility());
  else
    value.setName(replacement);
  return true;
}

bool comm::rewireLibraryState(Module &module, const char *pass) {
  bool changed = false;
  for (const Rewiring &rewiring : rewirings) {
    GlobalValue *value = module.getNamedValue(rewiring.name);
    if (!value)
      continue;
    if (!value->isDeclaration()) {
      changed |= offerOwnDefinition(*value, rewiring.replacement);
    } else if (!value->use_empty()) {
      rename(*value, rewiring.replacement);
      changed = true;
    }
  }
  for (const SharedState &state : sharedStates) {
    Function *function = module.getFunction(state.name);
    if (!function || !function->isDeclaration())
      continue;
    for (const User *user : function->users())
      if (const auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == function)
        warnAt(pass, *call, Twine("'") + function->getName() + "' " + state.what + " of a process");
  }
  return changed;
}

void comm::warnSharedThreadLocals(Module &module, ArrayRef<GlobalVariable *> variables, const char *pass) {
  Function *fork = module.getFunction("__kmpc_fork_call");
  if (!fork || fork->use_empty())
    return;
  for (GlobalVariable *variable : variables)
    if (variable->isThreadLocal() && findInstruction(*variable))
      warnAt(pass, *variable,
             "'" + describe(*variable) +
                 "' exists once a rank: OpenMP threads of a rank share it, so run with OMP_NUM_THREADS=1");
}

/// Creates void (gtid, btid, args..., displacement), which runs `body` on any thread with the displacement of the
/// forking rank.
static Function *makeCarrier(Function &body) {
  Module &module = *body.getParent();
  LLVMContext &context = module.getContext();
  FunctionType *type = body.getFunctionType();
  SmallVector<Type *> types(type->params());
  types.push_back(PointerType::getUnqual(context));
  auto *carrier = Function::Create(FunctionType::get(type->getReturnType(), types, false), GlobalValue::InternalLinkage,
                                   body.getName() + ".comm_rank", module);
  carrier->copyAttributesFrom(&body);
  carrier->setLinkage(GlobalValue::InternalLinkage);
  carrier->setMemoryEffects(MemoryEffects::unknown());
  carrier->removeFnAttr(Attribute::AlwaysInline);
  carrier->setPersonalityFn(nullptr);
  carrier->setComdat(nullptr);
  carrier->setSubprogram(nullptr);
  carrier->clearMetadata();
  IRBuilder<> builder(BasicBlock::Create(context, "", carrier));
  Type *word = builder.getInt64Ty();
  Value *place = getRankThreadLocal(builder, "comm_ranks_displacement", word);
  // Volatile, because the loads in the body are marked invariant.
  Value *old = builder.CreateAlignedLoad(word, place, Align(8), /*isVolatile=*/true);
  builder.CreateAlignedStore(builder.CreatePtrToInt(carrier->getArg(carrier->arg_size() - 1), word), place, Align(8),
                             /*isVolatile=*/true);
  SmallVector<Value *> arguments;
  for (unsigned i = 0; i != type->getNumParams(); ++i)
    arguments.push_back(carrier->getArg(i));
  CallInst *call = builder.CreateCall(&body, arguments);
  call->setIsNoInline();
  builder.CreateAlignedStore(old, place, Align(8), /*isVolatile=*/true);
  builder.CreateRetVoid();
  return carrier;
}

bool comm::carryDisplacementToThreads(Module &module) {
  Function *fork = module.getFunction("__kmpc_fork_call");
  if (!fork)
    return false;
  DenseMap<Function *, Function *> carriers;
  SmallVector<CallBase *> calls;
  for (User *user : fork->users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == fork && call->arg_size() >= 3)
      calls.push_back(call);
  bool changed = false;
  for (CallBase *call : calls) {
    auto *body = dyn_cast<Function>(call->getArgOperand(2));
    if (!body || body->isDeclaration() || body->isVarArg() || !body->getReturnType()->isVoidTy() ||
        body->arg_size() != call->arg_size() - 1)
      continue;
    Function *&carrier = carriers[body];
    if (!carrier)
      carrier = makeCarrier(*body);
    IRBuilder<> builder(call);
    Value *displacement = builder.CreateAlignedLoad(
        builder.getInt64Ty(), getRankThreadLocal(builder, "comm_ranks_displacement", builder.getInt64Ty()), Align(8));
    SmallVector<Value *> arguments(call->args());
    arguments[1] = ConstantInt::get(arguments[1]->getType(), cast<ConstantInt>(arguments[1])->getZExtValue() + 1);
    arguments[2] = carrier;
    arguments.push_back(builder.CreateIntToPtr(displacement, builder.getPtrTy()));
    CallBase *replacement;
    if (auto *invoke = dyn_cast<InvokeInst>(call))
      replacement = builder.CreateInvoke(fork, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
    else
      replacement = builder.CreateCall(fork, arguments);
    replacement->setCallingConv(call->getCallingConv());
    replacement->copyMetadata(*call);
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}
