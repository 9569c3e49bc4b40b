//===- Markers.cpp - Markers for the other files of a program -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/Markers.h"

#include "Comm/MPI/Markers.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

bool comm::defineMarker(Module &module, StringRef name) {
  std::string symbol = (mpi::kNotePrefix + name).str();
  if (module.getNamedValue(symbol))
    return false;
  auto *note = new GlobalVariable(module, Type::getInt8Ty(module.getContext()), /*isConstant=*/true,
                                  GlobalValue::ExternalLinkage, nullptr, symbol);
  appendToCompilerUsed(module, {note});
  FunctionCallee tell = module.getOrInsertFunction(mpi::kTellMarkers, Type::getVoidTy(module.getContext()));
  if (tell.getCallee()->use_empty())
    appendToGlobalCtors(module, cast<Function>(tell.getCallee()), /*Priority=*/0);
  return true;
}

Value *comm::ask(IRBuilder<> &builder, StringRef question) {
  Module &module = *builder.GetInsertBlock()->getModule();
  FunctionCallee function = module.getOrInsertFunction(question, builder.getInt32Ty());
  return builder.CreateIsNotNull(builder.CreateCall(function));
}
