//===- ChooseABI.cpp - Which MPI a module is for --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/MPI/Installation.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_COMMCHOOSEABI
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct ChooseABI : public comm::impl::CommChooseABIBase<ChooseABI> {
  using CommChooseABIBase::CommChooseABIBase;
  void runOnOperation() final {
    ModuleOp module = getOperation();
    bool hasComm = module.walk([](MPIOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!hasComm || module->hasAttr(kABIAttrName))
      return markAllAnalysesPreserved();
    // Asked once a process: it starts the wrapper.
    static const std::string installed = mpi::findInstalledABI();
    if (!installed.empty())
      module->setAttr(kABIAttrName, StringAttr::get(&getContext(), installed));
  }
};
} // namespace
