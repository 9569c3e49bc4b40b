//===- SelectFunction.cpp - The function that is the program -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHSELECTFUNCTION
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;

namespace {
struct SelectFunction : public comm::impl::GraphSelectFunctionBase<SelectFunction> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp chosen = find();
    if (!chosen)
      return signalPassFailure();
    for (auto each : getOperation().getOps<func::FuncOp>())
      each.setVisibility(each == chosen ? SymbolTable::Visibility::Public : SymbolTable::Visibility::Private);
  }

private:
  func::FuncOp find() {
    ModuleOp module = getOperation();
    if (!function.empty()) {
      auto found = module.lookupSymbol<func::FuncOp>(function);
      if (!found)
        module.emitError() << "the program has no function '" << function << "'";
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
    module.emitError() << "the program has " << found.size() << " functions that no other calls: choose one by name";
    return nullptr;
  }
};
} // namespace
