//===- Compile.cpp - C API: from a module to an object file ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Execution.h"

#include "CompileOverlap.h"

#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Sums.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <mutex>

using namespace mlir;

static constexpr llvm::StringLiteral kEntryPrefix = "comm_entry_";
static constexpr llvm::StringLiteral kPromised = "promised_";
static constexpr llvm::StringLiteral kFailed = "comm_mpi_failed";

static llvm::Expected<llvm::orc::JITTargetMachineBuilder> findTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (target)
    target->setRelocationModel(llvm::Reloc::PIC_).setCodeModel(llvm::CodeModel::Small);
  return target;
}

void commGetTarget(MlirStringCallback callback, void *userData) {
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> target = findTarget();
  if (!target) {
    llvm::consumeError(target.takeError());
    return;
  }
  std::string text = target->getTargetTriple().str() + " " + target->getCPU() + " " +
                     target->getFeatures().getString() + " LLVM " LLVM_VERSION_STRING;
  callback(mlirStringRefCreate(text.data(), text.size()), userData);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static bool fitsWord(llvm::Type *type) {
  return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || type->isFloatTy() || type->isDoubleTy() ||
         type->isHalfTy() || type->isPointerTy();
}

/// Returns the result types of the function.
static SmallVector<llvm::Type *> getResults(llvm::Function *function) {
  llvm::Type *type = function->getReturnType();
  if (type->isVoidTy())
    return {};
  if (auto *structure = dyn_cast<llvm::StructType>(type))
    return SmallVector<llvm::Type *>(structure->elements());
  return {type};
}

static LogicalResult makeEntry(Operation *op, llvm::Module &module, StringRef name) {
  llvm::Function *function = module.getFunction(name);
  if (!function || function->isDeclaration())
    return op->emitError() << "has no body of @" << name << ", which is to be called: define it";
  SmallVector<llvm::Type *> results = getResults(function), passed = results;
  for (llvm::Argument &argument : function->args())
    passed.push_back(argument.getType());
  if (function->isVarArg() || !llvm::all_of(passed, fitsWord))
    return op->emitError() << "@" << name
                           << " cannot be called from outside: its parameters and results must be numbers of at most 64"
                              " bits, or pointers";

  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *word = llvm::Type::getInt64Ty(context);
  auto *entry = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false),
                                       llvm::GlobalValue::ExternalLinkage, kEntryPrefix + name, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", entry));
  auto slot = [&](unsigned i) { return builder.CreateConstInBoundsGEP1_64(word, entry->getArg(0), i); };
  SmallVector<llvm::Value *> arguments;
  for (auto [i, argument] : llvm::enumerate(function->args()))
    arguments.push_back(builder.CreateLoad(argument.getType(), slot(i)));
  llvm::CallInst *call = builder.CreateCall(function, arguments);
  // Otherwise all later passes would see two copies of the function.
  call->setIsNoInline();
  bool isStruct = function->getReturnType()->isStructTy();
  for (unsigned i = 0, e = results.size(); i < e; ++i)
    builder.CreateStore(isStruct ? builder.CreateExtractValue(call, i) : static_cast<llvm::Value *>(call), slot(i));
  builder.CreateRetVoid();
  return success();
}

//===----------------------------------------------------------------------===//
// Errors of MPI
//===----------------------------------------------------------------------===//

/// Whether the call returns an MPI error code: calls to the standard's functions do, and so do calls to the runtime
/// that start or create a collective.
static bool returnsError(const llvm::CallInst &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || !call.getType()->isIntegerTy(32))
    return false;
  StringRef name = callee->getName();
  return name.starts_with(comm::mpi::kStartPrefix) || name.starts_with(comm::mpi::kCallPrefix) ||
         comm::mpi::lookupLinkerName(name) != nullptr;
}

/// Makes MPI errors end the call. Under mpi4py, MPI returns errors, which programs that rely on the default handler
/// ignore.
static void checkErrors(llvm::Module &module) {
  SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = dyn_cast<llvm::CallInst>(&instruction); call && call->use_empty() && returnsError(*call))
          calls.push_back(call);
  if (calls.empty())
    return;
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *number = llvm::Type::getInt32Ty(context);
  llvm::FunctionCallee failed = module.getOrInsertFunction(kFailed, llvm::Type::getVoidTy(context), number);
  cast<llvm::Function>(failed.getCallee())->addFnAttr(llvm::Attribute::NoReturn);
  cast<llvm::Function>(failed.getCallee())->addFnAttr(llvm::Attribute::Cold);
  for (llvm::CallInst *call : calls) {
    call->setTailCallKind(llvm::CallInst::TCK_None);
    llvm::IRBuilder<> builder(call->getNextNode());
    llvm::Value *isError = builder.CreateICmpNE(call, llvm::ConstantInt::get(number, 0));
    llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(isError, builder.GetInsertPoint(), /*Unreachable=*/true);
    llvm::IRBuilder<>(end).CreateCall(failed, {call});
  }
}

