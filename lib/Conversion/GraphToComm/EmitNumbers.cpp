//===- EmitNumbers.cpp - Checked arithmetic -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Analysis/Graph/Accesses.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;

void Emitter::stopIf(Value condition, llvm::function_ref<void()> stop) { when(condition, stop); }

void Emitter::stop(StopReason reason, Value a, Value b, StringRef what, Type type, Operation *op) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  code.call(
      "comm_graph_run_stop", Type(),
      {run(), code.integer(reason, 32), code.widen(a), code.widen(b), code.string(what), code.string(name), place(op)});
}

void Emitter::stopNumber(Value number, Type type, Operation *op) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  code.call("comm_graph_run_stop_number", Type(), {run(), number, code.string(name), place(op)});
}

/// Narrows the number to the type, or stops if it does not fit.
Value Emitter::toRange(Value value, Type type, llvm::function_ref<void()> stop) {
  Value narrow = arith::TruncIOp::create(builder, type, value);
  Value back = arith::ExtSIOp::create(builder, value.getType(), narrow);
  stopIf(code.compare(Predicate::ne, back, value), stop);
  return narrow;
}

/// Returns the largest number of an integer type, which stands for infinity.
Value Emitter::infinity(Type type) { return code.constant(identity(graph::ReductionKind::min, type)); }

/// Like toRange for a finite number. The largest number of the type is reserved for infinity (see graph.checked).
Value Emitter::toFinite(Value value, Type type, llvm::function_ref<void()> stop) {
  Value narrow = toRange(value, type, stop);
  stopIf(becomesInfinite(narrow, {}), stop);
  return narrow;
}

/// Whether the result is infinite and none of its operands is.
Value Emitter::becomesInfinite(Value result, ValueRange from) {
  Value becomes = code.compare(Predicate::eq, result, infinity(result.getType()));
  for (Value each : from)
    becomes = code.both(becomes, code.compare(Predicate::ne, each, infinity(each.getType())));
  return becomes;
}

Value Emitter::checked(graph::ArithKind kind, Value a, Value b, llvm::function_ref<void()> stop) {
  Type type = a.getType(), wide = builder.getIntegerType(2 * type.getIntOrFloatBitWidth());
  auto extend = [&](Value value) { return arith::ExtSIOp::create(builder, wide, value); };
  Value infinity = this->infinity(type);
  if (kind == graph::ArithKind::mul) {
    Value product = toRange(arith::MulIOp::create(builder, extend(a), extend(b)), type, stop);
    stopIf(becomesInfinite(product, {a, b}), stop);
    return product;
  }
  bool isAdd = kind == graph::ArithKind::add;
  auto [result, overflows] = code.addWithOverflow(a, b, !isAdd);
  Value isInfinite = code.compare(Predicate::eq, a, infinity);
  if (isAdd)
    isInfinite = code.either(isInfinite, code.compare(Predicate::eq, b, infinity));
  // All of these cases are rare, so loops over edges only have one branch for them.
  Value sum = result, leaves = code.either(overflows, code.compare(Predicate::eq, sum, infinity));
  return choose(
      code.either(leaves, isInfinite), type,
      [&] {
        stopIf(arith::XOrIOp::create(builder, isInfinite, code.integer(1, 1)), stop);
        return infinity;
      },
      [&] { return sum; });
}

void Emitter::emitChecked(graph::CheckedOp op) {
  Value a = getValue(op.getLhs()), b = getValue(op.getRhs());
  Type type = op.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  graph::ArithKind kind = op.getKind();
  auto leaves = [&] { stop(StopResult, a, b, graph::stringifyArithKind(kind), type, op); };
  if (kind != graph::ArithKind::div && kind != graph::ArithKind::rem)
    return set(op, checked(kind, a, b, leaves));
  stopIf(code.compare(Predicate::eq, b, code.integer(0, bits)), [&] { stop(StopZero, a, b, "", type, op); });
  // Do not divide by -1: the smallest number has no negative.
  Value isOpposite = code.compare(Predicate::eq, b, code.integer(-1, bits));
  Value divisor = arith::SelectOp::create(builder, isOpposite, code.integer(1, bits), b);
  if (kind == graph::ArithKind::rem)
    return set(op, arith::RemSIOp::create(builder, a, divisor));
  Value least = code.constant(builder.getIntegerAttr(type, APInt::getSignedMinValue(bits)));
  stopIf(code.both(isOpposite, code.compare(Predicate::eq, a, least)), leaves);
  Value quotient = arith::DivSIOp::create(builder, a, divisor);
  Value opposite = code.sub(code.integer(0, bits), quotient);
  Value result = arith::SelectOp::create(builder, isOpposite, opposite, quotient);
  stopIf(becomesInfinite(result, a), leaves);
  set(op, result);
}

