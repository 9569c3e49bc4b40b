//===- CommPlugin.cpp - Comm as an LLVM pass plugin -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs after the optimizer has inlined and simplified, but before it vectorizes. Functions that call MPI go through
// Comm's pipeline; all others, and the whole file if anything goes wrong, stay exactly as they are.
//
//===----------------------------------------------------------------------===//

#include "LoadPipeline.h"
#include "Options.h"
#include "Remarks.h"
#include "WholeEpochs.h"

#include "Comm/Analysis/Memory/OpenMP.h"
#include "Comm/MPI/Markers.h"
#include "Comm/MPI/Standard.h"
#include "Comm/Pipelines/Overlap.h"
#include "Comm/Plugin/Annotate/Annotate.h"
#include "Comm/Plugin/Annotate/ArrivalOrder.h"
#include "Comm/Plugin/Annotate/CallCopies.h"
#include "Comm/Plugin/Annotate/MessageLoops.h"
#include "Comm/Plugin/Annotate/PollingLoops.h"
#include "Comm/Plugin/Annotate/SettleVariables.h"
#include "Comm/Plugin/Collectives/UniformCollectives.h"
#include "Comm/Plugin/Errors/FatalErrors.h"
#include "Comm/Plugin/Fortran/CBinding.h"
#include "Comm/Plugin/Fortran/Contiguity.h"
#include "Comm/Plugin/Fortran/LibraryFunctions.h"
#include "Comm/Plugin/Profile/CallProfile.h"
#include "Comm/Plugin/Ranks/PrivatizeGlobals.h"
#include "Comm/Plugin/Ranks/VirtualizeRanks.h"
#include "Comm/Plugin/RoundTrip/Extract.h"
#include "Comm/Plugin/RoundTrip/RoundTrip.h"
#include "Comm/Plugin/RoundTrip/Transform.h"
#include "Comm/Plugin/Sources/Observers.h"
#include "Comm/Plugin/Sources/SideChannels.h"
#include "Comm/Plugin/Sources/TalkingThreads.h"
#include "Comm/Plugin/Utils/AbandonedRequests.h"
#include "Comm/Plugin/Utils/CalledFunction.h"
#include "Comm/Plugin/Utils/LinkTime.h"
#include "Comm/Plugin/Utils/Markers.h"
#include "Comm/Plugin/Utils/OptimizerOptions.h"
#include "Comm/Plugin/Utils/OverlapCode.h"
#include "Comm/Plugin/Utils/RequestVariables.h"
#include "Comm/Plugin/Utils/WholeProgram.h"

#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/GlobalsModRef.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"

using namespace llvm;

namespace {
class CommPass : public PassInfoMixin<CommPass> {
public:
  CommPass(OptimizationLevel level, ThinOrFullLTOPhase phase) : level(level), phase(phase) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
  /// Runs on unoptimized files, too, where the mode may request it.
  static bool isRequired() { return true; }

private:
  OptimizationLevel level;
  ThinOrFullLTOPhase phase;
};

/// Converts MPI's Fortran binding to the C binding, before any pass looks at MPI's functions.
class CBindingPass : public PassInfoMixin<CBindingPass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

/// Folds handles that have become constants: after SROA, and again after inlining.
class FoldHandlesPass : public PassInfoMixin<FoldHandlesPass> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses);
};

/// Folds questions whether sections of Fortran arrays are contiguous.
class ContiguityPass : public PassInfoMixin<ContiguityPass> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses);
};

class FatalErrorsPass : public PassInfoMixin<FatalErrorsPass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

/// Splits stores of whole Fortran array descriptors, which flang emits, into stores of their members, so that SROA can
/// split a program's descriptors as early as C structures.
class StoreMembersPass : public PassInfoMixin<StoreMembersPass> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses);
};

/// Converts Fortran requests after inlining, before the plugin looks at MPI's functions for the last time.
class SettleRequestsPass : public PassInfoMixin<SettleRequestsPass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

/// Adds attributes that follow from the MPI standard, before all other passes.
class AnnotatePass : public PassInfoMixin<AnnotatePass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

/// Gives MPI's outputs variables of their own before SROA, at the start and again after inlining.
class SeparateOutputsPass : public PassInfoMixin<SeparateOutputsPass> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses);
};

/// Marks variables that cannot be errno, once LLVM has annotated library functions.
class ErrnoPass : public PassInfoMixin<ErrnoPass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

