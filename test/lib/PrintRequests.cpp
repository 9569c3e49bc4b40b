//===- PrintRequests.cpp - Print what waits complete -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "Comm/Analysis/Requests/RequestFlow.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace comm;

namespace {
/// Prints the starts that each wait for requests in memory completes, by their attributes `tag`: with `again` if the
/// buffer may have changed since.
struct PrintRequests : public PassWrapper<PrintRequests, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintRequests)

  StringRef getArgument() const final { return "test-comm-requests"; }
  StringRef getDescription() const final { return "Print which starts each wait for requests in memory completes"; }
  void runOnOperation() final;
};
} // namespace

static StringRef getTag(Operation *op) {
  auto tag = op->getAttrOfType<StringAttr>("tag");
  return tag ? tag.getValue() : op->getName().getStringRef();
}

void PrintRequests::runOnOperation() {
  RequestFlows flows;
  for (auto function : getOperation().getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    llvm::outs() << "function " << function.getName() << "\n";
    function.walk([&](Operation *op) {
      if (isStartInMemory(op) && !flows.get(op).isFollowed(op))
        llvm::outs() << "  " << getTag(op) << " may be seen by others\n";
      const CompletedStarts *all = flows.find(op);
      if (!all)
        return;
      llvm::outs() << "  " << getTag(op) << " completes";
      if (!all->isKnown())
        llvm::outs() << " anything: " << all->whyUnknown;
      else if (all->starts.empty())
        llvm::outs() << " nothing";
      for (const InFlightStart &start : all->starts) {
        MPIOpInterface op = start.start;
        llvm::outs() << " " << getTag(op) << (start.isSame(op.getParam("buf")) ? "" : " again");
      }
      llvm::outs() << "\n";
    });
  }
}

void comm::test::registerRequestPasses() { PassRegistration<PrintRequests>(); }
