//===- OverlapCode.cpp - Runtime code linked into modules -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/OverlapCode.h"

#include "Comm/MPI/Standard.h"
#include "Comm/Plugin/Utils/OverlapNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace comm;

namespace {
/// A definition of the runtime code, under the name that it has in modules.
struct OverlapDefinition {
  StringLiteral name;
  /// For the assembler; empty: modules get it as LLVM IR.
  StringLiteral assembly;
  /// The definitions that it uses, with spaces between them.
  StringLiteral uses;
};
} // namespace

#include "OverlapCode.inc" // by EmbedOverlapCode.cpp

OverlapCode::OverlapCode(Module &module) : module(module) {}
OverlapCode::~OverlapCode() = default;

/// Whether the module passes communicators as pointers; true if it passes none.
static bool passesPointers(const Module &module) {
  for (const Function &function : module) {
    const mpi::Function *known = mpi::lookupFunction(function.getName());
    int comm = known ? known->findRole(mpi::Role::Comm, mpi::Direction::In) : -1;
    if (comm >= 0 && function.arg_size() == known->numParams && !function.use_empty())
      return function.getArg(comm)->getType()->isPointerTy();
    StringRef name = function.getName();
    if (!name.consume_front(mpi::kStartPrefix))
      continue;
    known = mpi::lookupFunction(name.substr(name.find("MPI_")));
    comm = known ? known->findRole(mpi::Role::Comm, mpi::Direction::In) : -1;
    if (comm >= 0 && comm < static_cast<int>(function.arg_size()))
      return function.getArg(comm)->getType()->isPointerTy();
  }
  return true;
}

Module &OverlapCode::get() {
  if (code)
    return *code;
  auto asText = [](ArrayRef<unsigned char> bytes) {
    return StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  };
  hasPointers = passesPointers(module);
  StringRef bytes = hasPointers ? asText(kPointerBitcode) : asText(kIntegerBitcode);
  Expected<std::unique_ptr<Module>> parsed =
      getLazyBitcodeModule(MemoryBufferRef(bytes, "comm-overlap"), module.getContext());
  if (!parsed) // built with this LLVM
    reportFatalInternalError(parsed.takeError());
  code = std::move(*parsed);
  code->setTargetTriple(module.getTargetTriple());
  code->setDataLayout(module.getDataLayout());
  // The module keeps its own flags.
  for (StringRef name : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *metadata = code->getNamedMetadata(name))
      metadata->eraseFromParent();
  return *code;
}

Function *OverlapCode::getFunction(StringRef name) { return get().getFunction(name); }

bool OverlapCode::hasNote(StringRef name) { return get().getNamedGlobal(name) != nullptr; }

/// Inlines questions, since the inliner has already run. A question then costs a load and a branch, unless it is long.
static void inlineQuestions(Module &module) {
  for (Function &function : module) {
    if (!function.getName().starts_with(mpi::kAskPrefix) || function.isDeclaration() ||
        function.hasFnAttribute(Attribute::NoInline))
      continue;
    for (User *user : make_early_inc_range(function.users()))
      if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &function) {
        InlineFunctionInfo info;
        InlineFunction(*call, info);
      }
  }
}

bool OverlapCode::isForTargetOf(const Module &module) {
  auto getParts = [](const Triple &triple) {
    return std::tuple(triple.getArch(), triple.getOS(), triple.getEnvironment(), triple.getObjectFormat());
  };
  const Triple &wanted = module.getTargetTriple();
  return wanted.empty() || getParts(wanted) == getParts(Triple(kTriple));
}

/// Whether the module's own code is compiled as the assembly is.
static bool fitsAssembly(const Module &module) {
  if (module.getCodeModel())
    return false;
  // With -masm=intel, LLVM expects the assembly of modules in that syntax as well.
  cl::Option *syntax = cl::getRegisteredOptions().lookup("x86-asm-syntax");
  if (syntax && syntax->getNumOccurrences() > 0)
    return false;
  // Linkers look at the beginnings of all functions.
  if (any_of(module, [](const Function &function) { return function.hasFnAttribute("split-stack"); }))
    return false;
  // The processor checks where branches end.
  return none_of(ArrayRef<StringRef>{"cf-protection-branch", "branch-target-enforcement"}, [&](StringRef name) {
    auto *flag = mdconst::extract_or_null<ConstantInt>(module.getModuleFlag(name));
    return flag && !flag->isZero();
  });
}

