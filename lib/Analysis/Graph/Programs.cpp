//===- Programs.cpp - The function that is the program --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Graph/Programs.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

func::FuncOp comm::graph::findProgram(ModuleOp module, StringRef name) {
  if (!name.empty()) {
    auto found = module.lookupSymbol<func::FuncOp>(name);
    if (!found)
      module.emitError() << "the program has no function '" << name << "'";
    return found;
  }
  llvm::StringSet<> called;
  module.walk([&](func::CallOp call) {
    if (call->getParentOfType<func::FuncOp>().getName() != call.getCallee())
      called.insert(call.getCallee());
  });
  SmallVector<func::FuncOp> found;
  for (auto each : module.getOps<func::FuncOp>())
    if (!called.contains(each.getName()))
      found.push_back(each);
  if (found.size() == 1)
    return found.front();
  InFlightDiagnostic error = module.emitError();
  error << "the program has " << found.size() << " functions that no other calls: choose one by name (function";
  for (auto each : found)
    error << (each == found.front() ? "=" : " or ") << each.getName();
  error << ")";
  return nullptr;
}
