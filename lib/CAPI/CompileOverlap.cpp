//===- CompileOverlap.cpp - Overlap when compiling ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOverlap.h"

#include "Comm/InitAll.h"
#include "Comm/Plugin/Annotate/CallCopies.h"
#include "Comm/Plugin/Errors/FatalErrors.h"
#include "Comm/Plugin/RoundTrip/Transform.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/GlobalsModRef.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {
/// Runs first: forbids copies of MPI calls until OverlapPass has run, and moves variables to where clang puts them.
class PreparePass : public PassInfoMixin<PreparePass> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &);
};

class OverlapPass : public PassInfoMixin<OverlapPass> {
public:
  OverlapPass(const mlir::OpPassManager &pipeline, comm::RemarkSink sink) : pipeline(&pipeline), sink(sink) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses);

private:
  void tell(const comm::PassRemark &remark, const DILocation *place) const;

  const mlir::OpPassManager *pipeline;
  comm::RemarkSink sink;
};
} // namespace

/// Moves variables of known size that are allocated after loops, as memref.alloca does in structured code, to the entry
/// block. Otherwise the optimizer treats them as variable-length arrays, and a loop merged with their block cannot be
/// split. Excludes variables in loops, which are new in each iteration.
static bool hoistVariables(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  SmallVector<AllocaInst *> variables;
  for (BasicBlock &block : function) {
    auto comesAgain = [&](BasicBlock *next) { return isPotentiallyReachable(next, &block); };
    if (&block == &entry || any_of(successors(&block), comesAgain))
      continue;
    for (Instruction &instruction : block)
      if (auto *variable = dyn_cast<AllocaInst>(&instruction);
          variable && isa<ConstantInt>(variable->getArraySize()) && !variable->isUsedWithInAlloca())
        variables.push_back(variable);
  }
  for (AllocaInst *variable : variables)
    variable->moveBefore(entry.getFirstInsertionPt());
  return !variables.empty();
}

/// Whether a function restores its stack pointer, which frees variables.
static bool restoresStack(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && call->getIntrinsicID() == Intrinsic::stackrestore;
  });
}

PreservedAnalyses PreparePass::run(Module &module, ModuleAnalysisManager &) {
  bool changed = comm::forbidCallCopies(module);
  for (Function &function : module)
    if (!function.isDeclaration() && !restoresStack(function))
      changed |= hoistVariables(function);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

static CommRemarkKind getKind(comm::PassRemark::Kind kind) {
  switch (kind) {
  case comm::PassRemark::Kind::Passed:
    return CommRemarkPassed;
  case comm::PassRemark::Kind::Missed:
    return CommRemarkMissed;
  case comm::PassRemark::Kind::Analysis:
    return CommRemarkAnalysis;
  }
  llvm_unreachable("all kinds are above");
}

void OverlapPass::tell(const comm::PassRemark &remark, const DILocation *place) const {
  if (!sink.tell)
    return;
  SmallVector<CommRemarkArgument> arguments;
  for (const auto &[key, value] : remark.parts)
    arguments.push_back({wrap(StringRef(key)), wrap(StringRef(value))});
  mlir::Location location = mlir::UnknownLoc::get(sink.context);
  if (place) {
    // The translation strips the folder from the name.
    SmallString<128> file(place->getFilename());
    if (sys::path::is_relative(file) && !place->getDirectory().empty()) {
      file = place->getDirectory();
      sys::path::append(file, place->getFilename());
    }
    location = mlir::FileLineColLoc::get(sink.context, file, place->getLine(), place->getColumn());
  }
  CommRemark result{getKind(remark.kind),
                    wrap(StringRef(remark.pass)),
                    wrap(StringRef(remark.name)),
                    wrap(StringRef(remark.function)),
                    wrap(location),
                    static_cast<intptr_t>(arguments.size()),
                    arguments.data()};
  sink.tell(&result, sink.userData);
}

PreservedAnalyses OverlapPass::run(Module &module, ModuleAnalysisManager &analyses) {
  comm::allowCallCopies(module); // only changes attributes of declarations, which no analysis uses
  // An error handler defined by the module may run in any call.
  if (comm::findOwnErrorHandler(module))
    return PreservedAnalyses::all();
  SmallVector<Function *> functions;
  std::vector<comm::LeftAlone> leftAlone;
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasOptNone() || !comm::callsMPI(function))
      continue;
    if (std::optional<std::string> cause = comm::whyNotExtractable(function))
      leftAlone.push_back({function.getName().str(), *cause});
    else
      functions.push_back(&function);
  }
  auto &functionAnalyses = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  auto getTLI = [&](const Function &function) -> const TargetLibraryInfo & {
    return functionAnalyses.getResult<TargetLibraryAnalysis>(const_cast<Function &>(function));
  };
  auto build = [&](mlir::OpPassManager &passes) { passes = *pipeline; };
  auto tellAll = [&](const comm::Extract &extract, const std::vector<comm::PassRemark> &remarks) {
    for (const comm::PassRemark &remark : remarks) {
      bool isPlaced = remark.origin && remark.origin <= extract.instructions.size();
      tell(remark, isPlaced ? extract.instructions[remark.origin - 1]->getDebugLoc().get() : nullptr);
    }
  };
  auto prepare = [](comm::Extract &) {};
  // An MPI error ends the call (checkErrors), so nothing observes the state at that time.
  auto getQuestion = [](StringRef) { return std::string(); };
  auto roundTrip = [&](comm::Extract &extract) { return comm::roundTrip(extract, {comm::registerAllDialects, build}); };
  comm::TransformOptions options{roundTrip, /*splitsRegions=*/false, prepare, getQuestion, tellAll};
  comm::TransformResult result =
      comm::transformFunctions(module, functions, comm::computeFunctionSummaries(module, getTLI), options);
  leftAlone.insert(leftAlone.end(), result.leftAlone.begin(), result.leftAlone.end());
  for (const comm::LeftAlone &left : leftAlone)
    tell({comm::PassRemark::Kind::Missed,
          "comm-overlap",
          "LeftAlone",
          left.function,
          0,
          {{"String", "the function stays as it is: "}, {"Cause", left.cause}}},
         nullptr);
  if (!result.changed)
    return PreservedAnalyses::all();
  // Later passes expect the module's alias analysis, which the optimizer computes right before this pass.
  analyses.invalidate(module, PreservedAnalyses::none());
  RecomputeGlobalsAAPass().run(module, analyses);
  PreservedAnalyses preserved;
  preserved.preserve<GlobalsAA>();
  preserved.preserve<CallGraphAnalysis>();
  return preserved;
}

void comm::addOverlapPasses(PassBuilder &builder, const mlir::OpPassManager &pipeline, RemarkSink sink) {
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      passes.addPass(PreparePass());
  });
  builder.registerOptimizerEarlyEPCallback(
      [&pipeline, sink](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
        if (level != OptimizationLevel::O0)
          passes.addPass(OverlapPass(pipeline, sink));
      });
}
