//===- Extract.cpp - The communicating part of a module -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::CloneModule would first copy every global and all debug info, which is expensive for large C++ files. Globals
// are therefore declared here when an instruction first uses them.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/RoundTrip/Extract.h"

#include "PrivateVariables.h"

#include "Comm/MPI/Standard.h"
#include "Comm/Plugin/Utils/CalledFunction.h"
#include "Comm/Plugin/Utils/InstructionNumber.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

/// Constants up to this size keep their contents in the extract (displacement tables, counts). For larger ones it
/// suffices to know that they are constant.
static constexpr uint64_t maxInitializerBytes = 4096;

namespace {
/// Declares a global of the user's module in the extract when it is first
/// needed.
class Declarer final : public ValueMaterializer {
public:
  Declarer(comm::Extract &extract, const comm::FunctionSummaries &summaries) : extract(extract), summaries(summaries) {}

  Value *materialize(Value *value) override {
    if (auto *global = dyn_cast<GlobalValue>(value))
      return declare(*global);
    return nullptr;
  }

  GlobalValue *declare(GlobalValue &global);

private:
  Function *declareFunction(const Function &function, StringRef name);
  GlobalVariable *declareVariable(const GlobalVariable &variable, StringRef name);

  comm::Extract &extract;
  const comm::FunctionSummaries &summaries;
  DenseMap<GlobalValue *, GlobalValue *> done;
};
} // namespace

bool comm::callsMPI(const Function &function) {
  for (const Instruction &inst : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&inst))
      if (const Function *callee = call->getCalledFunction())
        if (mpi::isReservedName(callee->getName()) || getMPIFunction(*callee))
          return true;
  return false;
}

static bool usesScalableVector(const Instruction &inst) {
  auto scalable = [](Type *type) { return type->isScalableTy(); };
  if (scalable(inst.getType()))
    return true;
  return any_of(inst.operands(), [&](const Use &use) { return scalable(use.get()->getType()); });
}

std::optional<std::string> comm::whyNotExtractable(const Function &function) {
  if (function.isDeclaration())
    return "it has no body";
  if (function.hasAvailableExternallyLinkage())
    return "its body is a copy of one in another file";
  if (function.hasFnAttribute(Attribute::Naked))
    return "it is naked";
  if (function.isPresplitCoroutine())
    return "it is a coroutine";
  if (function.hasPrefixData() || function.hasPrologueData())
    return "it carries prefix data";
  if (function.callsFunctionThatReturnsTwice())
    return "it calls setjmp or another function that returns twice";
  if (function.hasPersonalityFn() && isScopedEHPersonality(classifyEHPersonality(function.getPersonalityFn())))
    return "it uses the exception handling of Windows";
  for (const BasicBlock &block : function) {
    if (block.hasAddressTaken())
      return "the address of one of its labels is taken";
    for (const Instruction &inst : block) {
      if (isa<CallBrInst>(inst))
        return "it holds an asm goto";
      if (isa<IndirectBrInst>(inst))
        return "it holds a computed goto";
      if (usesScalableVector(inst))
        return "it uses scalable vectors";
      if (inst.getType()->isTokenTy())
        return "it uses tokens";
      const auto *call = dyn_cast<CallBase>(&inst);
      if (call && call->hasOperandBundles() && !call->getIntrinsicID() /* llvm.assume */)
        return "a call carries operand bundles";
    }
  }
  return std::nullopt;
}

/// Marks pointers from which the function's body makes no pointer that outlives it. LLVM itself marks only those whose
/// addresses are not compared either, as the destructor of an array does.
static void describeLentPointers(const Function &function, Function &copy) {
  constexpr unsigned mostUses = 100;
  for (const Argument &argument : function.args())
    if (argument.getType()->isPointerTy() && !argument.hasNoCaptureAttr() &&
        capturesNothing(PointerMayBeCaptured(&argument, /*ReturnCaptures=*/true, CaptureComponents::Provenance,
                                             capturesAnything, mostUses)))
      copy.addParamAttr(argument.getArgNo(), Attribute::getWithCaptureInfo(copy.getContext(), CaptureInfo::none()));
}

Function *Declarer::declareFunction(const Function &function, StringRef name) {
  Function *copy = Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                                    function.getAddressSpace(), name, extract.module.get());
  copy->setCallingConv(function.getCallingConv());
  copy->setAttributes(function.getAttributes());
  copy->setUnnamedAddr(function.getUnnamedAddr());
  if (comm::bodyCounts(function))
    describeLentPointers(function, *copy);
  auto it = summaries.find(&function);
  if (it != summaries.end() && !function.isIntrinsic())
    comm::annotateFunction(*copy, it->second);
  return copy;
}

