//===- Origin.cpp - Original instruction of an operation ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Origin.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace comm;

/// Finds the fused location that carries the number, anywhere in the location.
static FusedLoc findNumbered(Location loc) { return loc->findInstanceOf<FusedLocWith<IntegerAttr>>(); }

Location comm::addOrigin(Location loc, unsigned number) {
  MLIRContext *context = loc->getContext();
  return FusedLoc::get(context, {loc}, IntegerAttr::get(IntegerType::get(context, 32), number));
}

unsigned comm::getOrigin(Location loc) {
  FusedLoc numbered = findNumbered(loc);
  return numbered ? cast<IntegerAttr>(numbered.getMetadata()).getInt() : 0;
}

Location comm::dropOrigin(Location loc) {
  FusedLoc numbered = findNumbered(loc);
  return numbered ? FusedLoc::get(loc->getContext(), numbered.getLocations()) : loc;
}
