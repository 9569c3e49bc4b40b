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
    llvm::StringMap<bool> isOpen;
    if (!chosen || failed(refuseRecursion(chosen, isOpen)))
      return signalPassFailure();
    for (auto each : getOperation().getOps<func::FuncOp>())
      each.setVisibility(each == chosen ? SymbolTable::Visibility::Public : SymbolTable::Visibility::Private);
  }

private:
  /// All functions become one, by inlining, which would not end.
  LogicalResult refuseRecursion(func::FuncOp caller, llvm::StringMap<bool> &isOpen) {
    isOpen[caller.getName()] = true;
    WalkResult result = caller.walk([&](func::CallOp call) {
      auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
      auto known = isOpen.find(call.getCallee());
      if (known != isOpen.end() && known->second) {
        InFlightDiagnostic diagnostic = call.emitError()
                                        << "'" << call.getCallee()
                                        << "' calls itself by this call: write a loop, since graph programs have no "
                                           "recursive functions";
        diagnostic.attachNote(callee.getLoc()) << "the function is here";
        return WalkResult::interrupt();
      }
      bool isNew = callee && known == isOpen.end();
      return isNew && failed(refuseRecursion(callee, isOpen)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    isOpen[caller.getName()] = false;
    return failure(result.wasInterrupted());
  }

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
