//===- GraphDialect.cpp - The graph dialect ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "Comm/Dialect/Utils/DiscardableAttr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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
/// All operations may be inlined: they mean the same in the caller.
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

static ArrayRef<comm::DiscardableAttr> getDiscardableAttrs() {
  auto isUnit = [](Attribute value) { return isa<UnitAttr>(value); };
  auto isFixedPoint = [](Operation *op) { return isa<FixedPointOp>(op); };
  auto isLoop = [](Operation *op) { return isa<ForallOp>(op); };
  StringRef unit = "a unit", fixedPoint = "a graph.fixed_point", loop = "a graph.forall";
  static const comm::DiscardableAttr known[] = {
      {kAggregatedAttrName, isUnit, unit, isFixedPoint, fixedPoint},
      {kBalancedAttrName, isUnit, unit, [](Operation *op) { return isa<FunctionOpInterface>(op); }, "a function"},
      {kByDegreeAttrName, isUnit, unit, isLoop, loop},
      {kCachedAttrName, isUnit, unit, isLoop, loop},
      {kChangesAttrName, isUnit, unit, isLoop, loop},
      {kCombinedAttrName, isUnit, unit, [](Operation *op) { return isa<ReduceOp, StoreOp>(op); },
       "a graph.reduce or graph.store"},
      {kCopiedAttrName, isUnit, unit, [](Operation *op) { return isa<DegreeOp, LoadOp, ReduceOp>(op); },
       "a graph.degree, graph.load or graph.reduce"},
      {kGatheredAttrName, isUnit, unit, isLoop, loop},
      {kImmediateAttrName, isUnit, unit, [](Operation *op) { return isa<ReduceOp>(op); }, "a graph.reduce"},
      {kInteriorFirstAttrName, isUnit, unit, isLoop, loop},
      {kJoinsAttrName, isUnit, unit, isFixedPoint, fixedPoint},
      {kLocalAttrName, isUnit, unit, [](Operation *op) { return isa<LoadOp>(op); }, "a graph.load"},
      {kNameAttrName, [](Attribute value) { return isa<StringAttr>(value); }, "a string",
       [](Operation *) { return false; }, "an argument of a function"},
      {kOverlappedAttrName, isUnit, unit, isLoop, loop},
      {kPrioritizedAttrName, isUnit, unit, isFixedPoint, fixedPoint},
      {kPullsAttrName, isUnit, unit, [](Operation *op) { return isa<FixedPointOp, LevelsOp>(op); },
       "a graph.fixed_point or graph.levels"},
      {kTrackedAttrName, isUnit, unit, [](Operation *op) { return isa<PropertyOp>(op); }, "a graph.property"},
  };
  return known;
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return comm::verifyDiscardableAttr(getDiscardableAttrs(), op, attribute, "GraphBase.td");
}

/// Arguments only have names.
LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  if (attribute.getName() != kNameAttrName)
    return op->emitError() << "has the attribute '" << attribute.getName().getValue() << "' on an argument: drop it";
  if (!isa<StringAttr>(attribute.getValue()))
    return op->emitError() << "has the attribute '" << kNameAttrName << "' of the wrong type: expected a string";
  return success();
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  return op->emitError() << "has the attribute '" << attribute.getName().getValue() << "' on a result: drop it";
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