/// Passes variables that OpenMP regions only read by value, after SROA and before inlining.
class SharedValuesPass : public PassInfoMixin<SharedValuesPass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

/// Orders loops of MPI_Waitany before LLVM unrolls them.
class ArrivalOrderPass : public PassInfoMixin<ArrivalOrderPass> {
public:
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &analyses, LPMUpdater &);
};

/// Prepares a program at link time for Comm: inlines and simplifies it like a file.
class LinkTimePass : public PassInfoMixin<LinkTimePass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

/// Restores options after the inliner that Comm requested.
class EndInliningPass : public PassInfoMixin<EndInliningPass> {
public:
  PreservedAnalyses run(Module &, ModuleAnalysisManager &) {
    comm::lookAtWholeFunctions(false);
    comm::keepLoadsInLoops(false);
    comm::keepBranchesApart(false);
    comm::keepLoopsWhole(false);
    return PreservedAnalyses::all();
  }
};

/// Copies loops for either result of a condition, which Comm requested to leave alone until they are split.
class UnswitchPass : public PassInfoMixin<UnswitchPass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
};

class RanksPass : public PassInfoMixin<RanksPass> {
public:
  RanksPass(OptimizationLevel level, ThinOrFullLTOPhase phase) : level(level), phase(phase) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  OptimizationLevel level;
  ThinOrFullLTOPhase phase;
};
} // namespace

/// Whether functions may be compiled as if no MPI call returned an error code, with a check at run time.
static bool mayAssumeSuccess(const Module &module, const comm::PluginOptions &options) {
  return !options.errorsAreFatal && !options.ranks && options.overlap.mode != comm::MotionMode::Off &&
         !comm::findErrorHandlerCall(module);
}

/// Whether the module calls any function with a name that MPI reserves.
static bool mentionsMPI(const Module &module) {
  return any_of(module, [](const Function &function) {
    return (comm::mpi::isReservedName(function.getName()) || comm::getMPIFunction(function)) && !function.use_empty();
  });
}

/// Emits a single warning per file, whatever the number of functions.
static void warn(const Module &module, const std::vector<comm::LeftAlone> &leftAlone, size_t candidates) {
  if (leftAlone.empty())
    return;
  const comm::LeftAlone &first = leftAlone.front();
  if (leftAlone.size() == candidates) {
    comm::warnLeftAlone(module, "this file as it is", "in '" + first.function + "', " + first.cause);
    return;
  }
  std::string what = "'" + first.function + "' as it is";
  if (leftAlone.size() > 1)
    what = "'" + first.function + "' and " + std::to_string(leftAlone.size() - 1) + " more as they are";
  comm::warnLeftAlone(module, what, first.cause);
}

/// Not a compiler diagnostic: -Werror must not fail, as the program is then compiled as if without a profile.
static void warnOfProfile(const Module &module, const std::string &what) {
  errs() << module.getSourceFileName() << ": ";
  WithColor::warning(errs()) << "the profile is ignored: " << what << " [-fcomm-profile-use]\n";
}

/// Recomputes the module's alias analysis. The optimizer computes it right before our pass, and without it, later
/// passes would optimize all functions of the file less.
static PreservedAnalyses recomputeGlobalsAA(Module &module, ModuleAnalysisManager &analyses) {
  analyses.invalidate(module, PreservedAnalyses::none());
  RecomputeGlobalsAAPass().run(module, analyses);
  PreservedAnalyses preserved;
  preserved.preserve<GlobalsAA>();
  preserved.preserve<CallGraphAnalysis>();
  return preserved;
}

