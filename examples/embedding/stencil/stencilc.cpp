// The compiler: stencilc heat.stencil > heat.ll && commcc heat.ll; docs/stencil-dsl.md has the complete command.
#include "Stencil.h"

#include "Comm/Conversion/Passes.h"
#include "Comm/InitAll.h"
#include "Comm/Pipelines/Overlap.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
namespace cl = llvm::cl;

enum class Stage { Stencil, Comm, Overlap, LLVM };

static cl::OptionCategory category("options of stencilc");
static cl::opt<std::string> input(cl::Positional, cl::desc("program"), cl::Required);
static cl::opt<Stage> stage("emit", cl::desc("what to print"), cl::init(Stage::LLVM), cl::cat(category),
                            cl::values(clEnumValN(Stage::Stencil, "stencil", "the language's dialect"),
                                       clEnumValN(Stage::Comm, "comm", "comm"),
                                       clEnumValN(Stage::Overlap, "overlap", "comm that overlaps"),
                                       clEnumValN(Stage::LLVM, "llvm", "LLVM IR")));
static cl::opt<bool> blocking("blocking", cl::desc("do not overlap"), cl::cat(category));
static cl::opt<bool> remarks("remarks", cl::desc("say what overlaps, and what does not and why"), cl::cat(category));
static cl::opt<std::string> abi("abi", cl::desc("the MPI implementation; that on the path if empty"),
                                cl::cat(category));

/// Runs the passes that `fill` adds, and prints the module if it is in the requested stage.
static bool run(ModuleOp module, Stage after, llvm::function_ref<void(PassManager &)> fill) {
  PassManager passes(module.getContext());
  fill(passes);
  if (failed(passes.run(module)))
    exit(1);
  if (stage == after && after != Stage::LLVM)
    module.print(llvm::outs());
  return stage == after;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category); // LLVM's libraries have hundreds
  cl::ParseCommandLineOptions(argc, argv, "stencil programs to LLVM IR\n");
  DialectRegistry registry;
  comm::registerAllDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto file = llvm::MemoryBuffer::getFile(input);
  if (!file) {
    llvm::errs() << input << ": " << file.getError().message() << "\n";
    return 1;
  }
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "comm-move-slices"; // `all` alone does not enable any
  if (remarks && failed(remark::enableOptimizationRemarks(
                     context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(), categories, true)))
    return 1;
  OwningOpRef<ModuleOp> module = stencil::parse(context, input, (*file)->getBuffer());
  if (!module)
    return 1;
  if (run(*module, Stage::Stencil, [](PassManager &passes) { passes.addPass(stencil::createInsertExchanges()); }) ||
      run(*module, Stage::Comm, [](PassManager &passes) { passes.addPass(stencil::createLowerToComm()); }))
    return 0;
  comm::OverlapOptions options;
  options.mode = blocking ? comm::MotionMode::Off : comm::MotionMode::Extended;
  options.abi = abi;
  options.mayUseInstalled = true;
  options.lower = false;
  if (run(*module, Stage::Overlap, [&](PassManager &passes) { comm::buildOverlapPipeline(passes, options); }))
    return 0;
  run(*module, Stage::LLVM, [](PassManager &passes) {
    passes.addPass(comm::createConvertCommToLLVM({abi}));
    passes.addPass(memref::createExpandStridedMetadataPass());
    passes.addPass(createLowerAffinePass());
    passes.addPass(createSCFToControlFlowPass());
    passes.addPass(createFinalizeMemRefToLLVMConversionPass());
    passes.addPass(createArithToLLVMConversionPass());
    passes.addPass(createConvertFuncToLLVMPass());
    passes.addPass(createConvertControlFlowToLLVMPass());
    passes.addPass(createReconcileUnrealizedCastsPass());
  });
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*module, llvmContext);
  if (!translated)
    return 1;
  translated->setTargetTriple(llvm::Triple(llvm::sys::getDefaultTargetTriple()));
  translated->print(llvm::outs(), nullptr);
  return 0;
}
