//===- CallBehavior.cpp - Effects of LLVM instructions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallBehavior.h"

#include "Comm/Analysis/Memory/OpenMP.h"
#include "Comm/MPI/Effects.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace comm;

/// Returns what is known about the callee: its summary if the module has its body, its attributes otherwise. (An
/// extract of a module carries the summaries of the whole module as attributes.)
static FunctionSummary summarize(const CallBase &call, const FunctionSummaries &summaries) {
  FunctionSummary summary;
  if (const Function *region = findRegion(call))
    return summarizeRegionCall(call, summaries.lookup(region));
  if (const Function *callee = call.getCalledFunction())
    summary = summaries.lookup(callee);
  // The model's calls that replace others (ModelRegions.cpp).
  addFacts(summary, call.getAttributes().getFnAttrs());
  // An invoke's exception follows an edge of the graph, which scopes take into account.
  summary.noThrow |= call.doesNotThrow() || isa<InvokeInst>(call);
  summary.returns |= call.hasFnAttr(Attribute::WillReturn) && !call.doesNotReturn();
  summary.noSync |= call.hasFnAttr(Attribute::NoSync) || call.doesNotAccessMemory();
  // A call that touches only its arguments' memory, or writes none, can neither do input and output nor communicate,
  // nor end the program.
  if ((call.onlyAccessesArgMemory() || call.onlyReadsMemory()) && !call.isInlineAsm()) {
    summary.noIO = true;
    summary.noMPI = true;
    summary.returns |= summary.noThrow && call.onlyAccessesArgMemory();
  }
  return summary;
}

/// Whether this is a stdio lock that the program takes explicitly, which orders everything inside with other threads.
static bool isExplicitLock(LibFunc function) {
  return function == LibFunc_flockfile || function == LibFunc_ftrylockfile || function == LibFunc_funlockfile;
}

/// Clocks that LLVM does not know: those of C, POSIX, and the C++ libraries (std::chrono).
static bool isNamedClock(const Function &function) {
  return function.isDeclaration() &&
         is_contained({"clock", "time", "clock_gettime", "timespec_get", "_ZNSt6chrono3_V212system_clock3nowEv",
                       "_ZNSt6chrono3_V212steady_clock3nowEv", "_ZNSt3__16chrono12system_clock3nowEv",
                       "_ZNSt3__16chrono12steady_clock3nowEv"},
                      function.getName());
}

static bool isClock(LibFunc function) { return function == LibFunc_gettimeofday || function == LibFunc_times; }

void comm::describeClock(Function &function, const TargetLibraryInfo &library) {
  LibFunc known;
  bool isOfLibrary = library.getLibFunc(function, known) && library.has(known) && known == LibFunc_gettimeofday;
  if (!function.isDeclaration() || (!isOfLibrary && !isNamedClock(function)))
    return;
  function.setDoesNotThrow();
  function.setWillReturn();
  // It sets errno only for invalid addresses and unknown clocks.
  function.setMemoryEffects(function.getMemoryEffects() & MemoryEffects::inaccessibleOrArgMemOnly());
  for (Argument &argument : function.args())
    if (argument.getType()->isPointerTy())
      argument.addAttr(Attribute::getWithCaptureInfo(function.getContext(), CaptureInfo::none()));
}

