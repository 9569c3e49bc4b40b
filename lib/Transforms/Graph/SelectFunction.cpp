//===- SelectFunction.cpp - Select the program's function -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Comm/Analysis/Graph/Programs.h"

#include "llvm/ADT/SetVector.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHSELECTFUNCTION
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;

namespace {
struct SelectFunction : public comm::impl::GraphSelectFunctionBase<SelectFunction> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp chosen = comm::graph::findProgram(getOperation(), function);
    if (!chosen)
      return signalPassFailure();
    if (callsItself(chosen))
      separate(chosen);
    for (auto each : getOperation().getOps<func::FuncOp>()) {
      each.setVisibility(each == chosen ? SymbolTable::Visibility::Public : SymbolTable::Visibility::Private);
      // Inlining would not terminate.
      if (callsItself(each))
        each.setNoInline(true);
    }
  }

private:
  /// Returns true if the function calls itself directly or through other functions.
  bool callsItself(func::FuncOp function) {
    llvm::SetVector<func::FuncOp> reached;
    auto addCallees = [&](func::FuncOp caller) {
      caller.walk([&](func::CallOp call) {
        if (auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee()))
          reached.insert(callee);
      });
    };
    addCallees(function);
    for (size_t i = 0; i < reached.size() && !reached.contains(function); ++i)
      addCallees(func::FuncOp(reached[i]));
    return reached.contains(function);
  }

  /// Makes the program's recursive calls refer to a copy, since only outside code may call the program.
  void separate(func::FuncOp program) {
    func::FuncOp copy = program.clone();
    SymbolTable symbols(getOperation());
    symbols.insert(copy, std::next(program->getIterator()));
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() == program.getName())
        call.setCallee(copy.getName());
    });
  }
};
} // namespace