/// Determines what in this file affects the overlap of the whole program, and informs other files.
static bool applyWholeProgramFacts(Module &module, comm::PluginOptions &options, ThinOrFullLTOPhase phase) {
  // With link-time optimization, remarks are emitted once the program is complete.
  bool isMarked = false;
  bool isTold = options.overlap.mode != comm::MotionMode::Off && phase != ThinOrFullLTOPhase::FullLTOPreLink;
  options.overlap.observers = comm::Observers::Elsewhere;
  // The promise also covers functions that observe regardless of their arguments.
  const User *receive = comm::findAnySourceReceive(module, options.knownSources);
  const User *observer = receive || options.knownSources ? nullptr : comm::findObserver(module);
  if (receive || observer) {
    options.overlap.observers = comm::Observers::Here;
    isMarked |= comm::defineMarker(module, comm::mpi::kObserversMarker);
  }
  if (receive && isTold)
    comm::emitFileRemark(*receive, "AnySource",
                         "may receive from any source, so no start of this file moves before a completion that it came "
                         "after (-fcomm-known-sources promises that variables are not MPI_ANY_SOURCE)");
  if (observer && isTold)
    comm::emitFileRemark(*observer, "Observer",
                         "may observe which message was started first, so no start of this file moves before a "
                         "completion that it came after (-fcomm-known-sources promises that this does not matter)");
  const User *channel = options.knownSources ? nullptr : comm::findSideChannel(module);
  options.overlap.sideChannels = options.knownSources ? comm::SideChannels::Ignored
                                 : channel            ? comm::SideChannels::Possible
                                                      : comm::SideChannels::None;
  if (isa_and_nonnull<Instruction>(channel) && module.getFunction("main") && isTold)
    comm::emitFileRemark(
        *channel, "SideChannel",
        "may communicate with another process other than by messages, or produce output whose order matters, so no "
        "send of this file starts before a receive from another process that it came after "
        "(-fcomm-known-sources promises that nothing depends on that)");
  if (comm::mayHaveTalkingThreads(module))
    isMarked |= comm::defineMarker(module, comm::mpi::kThreadsMarker);
  // In either case, functions of other files must run as they were written, too.
  const User *handler = comm::findOwnErrorHandler(module);
  const User *abandoned = handler ? nullptr : comm::findAbandonedRequest(module);
  if (const User *mapping = comm::findSharedMemory(module)) {
    if (isTold)
      comm::emitFileRemark(*mapping, "SharedMemory",
                           "may map memory that other processes share, and any message may signal that it was written: "
                           "the communication of this file stays as it is");
    options.overlap.mode = comm::MotionMode::Off;
    options.overlap.detect = comm::DetectMode::Off;
  }
  if (handler || abandoned) {
    isMarked |= comm::defineMarker(module, comm::mpi::kErrorHandlersMarker);
    if (handler && isTold)
      comm::emitFileRemark(*handler, "OwnErrorHandler",
                           "makes a function of the program an error handler, which any call of MPI may run: the "
                           "communication of this file stays as it is");
    if (abandoned && isTold)
      comm::emitFileRemark(*abandoned, "AbandonedRequest",
                           "may free a request that is active, so another message may signal when its buffer is no "
                           "longer used: the communication of this file stays as it is (wait for the request instead)");
    options.overlap.mode = comm::MotionMode::Off;
    options.overlap.detect = comm::DetectMode::Off;
  }
  return isMarked;
}

/// Whether loops of the file may be split, here or at link time.
static bool maySplitLoops(const Module &module, const comm::PluginOptions &options) {
  return options.overlap.mode == comm::MotionMode::Extended && (mentionsMPI(module) || comm::isPartOfProgram(module));
}

/// Whether loops may wait for messages in the order of their requests. An error handler of the program might cause the
/// next message.
static bool mayOrderArrivals(const Module &module, const comm::PluginOptions &options) {
  return maySplitLoops(module, options) && options.overlap.detect == comm::DetectMode::Off &&
         !comm::findErrorHandlerCall(module);
}

/// Simplifies functions that call MPI before the plugin's last look at them, if messages may move. Not for graphs,
/// whose loops must hold for any number of processes.
static bool prepareTalkers(Module &module, FunctionAnalysisManager &analyses, const comm::PluginOptions &options,
                           ThinOrFullLTOPhase phase) {
  if (options.overlap.mode == comm::MotionMode::Off || options.overlap.detect != comm::DetectMode::Off ||
      (phase != ThinOrFullLTOPhase::None && phase != ThinOrFullLTOPhase::FullLTOPostLink))
    return false;
  // Clang has shrunk some variables to one bit since; mark these, too.
  bool changed = maySplitLoops(module, options) && comm::separateErrno(module);
  bool ordersArrivals = mayOrderArrivals(module, options);
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasOptNone() && comm::callsMPI(function)) {
      changed |= comm::waitInsteadOfPolling(function, analyses);
      changed |= comm::settleVariables(function, analyses);
      changed |= ordersArrivals && comm::orderArrivals(function, analyses);
      changed |= comm::unrollMessageLoops(function, analyses);
      changed |= comm::computeExitValues(function, analyses);
    }
  return changed;
}

