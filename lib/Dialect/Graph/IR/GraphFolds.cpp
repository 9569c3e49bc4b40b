//===- GraphFolds.cpp - Canonical forms of graph operations --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace comm::graph;

/// Folds the source of an out-edge of a vertex to that vertex, and similar cases.
OpFoldResult EndpointOp::fold(FoldAdaptor) {
  auto argument = dyn_cast<BlockArgument>(getEdge());
  auto loop = argument ? dyn_cast_or_null<ForallOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop || !loop.getCenter() || loop.getOver()[0] != getGraph())
    return {};
  bool isInward = loop.getDomain() == Domain::in_neighbors;
  bool isCenter = (getDirection() == Direction::out) != isInward;
  return isCenter ? loop.getCenter() : Value(argument.getOwner()->getArgument(0));
}

/// Folds the number of a vertex that was created from a number. A conversion between integers may overflow, so it
/// stays.
OpFoldResult ToIdOp::fold(FoldAdaptor) {
  auto from = getElement().getDefiningOp<FromIdOp>();
  return from && from.getId().getType() == getType() ? from.getId() : Value();
}

OpFoldResult FromIdOp::fold(FoldAdaptor) {
  auto to = getId().getDefiningOp<ToIdOp>();
  return to && to.getElement().getType() == getType() ? to.getElement() : Value();
}

/// Folds constants if no error occurs, and additions of 0.
OpFoldResult CheckedOp::fold(FoldAdaptor adaptor) {
  auto lhs = dyn_cast_or_null<IntegerAttr>(adaptor.getLhs());
  auto rhs = dyn_cast_or_null<IntegerAttr>(adaptor.getRhs());
  bool addsNothing = rhs && rhs.getValue().isZero() && (getKind() == ArithKind::add || getKind() == ArithKind::sub);
  if (addsNothing)
    return getLhs();
  if (!lhs || !rhs)
    return {};
  APInt a = lhs.getValue(), b = rhs.getValue();
  bool overflow = false;
  APInt result;
  switch (getKind()) {
  case ArithKind::add:
    if (a.isMaxSignedValue() || b.isMaxSignedValue())
      return a.isMaxSignedValue() ? lhs : rhs;
    result = a.sadd_ov(b, overflow);
    break;
  case ArithKind::sub:
    if (a.isMaxSignedValue())
      return lhs;
    result = a.ssub_ov(b, overflow);
    break;
  case ArithKind::mul:
    result = a.smul_ov(b, overflow);
    break;
  case ArithKind::div:
    if (b.isZero())
      return {};
    result = a.sdiv_ov(b, overflow);
    break;
  case ArithKind::rem:
    if (b.isZero() || b.isAllOnes())
      return {};
    result = a.srem(b);
    break;
  }
  // The largest number means infinity. Any other result that reaches it stops the program.
  bool becomesInfinite = result.isMaxSignedValue() && !a.isMaxSignedValue() && !b.isMaxSignedValue();
  if (overflow || becomesInfinite)
    return {};
  return IntegerAttr::get(getType(), result);
}

/// Folds conversions to the same type, and constants that fit.
OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  auto floatType = dyn_cast<FloatType>(getType());
  unsigned width = getType().getIntOrFloatBitWidth();
  auto infinity = [&]() -> Attribute {
    if (floatType)
      return FloatAttr::get(floatType, APFloat::getInf(floatType.getFloatSemantics()));
    return IntegerAttr::get(getType(), APInt::getSignedMaxValue(width));
  };
  // A conversion that stops the program stays.
  auto finite = [&](const APInt &value) -> Attribute {
    return value.isMaxSignedValue() ? Attribute() : IntegerAttr::get(getType(), value);
  };
  if (auto integer = dyn_cast_or_null<IntegerAttr>(adaptor.getValue())) {
    APInt value = integer.getValue();
    if (value.isMaxSignedValue())
      return infinity();
    if (!floatType)
      return value.isSignedIntN(width) ? finite(value.sextOrTrunc(width)) : Attribute();
    APFloat result(floatType.getFloatSemantics());
    result.convertFromAPInt(value, /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(floatType, result);
  }
  auto number = dyn_cast_or_null<FloatAttr>(adaptor.getValue());
  if (!number)
    return {};
  APFloat value = number.getValue();
  if (floatType) {
    bool losesInfo;
    value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return FloatAttr::get(floatType, value);
  }
  if (value.isPosInfinity())
    return infinity();
  APSInt result(width, /*isUnsigned=*/false);
  bool isExact;
  if (value.convertToInteger(result, APFloat::rmTowardZero, &isExact) == APFloat::opInvalidOp)
    return {};
  return finite(result);
}

/// Removes a copy of a property to itself.
LogicalResult CopyOp::canonicalize(CopyOp op, PatternRewriter &rewriter) {
  if (op.getFrom() != op.getTo())
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// Replaces a variable that is never changed with its value. Removes writes to a variable that is never read.
LogicalResult CellOp::canonicalize(CellOp op, PatternRewriter &rewriter) {
  if (llvm::all_of(op->getUsers(), [](Operation *user) { return isa<GetOp>(user); })) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      rewriter.replaceOp(user, op.getInit());
    rewriter.eraseOp(op);
    return success();
  }
  auto onlyGives = [&](Operation *user) {
    auto reduction = dyn_cast<AccumulateOp>(user);
    return isa<SetOp>(user) || (reduction && reduction.getCompanions().empty());
  };
  if (!llvm::all_of(op->getUsers(), onlyGives))
    return failure();
  // An accumulation may stop the program (if its sum overflows), but the sum would never be seen.
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    rewriter.eraseOp(user);
  rewriter.eraseOp(op);
  return success();
}
