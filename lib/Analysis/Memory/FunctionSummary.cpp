//===- FunctionSummary.cpp - Effects of calling a function ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A greatest fixpoint over the call graph: every function starts with all facts that its own instructions allow, and
// loses those that a callee lacks. Recursion therefore costs nothing. A function without a body has only the facts that
// its attributes and LLVM's knowledge of the C library give.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/FunctionSummary.h"

#include "Comm/Analysis/Memory/OpenMP.h"
#include "Comm/Dialect/Comm/Utils/FunctionFacts.h"
#include "Comm/MPI/Standard.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"

using namespace llvm;
using comm::OpenMPScope, comm::findRegion, comm::lookupOpenMP, comm::isPartOfReduction, comm::describeObstacle;

namespace {
/// One bit per fact, so that joining callees is a single `and`.
enum Fact : unsigned {
  NoThrow = 1,
  Returns = 2,
  NoSync = 4,
  NoIO = 8,
  NoMPI = 16,
  TeamSync = 32,
  ProcessSync = 64,
  AllFacts = 127
};

class Summarizer {
public:
  Summarizer(const Module &module, comm::GetTargetLibraryInfo getTLI) : module(module), getTLI(getTLI) {}

  comm::FunctionSummaries run();

private:
  unsigned declarationFacts(const Function &function);
  unsigned libraryFacts(const Function &function);
  unsigned regionFacts(const CallBase &call, const Function &region);
  unsigned callFacts(const CallBase &call);
  unsigned instructionFacts(const Instruction &inst);
  comm::FunctionSummaries summarize();
  void findErrno(comm::FunctionSummaries &summaries);
  const Instruction *findObstacle(const Function &region, SmallPtrSetImpl<const Function *> &seen);

  const Module &module;
  comm::GetTargetLibraryInfo getTLI;
  DenseMap<const Function *, unsigned> facts;
  DenseMap<const Function *, SmallSetVector<const Function *, 4>> callers;
  /// Parallel regions with a body.
  SmallSetVector<const Function *, 8> regions;
};
} // namespace

bool comm::bodyCounts(const Function &function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.hasFnAttribute(Attribute::Naked);
}

/// Facts about a function of the C library. Functions known to LLVM neither call back nor throw, except for those
/// without `nounwind`, such as qsort. The few that do not return, or return twice, are listed.
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
  // Input, output and locks touch memory that the caller may access. LLVM restricts the effects only of library
  // functions that use none of these.
  if (effects.getWithoutLoc(IRMemLocation::ArgMem)
          .getWithoutLoc(IRMemLocation::InaccessibleMem)
          .getWithoutLoc(IRMemLocation::ErrnoMem)
          .doesNotAccessMemory())
    result |= NoSync | NoIO;
  return result;
}

/// A function that does not synchronize at all does not synchronize with other teams.
static unsigned closeFacts(unsigned facts) {
  facts |= facts & NoSync ? TeamSync : 0u;
  return facts & TeamSync ? facts | ProcessSync : facts;
}

/// The only effect of the runtime functions in the table is to order threads.
static unsigned openMPFacts(OpenMPScope scope) {
  constexpr unsigned others = AllFacts & ~unsigned(NoSync | TeamSync);
  switch (scope) {
  case OpenMPScope::Thread:
    return AllFacts;
  case OpenMPScope::Clock:
    return AllFacts & ~unsigned(NoIO);
  case OpenMPScope::Team:
  case OpenMPScope::Reduction:
    return others | TeamSync;
  case OpenMPScope::Process:
    return others;
  }
  return 0;
}

static unsigned getFacts(const comm::FunctionSummary &summary) {
  return (summary.noThrow ? NoThrow : 0) | (summary.returns ? Returns : 0) | (summary.noSync ? NoSync : 0) |
         (summary.noIO ? NoIO : 0) | (summary.noMPI ? NoMPI : 0) | (summary.teamSync ? TeamSync : 0) |
         (summary.processSync ? ProcessSync : 0);
}

