//===- OverlapCode.cpp - Runtime code linked into modules -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/OverlapCode.h"

#include "Comm/MPI/Markers.h"
#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Sums.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace comm;

#include "OverlapBitcode.inc"

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

/// Whether compiled code refers to the runtime code by this name.
static bool isEntry(StringRef name) {
  return any_of(ArrayRef<StringRef>{mpi::kStartPrefix, mpi::kAskPrefix, mpi::kNotePrefix, mpi::kTellMarkers,
                                    OverlapCode::kCallPrefix},
                [&](StringRef prefix) { return name.starts_with(prefix); });
}

static constexpr StringLiteral kInnerPrefix = "comm_overlap.";

bool OverlapCode::isName(StringRef name) { return isEntry(name) || name.starts_with(kInnerPrefix); }

/// Any module may contain a copy of each definition; the linker keeps one. Notes are in no comdat, since linkers that
/// collect garbage would drop them. Other names get a prefix that no program uses.
static void makeMergeable(Module &code) {
  auto merge = [&](GlobalObject &object) {
    if (object.isDeclaration() || object.hasPrivateLinkage())
      return;
    if (!isEntry(object.getName()))
      object.setName(kInnerPrefix + object.getName());
    object.setLinkage(GlobalValue::LinkOnceODRLinkage);
    object.setVisibility(GlobalValue::HiddenVisibility);
    object.setDSOLocal(true);
    if (!object.hasSection())
      object.setComdat(code.getOrInsertComdat(object.getName()));
  };
  for (Function &function : code) {
    merge(function);
    // COMM_RARE: the code has been optimized. To do so again takes longer than to translate it.
    if (function.hasFnAttribute(Attribute::MinSize)) {
      function.removeFnAttr(Attribute::MinSize);
      function.removeFnAttr(Attribute::OptimizeForSize);
      function.addFnAttr(Attribute::OptimizeNone);
    }
  }
  for (GlobalVariable &variable : code.globals())
    merge(variable);
}

Module &OverlapCode::get() {
  if (code)
    return *code;
  auto asText = [](const unsigned char *bytes, size_t size) {
    return StringRef(reinterpret_cast<const char *>(bytes), size);
  };
  StringRef bytes = passesPointers(module) ? asText(kPointerHandles, sizeof kPointerHandles)
                                           : asText(kIntegerHandles, sizeof kIntegerHandles);
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
  makeMergeable(*code);
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

bool OverlapCode::link() {
  TimeTraceScope scope("CommLinkOverlapCode");
  bool isNeeded = any_of(module.global_values(), [](const GlobalValue &value) {
    return value.isDeclaration() && isEntry(value.getName()) && !value.use_empty();
  });
  if (!isNeeded)
    return false;
  get();
  if (Linker::linkModules(module, std::move(code), Linker::Flags::LinkOnlyNeeded))
    reportFatalInternalError("comm: cannot link the code that asks at run time");
  inlineQuestions(module);
  return true;
}
