//===- TouchedMemory.cpp - Memory touched by OpenMP calls -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/TouchedMemory.h"

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Analysis/Memory/OpenMP.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

static constexpr MemoryUse kReadsAndWrites = {true, true};

static MemoryUse getUse(ModRefInfo info) { return {isRefSet(info), isModSet(info)}; }

TouchedMemory TouchedMemory::unknown(const Function &function) {
  TouchedMemory touched;
  touched.params.assign(function.arg_size(), {kReadsAndWrites, /*isKept=*/true});
  touched.others = kReadsAndWrites;
  return touched;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string toString(MemoryUse use) { return (use.reads ? "r" : "") + std::string(use.writes ? "w" : ""); }

std::string comm::toString(const TouchedMemory &touched) {
  std::string text;
  MemoryUse others = touched.others;
  for (auto [index, param] : enumerate(touched.params))
    if (param.any() || param.isKept)
      text += std::to_string(index) + "=" + ::toString(param) + (param.isKept ? "k" : "") + ";";
  for (auto [variable, use] : touched.variables) {
    if (variable->getName().empty() || variable->getName().find_first_of(";=") != StringRef::npos)
      others.join(use);
    else
      text += "@" + variable->getName().str() + "=" + ::toString(use) + ";";
  }
  return text + "*=" + ::toString(others);
}

/// An upper limit, since the attribute may come from anywhere.
static constexpr unsigned kMaxParams = 4096;

TouchedMemory comm::parseTouchedMemory(StringRef text, const Module &module) {
  TouchedMemory touched;
  while (!text.empty()) {
    auto [entry, rest] = text.split(';');
    text = rest;
    auto [key, flags] = entry.split('=');
    MemoryUse use = {flags.contains('r'), flags.contains('w')};
    unsigned index;
    const GlobalVariable *variable =
        key.starts_with("@") ? module.getGlobalVariable(key.drop_front(), /*AllowInternal=*/true) : nullptr;
    if (!key.getAsInteger(10, index) && index < kMaxParams) {
      if (touched.params.size() <= index)
        touched.params.resize(index + 1);
      touched.params[index] = {use, flags.contains('k')};
    } else if (variable) {
      touched.variables[variable].join(use);
    } else {
      touched.others.join(use);
    }
  }
  return touched;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool TouchedMemoryFinder::callsOpenMP(const Function &function) {
  auto [entry, isNew] = calling.try_emplace(&function, function.hasFnAttribute(kTouchesAttrName));
  if (!isNew || !bodyCounts(function))
    return entry->second;
  for (const Instruction &instruction : instructions(function)) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && (findRegion(*call) || lookupOpenMP(*callee) || callsOpenMP(*callee)))
      return calling[&function] = true;
  }
  return false;
}

const TouchedMemory &TouchedMemoryFinder::find(const Function &function) {
  auto [entry, isNew] = known.try_emplace(&function);
  if (!isNew)
    return *entry->second;
  entry->second = std::make_unique<TouchedMemory>(TouchedMemory::unknown(function));
  if (function.isDeclaration() && function.hasFnAttribute(kTouchesAttrName)) {
    *entry->second =
        parseTouchedMemory(function.getFnAttribute(kTouchesAttrName).getValueAsString(), *function.getParent());
    entry->second->params.resize(function.arg_size());
  }
  if (!bodyCounts(function) || function.isVarArg())
    return *entry->second;
  TouchedMemory touched;
  touched.params.resize(function.arg_size());
  for (const Instruction &instruction : instructions(function))
    add(touched, instruction);
  for (const Argument &argument : function.args())
    touched.params[argument.getArgNo()].isKept = argument.getType()->isPtrOrPtrVectorTy() && isKept(argument);
  TouchedMemory &result = *known[&function];
  result = std::move(touched);
  return result;
}

void TouchedMemoryFinder::add(TouchedMemory &touched, const Instruction &instruction) {
  if (isa<FenceInst>(instruction) || !instruction.mayReadOrWriteMemory())
    return;
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return addCall(touched, *call);
  MemoryUse use = {instruction.mayReadFromMemory(), instruction.mayWriteToMemory()};
  if (std::optional<MemoryLocation> location = MemoryLocation::getOrNone(&instruction))
    addPointer(touched, location->Ptr, use);
  else
    touched.others.join(use);
}

void TouchedMemoryFinder::addPointer(TouchedMemory &touched, const Value *pointer, MemoryUse use) {
  if (!use.any())
    return;
  if (!pointer->getType()->isPointerTy())
    return touched.others.join(use);
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  for (const Value *object : objects) {
    const auto *argument = dyn_cast<Argument>(object);
    const auto *variable = dyn_cast<GlobalVariable>(object);
    // Nobody else can access what the function allocates.
    if (isa<AllocaInst, UndefValue>(object) || isNoAliasCall(object) || (variable && variable->isConstant()))
      continue;
    if (argument)
      touched.params[argument->getArgNo()].join(use);
    else if (variable)
      touched.variables[variable].join(use);
    else
      touched.others.join(use);
  }
}

