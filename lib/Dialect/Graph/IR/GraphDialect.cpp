//===- GraphDialect.cpp - The graph dialect ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm::graph;

#include "Comm/Dialect/Graph/IR/GraphDialect.cpp.inc"
#include "Comm/Dialect/Graph/IR/GraphEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Comm/Dialect/Graph/IR/GraphAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Comm/Dialect/Graph/IR/GraphInterfaces.cpp.inc"
#include "Comm/Dialect/Graph/IR/GraphTypes.cpp.inc"

namespace {
/// A called function's operations mean the same in its caller.
struct GraphInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void GraphDialect::initialize() {
  addInterfaces<GraphInliner>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Comm/Dialect/Graph/IR/GraphTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Comm/Dialect/Graph/IR/GraphAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Comm/Dialect/Graph/IR/GraphOps.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static LogicalResult verifyValueType(function_ref<InFlightDiagnostic()> emitError, Type type) {
  if (type.isInteger(1) || type.isInteger(32) || type.isInteger(64) || type.isF32() || type.isF64() ||
      isa<VertexType, EdgeType>(type))
    return success();
  return emitError() << "has values of type " << type << ": use i1, i32, i64, f32, f64, !graph.vertex or !graph.edge";
}

LogicalResult PropertyType::verify(function_ref<InFlightDiagnostic()> emitError, Element, Type type) {
  return verifyValueType(emitError, type);
}

LogicalResult CellType::verify(function_ref<InFlightDiagnostic()> emitError, Type type) {
  return verifyValueType(emitError, type);
}

LogicalResult ListType::verify(function_ref<InFlightDiagnostic()> emitError, Type type) {
  return isa<ListType>(type) ? success() : verifyValueType(emitError, type);
}

std::pair<Type, unsigned> ListType::getScalar() const {
  Type type = getElementType();
  unsigned depth = 1;
  for (; isa<ListType>(type); ++depth)
    type = cast<ListType>(type).getElementType();
  return {type, depth};
}

Value comm::graph::getWholeList(Value list) {
  while (auto element = list.getDefiningOp<ListGetOp>())
    list = element.getList();
  return list;
}

Type comm::graph::getIndexType(PropertyType property) {
  MLIRContext *context = property.getContext();
  return property.getOf() == Element::vertex ? Type(VertexType::get(context)) : Type(EdgeType::get(context));
}

bool comm::graph::isMonotonic(ReductionKind kind) {
  return kind == ReductionKind::min || kind == ReductionKind::max || kind == ReductionKind::conjunction ||
         kind == ReductionKind::disjunction;
}
