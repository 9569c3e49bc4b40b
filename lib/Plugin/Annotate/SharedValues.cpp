//===- SharedValues.cpp - Variables that parallel regions only read -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parallel region receives the addresses of the variables that its threads share. Pointers and sizes therefore stay
// in memory, and the memory that a region accesses is unknown. A variable that the region only reads, and that nothing
// can modify while it runs, may be passed by value, as with `firstprivate` but with one value for all threads.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "Comm/Analysis/Memory/OpenMP.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace comm;

namespace {
/// A function that is only used as the region of runtime calls, or called directly by the forking thread.
struct Region {
  Function *function;
  /// The calls, with the arguments that they pass.
  SmallVector<AbstractCallSite, 2> calls;
  /// The types of the variables that are passed by value; null for the others.
  SmallVector<Type *> values;
};

class SharedValues {
public:
  explicit SharedValues(Module &module) : module(module) {}

  bool run();

private:
  std::optional<Region> findRegionOf(Function &function);
  Type *getReadType(const Argument &argument) const;
  bool isHandedOver(const Use &use) const;
  bool isStable(const Value &variable) const;
  Value *load(Value *variable, Type *type, CallBase &call) const;
  void replaceCall(const AbstractCallSite &site, const Region &region, Function &changed);
  void change(Region &region);

  Module &module;
  /// Parameters that are only loaded, with the type of the load.
  DenseMap<const Argument *, Type *> readOnly;
};
} // namespace

/// With debug information, Clang puts the body of a region into a separate function.
static void inlineBody(Function &region) {
  SmallVector<CallBase *, 1> calls;
  for (Instruction &instruction : instructions(region))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (Function *callee = call->getCalledFunction(); callee && callee != &region && callee->hasLocalLinkage() &&
                                                        !callee->isDeclaration() && callee->hasOneUse() &&
                                                        callee->hasFnAttribute(Attribute::AlwaysInline))
        calls.push_back(call);
  for (CallBase *call : calls) {
    Function *callee = call->getCalledFunction();
    InlineFunctionInfo info;
    if (InlineFunction(*call, info).isSuccess())
      callee->eraseFromParent();
  }
}

/// Returns the type of the variable if the region only loads it; else null.
Type *SharedValues::getReadType(const Argument &argument) const {
  Type *type = nullptr;
  for (const User *user : argument.users()) {
    const auto *load = dyn_cast<LoadInst>(user);
    if (!load || !load->isSimple() || (type && load->getType() != type))
      return nullptr;
    type = load->getType();
  }
  const DataLayout &layout = module.getDataLayout();
  bool fits = type && (type->isPointerTy() || type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy()) &&
              layout.getTypeSizeInBits(type) <= layout.getPointerSizeInBits();
  return fits && !(type->isPointerTy() && type->getPointerAddressSpace() != 0) ? type : nullptr;
}

std::optional<Region> SharedValues::findRegionOf(Function &function) {
  if (function.isDeclaration() || !function.hasLocalLinkage() || function.isVarArg() ||
      any_of(function, [](const BasicBlock &block) { return block.hasAddressTaken(); }))
    return std::nullopt;
  Region region{&function, {}, {}};
  bool isForked = false;
  for (const Use &use : function.uses()) {
    AbstractCallSite site(&use);
    if (!site || isa<CallBrInst, InvokeInst>(site.getInstruction()) || site.getCalledFunction() != &function ||
        site.getNumArgOperands() != function.arg_size())
      return std::nullopt;
    if (site.isCallbackCall() && !findRegionCall(*site.getInstruction()))
      return std::nullopt;
    isForked |= site.isCallbackCall();
    region.calls.push_back(site);
  }
  return isForked ? std::optional(region) : std::nullopt;
}

/// Whether this argument of a call passes the address only to regions that only read the variable.
bool SharedValues::isHandedOver(const Use &use) const {
  const auto *call = dyn_cast<CallBase>(use.getUser());
  if (!call || !call->isArgOperand(&use))
    return false;
  std::optional<AbstractCallSite> site = findRegionCall(*call);
  const Function *callee = site ? site->getCalledFunction() : call->getCalledFunction();
  if (!callee)
    return false;
  int number = call->getArgOperandNo(&use);
  if (!site)
    return number < static_cast<int>(callee->arg_size()) && readOnly.contains(callee->getArg(number));
  return all_of(callee->args(), [&](const Argument &argument) {
    return site->getCallArgOperandNo(argument.getArgNo()) != number || readOnly.contains(&argument);
  });
}

/// Whether nothing can write the variable while a region runs: its function does not let the address escape.
bool SharedValues::isStable(const Value &variable) const {
  const auto *slot = dyn_cast<AllocaInst>(&variable);
  return slot && slot->isStaticAlloca() && all_of(slot->uses(), [&](const Use &use) {
           const User *user = use.getUser();
           if (const auto *store = dyn_cast<StoreInst>(user))
             return store->isSimple() && use.getOperandNo() == StoreInst::getPointerOperandIndex();
           if (const auto *load = dyn_cast<LoadInst>(user))
             return load->isSimple();
           if (isa<LifetimeIntrinsic>(user) || isHandedOver(use))
             return true;
           const auto *call = dyn_cast<CallBase>(user);
           return call && call->isArgOperand(&use) && call->doesNotCapture(call->getArgOperandNo(&use));
         });
}