static Behavior getCallBehavior(const CallBase &call, const FunctionSummaries &summaries,
                                const TargetLibraryInfo &library) {
  Behavior behavior;
  behavior.reads = call.mayReadFromMemory();
  behavior.writes = call.mayWriteToMemory();
  if (isa<DbgInfoIntrinsic, AssumeInst, NoAliasScopeDeclInst, PseudoProbeInst>(call))
    return Behavior();
  // Dynamic allocas come and go with the stack pointer, and no alias analysis knows which.
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    StringRef name = Intrinsic::getBaseName(intrinsic->getIntrinsicID());
    behavior.readsTime = intrinsic->getIntrinsicID() == Intrinsic::readcyclecounter ||
                         intrinsic->getIntrinsicID() == Intrinsic::readsteadycounter ||
                         name.starts_with("llvm.x86.rdtsc");
    if (intrinsic->getIntrinsicID() == Intrinsic::stacksave || intrinsic->getIntrinsicID() == Intrinsic::stackrestore)
      return Behavior::unknown();
  }
  const Function *callee = call.getCalledFunction();
  if (callee && callee->isDeclaration())
    if (const mpi::Function *function = mpi::lookupFunction(callee->getName())) {
      if (function->isTime) // it has no arguments, and its errors do not run a handler
        behavior.reads = behavior.writes = false;
      behavior.join(getMPIBehavior(*function, function->isLocal));
      behavior.communicates = mpi::communicates(*function);
      behavior.isObservable |= behavior.communicates;
      return behavior;
    }
  // C++'s allocator throws or returns. When it runs is not observable, since compilers may elide its calls.
  if (isNewLikeFn(&call, &library)) {
    behavior.mayThrow = !call.doesNotThrow() && !isa<InvokeInst>(call);
    return behavior;
  }
  if (getFreedOperand(&call, &library) && call.doesNotThrow())
    return behavior;
  FunctionSummary summary = summarize(call, summaries);
  behavior.mayLeave = !summary.noThrow || !summary.returns;
  behavior.synchronizes = !summary.noSync;
  behavior.isObservable = !summary.noIO;
  behavior.communicates = !summary.noMPI;
  // memcpy and similar intrinsics lack the attribute, since they can be volatile.
  if (const auto *memory = dyn_cast<MemIntrinsic>(&call))
    behavior.synchronizes = behavior.isObservable = memory->isVolatile();
  if (lookupOpenMP(call) == OpenMPScope::Clock) {
    behavior.readsTime = true;
    behavior.isObservable = false;
  }
  if (callee && isNamedClock(*callee)) {
    behavior.readsTime = true;
    behavior.isObservable = behavior.synchronizes = behavior.communicates = behavior.mayLeave = false;
  }
  LibFunc function;
  if (callee && library.getLibFunc(*callee, function) && library.has(function)) {
    behavior.readsTime |= isClock(function);
    behavior.isObservable &= !behavior.readsTime;
    // Standard output locks its stream, but no program uses that to pass data to another thread.
    if (!behavior.mayLeave && !isExplicitLock(function))
      behavior.synchronizes = false;
  }
  return behavior;
}

static bool isKnownToLook(const Function *function, const FunctionSummaries &summaries) {
  auto it = summaries.find(function);
  return it != summaries.end() && it->second.looksAtErrno;
}

/// Whether errno may be read: a function of the module asks for its location, or this function calls one that does. If
/// not, nobody can tell when errno was set.
static bool looksAtErrno(const Function &function, const FunctionSummaries &summaries) {
  const Function *location = function.getParent()->getFunction("__errno_location");
  return (location && !location->use_empty()) || isKnownToLook(&function, summaries);
}

static bool isErrno(const Value *pointer) {
  const auto *call = dyn_cast_or_null<CallBase>(pointer ? getUnderlyingObject(pointer) : nullptr);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__errno_location";
}

/// MPI may set errno in any call, so communication must not move between setting errno and reading it.
static bool usesErrno(const Instruction &instruction, const FunctionSummaries &summaries) {
  if (!looksAtErrno(*instruction.getFunction(), summaries))
    return false;
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return isKnownToLook(call->getCalledFunction(), summaries) || call->hasFnAttr(kRunsRegionAttrName) ||
           lookupOpenMP(*call) || isModSet(call->getMemoryEffects().getModRef(IRMemLocation::ErrnoMem));
  return isErrno(getLoadStorePointerOperand(&instruction));
}

static Behavior getBehavior(const Instruction &instruction, const FunctionSummaries &summaries,
                            const TargetLibraryInfo &library) {
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return getCallBehavior(*call, summaries, library);
  Behavior behavior;
  behavior.reads = instruction.mayReadFromMemory();
  behavior.writes = instruction.mayWriteToMemory();
  behavior.isObservable = instruction.isVolatile();
  if (instruction.isAtomic() || isa<FenceInst>(instruction)) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    const auto *store = dyn_cast<StoreInst>(&instruction);
    behavior.synchronizes = !(load && load->isUnordered()) && !(store && store->isUnordered());
  }
  if (!instruction.isTerminator() && !isa<PHINode>(instruction) && !behavior.touchesMemory())
    behavior.mayTrap = !isSafeToSpeculativelyExecute(&instruction);
  // It must be the first instruction of its block: nothing moves across it.
  behavior.mayLeave = isa<LandingPadInst>(instruction);
  // A volatile access may be to a device or to a flag set by another thread: do not move other memory accesses across
  // it.
  behavior.synchronizes |= instruction.isVolatile();
  return behavior;
}

Behavior comm::getInstructionBehavior(const Instruction &instruction, const FunctionSummaries &summaries,
                                      const TargetLibraryInfo &library) {
  Behavior behavior = getBehavior(instruction, summaries, library);
  behavior.communicates |= usesErrno(instruction, summaries);
  return behavior;
}
