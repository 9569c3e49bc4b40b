//===- AnnotateDeclarations.cpp - Attributes of MPI's declarations --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "Comm/MPI/Effects.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;
using namespace comm;

static void addParamAttr(Function &function, unsigned index, Attribute attribute, bool &changed) {
  if (function.getAttributes().hasParamAttr(index, attribute.getKindAsEnum()))
    return;
  function.addParamAttr(index, attribute);
  changed = true;
}

static bool annotateParams(Function &function, const mpi::Function &known) {
  bool changed = false;
  LLVMContext &context = function.getContext();
  for (auto [index, param] : enumerate(known.params())) {
    if (!function.getArg(index)->getType()->isPointerTy() || !(param.isPointer || param.isArray))
      continue;
    if (mpi::forgetsAddress(known, param))
      addParamAttr(function, index, Attribute::getWithCaptureInfo(context, CaptureInfo::none()), changed);
    if (mpi::onlyReads(known, param))
      addParamAttr(function, index, Attribute::get(context, Attribute::ReadOnly), changed);
    else if (mpi::onlyWrites(known, param))
      addParamAttr(function, index, Attribute::get(context, Attribute::WriteOnly), changed);
  }
  return changed;
}

bool comm::annotateDeclarations(Module &module, MPIErrors errors) {
  bool changed = false;
  for (Function &function : module) {
    const mpi::Function *known = getMPIFunction(function);
    if (!known || function.isVarArg() || function.arg_size() != known->params().size())
      continue;
    changed |= annotateParams(function, *known);
    bool noHandler = mpi::runsNothing(*known) || errors == MPIErrors::AreFatal;
    if (noHandler && mpi::runsOnlyHandlers(*known) && !function.doesNotThrow()) {
      function.setDoesNotThrow();
      changed = true;
    }
    // Calls that read the time keep their order with all memory accesses: they bracket what the program measures.
    bool hasEffects = (mpi::runsNothing(*known) && !known->isTime) || (noHandler && mpi::isQuery(*known));
    MemoryEffects effects = function.getMemoryEffects() & MemoryEffects::inaccessibleOrArgMemOnly();
    if (hasEffects && effects != function.getMemoryEffects()) {
      function.setMemoryEffects(effects);
      changed = true;
    }
  }
  return changed;
}

bool comm::annotateNoThrow(Module &module) {
  bool changed = false;
  for (Function &function : module)
    if (function.isDeclaration() && mpi::lookupLinkerName(function.getName()) && !function.doesNotThrow()) {
      function.setDoesNotThrow();
      changed = true;
    }
  return changed;
}

/// Returns whether this is the multiplication or division of complex numbers that Clang calls where a part may be
/// infinite.
static bool isComplexArithmetic(StringRef name) {
  return is_contained({"__mulsc3", "__muldc3", "__mulxc3", "__multc3", "__divsc3", "__divdc3", "__divxc3", "__divtc3"},
                      name);
}

bool comm::annotateArithmetic(Module &module) {
  bool changed = false;
  for (Function &function : module) {
    if (!function.isDeclaration() || !isComplexArithmetic(function.getName()) || function.doesNotAccessMemory() ||
        any_of(function.args(), [](const Argument &argument) { return argument.getType()->isPointerTy(); }))
      continue;
    function.setDoesNotAccessMemory();
    function.setDoesNotThrow();
    function.setWillReturn();
    function.setNoSync();
    changed = true;
  }
  return changed;
}