/// Facts that the attributes of a function guarantee, whatever its body.
unsigned Summarizer::declarationFacts(const Function &function) {
  unsigned result = 0;
  if (function.isDeclaration()) {
    result |= getFacts(comm::readSummary(function));
    if (std::optional<OpenMPScope> scope = lookupOpenMP(function))
      result |= openMPFacts(*scope);
  }
  if (function.doesNotThrow())
    result |= NoThrow;
  if (function.willReturn() && !function.doesNotReturn())
    result |= Returns;
  if (function.hasNoSync() || function.doesNotAccessMemory())
    result |= NoSync | TeamSync | ProcessSync;
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

/// Facts about a parallel region from the point of view of its caller: its threads end with it.
unsigned Summarizer::regionFacts(const CallBase &call, const Function &region) {
  unsigned result = facts.lookup(&region);
  bool isAlone = call.getFunction()->hasFnAttribute(comm::kAloneAttrName);
  bool isOwnAffair = result & (isAlone ? ProcessSync : TeamSync);
  return isOwnAffair ? closeFacts(result | NoSync) : result & ~unsigned(NoSync);
}

comm::FunctionSummary comm::summarizeRegionCall(const CallBase &call, FunctionSummary region) {
  bool isAlone = call.getFunction()->hasFnAttribute(kAloneAttrName);
  region.noSync = isAlone ? region.processSync : region.teamSync;
  region.teamSync |= region.noSync;
  region.processSync |= region.noSync;
  return region;
}

unsigned Summarizer::callFacts(const CallBase &call) {
  if (isa<CallBrInst>(call))
    return 0;
  if (const Function *region = findRegion(call))
    return regionFacts(call, *region);
  unsigned result = 0;
  if (call.doesNotThrow())
    result |= NoThrow;
  if (call.hasFnAttr(Attribute::WillReturn) && !call.doesNotReturn())
    result |= Returns;
  // memcpy and similar intrinsics can be volatile, which the caller checks.
  if (call.hasFnAttr(Attribute::NoSync) || call.doesNotAccessMemory() || isa<MemIntrinsic>(call))
    result |= NoSync;
  bool harmless = call.onlyReadsMemory() || call.onlyAccessesArgMemory();
  if (harmless)
    result |= NoIO;
  if (call.isInlineAsm()) {
    const auto *code = cast<InlineAsm>(call.getCalledOperand());
    bool pure = !code->hasSideEffects() && !code->canThrow() && call.doesNotAccessMemory();
    return pure ? unsigned(AllFacts) : closeFacts(result & ~unsigned(NoIO));
  }
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return closeFacts(harmless ? result | NoMPI : result);
  if (harmless && !comm::mpi::isReservedName(callee->getName()))
    result |= NoMPI;
  result |= facts.lookup(callee);
  if (call.doesNotReturn() || call.hasFnAttr(Attribute::ReturnsTwice))
    result &= ~unsigned(Returns);
  if (std::optional<OpenMPScope> scope = lookupOpenMP(*callee)) {
    // For reductions: the function that combines the parts of two threads.
    for (const Use &argument : call.args())
      if (const auto *function = dyn_cast<Function>(argument))
        result &= facts.lookup(function);
    if (scope == OpenMPScope::Process && isPartOfReduction(call))
      result |= TeamSync;
  }
  return closeFacts(result);
}

/// Whether this is an atomic access that orders no other.
static bool isRelaxed(const Instruction &inst) {
  auto isWeak = [](AtomicOrdering ordering) { return !isStrongerThanMonotonic(ordering); };
  if (const auto *update = dyn_cast<AtomicRMWInst>(&inst))
    return isWeak(update->getOrdering());
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    return isWeak(exchange->getSuccessOrdering()) && isWeak(exchange->getFailureOrdering());
  if (const auto *load = dyn_cast<LoadInst>(&inst))
    return isWeak(load->getOrdering());
  return false;
}

unsigned Summarizer::instructionFacts(const Instruction &inst) {
  unsigned result = AllFacts;
  if (inst.isVolatile())
    result &= ~unsigned(NoSync | TeamSync | ProcessSync | NoIO);
  if (const auto *mem = dyn_cast<MemIntrinsic>(&inst))
    if (mem->isVolatile())
      result &= ~unsigned(NoSync | TeamSync | ProcessSync | NoIO);
  if (isa<FenceInst>(inst))
    result &= ~unsigned(NoSync | TeamSync);
  else if (inst.isAtomic()) {
    const auto *load = dyn_cast<LoadInst>(&inst);
    const auto *store = dyn_cast<StoreInst>(&inst);
    if (!(load && load->isUnordered()) && !(store && store->isUnordered()))
      result &= ~unsigned(NoSync | (isRelaxed(inst) && isPartOfReduction(inst) ? 0u : TeamSync));
  }
  // A resume only continues an exception of an invoke of this function, and invokes are judged as calls.
  if (const auto *call = dyn_cast<CallBase>(&inst))
    result &= callFacts(*call);
  return result;
}

/// Visits the functions with a body that the call runs, also through the runtime.
static void forEachCallee(const CallBase &call, function_ref<void(const Function &)> visit) {
  const Function *callee = call.getCalledFunction();
  if (callee && comm::bodyCounts(*callee))
    visit(*callee);
  if (!callee || (!findRegion(call) && !lookupOpenMP(*callee)))
    return;
  for (const Use &argument : call.args())
    if (const auto *function = dyn_cast<Function>(argument); function && comm::bodyCounts(*function))
      visit(*function);
}

/// The facts that a region needs so that communication may cross it.
static constexpr unsigned kRegionFacts = AllFacts & ~unsigned(NoSync);

/// Returns the first instruction in the region, or in its callees, that lacks one of these facts.
const Instruction *Summarizer::findObstacle(const Function &region, SmallPtrSetImpl<const Function *> &seen) {
  for (const Instruction &inst : instructions(region)) {
    if ((instructionFacts(inst) & kRegionFacts) == kRegionFacts)
      continue;
    const Instruction *inner = nullptr;
    if (const auto *call = dyn_cast<CallBase>(&inst))
      forEachCallee(*call, [&](const Function &callee) {
        if (!inner && seen.insert(&callee).second)
          inner = findObstacle(callee, seen);
      });
    if (inner)
      return inner;
    return &inst;
  }
  return nullptr;
}

comm::FunctionSummaries Summarizer::run() {
  // What a function's instructions allow, whatever its callees do, and its calls.
  struct Body {
    unsigned facts = AllFacts;
    SmallVector<const CallBase *> calls;
  };
  DenseMap<const Function *, Body> bodies;
  SmallSetVector<const Function *, 32> worklist;
  for (const Function &function : module) {
    if (!comm::bodyCounts(function)) {
      facts[&function] = declarationFacts(function);
      continue;
    }
    facts[&function] = AllFacts;
    worklist.insert(&function);
    Body &body = bodies[&function];
    for (const Instruction &inst : instructions(function)) {
      const auto *call = dyn_cast<CallBase>(&inst);
      if (!call) {
        body.facts &= instructionFacts(inst);
        continue;
      }
      body.calls.push_back(call);
      forEachCallee(*call, [&](const Function &callee) { callers[&callee].insert(&function); });
      if (const Function *region = findRegion(*call); region && comm::bodyCounts(*region))
        regions.insert(region);
    }
  }
  while (!worklist.empty()) {
    const Function *function = worklist.pop_back_val();
    const Body &body = bodies[function];
    unsigned before = facts[function];
    unsigned after = before & body.facts;
    for (const CallBase *call : body.calls) {
      if (!after)
        break;
      after &= instructionFacts(*call);
    }
    if (function->doesNotReturn())
      after &= ~unsigned(Returns);
    // LLVM's own proofs still hold, above all `nounwind` if all exceptions are caught.
    after |= closeFacts(declarationFacts(*function)) & before;
    if (after == before)
      continue;
    facts[function] = after;
    if (auto it = callers.find(function); it != callers.end())
      worklist.insert_range(it->second);
  }
  return summarize();
}

/// Finds functions that ask for errno's location, and their callers. Functions of other files are assumed not to.
void Summarizer::findErrno(comm::FunctionSummaries &summaries) {
  SmallVector<const Function *, 8> worklist;
  for (const Function &function : module)
    if (function.isDeclaration() && comm::readSummary(function).looksAtErrno)
      worklist.push_back(&function);
  if (const Function *location = module.getFunction("__errno_location"))
    worklist.push_back(location);
  while (!worklist.empty()) {
    const Function *function = worklist.pop_back_val();
    summaries[function].looksAtErrno = true;
    for (const User *user : function->users())
      if (const auto *call = dyn_cast<CallBase>(user); call && !summaries[call->getFunction()].looksAtErrno)
        worklist.push_back(call->getFunction());
  }
}

/// Whether the function returns without any effects if this argument is 0.
static bool isIdleIfZero(const Function &function, const Argument &argument) {
  constexpr unsigned mostBlocks = 4;
  const BasicBlock *block = &function.getEntryBlock();
  for (unsigned i = 0; i < mostBlocks && block; ++i) {
    const Instruction *end = block->getTerminator();
    if (any_of(*block, [&](const Instruction &instruction) {
          return &instruction != end && (instruction.mayHaveSideEffects() || instruction.mayReadFromMemory()) &&
                 !isa<DbgInfoIntrinsic>(instruction);
        }))
      return false;
    if (isa<ReturnInst>(end))
      return true;
    auto *branch = dyn_cast<BranchInst>(end);
    if (!branch)
      return false;
    if (branch->isUnconditional()) {
      block = branch->getSuccessor(0);
      continue;
    }
    auto *compared = dyn_cast<ICmpInst>(branch->getCondition());
    auto *other = compared ? dyn_cast<ConstantInt>(compared->getOperand(1)) : nullptr;
    if (!other || compared->getOperand(0) != &argument)
      return false;
    APInt zero(other->getBitWidth(), 0);
    block = branch->getSuccessor(ICmpInst::compare(zero, other->getValue(), compared->getPredicate()) ? 0 : 1);
  }
  return false;
}

static std::optional<unsigned> findIdleIfZero(const Function &function) {
  if (function.isDeclaration() || !comm::bodyCounts(function))
    return std::nullopt;
  for (const Argument &argument : function.args())
    if (argument.getType()->isIntegerTy() && isIdleIfZero(function, argument))
      return argument.getArgNo();
  return std::nullopt;
}

bool comm::isStandardStream(const GlobalVariable &variable) {
  return is_contained({"stdin", "stdout", "stderr"}, variable.getName());
}

/// Whether functions of the program may be called for output: the program creates streams or format specifiers, or
/// replaces a standard stream.
static bool makesStreams(const Module &module) {
  static constexpr StringLiteral makers[] = {"fopencookie",
                                             "funopen",
                                             "open_memstream",
                                             "open_wmemstream",
                                             "register_printf_function",
                                             "register_printf_specifier",
                                             "register_printf_modifier",
                                             "register_printf_type"};
  auto isUsed = [&](StringRef name) {
    const Function *function = module.getFunction(name);
    return function && !function->use_empty();
  };
  auto isSetStream = [](const GlobalVariable &variable) {
    return comm::isStandardStream(variable) &&
           any_of(variable.users(), [](const User *user) { return !isa<LoadInst>(user); });
  };
  return any_of(makers, isUsed) || any_of(module.globals(), isSetStream);
}

/// Collects the result, including the parts that are not facts.
comm::FunctionSummaries Summarizer::summarize() {
  comm::FunctionSummaries summaries;
  bool hasOwnStreams = makesStreams(module);
  comm::TouchedMemoryFinder finder;
  for (const Function &function : module) { // in a fixed order, since recursion may cost precision
    unsigned bits = facts[&function];
    comm::FunctionSummary &summary = summaries[&function];
    summary.noThrow = bits & NoThrow;
    summary.returns = bits & Returns;
    summary.noSync = bits & NoSync;
    summary.noIO = bits & NoIO;
    summary.noMPI = bits & NoMPI;
    summary.teamSync = bits & TeamSync;
    summary.processSync = bits & ProcessSync;
    summary.ofCLibrary = function.isDeclaration() && !hasOwnStreams && libraryFacts(function);
    summary.idleIfZero = findIdleIfZero(function);
    if (regions.contains(&function) || finder.callsOpenMP(function))
      summary.touched = finder.find(function);
  }
  for (const Function *region : regions) {
    SmallPtrSet<const Function *, 8> seen;
    const Instruction *obstacle =
        (facts[region] & kRegionFacts) == kRegionFacts ? nullptr : findObstacle(*region, seen);
    if (obstacle)
      summaries[region].obstacle = describeObstacle(*obstacle);
  }
  findErrno(summaries);
  return summaries;
}

comm::FunctionSummaries comm::computeFunctionSummaries(const Module &module, GetTargetLibraryInfo getTLI) {
  return Summarizer(module, getTLI).run();
}

/// Visits the facts that are stored as string attributes.
static void forEachFlag(function_ref<void(StringRef, bool comm::FunctionSummary::*)> visit) {
  visit(comm::kNoThrowFact, &comm::FunctionSummary::noThrow);
  visit(comm::kReturnsFact, &comm::FunctionSummary::returns);
  visit(comm::kNoSyncFact, &comm::FunctionSummary::noSync);
  visit(comm::kNoIOFact, &comm::FunctionSummary::noIO);
  visit(comm::kNoMPIFact, &comm::FunctionSummary::noMPI);
  visit(comm::kTeamSyncFact, &comm::FunctionSummary::teamSync);
  visit(comm::kProcessSyncFact, &comm::FunctionSummary::processSync);
  visit(comm::kLooksAtErrnoFact, &comm::FunctionSummary::looksAtErrno);
  visit(comm::kCLibraryFact, &comm::FunctionSummary::ofCLibrary);
}

void comm::annotateFunction(Function &function, const FunctionSummary &summary) {
  auto set = [&](StringRef name, bool holds) {
    if (holds)
      function.addFnAttr(name);
    else
      function.removeFnAttr(name);
  };
  forEachFlag([&](StringRef name, bool FunctionSummary::*flag) { set(name, summary.*flag); });
  function.removeFnAttr(kIdleIfZeroAttrName);
  if (summary.idleIfZero)
    function.addFnAttr(kIdleIfZeroAttrName, std::to_string(*summary.idleIfZero));
  function.removeFnAttr(kTouchesAttrName);
  if (summary.touched)
    function.addFnAttr(kTouchesAttrName, toString(*summary.touched));
  function.removeFnAttr(kObstacleAttrName);
  if (!summary.obstacle.empty())
    function.addFnAttr(kObstacleAttrName, summary.obstacle);
}

void comm::forEachFact(const FunctionSummary &summary, function_ref<void(StringRef)> visit) {
  forEachFlag([&](StringRef name, bool FunctionSummary::*flag) {
    if (summary.*flag)
      visit(name);
  });
}

void comm::addFacts(FunctionSummary &summary, AttributeSet attributes) {
  forEachFlag([&](StringRef name, bool FunctionSummary::*flag) { summary.*flag |= attributes.hasAttribute(name); });
  summary.teamSync |= summary.noSync;
  summary.processSync |= summary.teamSync;
}

comm::FunctionSummary comm::readSummary(const Function &function) {
  FunctionSummary summary;
  addFacts(summary, function.getAttributes().getFnAttrs());
  return summary;
}

void comm::summarizeFunctions(Module &module, GetTargetLibraryInfo getTLI) {
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      inferNonMandatoryLibFuncAttrs(function, getTLI(function));
  for (auto &[function, summary] : computeFunctionSummaries(module, getTLI))
    if (!function->isIntrinsic())
      annotateFunction(const_cast<Function &>(*function), summary);
}