/// Returns nullopt if options are invalid, which CommPass reports.
static std::optional<comm::PluginOptions> readValidOptions() {
  Expected<comm::PluginOptions> options = comm::readPluginOptions();
  if (options)
    return std::move(*options);
  consumeError(options.takeError());
  return std::nullopt;
}

PreservedAnalyses CommPass::run(Module &module, ModuleAnalysisManager &analyses) {
  comm::allowCallCopies(module); // only changes attributes of declarations, which no analysis uses
  comm::forgetWrappersOfFile(module);
  if (!mentionsMPI(module))
    return PreservedAnalyses::all();
  Expected<comm::PluginOptions> options = comm::readPluginOptions();
  if (!options) {
    module.getContext().emitError(toString(options.takeError()));
    return PreservedAnalyses::all();
  }
  if (options->overlap.mode != comm::MotionMode::Off && !comm::OverlapCode::isForTargetOf(module)) {
    comm::warnLeftAlone(module, "this file as it is",
                        "its target is " + module.getTargetTriple().str() + ", for which Comm has no runtime code");
    return PreservedAnalyses::all();
  }
  comm::freeEpochs(module);
  comm::declareForks(module);
  bool unoptimized = level == OptimizationLevel::O0;
  // Other files may have nonblocking collectives, which those of this file must match.
  bool mayMix = options->overlap.mode != comm::MotionMode::Off;
  auto &functionAnalyses = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool isPrepared = !unoptimized && prepareTalkers(module, functionAnalyses, *options, phase);
  bool isMarked = applyWholeProgramFacts(module, *options, phase);
  comm::UniformOptions uniform{
      options->uniformCollectives, options->overlap.cost == comm::CostModel::None, nullptr, nullptr,
      [](const CallBase &start, bool isMeasured) {
        StringRef why = isMeasured ? "in the profile its starts can save less than a nonblocking form costs all calls"
                                   : "calls that overlap nothing are in loops as deep, or this one runs once, and a "
                                     "nonblocking form costs each of them more";
        comm::emitFileRemark(start, "UselessStart", ("stays blocking, in all of the program: " + why).str());
      }};
  // With -flto, the linker sees the program again.
  bool usesProfile = mayMix && phase != ThinOrFullLTOPhase::FullLTOPreLink;
  comm::CallProfile profile(usesProfile ? options->overlap.profileUse : "",
                            [&](const std::string &what) { warnOfProfile(module, what); });
  uniform.profile = &profile;
  uniform.abi = comm::mpi::ABI::lookup(options->overlap.abi);
  comm::OverlapCode code(module);
  auto finish = [&](bool changed) {
    changed |= isMarked || isPrepared;
    if (options->ranks)
      changed |= comm::startAllCollectives(module);
    else if (mayMix)
      changed |= comm::makeCollectivesUniform(module, code, uniform);
    // The linker's plugin and RanksPass look at the code.
    bool isFinal = phase == ThinOrFullLTOPhase::None && !options->ranks;
    return code.link(isFinal ? comm::OverlapForm::Assembly : comm::OverlapForm::IR) || changed;
  };
  if (unoptimized && !options->modeIsExplicit)
    return finish(false) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  // Nothing to do, unless intervals are measured.
  if (options->overlap.mode == comm::MotionMode::Off && !options->overlap.report && !options->overlap.check &&
      options->overlap.profileGenerate.empty() && options->overlap.detect == comm::DetectMode::Off)
    return finish(false) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  if (phase == ThinOrFullLTOPhase::FullLTOPreLink) // the plugin sees the program at link time
    return finish(false) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  if (phase == ThinOrFullLTOPhase::ThinLTOPreLink) {
    comm::warnLeftAlone(module, "this file as it is",
                        "with -flto=thin no linker shows the plugin the program: use -flto (full)");
    return finish(false) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  if (phase == ThinOrFullLTOPhase::ThinLTOPostLink) // done before
    return PreservedAnalyses::all();

  bool isMoved =
      !unoptimized && options->overlap.mode != comm::MotionMode::Off &&
      comm::moveRequestsToMain(module, options->wholeProgram || phase == ThinOrFullLTOPhase::FullLTOPostLink);
  std::vector<comm::LeftAlone> leftAlone;
  SmallVector<Function *> functions;
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
        (function.hasOptNone() && !unoptimized) || !comm::callsMPI(function))
      continue;
    if (std::optional<std::string> cause = comm::whyNotExtractable(function))
      leftAlone.push_back({function.getName().str(), *cause});
    else
      functions.push_back(&function);
  }
  size_t candidates = functions.size() + leftAlone.size();
  // Graphs are measured as a whole.
  if (options->overlap.detect == comm::DetectMode::Off)
    profile.findStale(functions, [](const std::string &line) { errs() << line << " [-fcomm-profile-use]\n"; });
  auto getTLI = [&](const Function &function) -> const TargetLibraryInfo & {
    return functionAnalyses.getResult<TargetLibraryAnalysis>(const_cast<Function &>(function));
  };
  StringSet<> assumesSuccess;
  comm::RunPipeline *run = nullptr;
  if (!functions.empty()) {
    Expected<comm::RunPipeline *> loaded = comm::loadPipeline();
    if (!loaded) {
      comm::warnLeftAlone(module, "this file as it is", toString(loaded.takeError()));
      return finish(isMoved) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    run = *loaded;
  }
  auto runHere = [&](comm::Extract &extract) {
    comm::RoundTripResult trip;
    run(extract, options->overlap, trip);
    return trip;
  };
  auto roundTrip = [&](comm::Extract &extract) {
    return options->inProcess ? runHere(extract) : comm::roundTripIsolated(extract, runHere);
  };
  auto prepare = [&](comm::Extract &extract) {
    if (maySplitLoops(module, *options))
      comm::mergeLoads(extract);
    assumesSuccess.clear();
    if (mayAssumeSuccess(module, *options))
      for (Function &function : *extract.module)
        if (!function.isDeclaration() && comm::assumeSuccess(function))
          assumesSuccess.insert(function.getName());
  };
  auto getQuestion = [&](StringRef function) {
    if (options->errorsAreFatal)
      return std::string();
    return assumesSuccess.contains(function) ? comm::mpi::kAskErrorCodes.str()
                                             : comm::mpi::getQuestion(comm::mpi::kErrorHandlersMarker);
  };
  auto tell = [&](const comm::Extract &extract, const std::vector<comm::PassRemark> &remarks) {
    comm::emitRemarks(module, extract, remarks);
  };
  if (options->wholeProgram)
    comm::markAloneFunctions(module); // until the end: only Comm knows the attribute
  // Ranks, detection and the checker work on the program's own regions.
  bool splitsRegions = maySplitLoops(module, *options) && !unoptimized && !options->ranks && !options->overlap.check &&
                       options->overlap.detect == comm::DetectMode::Off;
  comm::TransformOptions transform{roundTrip, splitsRegions, prepare, getQuestion, tell};
  comm::lookAtAllUses(true);
  comm::TransformResult result =
      comm::transformFunctions(module, functions, comm::computeFunctionSummaries(module, getTLI), transform);
  comm::lookAtAllUses(false);
  leftAlone.insert(leftAlone.end(), result.leftAlone.begin(), result.leftAlone.end());
  warn(module, leftAlone, candidates);
  if (!finish(result.changed || isMoved))
    return PreservedAnalyses::all();
  if (unoptimized)
    return PreservedAnalyses::none();
  return recomputeGlobalsAA(module, analyses);
}

