//===- EraseRecalled.cpp - Erase starts that were said again ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/IR/Comm.h"

namespace comm {
#define GEN_PASS_DEF_COMMERASERECALLED
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct EraseRecalled : public comm::impl::CommEraseRecalledBase<EraseRecalled> {
  using CommEraseRecalledBase::CommEraseRecalledBase;
  void runOnOperation() final;
};
} // namespace

void EraseRecalled::runOnOperation() {
  SmallVector<Operation *> recalled;
  getOperation()->walk([&](Operation *op) {
    if (op->hasAttr(kRecalledAttrName))
      recalled.push_back(op);
  });
  for (Operation *op : recalled)
    op->erase();
  numErased += recalled.size();
}