/// Loads the variable and converts it to the type in which the runtime passes arguments.
Value *SharedValues::load(Value *variable, Type *type, CallBase &call) const {
  IRBuilder<> builder(&call);
  Value *value = builder.CreateLoad(type, variable);
  if (type->isPointerTy())
    return value;
  unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
  value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  return builder.CreateZExt(value, builder.getIntPtrTy(module.getDataLayout()));
}

void SharedValues::replaceCall(const AbstractCallSite &site, const Region &region, Function &changed) {
  CallBase &call = *site.getInstruction();
  if (!site.isCallbackCall())
    call.setCalledFunction(&changed);
  else
    call.setArgOperand(site.getCallArgOperandNoForCallee(), &changed);
  for (auto [index, type] : enumerate(region.values)) {
    int number = type ? site.getCallArgOperandNo(index) : -1;
    if (number < 0)
      continue;
    call.setArgOperand(number, load(call.getArgOperand(number), type, call));
    call.setAttributes(call.getAttributes().removeParamAttributes(call.getContext(), number));
  }
}

/// Rewrites debug records that describe the variable by its address to describe its value.
static void describeValue(Argument &address, Value &value) {
  SmallVector<DbgVariableRecord *> records;
  findDbgUsers(&address, records);
  for (DbgVariableRecord *record : records) {
    DIExpression *expression = record->getExpression();
    bool isAddress = record->isDbgDeclare() && expression->getNumElements() == 0;
    bool isLoaded = record->isDbgValue() && !record->hasArgList() && expression->getNumElements() == 1 &&
                    expression->startsWithDeref();
    if (!isAddress && !isLoaded) {
      record->setKillLocation();
      continue;
    }
    auto *described = DbgVariableRecord::createDbgVariableRecord(
        &value, record->getVariable(), DIExpression::get(value.getContext(), {}), record->getDebugLoc().get());
    described->insertBefore(record);
    record->eraseFromParent();
  }
}

/// Creates the function with value parameters, and moves the body and all calls to it.
void SharedValues::change(Region &region) {
  Function &old = *region.function;
  LLVMContext &context = module.getContext();
  SmallVector<Type *> types;
  AttributeList attributes = old.getAttributes();
  for (auto [index, type] : enumerate(region.values)) {
    Type *number = module.getDataLayout().getIntPtrType(context);
    types.push_back(!type ? old.getArg(index)->getType() : type->isPointerTy() ? type : number);
    if (type)
      attributes = attributes.removeParamAttributes(context, index);
  }
  auto *changed = Function::Create(FunctionType::get(old.getReturnType(), types, /*isVarArg=*/false), old.getLinkage(),
                                   old.getAddressSpace(), "", nullptr);
  changed->copyAttributesFrom(&old);
  changed->setAttributes(attributes);
  changed->setComdat(old.getComdat());
  changed->copyMetadata(&old, 0);
  old.setSubprogram(nullptr);
  module.getFunctionList().insert(old.getIterator(), changed);
  changed->takeName(&old);
  for (const AbstractCallSite &site : region.calls)
    replaceCall(site, region, *changed);
  changed->splice(changed->begin(), &old);
  IRBuilder<> builder(context);
  builder.SetInsertPoint(&changed->getEntryBlock(), changed->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  SmallVector<Value *> values;
  for (auto [type, argument] : zip_equal(region.values, changed->args())) {
    argument.takeName(old.getArg(argument.getArgNo()));
    Value *value = &argument;
    if (type && !type->isPointerTy())
      value = builder.CreateBitCast(
          builder.CreateTrunc(value, builder.getIntNTy(type->getPrimitiveSizeInBits().getFixedValue())), type);
    values.push_back(value);
  }
  // Done last, because the loads that are erased here may be the insertion point of `builder`.
  for (auto [type, value, from] : zip_equal(region.values, values, old.args())) {
    if (!type) {
      from.replaceAllUsesWith(value);
      continue;
    }
    describeValue(from, *value);
    for (User *user : make_early_inc_range(from.users())) {
      user->replaceAllUsesWith(value);
      cast<Instruction>(user)->eraseFromParent();
    }
  }
  old.eraseFromParent();
}

bool SharedValues::run() {
  std::vector<Function *> withBodies;
  for (Function &function : module)
    if (findRegionOf(function))
      withBodies.push_back(&function);
  for (Function *function : withBodies)
    inlineBody(*function);
  std::vector<Region> regions;
  for (Function *function : withBodies)
    if (std::optional<Region> region = findRegionOf(*function))
      regions.push_back(*region);
  for (Region &region : regions)
    for (const Argument &argument : region.function->args())
      if (Type *type = getReadType(argument))
        readOnly[&argument] = type;
  for (Region &region : regions)
    for (const Argument &argument : region.function->args()) {
      bool isStableEverywhere = all_of(region.calls, [&](const AbstractCallSite &site) {
        const Value *variable = site.getCallArgOperand(argument.getArgNo());
        return variable && isStable(*variable);
      });
      region.values.push_back(isStableEverywhere ? readOnly.lookup(&argument) : nullptr);
    }
  bool changed = false;
  for (Region &region : regions)
    if (any_of(region.values, [](Type *type) { return type != nullptr; })) {
      change(region);
      changed = true;
    }
  return changed;
}

bool comm::passSharedValues(Module &module) {
  declareForks(module);
  return SharedValues(module).run();
}