/// Returns null for programs in other languages than Fortran, and if options are invalid.
static const comm::mpi::ABI *findFortranABI(const Module &module) {
  std::optional<comm::PluginOptions> options = readValidOptions();
  return options ? comm::findFortranABI(module, options->overlap.abi) : nullptr;
}

PreservedAnalyses CBindingPass::run(Module &module, ModuleAnalysisManager &) {
  const comm::mpi::ABI *abi = findFortranABI(module);
  bool changed = abi && comm::callCBinding(module, *abi);
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (options && maySplitLoops(module, *options))
    changed |= comm::annotateFortranLibrary(module, options->wholeProgram);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses FoldHandlesPass::run(Function &function, FunctionAnalysisManager &) {
  const comm::mpi::ABI *abi = comm::callsMPI(function) ? findFortranABI(*function.getParent()) : nullptr;
  if (!abi || !comm::foldFortranHandles(function, *abi))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses ContiguityPass::run(Function &function, FunctionAnalysisManager &analyses) {
  const Module &module = *function.getParent();
  if (!comm::asksForContiguity(module))
    return PreservedAnalyses::all();
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options || !maySplitLoops(module, *options) || !mentionsMPI(module) ||
      !comm::foldContiguity(function, analyses.getResult<AAManager>(function)))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses StoreMembersPass::run(Function &function, FunctionAnalysisManager &analyses) {
  const Module &module = *function.getParent();
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options || !maySplitLoops(module, *options) || !findFortranABI(module))
    return PreservedAnalyses::all();
  return InstCombinePass().run(function, analyses);
}

PreservedAnalyses SettleRequestsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  const comm::mpi::ABI *abi = findFortranABI(module);
  if (!abi)
    return PreservedAnalyses::all();
  bool changed = comm::settleRequests(module, *abi);
  for (Function &function : module)
    changed |= comm::foldFortranHandles(function, *abi);
  return changed ? recomputeGlobalsAA(module, analyses) : PreservedAnalyses::all();
}

