//===- FunctionSummary.cpp - What calling a function can do ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A greatest fixpoint over the call graph: every function starts with all
// facts that its own instructions allow, and loses those that a callee lacks.
// Recursion therefore costs nothing. What has no body is judged by its
// attributes and by LLVM's knowledge of the C library, and by nothing else.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/FunctionSummary.h"

#include "Comm/MPI/Standard.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"

using namespace llvm;

namespace {
/// One bit a fact, so that joining callees is one `and`.
enum Fact : unsigned { NoThrow = 1, Returns = 2, NoSync = 4, NoIO = 8, NoMPI = 16, AllFacts = 31 };

class Summarizer {
public:
  Summarizer(const Module &module, comm::GetTargetLibraryInfo getTLI) : module(module), getTLI(getTLI) {}

  comm::FunctionSummaries run();

private:
  unsigned declarationFacts(const Function &function);
  unsigned libraryFacts(const Function &function);
  unsigned callFacts(const CallBase &call);
  unsigned instructionFacts(const Instruction &inst);

  const Module &module;
  comm::GetTargetLibraryInfo getTLI;
  DenseMap<const Function *, unsigned> facts;
  DenseMap<const Function *, SmallVector<const Function *, 4>> callers;
};
} // namespace

/// Whether the body that we see is the one that will run, or one compiled from
/// the same source.
static bool bodyCounts(const Function &function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.hasFnAttribute(Attribute::Naked);
}

/// Facts about a function of the C library. Those that LLVM knows neither call
/// back nor throw unless LLVM leaves them without `nounwind`, as it does for
/// qsort; the few that do not come back, or come back twice, are named.
unsigned Summarizer::libraryFacts(const Function &function) {
  const TargetLibraryInfo &tli = getTLI(function);
  LibFunc libFunc;
  if (!tli.getLibFunc(function, libFunc) || !tli.has(libFunc) || !function.doesNotThrow() || function.doesNotReturn())
    return 0;
  switch (libFunc) {
  case LibFunc_execl:
  case LibFunc_execle:
  case LibFunc_execlp:
  case LibFunc_execv:
  case LibFunc_execvP:
  case LibFunc_execve:
  case LibFunc_execvp:
  case LibFunc_execvpe:
  case LibFunc_fork:
  case LibFunc_system:
  case LibFunc_exit:
  case LibFunc_abort:
  case LibFunc_terminate:
    return 0;
  default:
    break;
  }
  unsigned result = NoThrow | Returns | NoMPI;
  MemoryEffects effects = function.getMemoryEffects();
  // Input and output, locks included, touch memory that the caller may see;
  // LLVM limits the effects of those library functions that do neither.
  if (effects.getWithoutLoc(IRMemLocation::ArgMem)
          .getWithoutLoc(IRMemLocation::InaccessibleMem)
          .getWithoutLoc(IRMemLocation::ErrnoMem)
          .doesNotAccessMemory())
    result |= NoSync | NoIO;
  return result;
}

/// Facts that the attributes of a function promise, whatever its body.
unsigned Summarizer::declarationFacts(const Function &function) {
  unsigned result = 0;
  if (function.doesNotThrow())
    result |= NoThrow;
  if (function.willReturn() && !function.doesNotReturn())
    result |= Returns;
  if (function.hasNoSync() || function.doesNotAccessMemory())
    result |= NoSync;
  bool harmless = function.onlyReadsMemory() || function.onlyAccessesArgMemory();
  if (function.isIntrinsic()) {
    // Without nocallback an intrinsic stands for a call (patchpoint, gc).
    if (!function.hasFnAttribute(Attribute::NoCallback))
      return result & NoThrow;
    return result | NoMPI | ((result & Returns) ? unsigned(NoIO) : 0u);
  }
  if (harmless)
    result |= NoIO;
  if (comm::mpi::isReservedName(function.getName()))
    return result;
  if (harmless)
    result |= NoMPI;
  return function.isDeclaration() ? result | libraryFacts(function) : result;
}

