//===- OpenMP.cpp - OpenMP regions and their runtime ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/OpenMP.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace comm;

namespace {
/// A row of the COMM_OPENMP_FORK table.
struct Fork {
  unsigned callee, first;
  bool isVariadic;
};
} // namespace

static const StringMap<OpenMPScope> &getScopes() {
  static const StringMap<OpenMPScope> scopes = {
#define COMM_OPENMP(NAME, SCOPE) {#NAME, OpenMPScope::SCOPE},
#include "Comm/Analysis/Memory/OpenMPRuntime.def"
  };
  return scopes;
}

static const StringMap<Fork> &getForks() {
  static const StringMap<Fork> forks = {
#define COMM_OPENMP_FORK(NAME, CALLEE, FIRST, IS_VARIADIC) {#NAME, Fork{CALLEE, FIRST, IS_VARIADIC}},
#include "Comm/Analysis/Memory/OpenMPRuntime.def"
  };
  return forks;
}

std::optional<OpenMPScope> comm::lookupOpenMP(const Function &function) {
  auto it = function.isDeclaration() ? getScopes().find(function.getName()) : getScopes().end();
  return it == getScopes().end() ? std::nullopt : std::optional(it->second);
}

std::optional<OpenMPScope> comm::lookupOpenMP(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee ? lookupOpenMP(*callee) : std::nullopt;
}

bool comm::declareForks(Module &module) {
  bool changed = false;
  for (const auto &entry : getForks()) {
    Function *function = module.getFunction(entry.getKey());
    const Fork &fork = entry.getValue();
    bool fits = function && function->isDeclaration() && !function->hasMetadata(LLVMContext::MD_callback) &&
                (fork.isVariadic ? function->isVarArg() && function->arg_size() == fork.first
                                 : function->arg_size() == fork.first + 1);
    if (!fits)
      continue;
    SmallVector<int> arguments{-1, -1}; // numbers of the thread
    if (!fork.isVariadic)
      arguments.push_back(fork.first);
    MDBuilder builder(module.getContext());
    function->addMetadata(
        LLVMContext::MD_callback,
        *MDNode::get(module.getContext(), {builder.createCallbackEncoding(fork.callee, arguments, fork.isVariadic)}));
    changed = true;
  }
  return changed;
}

/// Whether some runtime call runs the function as a region. Regions have few uses, so functions with many are skipped.
static bool isForked(const Function &function) {
  constexpr unsigned mostUses = 16;
  bool fits = function.arg_size() >= 2 && function.getArg(0)->getType()->isPointerTy() &&
              function.getArg(1)->getType()->isPointerTy() && !function.hasNUsesOrMore(mostUses);
  return fits && any_of(function.uses(), [](const Use &use) {
           AbstractCallSite site(&use);
           const Function *fork = site && site.isCallbackCall() ? site.getInstruction()->getCalledFunction() : nullptr;
           return fork && fork->isDeclaration() && getForks().contains(fork->getName());
         });
}

std::optional<AbstractCallSite> comm::findRegionCall(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return std::nullopt;
  if (callee->arg_size() == call.arg_size() && !callee->isVarArg() && isForked(*callee))
    return AbstractCallSite(&call.getCalledOperandUse());
  if (!callee->isDeclaration() || !getForks().contains(callee->getName()))
    return std::nullopt;
  SmallVector<const Use *, 1> uses;
  AbstractCallSite::getCallbackUses(call, uses);
  if (uses.size() != 1)
    return std::nullopt;
  AbstractCallSite site(uses.front());
  const Function *region = site ? site.getCalledFunction() : nullptr;
  // A region takes exactly the arguments that the runtime passes.
  if (!region || region->isVarArg() || region->arg_size() != site.getNumArgOperands())
    return std::nullopt;
  return site;
}

const Function *comm::findRegion(const CallBase &call) {
  std::optional<AbstractCallSite> site = findRegionCall(call);
  return site ? site->getCalledFunction() : nullptr;
}

/// The runtime returns 1 to the thread that adds all parts, under a lock, and 2 to threads that each add their own.
static constexpr uint64_t kAddOwnPart = 2;

bool comm::isPartOfReduction(const Instruction &instruction) {
  const Function &function = *instruction.getFunction();
  std::optional<DominatorTree> dominance;
  for (const Instruction &inst : instructions(function)) {
    const auto *choice = dyn_cast<SwitchInst>(&inst);
    const auto *call = choice ? dyn_cast<CallBase>(choice->getCondition()) : nullptr;
    if (!call || lookupOpenMP(*call) != OpenMPScope::Reduction)
      continue;
    for (const auto &arm : choice->cases()) {
      if (arm.getCaseValue()->getZExtValue() != kAddOwnPart)
        continue;
      if (!dominance)
        dominance.emplace(const_cast<Function &>(function));
      if (dominance->dominates(BasicBlockEdge(choice->getParent(), arm.getCaseSuccessor()), instruction.getParent()))
        return true;
    }
  }
  return false;
}

std::optional<unsigned> comm::getRegionArgument(StringRef function) {
  auto it = getForks().find(function);
  return it == getForks().end() ? std::nullopt : std::optional(it->second.callee);
}

static std::string describeCall(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return call.isInlineAsm() ? "has inline assembly" : "calls a function through a pointer";
  static constexpr std::pair<StringRef, StringRef> obstacles[] = {
#define COMM_OPENMP_OBSTACLE(PREFIX, TEXT) {#PREFIX, TEXT},
#include "Comm/Analysis/Memory/OpenMPRuntime.def"
  };
  for (auto [prefix, text] : obstacles)
    if (callee->getName().starts_with(prefix))
      return text.str();
  return "calls " + demangle(callee->getName());
}

std::string comm::describeObstacle(const Instruction &instruction) {
  std::string text = "has a volatile access";
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    text = describeCall(*call);
  else if (isa<FenceInst>(instruction))
    text = "orders memory for other threads";
  else if (instruction.isAtomic())
    text = "has an atomic access";
  if (const DILocation *place = instruction.getDebugLoc().get(); place && place->getLine())
    text += " at " + sys::path::filename(place->getFilename()).str() + ":" + std::to_string(place->getLine());
  return text;
}
