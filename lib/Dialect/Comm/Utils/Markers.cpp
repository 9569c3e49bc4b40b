//===- Markers.cpp - Questions that the linker answers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

Value comm::isMarkerDefined(OpBuilder &builder, Location loc, StringRef marker) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto global = dyn_cast_or_null<LLVM::GlobalOp>(SymbolTable::lookupSymbolIn(module, marker));
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(builder, builder.getUnknownLoc(), builder.getI8Type(), /*isConstant=*/true,
                                    LLVM::Linkage::ExternWeak, marker, Attribute());
  }
  Value address = LLVM::AddressOfOp::create(builder, loc, global);
  Value null = LLVM::ZeroOp::create(builder, loc, address.getType());
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, address, null);
}