/// Runs first, so that the optimizer removes dead error handling.
PreservedAnalyses FatalErrorsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options)
    return PreservedAnalyses::all();
  if (!options->errorsAreFatal)
    return PreservedAnalyses::all();
  // MPI's C++ bindings have inline functions that install handlers in each file that includes them; remove unused ones.
  bool isCleaned = !GlobalDCEPass().run(module, analyses).areAllPreserved();
  PreservedAnalyses unchanged = isCleaned ? PreservedAnalyses::none() : PreservedAnalyses::all();
  if (const CallBase *call = comm::findErrorHandlerCall(module)) {
    comm::warnLeftAlone(module, "error codes as they are",
                        "-fcomm-errors-are-fatal cannot be combined with " +
                            call->getCalledFunction()->getName().str() +
                            (call->getDebugLoc() ? " in line " + std::to_string(call->getDebugLoc().getLine()) : ""));
    return unchanged;
  }
  return comm::assumeErrorsAreFatal(module) ? PreservedAnalyses::none() : unchanged;
}

/// Returns what the program promises about errors, if this file complies.
static comm::MPIErrors getErrors(const Module &module, const comm::PluginOptions &options) {
  bool areFatal = options.errorsAreFatal && !comm::findErrorHandlerCall(module);
  return areFatal ? comm::MPIErrors::AreFatal : comm::MPIErrors::MayReturn;
}

PreservedAnalyses AnnotatePass::run(Module &module, ModuleAnalysisManager &) {
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options)
    return PreservedAnalyses::all();
  bool splits = options->overlap.mode == comm::MotionMode::Extended;
  // LLVM's inliner reads the limits that Comm asks for only at the end of a function.
  comm::lookAtWholeFunctions(splits && mentionsMPI(module));
  comm::keepLoadsInLoops(maySplitLoops(module, *options));
  comm::keepBranchesApart(splits && mentionsMPI(module));
  comm::keepLoopsWhole(splits && mentionsMPI(module));
  bool changed = options->wholeProgram && comm::makeLocal(module);
  if (options->wholeProgram && module.getFunction("main") && !comm::givesFunctionsToMPI(module))
    changed |= comm::annotateNoThrow(module);
  changed |= options->annotate && comm::annotateDeclarations(module, getErrors(module, *options));
  if (options->overlap.mode != comm::MotionMode::Off && mentionsMPI(module))
    changed |= comm::endAfterAbort(module);
  if (options->overlap.mode != comm::MotionMode::Off && comm::forbidCallCopies(module)) {
    comm::annotateContainers(module);
    comm::annotateArithmetic(module);
    if (mentionsMPI(module))
      comm::returnAlignedAllocations(module);
    comm::favorWrappersOfFile(module);
    if (splits)
      comm::keepLoadsConditional(module);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses SeparateOutputsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!comm::callsMPI(function))
    return PreservedAnalyses::all();
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options)
    return PreservedAnalyses::all();
  if (!options->annotate)
    return PreservedAnalyses::all();
  const auto &dominance = analyses.getResult<DominatorTreeAnalysis>(function);
  comm::MPIErrors errors = getErrors(*function.getParent(), *options);
  bool changed = comm::separateOutputs(function, dominance, errors);
  if (changed && errors == comm::MPIErrors::AreFatal)
    comm::relateRanksToSizes(function, dominance);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses ArrivalOrderPass::run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &analyses,
                                        LPMUpdater &) {
  if (!comm::waitsForAny(loop, analyses.LI))
    return PreservedAnalyses::all();
  Module &module = *loop.getHeader()->getModule();
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options || !mayOrderArrivals(module, *options) || !comm::orderArrivals(loop, analyses))
    return PreservedAnalyses::all();
  // MPI_Wait may be new in this file.
  if (options->annotate)
    comm::annotateDeclarations(module, getErrors(module, *options));
  return getLoopPassPreservedAnalyses();
}