/// Does what the plugin does for -fcomm-uniform-collectives.
static void promiseUniformity(llvm::Module &module) {
  for (llvm::Function &function : module) {
    StringRef name = function.getName();
    if (function.isDeclaration() && name.consume_front(comm::mpi::kStartPrefix) && !name.starts_with(kPromised))
      function.setName(comm::mpi::kStartPrefix + kPromised + name);
  }
}

//===----------------------------------------------------------------------===//
// Optimization and code
//===----------------------------------------------------------------------===//

static llvm::OptimizationLevel getLevel(unsigned level) {
  switch (level) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

namespace {
/// Finalizes the remaining MPI calls.
class FinishCallsPass : public llvm::PassInfoMixin<FinishCallsPass> {
public:
  explicit FinishCallsPass(const CommCompileOptions &options) : options(options) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    if (options.uniformCollectives)
      promiseUniformity(module);
    if (options.checksErrors)
      checkErrors(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  CommCompileOptions options;
};
} // namespace

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, const CommCompileOptions &options,
                     const OpPassManager *pipeline, const comm::RemarkSink &remarks) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  if (pipeline)
    comm::addOverlapPasses(builder, *pipeline, remarks);
  builder.registerOptimizerEarlyEPCallback([&](llvm::ModulePassManager &passes, llvm::OptimizationLevel,
                                               llvm::ThinOrFullLTOPhase) { passes.addPass(FinishCallsPass(options)); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel chosen = getLevel(options.level);
  (options.level == 0 ? builder.buildO0DefaultPipeline(chosen) : builder.buildPerModuleDefaultPipeline(chosen))
      .run(module, modules);
}

/// Gives internal linkage to symbols that only this module uses, which allows inlining and prevents name clashes.
static void internalize(llvm::Module &module, llvm::function_ref<bool(StringRef)> stays) {
  for (llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !stays(value.getName()) && !value.hasLocalLinkage() && !value.hasAppendingLinkage() &&
        !value.getName().starts_with("llvm."))
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
}

static bool isEntry(StringRef name) { return name.starts_with(kEntryPrefix); }

/// Returns the pipeline in the options, or null if they have none.
static FailureOr<std::unique_ptr<OpPassManager>> parsePipeline(Operation *op, StringRef text) {
  if (text.trim().empty())
    return std::unique_ptr<OpPassManager>();
  auto pipeline = std::make_unique<OpPassManager>(ModuleOp::getOperationName());
  std::string error;
  llvm::raw_string_ostream stream(error);
  if (failed(parsePassPipeline(text, *pipeline, stream)))
    return op->emitError() << "cannot be compiled with the pipeline '" << text << "': " << StringRef(error).trim();
  return pipeline;
}

static llvm::Error emitObject(llvm::Module &module, llvm::TargetMachine &machine, SmallVectorImpl<char> &bytes) {
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("LLVM emits no object files for this machine");
  passes.run(module);
  return llvm::Error::success();
}

MlirLogicalResult commCompileModule(MlirOperation operation, CommCompileOptions options, CommObjectSink sink) {
  Operation *op = unwrap(operation);
  auto fail = [&](llvm::Error error) {
    op->emitError() << "cannot be compiled: " << llvm::toString(std::move(error));
    return mlirLogicalResultFailure();
  };
  if (!isa<ModuleOp>(op))
    return fail(llvm::createStringError("only a builtin.module can"));
  FailureOr<std::unique_ptr<OpPassManager>> pipeline = parsePipeline(op, unwrap(options.pipeline));
  if (failed(pipeline))
    return mlirLogicalResultFailure();
  auto target = findTarget();
  if (!target)
    return fail(target.takeError());
  target->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(std::min(options.level, 3u)));
  auto machine = target->createTargetMachine();
  if (!machine)
    return fail(machine.takeError());

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(op, context);
  if (!module)
    return mlirLogicalResultFailure();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  for (intptr_t i = 0; i < options.numEntries; ++i)
    if (failed(makeEntry(op, *module, unwrap(options.entries[i]))))
      return mlirLogicalResultFailure();
  // Attributes of the entries' arguments are read from the original functions, so these stay until here.
  llvm::StringSet<> called;
  for (intptr_t i = 0; i < options.numEntries; ++i)
    called.insert(unwrap(options.entries[i]));
  internalize(*module, [&](StringRef name) { return isEntry(name) || called.contains(name); });
  optimize(*module, **machine, options, pipeline->get(), {op->getContext(), sink.remark, sink.userData});
  llvm::StripDebugInfo(*module); // only remarks needed it
  if (sink.readOnly)
    for (intptr_t i = 0; i < options.numEntries; ++i)
      if (const llvm::Function *function = module->getFunction(unwrap(options.entries[i])))
        for (const llvm::Argument &argument : function->args())
          if (argument.getType()->isPointerTy() && argument.onlyReadsMemory())
            sink.readOnly(options.entries[i], argument.getArgNo(), sink.userData);
  internalize(*module, isEntry);
  SmallVector<char, 0> bytes;
  if (llvm::Error error = emitObject(*module, **machine, bytes))
    return fail(std::move(error));
  sink.object(mlirStringRefCreate(bytes.data(), bytes.size()), sink.userData);
  return mlirLogicalResultSuccess();
}