/// Returns true for numbers and arrays of them. Initializers with addresses would pull in more globals.
static bool isPlainData(const Constant &value) {
  return isa<ConstantData>(value) || (isa<ConstantArray>(value) && all_of(value.operands(), [](const Use &element) {
                                        return isPlainData(*cast<Constant>(element));
                                      }));
}

GlobalVariable *Declarer::declareVariable(const GlobalVariable &variable, StringRef name) {
  // A weak declaration may be missing at run time.
  auto linkage = variable.hasExternalWeakLinkage() ? GlobalValue::ExternalWeakLinkage : GlobalValue::ExternalLinkage;
  auto *copy = new GlobalVariable(*extract.module, variable.getValueType(), variable.isConstant(), linkage, nullptr,
                                  name, nullptr, variable.getThreadLocalMode(), variable.getAddressSpace(),
                                  variable.isExternallyInitialized());
  copy->setAlignment(variable.getAlign());
  copy->setUnnamedAddr(variable.getUnnamedAddr());
  if (variable.isConstant() && variable.hasDefinitiveInitializer() && isPlainData(*variable.getInitializer()) &&
      extract.module->getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue() <=
          maxInitializerBytes) {
    copy->setInitializer(const_cast<Constant *>(variable.getInitializer()));
    copy->setLinkage(variable.getLinkage());
  }
  // A scalar that is defined here is no larger than its type. Its initial value is irrelevant for a variable.
  if (!variable.isConstant() && variable.hasDefinitiveInitializer() && variable.getValueType()->isSingleValueType())
    copy->setInitializer(Constant::getNullValue(variable.getValueType()));
  if (comm::isPrivateVariable(variable))
    extract.privateVariables.insert(copy->getName());
  return copy;
}

GlobalValue *Declarer::declare(GlobalValue &global) {
  GlobalValue *&entry = done[&global];
  if (entry)
    return entry;
  GlobalValue *copy;
  std::string name = global.getName().str();
  if (name.empty())
    name = "comm.unnamed." + std::to_string(done.size());
  if (auto *function = dyn_cast<Function>(&global))
    copy = declareFunction(*function, name);
  else if (auto *variable = dyn_cast<GlobalVariable>(&global))
    copy = declareVariable(*variable, name);
  else if (auto *type = dyn_cast<FunctionType>(global.getValueType()))
    // An alias or ifunc of a function.
    copy = Function::Create(type, GlobalValue::ExternalLinkage, global.getAddressSpace(), name, extract.module.get());
  else
    copy = new GlobalVariable(*extract.module, global.getValueType(), false, GlobalValue::ExternalLinkage, nullptr,
                              name, nullptr, global.getThreadLocalMode(), global.getAddressSpace());
  entry = copy;
  extract.globals[copy->getName()] = &global;
  // Declare the variables that its summary names; `entry` may be invalidated.
  auto it = isa<Function>(global) ? summaries.find(cast<Function>(&global)) : summaries.end();
  if (it != summaries.end() && it->second.touched)
    for (auto [variable, use] : it->second.touched->variables)
      declare(*const_cast<GlobalVariable *>(variable));
  return copy;
}

/// Returns the metadata kinds that MLIR's importer models and passes may want. The importer would warn about any other;
/// these are restored from the original afterwards. So is llvm.loop, which would pull in the user's debug info;
/// `copyProgress` copies what analyses need of it.
static ArrayRef<unsigned> importedMetadata() {
  static const unsigned kinds[] = {LLVMContext::MD_tbaa, LLVMContext::MD_prof, LLVMContext::MD_alias_scope,
                                   LLVMContext::MD_noalias, LLVMContext::MD_access_group};
  return kinds;
}

/// Says of the copy of a loop what the original's metadata says: that it ends, or has effects. Scalar evolution has no
/// trip count for `for (unsigned i = 1; i <= n; ++i)` otherwise.
static void copyProgress(const Instruction &from, Instruction &to) {
  MDNode *loop = from.getMetadata(LLVMContext::MD_loop);
  MDNode *progress = loop ? findOptionMDForLoopID(loop, "llvm.loop.mustprogress") : nullptr;
  if (!progress)
    return;
  MDNode *plain = MDNode::getDistinct(to.getContext(), {nullptr, progress}); // operand 0 is the node itself
  plain->replaceOperandWith(0, plain);
  to.setMetadata(LLVMContext::MD_loop, plain);
}

