//===- AloneFunctions.cpp - Functions that run alone ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the program has no other threads, only the threads of a parallel region see its atomic accesses and critical
// sections. That is the case if the program does not create threads with the libraries it uses, and no thread of
// another region runs the function that contains the region.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Analysis/Memory/OpenMP.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Whether the program may have other threads, or memory that other processes access.
static bool mayHaveCompany(const Module &module) {
  static constexpr StringRef prefixes[] = {
#define COMM_OPENMP_COMPANY(PREFIX) #PREFIX,
#include "Comm/Analysis/Memory/OpenMPRuntime.def"
  };
  if (!module.getModuleInlineAsm().empty() || !module.alias_empty() || !module.ifunc_empty())
    return true;
  for (const Function &function : module) {
    if (function.isDeclaration() && !function.use_empty() &&
        any_of(prefixes, [&](StringRef prefix) { return function.getName().starts_with(prefix); }))
      return true;
    for (const Instruction &instruction : instructions(function))
      if (const auto *call = dyn_cast<CallBase>(&instruction))
        if (const auto *code = dyn_cast<InlineAsm>(call->getCalledOperand()); code && code->hasSideEffects())
          return true;
  }
  return false;
}

/// Returns the functions that threads of a region, or holders of a function's address, may run, including what these
/// call.
static SetVector<const Function *> findSharedFunctions(const Module &module) {
  SetVector<const Function *> shared;
  for (const Function &function : module)
    if (any_of(function.uses(), [](const Use &use) {
          const auto *call = dyn_cast<CallBase>(use.getUser());
          return !call || !call->isCallee(&use);
        }))
      shared.insert(&function);
  for (size_t i = 0; i < shared.size(); ++i)
    for (const Instruction &instruction : instructions(*shared[i]))
      if (const auto *call = dyn_cast<CallBase>(&instruction))
        if (const Function *callee = call->getCalledFunction())
          shared.insert(callee);
  return shared;
}

bool comm::markAloneFunctions(Module &module) {
  const Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || mayHaveCompany(module))
    return false;
  SetVector<const Function *> shared = findSharedFunctions(module);
  bool isAny = false;
  for (Function &function : module) {
    bool isKnown = &function == main || function.hasLocalLinkage(); // only this module calls it
    if (function.isDeclaration() || !isKnown || shared.contains(&function))
      continue;
    function.addFnAttr(kAloneAttrName);
    isAny = true;
  }
  return isAny;
}
