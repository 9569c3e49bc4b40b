//===- FrameSlots.cpp - Memory in the frame of a function -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/FrameSlots.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

Value comm::createFrameSlot(Region &body, Location loc, Type type, int64_t count) {
  OpBuilder builder = OpBuilder::atBlockBegin(&body.front());
  Value size = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(count));
  return LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type, size);
}

Value comm::createFrameSlot(Operation *op, Location loc, Type type, int64_t count) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return createFrameSlot(function ? function.getFunctionBody() : *op->getParentRegion(), loc, type, count);
}
