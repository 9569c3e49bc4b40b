//===- RoundTrip.cpp - An extract through MLIR and back -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Locations carry two things: file, line, column and inlining for the passes and their remarks, and the number of the
// original instruction (Origin.h) for the way back. The exporter only keeps lines, so the number becomes the line for
// it.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/RoundTrip/RoundTrip.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Dialect/Comm/Utils/Origin.h"
#include "Comm/Dialect/Comm/Utils/Worksharing.h"
#include "Comm/Plugin/RoundTrip/Extract.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMIRToLLVMTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/Import.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static Location readableLocation(const llvm::DILocation *loc, MLIRContext *context) {
  if (!loc)
    return UnknownLoc::get(context);
  Location here = FileLineColLoc::get(context, loc->getFilename(), loc->getLine(), loc->getColumn());
  // The optimizer merged calls of several lines: the function is what they have in common.
  if (const llvm::DISubprogram *subprogram = loc->getLine() ? nullptr : loc->getScope()->getSubprogram())
    here = NameLoc::get(StringAttr::get(context, subprogram->getName()), here);
  if (const llvm::DILocation *caller = loc->getInlinedAt())
    return CallSiteLoc::get(here, readableLocation(caller, context));
  return here;
}

namespace {
/// Translates locations in both directions.
class Locations {
public:
  Locations(const comm::Extract &extract, MLIRContext *context) : extract(extract), context(context) {}

  /// After the import: turns numbers into readable locations with numbers. Marks worksharing loops.
  void makeReadable(ModuleOp module);
  /// Before the export: turns readable locations into numbers.
  void makeNumbers(ModuleOp module);

private:
  const comm::Extract &extract;
  MLIRContext *context;
  /// By function name: the subprogram that makes the exporter emit lines.
  llvm::StringMap<LLVM::DISubprogramAttr> subprograms;
};

/// Collects remarks as plain data.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkCollector(std::vector<comm::PassRemark> &remarks) : remarks(remarks) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  std::vector<comm::PassRemark> &remarks;
};

/// Shows each pass in the profile of clang's -ftime-trace.
class TimePasses : public PassInstrumentation {
public:
  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      llvm::timeTraceProfilerBegin("CommPass", pass->getArgument());
  }
  void runAfterPass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      llvm::timeTraceProfilerEnd();
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override { runAfterPass(pass, op); }
};
} // namespace

void Locations::makeReadable(ModuleOp module) {
  llvm::DenseSet<unsigned> latches;
  for (const comm::WorksharingLoop &loop : extract.worksharingLoops)
    latches.insert(loop.latch);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    if (auto loc = function->getLoc()->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>())
      subprograms[function.getName()] = loc.getMetadata();
    function->walk([&](Operation *op) {
      if (op == function)
        return;
      auto number = op->getLoc()->findInstanceOf<FileLineColLoc>();
      if (!number || number.getLine() == 0 || number.getLine() > extract.instructions.size()) {
        op->setLoc(UnknownLoc::get(context));
        return;
      }
      const llvm::Instruction *inst = extract.instructions[number.getLine() - 1];
      Location readable = readableLocation(inst->getDebugLoc().get(), context);
      op->setLoc(comm::addOrigin(readable, number.getLine()));
      if (latches.contains(number.getLine()))
        comm::markWorksharing(op);
    });
    auto it = extract.globals.find(function.getName());
    const llvm::DISubprogram *subprogram = nullptr;
    if (it != extract.globals.end())
      if (auto *user = llvm::dyn_cast<llvm::Function>(it->second))
        subprogram = user->getSubprogram();
    function->setLoc(subprogram
                         ? Location(FileLineColLoc::get(context, subprogram->getFilename(), subprogram->getLine(), 0))
                         : Location(UnknownLoc::get(context)));
  }
}

void Locations::makeNumbers(ModuleOp module) {
  auto file = StringAttr::get(context, "comm");
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    auto it = subprograms.find(function.getName());
    LLVM::DISubprogramAttr scope = it == subprograms.end() ? LLVM::DISubprogramAttr() : it->second;
    function->walk([&](Operation *op) {
      unsigned number = op == function ? 1 : comm::getOrigin(op->getLoc());
      if (!scope || !number) {
        op->setLoc(UnknownLoc::get(context));
        return;
      }
      op->setLoc(FusedLoc::get(context, {FileLineColLoc::get(file, number, 0)}, scope));
    });
  }
}

void RemarkCollector::streamOptimizationRemark(const remark::detail::Remark &remark) {
  comm::PassRemark result;
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    result.kind = comm::PassRemark::Kind::Passed;
    break;
  case llvm::remarks::Type::Missed:
  case llvm::remarks::Type::Failure:
    result.kind = comm::PassRemark::Kind::Missed;
    break;
  default:
    break;
  }
  result.pass = remark.getCategoryName().str();
  result.name = remark.getRemarkName().str();
  if (!remark.getFunction().starts_with("<"))
    result.function = remark.getFunction().str();
  result.origin = comm::getOrigin(remark.getLocation());
  for (const remark::detail::Remark::Arg &arg : remark.getArgs())
    result.parts.emplace_back(arg.key == "Remark" ? "String" : arg.key, arg.val);
  remarks.push_back(std::move(result));
}