PreservedAnalyses SharedValuesPass::run(Module &module, ModuleAnalysisManager &) {
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options)
    return PreservedAnalyses::all();
  bool isOff = options->overlap.mode == comm::MotionMode::Off || !mentionsMPI(module);
  return !isOff && comm::passSharedValues(module) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses ErrnoPass::run(Module &module, ModuleAnalysisManager &) {
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options)
    return PreservedAnalyses::all();
  bool changed = maySplitLoops(module, *options) && comm::separateErrno(module);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses LinkTimePass::run(Module &module, ModuleAnalysisManager &) {
  std::optional<comm::PluginOptions> options = readValidOptions();
  if (!options)
    return PreservedAnalyses::all();
  if (options->overlap.mode == comm::MotionMode::Off) // keep what the files decided
    return PreservedAnalyses::all();
  bool changed = comm::takeOutOverlapCode(module);
  if (!mentionsMPI(module))
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  comm::annotateFortranLibrary(module, /*isWholeProgram=*/true);
  comm::favorWrappers(module);
  comm::forbidCallCopies(module);
  comm::lookAtWholeFunctions(true);
  comm::keepLoadsInLoops(true);
  comm::keepBranchesApart(true);
  comm::keepLoopsWhole(true);
  return PreservedAnalyses::none();
}

PreservedAnalyses UnswitchPass::run(Module &module, ModuleAnalysisManager &analyses) {
  if (!mentionsMPI(module))
    return PreservedAnalyses::all();
  comm::keepLoopsWhole(false);
  return createModuleToFunctionPassAdaptor(
             createFunctionToLoopPassAdaptor(SimpleLoopUnswitchPass(/*NonTrivial=*/true), /*UseMemorySSA=*/true))
      .run(module, analyses);
}

/// Makes ranks user-level threads if requested, after all passes that recognize MPI functions by name.
PreservedAnalyses RanksPass::run(Module &module, ModuleAnalysisManager &analyses) {
  Expected<comm::PluginOptions> options = comm::readPluginOptions();
  if (!options) {
    std::string message = toString(options.takeError());
    if (!mentionsMPI(module)) // otherwise CommPass has reported it
      module.getContext().emitError(message);
    return PreservedAnalyses::all();
  }
  if (!options->ranks)
    return PreservedAnalyses::all();
  if (phase != ThinOrFullLTOPhase::None) {
    module.getContext().emitError("comm: -fcomm-ranks cannot be combined with link-time optimization");
    return PreservedAnalyses::all();
  }
  comm::PrivatizeGlobalsPass().run(module, analyses);
  comm::VirtualizeRanksPass(options->ranksLibrary).run(module, analyses);
  return level == OptimizationLevel::O0 ? PreservedAnalyses::none() : recomputeGlobalsAA(module, analyses);
}

namespace {
/// Prints the summary of each function of a module, for tests with opt.
class PrintSummaries : public PassInfoMixin<PrintSummaries> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    auto &functionAnalyses = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    comm::FunctionSummaries summaries =
        comm::computeFunctionSummaries(module, [&](const Function &function) -> const TargetLibraryInfo & {
          return functionAnalyses.getResult<TargetLibraryAnalysis>(const_cast<Function &>(function));
        });
    for (const Function &function : module) {
      const comm::FunctionSummary &summary = summaries[&function];
      outs() << function.getName() << ":" << (summary.noThrow ? " no-throw" : "") << (summary.returns ? " returns" : "")
             << (summary.noSync ? " nosync" : "") << (summary.noIO ? " no-io" : "") << (summary.noMPI ? " no-mpi" : "")
             << (summary.teamSync && !summary.noSync ? " team-sync" : "");
      if (summary.touched)
        outs() << " touches " << comm::toString(*summary.touched);
      if (!summary.obstacle.empty())
        outs() << " obstacle: " << summary.obstacle;
      outs() << "\n";
    }
    return PreservedAnalyses::all();
  }
};
} // namespace

