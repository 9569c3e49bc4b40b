//===- ModelRegions.cpp - Effects of OpenMP's runtime, for LLVM -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRegions.h"

#include "Comm/Analysis/Memory/OpenMP.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace comm;

/// Everything else that the runtime touches is its own. (errno is not part of any buffer; see usesErrno in
/// CallBehavior.cpp.)
static MemoryEffects getOwnEffects() { return MemoryEffects::inaccessibleMemOnly(); }

static ModRefInfo getInfo(MemoryUse use) {
  return (use.reads ? ModRefInfo::Ref : ModRefInfo::NoModRef) | (use.writes ? ModRefInfo::Mod : ModRefInfo::NoModRef);
}

namespace {
/// Builds a call that replaces another one.
class Replacement {
public:
  Replacement(CallBase &call, const Function &target, const TouchedMemory &touched)
      : call(call), target(target), touched(touched) {}

  /// Returns null if the call cannot be expressed.
  CallInst *make(FunctionSummary summary);

private:
  bool collect();
  void add(Value *pointer, MemoryUse use, bool isKept);
  FunctionCallee getFunction();

  CallBase &call;
  const Function &target;
  const TouchedMemory &touched;
  SmallVector<Value *> arguments;
  SmallVector<AttributeSet> attributes;
};
} // namespace

void Replacement::add(Value *pointer, MemoryUse use, bool isKept) {
  LLVMContext &context = call.getContext();
  AttrBuilder builder(context);
  if (!isKept)
    builder.addCapturesAttr(CaptureInfo::none());
  if (!use.any() && !isKept)
    builder.addAttribute(Attribute::ReadNone);
  else if (!use.writes && !isKept)
    builder.addAttribute(Attribute::ReadOnly);
  else if (!use.reads && !isKept)
    builder.addAttribute(Attribute::WriteOnly);
  arguments.push_back(pointer);
  attributes.push_back(AttributeSet::get(context, builder));
}

bool Replacement::collect() {
  std::optional<AbstractCallSite> region = findRegionCall(call);
  for (const Argument &param : target.args()) {
    unsigned index = param.getArgNo();
    Value *argument = region ? region->getCallArgOperand(index) : call.getArgOperand(index);
    if (!argument || !argument->getType()->isPtrOrPtrVectorTy())
      continue;
    if (!argument->getType()->isPointerTy())
      return false;
    TouchedMemory::Param use = index < touched.params.size() ? touched.params[index] : TouchedMemory::Param();
    add(argument, use, use.isKept);
  }
  for (auto [variable, use] : touched.variables)
    add(const_cast<GlobalVariable *>(variable), use, /*isKept=*/true);
  return true;
}

FunctionCallee Replacement::getFunction() {
  std::string name;
  raw_string_ostream(name) << "comm.model.call." << *call.getType();
  return call.getModule()->getOrInsertFunction(name, FunctionType::get(call.getType(), {}, /*isVarArg=*/true));
}

CallInst *Replacement::make(FunctionSummary summary) {
  if (!isa<CallInst>(call) || !collect())
    return nullptr;
  CallInst *result = CallInst::Create(getFunction(), arguments, "", call.getIterator());
  result->copyMetadata(call);
  AttrBuilder builder(call.getContext());
  builder.addMemoryAttr(getOwnEffects() | MemoryEffects::argMemOnly() |
                        MemoryEffects(IRMemLocation::Other, getInfo(touched.others)));
  builder.addAttribute(kRunsRegionAttrName);
  if (summary.noThrow)
    builder.addAttribute(Attribute::NoUnwind);
  if (findRegion(call))
    summary = summarizeRegionCall(call, summary);
  forEachFact(summary, [&](StringRef fact) { builder.addAttribute(fact); });
  result->setAttributes(
      AttributeList::get(call.getContext(), AttributeSet::get(call.getContext(), builder), AttributeSet(), attributes));
  return result;
}

/// Restricts the effects of runtime functions that query, or configure the thread's own regions. Their only pointer
/// argument is to a constant, the source location.
static void describeRuntime(Module &module) {
  for (Function &function : module)
    if (std::optional<OpenMPScope> scope = lookupOpenMP(function);
        scope == OpenMPScope::Thread || scope == OpenMPScope::Clock)
      function.setMemoryEffects(function.getMemoryEffects() & getOwnEffects());
}

void comm::describeRegions(LLVMModel &model, const FunctionSummaries &summaries) {
  describeRuntime(*model.module);
  MapVector<Instruction *, Instruction *> replaced;
  for (Function &function : *model.module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const Function *region = call ? findRegion(*call) : nullptr;
      const Function *target = region ? region : call ? call->getCalledFunction() : nullptr;
      if (!target || (!region && target->arg_size() != call->arg_size()))
        continue;
      FunctionSummary summary = summaries.lookup(target);
      if (!summary.touched)
        continue;
      if (CallInst *replacement = Replacement(*call, *target, *summary.touched).make(summary))
        replaced[call] = replacement;
    }
  // Replace them together at the end: other calls are needed to recognize a function as a region.
  for (auto [call, replacement] : replaced) {
    call->replaceAllUsesWith(replacement);
    call->eraseFromParent();
  }
  for (auto &[op, instructions] : model.instructions)
    for (Instruction *&instruction : instructions)
      if (Instruction *replacement = replaced.lookup(instruction))
        instruction = replacement;
}