/// Returns the first line of `text`, for a one-line warning.
static std::string firstLine(llvm::StringRef text) { return text.trim().split('\n').first.str(); }

/// Erases what the changed functions do not need, so that it is not translated and verified again.
static void dropUnchanged(ModuleOp module, const std::vector<std::string> &before, std::vector<std::string> &changed) {
  llvm::StringMap<bool> known;
  for (const std::string &name : before)
    known[name] = true;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    bool isChanged = function->removeAttr(comm::kChangedAttrName) != nullptr;
    function->removeAttr(comm::kOnlySplitAttrName);
    if (!known.contains(function.getName()))
      continue; // created by the pipeline
    if (isChanged) {
      changed.push_back(function.getName().str());
      continue;
    }
    function.getBody().dropAllReferences();
    function.getBody().getBlocks().clear();
    function.setLinkage(LLVM::Linkage::External);
    function.setComdatAttr(nullptr);
    function.removePersonalityAttr();
  }
}

static OwningOpRef<ModuleOp> importExtract(comm::Extract &extract, MLIRContext *context) {
  llvm::TimeTraceScope scope("CommImport");
  OwningOpRef<ModuleOp> module = translateLLVMIRToModule(std::move(extract.module), context,
                                                         /*emitExpensiveWarnings=*/false);
  if (module)
    for (auto global : module->getOps<LLVM::GlobalOp>())
      if (extract.privateVariables.contains(global.getName()))
        global->setDiscardableAttr(comm::kPrivateAttrName, UnitAttr::get(context));
  return module;
}

/// Translates `module` back and writes it as bitcode. Returns the reason for a failure, or an empty string.
static std::string exportBitcode(ModuleOp module, const comm::Extract &extract, comm::RoundTripResult &result) {
  llvm::TimeTraceScope scope("CommExport");
  // In a separate context, named types keep their names.
  llvm::LLVMContext exported;
  std::unique_ptr<llvm::Module> back = translateModuleToLLVMIR(module, exported, "comm", /*disableVerification=*/true);
  if (!back)
    return "it cannot be translated back";
  if (std::string why = comm::outlineWorksharingLoops(*back, extract.worksharingLoops, result.numRegions); !why.empty())
    return why;
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(*back, &stream))
    return "the result does not verify: " + firstLine(message);
  llvm::raw_string_ostream out(result.bitcode);
  llvm::WriteBitcodeToFile(*back, out);
  return "";
}

comm::RoundTripResult comm::roundTrip(Extract &extract, const Pipeline &pipeline) {
  RoundTripResult result;
  DialectRegistry registry;
  pipeline.registerDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerLLVMDialectImport(registry);
  // Single-threaded: a parallel build runs many compiler processes.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);

  ScopedDiagnosticHandler diagnostics(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && result.error.empty()) {
      result.error = firstLine(diagnostic.str());
      Location loc = diagnostic.getLocation();
      unsigned number = comm::getOrigin(loc);
      if (auto line = loc->findInstanceOf<FileLineColLoc>(); line && (number || line.getFilename() != "comm"))
        result.error += " (line " + std::to_string(line.getLine()) + ")";
    }
    return success(); // Warnings concern metadata that is restored afterwards.
  });
  remark::RemarkCategories all;
  all.passed = all.missed = all.analysis = all.failed = ".*";
  if (failed(remark::enableOptimizationRemarks(context, std::make_unique<RemarkCollector>(result.remarks),
                                               std::make_unique<remark::RemarkEmittingPolicyAll>(), all))) {
    result.error = "remarks cannot be set up";
    return result;
  }
  auto fail = [&](llvm::StringRef what) {
    result.error = what.str() + (result.error.empty() ? std::string() : ": " + result.error);
    return std::move(result);
  };

  OwningOpRef<ModuleOp> module = importExtract(extract, &context);
  if (!module)
    return fail("MLIR cannot import it");
  Locations locations(extract, &context);
  locations.makeReadable(*module);
  std::vector<std::string> before;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      before.push_back(function.getName().str());

  PassManager passes(&context, ModuleOp::getOperationName());
#ifdef NDEBUG
  // Verifying after each pass takes a sixth of the time; the result is verified below.
  passes.enableVerifier(false);
#endif
  if (llvm::timeTraceProfilerEnabled())
    passes.addInstrumentation(std::make_unique<TimePasses>());
  // For developers of passes: COMM_PRINT_IR=DIR writes the output of each pass to a file.
  if (std::optional<std::string> folder = llvm::sys::Process::GetEnv("COMM_PRINT_IR")) {
    context.disableMultithreading();
    passes.enableIRPrintingToFileTree(/*shouldPrintBeforePass=*/nullptr, [](Pass *, Operation *) { return true; },
                                      /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false,
                                      /*printAfterOnlyOnFailure=*/false, *folder, OpPrintingFlags().enableDebugInfo());
  }
  pipeline.build(passes);
  {
    llvm::TimeTraceScope scope("CommPipeline");
    if (failed(passes.run(*module)) || failed(verify(*module)))
      return fail("the pipeline failed");
  }

  dropUnchanged(*module, before, result.changed);
  result.ok = true;
  if (result.changed.empty())
    return result;
  locations.makeNumbers(*module);
  if (std::string why = exportBitcode(*module, extract, result); !why.empty()) {
    result.ok = false;
    return fail(why);
  }
  result.error.clear();
  return result;
}