void TouchedMemoryFinder::addCallee(TouchedMemory &touched, const Function &callee,
                                    function_ref<const Value *(unsigned)> getArgument) {
  const TouchedMemory &inner = find(callee);
  for (auto [index, param] : enumerate(inner.params))
    if (const Value *argument = param.any() ? getArgument(index) : nullptr;
        argument && argument->getType()->isPtrOrPtrVectorTy())
      addPointer(touched, argument, param);
  for (auto [variable, use] : inner.variables)
    touched.variables[variable].join(use);
  touched.others.join(inner.others);
}

/// Adds the function that combines the parts of two threads, each in variables of its own. The memory that pointers in
/// these variables lead to is also touched where a thread adds its part to the result.
void TouchedMemoryFinder::addCombiner(TouchedMemory &touched, const Function &combiner) {
  TouchedMemory inner = find(combiner);
  for (auto [variable, use] : inner.variables)
    touched.variables[variable].join(use);
  if (!bodyCounts(combiner))
    touched.others.join(kReadsAndWrites);
}

void TouchedMemoryFinder::addCall(TouchedMemory &touched, const CallBase &call) {
  if (isa<DbgInfoIntrinsic, AssumeInst, NoAliasScopeDeclInst, LifetimeIntrinsic>(call))
    return;
  if (std::optional<AbstractCallSite> region = findRegionCall(call))
    return addCallee(touched, *region->getCalledFunction(),
                     [&](unsigned index) -> const Value * { return region->getCallArgOperand(index); });
  const Function *callee = call.getCalledFunction();
  if (callee && lookupOpenMP(*callee)) {
    for (const Use &argument : call.args()) {
      if (const auto *combiner = dyn_cast<Function>(argument))
        addCombiner(touched, *combiner);
      else if (argument->getType()->isPointerTy())
        addPointer(touched, argument, kReadsAndWrites);
    }
    return;
  }
  bool isPlain = !call.hasOperandBundles() && none_of(call.args(), [&](const Use &argument) {
    return call.isByValArgument(call.getArgOperandNo(&argument));
  });
  if (callee && isPlain && bodyCounts(*callee) && callee->arg_size() == call.arg_size())
    return addCallee(touched, *callee, [&](unsigned index) { return call.getArgOperand(index); });
  MemoryEffects effects = call.getMemoryEffects();
  touched.others.join(getUse(effects.getModRef(IRMemLocation::Other)));
  for (const Use &argument : call.args()) {
    if (!argument->getType()->isPtrOrPtrVectorTy())
      continue;
    unsigned index = call.getArgOperandNo(&argument);
    MemoryUse use = getUse(effects.getModRef(IRMemLocation::ArgMem));
    use.reads &= !call.onlyWritesMemory(index);
    use.writes &= !call.onlyReadsMemory(index);
    addPointer(touched, argument, use);
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

bool TouchedMemoryFinder::mayKeep(const Use &argument) {
  const auto &call = cast<CallBase>(*argument.getUser());
  unsigned number = call.getArgOperandNo(&argument);
  if (std::optional<AbstractCallSite> region = findRegionCall(call)) {
    const TouchedMemory &inner = find(*region->getCalledFunction());
    return any_of(enumerate(inner.params), [&](const auto &param) {
      return region->getCallArgOperandNo(param.index()) == static_cast<int>(number) && param.value().isKept;
    });
  }
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return true;
  if (lookupOpenMP(*callee))
    return false;
  return !bodyCounts(*callee) || number >= callee->arg_size() || find(*callee).params[number].isKept;
}

struct TouchedMemoryFinder::Keeping : CaptureTracker {
  explicit Keeping(TouchedMemoryFinder &finder) : finder(finder) {}

  void tooManyUses() override { isKept = true; }
  Action captured(const Use *use, UseCaptureInfo info) override {
    const auto *call = dyn_cast<CallBase>(use->getUser());
    if (call && call->isArgOperand(use) && !finder.mayKeep(*use))
      return ContinueIgnoringReturn;
    if (capturesAnyProvenance(info.UseCC)) {
      isKept = true;
      return Stop;
    }
    return Continue;
  }

  TouchedMemoryFinder &finder;
  bool isKept = false;
};

bool TouchedMemoryFinder::isKept(const Value &pointer) {
  Keeping keeping(*this);
  PointerMayBeCaptured(&pointer, &keeping);
  return keeping.isKept;
}
