//===- EmitNumbers.cpp - Numbers that stay in their range ----------------===//
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

/// enum comm_graph_stop_reason.
enum StopReason { StopZero, StopResult, StopRange, StopReduction };

void Emitter::stopIf(Value condition, llvm::function_ref<void()> stop) { when(condition, stop); }

void Emitter::stop(int64_t reason, Value a, Value b, StringRef what, Type type, Operation *op) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  code.call(
      "comm_graph_run_stop", Type(),
      {run(), code.integer(reason, 32), code.widen(a), code.widen(b), code.string(what), code.string(name), place(op)});
}

/// The number of a wider type, if the type has it.
Value Emitter::toRange(Value value, Type type, llvm::function_ref<void()> stop) {
  unsigned bits = type.getIntOrFloatBitWidth();
  Value narrow = arith::TruncIOp::create(builder, type, value);
  Value back = arith::ExtSIOp::create(builder, value.getType(), narrow);
  (void)bits;
  stopIf(code.compare(Predicate::ne, back, value), stop);
  return narrow;
}

Value Emitter::checked(graph::ArithKind kind, Value a, Value b, llvm::function_ref<void()> stop) {
  Type type = a.getType(), wide = builder.getIntegerType(2 * type.getIntOrFloatBitWidth());
  auto extend = [&](Value value) { return arith::ExtSIOp::create(builder, wide, value); };
  Value infinity = code.constant(builder.getIntegerAttr(type, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth())));
  if (kind == graph::ArithKind::mul)
    return toRange(arith::MulIOp::create(builder, extend(a), extend(b)), type, stop);
  bool isAdd = kind == graph::ArithKind::add;
  auto [result, overflows] = code.addWithOverflow(a, b, !isAdd);
  Value isInfinite = code.compare(Predicate::eq, a, infinity);
  if (isAdd)
    isInfinite = code.either(isInfinite, code.compare(Predicate::eq, b, infinity));
  // Both are rare: one branch for loops over edges.
  Value sum = result;
  return choose(
      code.either(overflows, isInfinite), type,
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
  // Nothing is divided by -1: the least number has no opposite.
  Value isOpposite = code.compare(Predicate::eq, b, code.integer(-1, bits));
  Value divisor = arith::SelectOp::create(builder, isOpposite, code.integer(1, bits), b);
  if (kind == graph::ArithKind::rem)
    return set(op, arith::RemSIOp::create(builder, a, divisor));
  Value least = code.constant(builder.getIntegerAttr(type, APInt::getSignedMinValue(bits)));
  stopIf(code.both(isOpposite, code.compare(Predicate::eq, a, least)), leaves);
  Value quotient = arith::DivSIOp::create(builder, a, divisor);
  Value opposite = code.sub(code.integer(0, bits), quotient);
  set(op, arith::SelectOp::create(builder, isOpposite, opposite, quotient));
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
  if (isFloat)
    return set(op, Value(arith::SIToFPOp::create(builder, to, value)));
  if (!isa<FloatType>(from)) {
    if (wanted > width)
      return set(op, Value(arith::ExtSIOp::create(builder, to, value)));
    return set(op, toRange(value, to, [&] { stop(StopRange, value, value, "", to, op); }));
  }
  // What is cut must lie between the limits, which a double has exactly: -2^(n-1) - 1 < x < 2^(n-1) for 32 bits.
  Value number = width < 64 ? Value(arith::ExtFOp::create(builder, builder.getF64Type(), value)) : value;
  auto limit = [&](double bound) { return code.constant(builder.getF64FloatAttr(bound)); };
  double power = wanted == 32 ? 0x1p31 : 0x1p63;
  Value isAbove = wanted == 32
                      ? Value(arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, number, limit(-power - 1)))
                      : Value(arith::CmpFOp::create(builder, arith::CmpFPredicate::OGE, number, limit(-power)));
  Value isBelow = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, number, limit(power));
  Value fits = code.both(isAbove, isBelow);
  stopIf(arith::XOrIOp::create(builder, fits, code.integer(1, 1)), [&] {
    std::string name;
    llvm::raw_string_ostream(name) << to;
    code.call("comm_graph_run_stop_number", Type(), {run(), number, code.string(name), place(op)});
  });
  set(op, Value(arith::FPToSIOp::create(builder, to, number)));
}

void Emitter::emitIds(Operation *op) {
  // The number of a vertex, made a vertex again, is that vertex, and is where that is.
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
