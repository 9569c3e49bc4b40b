//===- GraphOps.cpp - Verifiers of graph operations ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace comm::graph;

#define GET_OP_CLASSES
#include "Comm/Dialect/Graph/IR/GraphOps.cpp.inc"

LogicalResult WeightsOp::verify() {
  auto type = getType();
  Type value = type.getValueType();
  if (type.getOf() != Element::edge || value.isInteger(1) || !value.isIntOrFloat())
    return emitOpError() << "has the type " << type << ": weights are numbers that belong to edges";
  return success();
}

/// Verifies that this kind of reduction is possible, and the type of the combined value.
static LogicalResult verifyKind(Operation *op, ReductionKind kind, Type target, Type value) {
  StringRef name = stringifyReductionKind(kind);
  bool isTruth = target.isInteger(1);
  bool isNumber = target.isIntOrFloat() && !isTruth;
  bool isElement = !target.isIntOrFloat();
  bool fits = false;
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::product:
    fits = isNumber;
    break;
  case ReductionKind::min:
  case ReductionKind::max:
    fits = isNumber || isElement;
    break;
  case ReductionKind::conjunction:
  case ReductionKind::disjunction:
    fits = isTruth || target.isInteger();
    break;
  case ReductionKind::count:
    if (!target.isInteger() || isTruth)
      return op->emitOpError() << "cannot count in " << target << ": use an integer";
    if (!value.isInteger(1))
      return op->emitOpError() << "counts values that are true, and has one of type " << value << ": give it an i1";
    return success();
  }
  if (!fits)
    return op->emitOpError() << "cannot form the " << name << " of values of type " << target;
  if (target != value)
    return op->emitOpError() << "combines a value of type " << value << " with one of type " << target
                             << ": convert it first";
  return success();
}

/// Verifies companions: one value for each, of its type, and only for minima and maxima.
template <typename TypeOf>
static LogicalResult verifyCompanions(Operation *op, ReductionKind kind, Value object, ValueRange companions,
                                      ValueRange values) {
  if (companions.size() != values.size())
    return op->emitOpError() << "has " << companions.size() << " companions and " << values.size()
                             << " values for them: each companion has one";
  if (companions.empty())
    return success();
  if (kind != ReductionKind::min && kind != ReductionKind::max)
    return op->emitOpError("has companions: only min and max have them");
  for (auto [index, companion, value] : llvm::enumerate(companions, values)) {
    auto type = dyn_cast<TypeOf>(companion.getType());
    if (!type || type.getValueType() != value.getType())
      return op->emitOpError() << "gives a companion of type " << companion.getType() << " a value of type "
                               << value.getType() << ": convert it first";
    if (companion == object || llvm::is_contained(companions.take_front(index), companion))
      return op->emitOpError("has one object twice: all companions must be different");
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  PropertyType type = getProperty().getType();
  if (failed(verifyKind(*this, getKind(), type.getValueType(), getValue().getType())))
    return failure();
  for (Value companion : getCompanions())
    if (cast<PropertyType>(companion.getType()).getOf() != type.getOf())
      return emitOpError("has a companion that does not belong to the same elements: vertices and edges do not mix");
  return verifyCompanions<PropertyType>(*this, getKind(), getProperty(), getCompanions(), getCompanionValues());
}

LogicalResult AccumulateOp::verify() {
  if (failed(verifyKind(*this, getKind(), getCell().getType().getValueType(), getValue().getType())))
    return failure();
  return verifyCompanions<CellType>(*this, getKind(), getCell(), getCompanions(), getCompanionValues());
}

LogicalResult ListReduceOp::verify() {
  return verifyKind(*this, getKind(), getList().getType().getElementType(), getValue().getType());
}

/// A nested list may only be used where it cannot be gone: right after the operation that takes it out.
LogicalResult ListGetOp::verify() {
  if (!isa<ListType>(getType()))
    return success();
  for (Operation *user : getResult().getUsers()) {
    if (!isa<AccessOpInterface>(user))
      return emitOpError() << "takes a list out of a list for '" << user->getName()
                           << "', which might keep it: copy it to a separate list";
    if (user->getBlock() != (*this)->getBlock())
      return emitOpError() << "takes a list out of a list, and another block uses it: take it out there";
    Operation *between = getOperation();
    while ((between = between->getNextNode()) != user)
      if (!isMemoryEffectFree(between) && !isa<ListGetOp, ListSizeOp, ListFindOp, LoadOp, GetOp>(between))
        return emitOpError() << "takes a list out of a list, which may have changed before '" << user->getName()
                             << "' uses it: take it out there";
  }
  return success();
}
