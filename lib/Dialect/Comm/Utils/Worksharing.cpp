//===- Worksharing.cpp - Worksharing loops of a team ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Worksharing.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

void comm::markWorksharing(Operation *latch) {
  auto branch = dyn_cast<LLVM::CondBrOp>(latch);
  if (!branch)
    return;
  MLIRContext *context = latch->getContext();
  branch.setLoopAnnotationAttr(LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                                             {}, {}, LLVM::AccessGroupAttr::get(context)));
}

bool comm::isWorksharing(Operation *latch) {
  auto branch = dyn_cast<LLVM::CondBrOp>(latch);
  LLVM::LoopAnnotationAttr annotation = branch ? branch.getLoopAnnotationAttr() : LLVM::LoopAnnotationAttr();
  return annotation && !annotation.getParallelAccesses().empty();
}
