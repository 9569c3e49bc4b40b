//===- CommDialect.cpp - The comm dialect --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;

#include "Comm/Dialect/Comm/IR/CommDialect.cpp.inc"
#include "Comm/Dialect/Comm/IR/CommEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Comm/Dialect/Comm/IR/CommAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Comm/Dialect/Comm/IR/CommInterfaces.cpp.inc"
#include "Comm/Dialect/Comm/IR/CommTypes.cpp.inc"

void CommDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Comm/Dialect/Comm/IR/CommTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Comm/Dialect/Comm/IR/CommAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Comm/Dialect/Comm/IR/CommOps.cpp.inc"
      >();
}

Operation *CommDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto name = dyn_cast<StringAttr>(value);
  return name ? ConstantOp::create(builder, loc, type, name).getOperation() : nullptr;
}
