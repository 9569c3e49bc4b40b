//===- RegionCalls.cpp - Calls that run parallel regions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/RegionCalls.h"

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Analysis/Memory/OpenMP.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

/// Returns the index of the call's argument that is the region.
static std::optional<unsigned> findRegionArgument(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  std::optional<StringRef> callee = call ? call.getCallee() : std::nullopt;
  return callee ? getRegionArgument(*callee) : std::nullopt;
}

bool comm::isRegionCall(Operation *op) { return findRegionArgument(op).has_value(); }

StringRef comm::getRegionObstacle(Operation *op) {
  std::optional<unsigned> index = findRegionArgument(op);
  if (!index || *index >= op->getNumOperands())
    return "";
  auto address = op->getOperand(*index).getDefiningOp<LLVM::AddressOfOp>();
  auto region =
      address ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(op, address.getGlobalNameAttr()) : nullptr;
  ArrayAttr attributes = region ? region.getPassthroughAttr() : nullptr;
  for (Attribute attribute : attributes ? attributes.getValue() : ArrayRef<Attribute>())
    if (auto pair = dyn_cast<ArrayAttr>(attribute); pair && pair.size() == 2)
      if (auto name = dyn_cast<StringAttr>(pair[0]); name && name.getValue() == kObstacleAttrName)
        if (auto text = dyn_cast<StringAttr>(pair[1]))
          return text.getValue();
  return "";
}