void Emitter::emitConvert(graph::ConvertOp op) {
  Value value = getValue(op.getValue());
  Type from = value.getType(), to = op.getType();
  unsigned width = from.getIntOrFloatBitWidth(), wanted = to.getIntOrFloatBitWidth();
  bool isFloat = isa<FloatType>(to);
  if (from == to)
    return set(op, value);
  if (isa<FloatType>(from) && isFloat)
    return set(op, width < wanted ? Value(arith::ExtFOp::create(builder, to, value))
                                  : Value(arith::TruncFOp::create(builder, to, value)));
  auto keepInfinity = [&](Value isInfinite, Value converted) {
    Value infinite = isFloat ? code.constant(identity(graph::ReductionKind::min, to)) : infinity(to);
    set(op, Value(arith::SelectOp::create(builder, isInfinite, infinite, converted)));
  };
  if (!isa<FloatType>(from)) {
    Value isInfinite = code.compare(Predicate::eq, value, infinity(from));
    if (isFloat)
      return keepInfinity(isInfinite, arith::SIToFPOp::create(builder, to, value));
    if (wanted > width)
      return keepInfinity(isInfinite, arith::ExtSIOp::create(builder, to, value));
    auto leaves = [&] { stop(StopRange, value, value, "", to, op); };
    Value finite = arith::SelectOp::create(builder, isInfinite, code.integer(0, width), value);
    return keepInfinity(isInfinite, toFinite(finite, to, leaves));
  }
  // The number to truncate must lie between limits that a double represents exactly: -2^31 - 1 < x < 2^31 - 1 for 32
  // bits.
  Value number = width < 64 ? Value(arith::ExtFOp::create(builder, builder.getF64Type(), value)) : value;
  auto limit = [&](double bound) { return code.constant(builder.getF64FloatAttr(bound)); };
  auto is = [&](arith::CmpFPredicate predicate, Value bound) {
    return Value(arith::CmpFOp::create(builder, predicate, number, bound));
  };
  using Real = arith::CmpFPredicate;
  Value isInfinite = is(Real::OEQ, code.constant(identity(graph::ReductionKind::min, number.getType())));
  Value isAbove = wanted == 32 ? is(Real::OGT, limit(-0x1p31 - 1)) : is(Real::OGE, limit(-0x1p63));
  Value isBelow = is(Real::OLT, wanted == 32 ? limit(0x1p31 - 1) : limit(0x1p63));
  Value fits = code.both(isAbove, isBelow);
  stopIf(arith::XOrIOp::create(builder, code.either(fits, isInfinite), code.integer(1, 1)),
         [&] { stopNumber(number, to, op); });
  // LLVM does not define the conversion of infinity.
  Value finite = arith::SelectOp::create(builder, fits, number, limit(0));
  keepInfinity(isInfinite, arith::FPToSIOp::create(builder, to, finite));
}

void Emitter::emitIds(Operation *op) {
  // Converting a vertex to its number and back yields the same vertex, with the same local index.
  Value known = graph::stripConversions(op->getResult(0));
  if (known != op->getResult(0)) {
    values[op->getResult(0)] = values.lookup(known);
    return;
  }
  Value value = getValue(op->getOperand(0));
  Type to = op->getResult(0).getType();
  if (isa<graph::FromIdOp>(op))
    return set(op->getResult(0), code.widen(value));
  if (to.isInteger(64))
    return set(op->getResult(0), value);
  set(op->getResult(0), toRange(value, to, [&] { stop(StopRange, value, value, "", to, op); }));
}

//===----------------------------------------------------------------------===//
// Reductions of two numbers
//===----------------------------------------------------------------------===//

Value Emitter::less(Value a, Value b, bool isTruth) {
  if (isa<FloatType>(a.getType()))
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, a, b);
  return code.compare(isTruth ? Predicate::ult : Predicate::slt, a, b);
}

Value Emitter::same(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, a, b);
  return code.compare(Predicate::eq, a, b);
}

TypedAttr Emitter::identity(graph::ReductionKind kind, Type type) {
  using graph::ReductionKind;
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    bool isExtremum = kind == ReductionKind::min || kind == ReductionKind::max;
    if (isExtremum)
      return builder.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/kind == ReductionKind::max));
    return builder.getFloatAttr(type, kind == ReductionKind::product ? 1 : 0);
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReductionKind::product:
    return builder.getIntegerAttr(type, 1);
  case ReductionKind::min:
    return builder.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  case ReductionKind::max:
    return builder.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  case ReductionKind::conjunction:
    return builder.getIntegerAttr(type, APInt::getAllOnes(bits));
  default:
    return builder.getIntegerAttr(type, 0);
  }
}

Value Emitter::combine(graph::ReductionKind kind, Value a, Value b, Operation *op) {
  using graph::ReductionKind;
  Type type = a.getType();
  bool isFloat = isa<FloatType>(type);
  auto leaves = [&] { stop(StopReduction, a, b, graph::stringifyReductionKind(kind), type, op); };
  switch (kind) {
  case ReductionKind::sum:
    return isFloat ? Value(arith::AddFOp::create(builder, a, b)) : checked(graph::ArithKind::add, a, b, leaves);
  case ReductionKind::count:
    b = b.getType() == type ? b : Value(arith::ExtUIOp::create(builder, type, b));
    return checked(graph::ArithKind::add, a, b, leaves);
  case ReductionKind::product:
    return isFloat ? Value(arith::MulFOp::create(builder, a, b)) : checked(graph::ArithKind::mul, a, b, leaves);
  case ReductionKind::min:
    return arith::SelectOp::create(builder, less(b, a, false), b, a);
  case ReductionKind::max:
    return arith::SelectOp::create(builder, less(a, b, false), b, a);
  case ReductionKind::conjunction:
    return code.both(a, b);
  case ReductionKind::disjunction:
    return code.either(a, b);
  }
  return a;
}