/// Copies the body of `function` into `copy`, replacing the debug location of each instruction by its number.
static void copyBody(const Function &function, Function &copy, Declarer &declarer, comm::Extract &extract,
                     DIBuilder &debug, DIFile *file) {
  LLVMContext &context = function.getContext();
  DISubprogram *numbers = debug.createFunction(file, copy.getName(), copy.getName(), file, 1,
                                               debug.createSubroutineType(debug.getOrCreateTypeArray({})), 1,
                                               DINode::FlagZero, DISubprogram::SPFlagDefinition);
  copy.setSubprogram(numbers);

  ValueToValueMapTy values;
  for (auto [from, to] : zip(function.args(), copy.args()))
    values[&from] = &to;
  for (const BasicBlock &block : function)
    values[&block] = CloneBasicBlock(&block, values, "", &copy);
  for (auto [fromBlock, toBlock] : zip(function, copy))
    for (auto [from, to] : zip(fromBlock, toBlock)) {
      to.dropDbgRecords();
      to.dropUnknownNonDebugMetadata(importedMetadata());
      copyProgress(from, to);
      extract.instructions.push_back(&from);
      to.setDebugLoc(DILocation::get(context, extract.instructions.size(), 0, numbers));
      RemapInstruction(&to, values, RF_NoModuleLevelChanges, nullptr, &declarer);
    }
  if (function.hasPersonalityFn())
    copy.setPersonalityFn(MapValue(function.getPersonalityFn(), values, RF_NoModuleLevelChanges, nullptr, &declarer));
}

/// Copies the regions of the function that are worksharing loops into its copy.
static void inlineRegions(const Function &function, Function &copy, ArrayRef<Function *> functions, Declarer &declarer,
                          comm::Extract &extract, DIBuilder &debug, DIFile *file) {
  struct Fork {
    CallInst *call;
    Function *region;
  };
  SmallVector<Fork> forks;
  for (auto [from, to] : zip(instructions(function), instructions(copy)))
    if (const auto *call = dyn_cast<CallInst>(&from))
      if (Function *region = comm::findWorksharingRegion(*call); region && !is_contained(functions, region))
        if (!comm::whyNotExtractable(*region))
          forks.push_back({cast<CallInst>(&to), region});
  size_t before = extract.worksharingLoops.size();
  for (auto [call, region] : forks) {
    auto *body = cast<Function>(declarer.declare(*region));
    copyBody(*region, *body, declarer, extract, debug, file);
    std::string place = call->getArgOperand(0)->getName().str();
    unsigned fork = comm::getInstructionNumber(*call);
    std::vector<comm::WorksharingLoop> made = comm::makeSerial(*body);
    if (!made.empty() && comm::inlineRegion(*call, *body))
      for (comm::WorksharingLoop &loop : made) {
        loop.function = copy.getName().str();
        loop.forkPlace = place;
        loop.fork = fork;
        extract.worksharingLoops.push_back(std::move(loop));
      }
    body->deleteBody();
    body->setSubprogram(nullptr);
  }
  if (extract.worksharingLoops.size() > before)
    comm::promoteSharedVariables(copy);
}

comm::Extract comm::extractFunctions(ArrayRef<Function *> functions, const FunctionSummaries &summaries,
                                     bool inlinesRegions) {
  TimeTraceScope scope("CommExtract");
  const Module &user = *functions.front()->getParent();
  Extract extract;
  extract.module = std::make_unique<Module>(user.getModuleIdentifier(), user.getContext());
  extract.module->setSourceFileName(user.getSourceFileName());
  extract.module->setTargetTriple(user.getTargetTriple());
  extract.module->setDataLayout(user.getDataLayout());
  extract.module->addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);

  DIBuilder debug(*extract.module);
  DIFile *file = debug.createFile("comm", "");
  debug.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C11), file, "comm", true, "", 0);
  Declarer declarer(extract, summaries);
  for (Function *function : functions)
    copyBody(*function, *cast<Function>(declarer.declare(*function)), declarer, extract, debug, file);
  if (inlinesRegions)
    for (Function *function : functions)
      inlineRegions(*function, *cast<Function>(declarer.declare(*function)), functions, declarer, extract, debug, file);
  debug.finalize();
  return extract;
}

const Instruction *comm::originOf(const Instruction &inst, const Extract &extract) {
  unsigned number = comm::getInstructionNumber(inst);
  return number && number <= extract.instructions.size() ? extract.instructions[number - 1] : nullptr;
}