/// Declares, in the module, the definition of `code` of that name.
static GlobalValue *declare(Module &module, const GlobalValue &definition) {
  StringRef name = definition.getName();
  if (GlobalValue *known = module.getNamedValue(name))
    return known;
  if (const auto *function = dyn_cast<Function>(&definition))
    return Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, name, module);
  return new GlobalVariable(module, definition.getValueType(), /*isConstant=*/true, GlobalValue::ExternalLinkage,
                            /*Initializer=*/nullptr, name);
}

void OverlapCode::assemble(ArrayRef<StringRef> needed) {
  ArrayRef<OverlapDefinition> definitions = hasPointers ? ArrayRef(kPointerDefinitions) : ArrayRef(kIntegerDefinitions);
  // The module's IR calls the assembly, so no body of the code is linked for it.
  for (const OverlapDefinition &definition : definitions) {
    if (definition.assembly.empty())
      continue;
    auto *object = cast<GlobalObject>(code->getNamedValue(definition.name));
    if (auto *function = dyn_cast<Function>(object))
      function->deleteBody();
    else
      cast<GlobalVariable>(object)->setInitializer(nullptr);
    object->setComdat(nullptr);
    object->setLinkage(GlobalValue::ExternalLinkage);
  }
  auto find = [&](StringRef name) {
    auto isBefore = [](const OverlapDefinition &each, StringRef name) { return each.name < name; };
    const auto *found = lower_bound(definitions, name, isBefore);
    return found != definitions.end() && found->name == name ? found : nullptr;
  };
  SetVector<StringRef> names(needed.begin(), needed.end());
  std::string text;
  // LLVM does not see what assembly uses.
  SmallSetVector<GlobalValue *, 8> kept;
  for (size_t i = 0; i < names.size(); ++i) { // grows
    const OverlapDefinition *definition = find(names[i]);
    if (!definition)
      continue;
    // Of an earlier run that added IR.
    if (GlobalValue *known = module.getNamedValue(names[i]); known && !known->isDeclaration()) {
      kept.insert(known);
      continue;
    }
    text += definition->assembly;
    SmallVector<StringRef> uses;
    definition->uses.split(uses, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef use : uses) {
      names.insert(use);
      if (find(use)->assembly.empty())
        kept.insert(declare(module, *code->getNamedValue(use)));
    }
  }
  appendToCompilerUsed(module, kept.getArrayRef());
  // First, since the program's own assembly may change how the assembler reads what follows.
  module.setModuleInlineAsm(text + module.getModuleInlineAsm());
}

void OverlapCode::dropAssembly(Module &module) {
  StringRef rest = module.getModuleInlineAsm();
  if (!rest.contains(overlap::kAssemblyBegin))
    return;
  std::string others;
  while (!rest.empty()) {
    StringRef line = rest.take_until([](char c) { return c == '\n'; });
    StringRef name = line;
    bool isOurs = name.consume_front(overlap::kAssemblyBegin) && overlap::isName(name);
    size_t end = isOurs ? rest.find(overlap::kAssemblyEnd) : StringRef::npos;
    if (end != StringRef::npos) {
      rest = rest.drop_front(end + overlap::kAssemblyEnd.size());
      continue;
    }
    others += line;
    others += '\n';
    rest = rest.drop_front(std::min(line.size() + 1, rest.size()));
  }
  module.setModuleInlineAsm(others);
}

/// Removes comdats of an earlier run whose functions have been inlined everywhere. An empty comdat would keep the one
/// that is linked now from being used.
static void dropEmptyComdats(Module &module) {
  Module::ComdatSymTabType &all = module.getComdatSymbolTable();
  for (auto next = all.begin(); next != all.end();) {
    auto comdat = next++;
    if (overlap::isName(comdat->getKey()) && comdat->getValue().getUsers().empty())
      all.erase(comdat);
  }
}

bool OverlapCode::link(OverlapForm form) {
  TimeTraceScope scope("CommLinkOverlapCode");
  dropAssembly(module); // of an earlier run
  dropEmptyComdats(module);
  SmallVector<StringRef> needed;
  for (const GlobalValue &value : module.global_values())
    if (value.isDeclaration() && overlap::isName(value.getName()) && !value.use_empty())
      needed.push_back(value.getName());
  if (needed.empty())
    return false;
  get();
  if (form == OverlapForm::Assembly && fitsAssembly(module))
    assemble(needed);
  if (Linker::linkModules(module, std::move(code), Linker::Flags::LinkOnlyNeeded))
    reportFatalInternalError("comm: cannot link the code that asks at run time");
  inlineQuestions(module);
  return true;
}