static void registerPasses(PassBuilder &builder) {
  // flang does not initialize the assembly parser, which the runtime code needs.
  InitializeNativeTargetAsmParser();
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel level) {
    if (level == OptimizationLevel::O0)
      return;
    passes.addPass(CBindingPass());
    passes.addPass(FatalErrorsPass());
    passes.addPass(AnnotatePass());
    passes.addPass(createModuleToFunctionPassAdaptor(SeparateOutputsPass()));
  });
  builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
        if (level == OptimizationLevel::O0)
          return;
        passes.addPass(createModuleToFunctionPassAdaptor(FoldHandlesPass()));
        passes.addPass(createModuleToFunctionPassAdaptor(StoreMembersPass()));
        passes.addPass(ErrnoPass());
        passes.addPass(SharedValuesPass());
      });
  // Once a procedure is inlined, what its caller knows of an array follows; simplifications come after.
  builder.registerPeepholeEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      passes.addPass(ContiguityPass());
  });
  builder.registerLateLoopOptimizationsEPCallback([](LoopPassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      passes.addPass(ArrivalOrderPass());
  });
  builder.registerCGSCCOptimizerLateEPCallback([](CGSCCPassManager &passes, OptimizationLevel level) {
    if (level == OptimizationLevel::O0)
      return;
    passes.addPass(createCGSCCToFunctionPassAdaptor(FoldHandlesPass()));
    passes.addPass(createCGSCCToFunctionPassAdaptor(SeparateOutputsPass()));
  });
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager &passes, OptimizationLevel) { passes.addPass(comm::KeepEpochsWhole()); });
  builder.registerOptimizerEarlyEPCallback(
      [](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
        if (level != OptimizationLevel::O0)
          passes.addPass(SettleRequestsPass());
        passes.addPass(CommPass(level, phase));
        if (level == OptimizationLevel::O3)
          passes.addPass(UnswitchPass());
        passes.addPass(RanksPass(level, phase));
      });
  builder.registerFullLinkTimeOptimizationEarlyEPCallback([&](ModulePassManager &passes, OptimizationLevel level) {
    if (level == OptimizationLevel::O0)
      return;
    constexpr auto phase = ThinOrFullLTOPhase::FullLTOPostLink;
    passes.addPass(LinkTimePass());
    passes.addPass(GlobalDCEPass());
    passes.addPass(SharedValuesPass());
    passes.addPass(builder.buildInlinerPipeline(level, phase));
    passes.addPass(EndInliningPass());
    passes.addPass(GlobalDCEPass());
    passes.addPass(CommPass(level, phase));
    if (level == OptimizationLevel::O3)
      passes.addPass(UnswitchPass());
  });
  // For opt and tests: -passes=comm, comm-annotate, comm-fortran, comm-contiguity, comm-errno, comm-shared-values,
  // comm-privatize-globals, comm-virtualize-ranks.
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "print<comm-summary>") {
          passes.addPass(PrintSummaries());
          return true;
        }
        if (name == "comm-annotate") {
          passes.addPass(AnnotatePass());
          passes.addPass(createModuleToFunctionPassAdaptor(SeparateOutputsPass()));
          return true;
        }
        if (name == "comm-fortran") {
          passes.addPass(CBindingPass());
          passes.addPass(createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::ModifyCFG)));
          passes.addPass(createModuleToFunctionPassAdaptor(FoldHandlesPass()));
          passes.addPass(SettleRequestsPass());
          return true;
        }
        if (name == "comm-contiguity") {
          passes.addPass(createModuleToFunctionPassAdaptor(ContiguityPass()));
          return true;
        }
        if (name == "comm-errno") {
          passes.addPass(ErrnoPass());
          return true;
        }
        if (name == "comm-shared-values") {
          passes.addPass(SharedValuesPass());
          return true;
        }
        if (name == "comm-privatize-globals") {
          passes.addPass(comm::PrivatizeGlobalsPass());
          return true;
        }
        if (name == "comm-virtualize-ranks") {
          Expected<comm::PluginOptions> options = comm::readPluginOptions();
          passes.addPass(comm::VirtualizeRanksPass(options ? options->ranksLibrary : ""));
          if (!options)
            consumeError(options.takeError());
          return true;
        }
        if (name != "comm")
          return false;
        passes.addPass(CommPass(OptimizationLevel::O2, ThinOrFullLTOPhase::None));
        return true;
      });
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Comm", COMM_VERSION, registerPasses};
}