unsigned Summarizer::callFacts(const CallBase &call) {
  if (isa<CallBrInst>(call))
    return 0;
  unsigned result = 0;
  if (call.doesNotThrow())
    result |= NoThrow;
  if (call.hasFnAttr(Attribute::WillReturn) && !call.doesNotReturn())
    result |= Returns;
  // Of memcpy and its like, which can be volatile, the caller knows more.
  if (call.hasFnAttr(Attribute::NoSync) || call.doesNotAccessMemory() || isa<MemIntrinsic>(call))
    result |= NoSync;
  bool harmless = call.onlyReadsMemory() || call.onlyAccessesArgMemory();
  if (harmless)
    result |= NoIO;
  if (call.isInlineAsm()) {
    const auto *code = cast<InlineAsm>(call.getCalledOperand());
    bool pure = !code->hasSideEffects() && !code->canThrow() && call.doesNotAccessMemory();
    return pure ? unsigned(AllFacts) : result & ~unsigned(NoIO);
  }
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return harmless ? result | NoMPI : result;
  if (harmless && !comm::mpi::isReservedName(callee->getName()))
    result |= NoMPI;
  result |= facts.lookup(callee);
  if (call.doesNotReturn() || call.hasFnAttr(Attribute::ReturnsTwice))
    result &= ~unsigned(Returns);
  return result;
}

unsigned Summarizer::instructionFacts(const Instruction &inst) {
  unsigned result = AllFacts;
  if (inst.isVolatile())
    result &= ~unsigned(NoSync | NoIO);
  if (const auto *mem = dyn_cast<MemIntrinsic>(&inst))
    if (mem->isVolatile())
      result &= ~unsigned(NoSync | NoIO);
  if (isa<FenceInst>(inst))
    result &= ~unsigned(NoSync);
  else if (inst.isAtomic()) {
    const auto *load = dyn_cast<LoadInst>(&inst);
    const auto *store = dyn_cast<StoreInst>(&inst);
    if (!(load && load->isUnordered()) && !(store && store->isUnordered()))
      result &= ~unsigned(NoSync);
  }
  // A resume only passes on what an invoke of this function let in, and
  // invokes are judged as calls.
  if (const auto *call = dyn_cast<CallBase>(&inst))
    result &= callFacts(*call);
  return result;
}

comm::FunctionSummaries Summarizer::run() {
  SmallVector<const Function *, 32> worklist;
  for (const Function &function : module) {
    if (!bodyCounts(function)) {
      facts[&function] = declarationFacts(function);
      continue;
    }
    facts[&function] = AllFacts;
    worklist.push_back(&function);
    for (const Instruction &inst : instructions(function))
      if (const auto *call = dyn_cast<CallBase>(&inst))
        if (const Function *callee = call->getCalledFunction())
          if (bodyCounts(*callee))
            callers[callee].push_back(&function);
  }
  while (!worklist.empty()) {
    const Function *function = worklist.pop_back_val();
    unsigned before = facts[function];
    unsigned after = before;
    for (const Instruction &inst : instructions(*function)) {
      after &= instructionFacts(inst);
      if (!after)
        break;
    }
    if (function->doesNotReturn())
      after &= ~unsigned(Returns);
    // LLVM's own proofs stand, above all `nounwind` where all is caught.
    after |= declarationFacts(*function) & before;
    if (after == before)
      continue;
    facts[function] = after;
    auto it = callers.find(function);
    if (it != callers.end())
      worklist.append(it->second.begin(), it->second.end());
  }

  comm::FunctionSummaries summaries;
  for (auto [function, bits] : facts) {
    comm::FunctionSummary &summary = summaries[function];
    summary.noThrow = bits & NoThrow;
    summary.returns = bits & Returns;
    summary.noSync = bits & NoSync;
    summary.noIO = bits & NoIO;
    summary.noMPI = bits & NoMPI;
  }
  return summaries;
}

comm::FunctionSummaries comm::computeFunctionSummaries(const Module &module, GetTargetLibraryInfo getTLI) {
  return Summarizer(module, getTLI).run();
}

void comm::annotateFunction(Function &function, const FunctionSummary &summary) {
  auto set = [&](StringRef name, bool holds) {
    if (holds)
      function.addFnAttr(name);
    else
      function.removeFnAttr(name);
  };
  set("comm-no-throw", summary.noThrow);
  set("comm-returns", summary.returns);
  set("comm-nosync", summary.noSync);
  set("comm-no-io", summary.noIO);
  set("comm-no-mpi", summary.noMPI);
}

void comm::summarizeFunctions(Module &module, GetTargetLibraryInfo getTLI) {
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      inferNonMandatoryLibFuncAttrs(function, getTLI(function));
  for (auto &[function, summary] : computeFunctionSummaries(module, getTLI))
    if (!function->isIntrinsic())
      annotateFunction(const_cast<Function &>(*function), summary);
}
