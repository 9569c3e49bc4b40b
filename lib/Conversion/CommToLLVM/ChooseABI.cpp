//===- ChooseABI.cpp - The MPI implementation to target -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/MPI/Installation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_COMMCHOOSEABI
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

static bool isOfComm(Type type) {
  auto isComm = [](Type part) {
    return isa<CommDialect>(part.getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return type.walk(isComm).wasInterrupted();
}

/// Whether lowering needs the ABI: the module has comm ops, or functions and blocks that take, return or pass handles.
static bool needsABI(ModuleOp module) {
  auto isAsked = [](Operation *op) {
    bool isComm = isa_and_nonnull<CommDialect>(op->getDialect()) || llvm::any_of(op->getResultTypes(), isOfComm);
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      isComm |= isOfComm(function.getFunctionType());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        isComm |= llvm::any_of(block.getArgumentTypes(), isOfComm);
    return isComm ? WalkResult::interrupt() : WalkResult::advance();
  };
  return module->walk(isAsked).wasInterrupted();
}

namespace {
struct ChooseABI : public comm::impl::CommChooseABIBase<ChooseABI> {
  using CommChooseABIBase::CommChooseABIBase;
  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (module->hasAttr(kABIAttrName) || !needsABI(module))
      return markAllAnalysesPreserved();
    // Once per process, because it starts the wrapper.
    static const std::string installed = mpi::findInstalledABI();
    if (!installed.empty())
      module->setAttr(kABIAttrName, StringAttr::get(&getContext(), installed));
  }
};
} // namespace
