//===- Arith.cpp - Constants, comparisons and floating-point numbers -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Interpreter/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace comm::interpreter;

template <typename Op> void Interpreter::on(Handler handler) { handlers[TypeID::get<Op>()] = handler; }

void Interpreter::registerArith() {
  on<arith::ConstantOp>(&Interpreter::runConstant);
  on<arith::CmpIOp>(&Interpreter::runInteger);
  on<arith::AndIOp>(&Interpreter::runInteger);
  on<arith::OrIOp>(&Interpreter::runInteger);
  on<arith::XOrIOp>(&Interpreter::runInteger);
  on<arith::MinSIOp>(&Interpreter::runInteger);
  on<arith::MaxSIOp>(&Interpreter::runInteger);
  on<arith::ExtUIOp>(&Interpreter::runInteger);
  on<arith::ExtSIOp>(&Interpreter::runInteger);
  on<arith::SelectOp>(&Interpreter::runInteger);
  on<arith::AddFOp>(&Interpreter::runFloat);
  on<arith::SubFOp>(&Interpreter::runFloat);
  on<arith::MulFOp>(&Interpreter::runFloat);
  on<arith::DivFOp>(&Interpreter::runFloat);
  on<arith::NegFOp>(&Interpreter::runFloat);
  on<arith::CmpFOp>(&Interpreter::runFloat);
  on<arith::MinimumFOp>(&Interpreter::runFloat);
  on<arith::MaximumFOp>(&Interpreter::runFloat);
  on<math::SqrtOp>(&Interpreter::runReal);
  on<math::ExpOp>(&Interpreter::runReal);
  on<math::LogOp>(&Interpreter::runReal);
  on<math::FloorOp>(&Interpreter::runReal);
  on<math::CeilOp>(&Interpreter::runReal);
  on<math::PowFOp>(&Interpreter::runReal);
}

LogicalResult Interpreter::runConstant(Operation *op, Frame &frame) {
  RuntimeValue &result = at(frame, op->getResult(0));
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  if (auto number = dyn_cast<FloatAttr>(value))
    result.number = number.getValueAsDouble();
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    result.integer = integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getInt();
  else
    return op->emitError() << "the interpreter does not know constants of type " << op->getResult(0).getType();
  return success();
}

/// Truth values are stored as 0 and 1; signed comparisons treat them as 0 and -1.
static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, bool isTruth) {
  bool less = isTruth ? a > b : a < b, unsignedLess = uint64_t(a) < uint64_t(b);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return less;
  case arith::CmpIPredicate::sle:
    return less || a == b;
  case arith::CmpIPredicate::sgt:
    return !less && a != b;
  case arith::CmpIPredicate::sge:
    return !less;
  case arith::CmpIPredicate::ult:
    return unsignedLess;
  case arith::CmpIPredicate::ule:
    return unsignedLess || a == b;
  case arith::CmpIPredicate::ugt:
    return !unsignedLess && a != b;
  case arith::CmpIPredicate::uge:
    return !unsignedLess;
  }
  return false;
}

LogicalResult Interpreter::runInteger(Operation *op, Frame &frame) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool isFirst = at(frame, select.getCondition()).integer;
    at(frame, select) = at(frame, isFirst ? select.getTrueValue() : select.getFalseValue());
    return success();
  }
  int64_t a = at(frame, op->getOperand(0)).integer;
  int64_t b = op->getNumOperands() > 1 ? at(frame, op->getOperand(1)).integer : 0;
  bool isTruth = op->getOperand(0).getType().isInteger(1);
  at(frame, op->getResult(0)).integer =
      llvm::TypeSwitch<Operation *, int64_t>(op)
          .Case([&](arith::CmpIOp cmp) { return compare(cmp.getPredicate(), a, b, isTruth); })
          .Case([&](arith::AndIOp) { return a & b; })
          .Case([&](arith::OrIOp) { return a | b; })
          .Case([&](arith::XOrIOp) { return a ^ b; })
          .Case([&](arith::MinSIOp) { return std::min(a, b); })
          .Case([&](arith::MaxSIOp) { return std::max(a, b); })
          .Case([&](arith::ExtUIOp) { return isTruth ? a : a & 0xffffffff; })
          .Default([&](Operation *) { return isTruth ? -a : a; }); // extsi
  return success();
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  bool isUnorderedForm = predicate >= arith::CmpFPredicate::UEQ;
  if (unordered)
    return isUnorderedForm;
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::UEQ:
    return a == b;
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::ULT:
    return a < b;
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ULE:
    return a <= b;
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::UGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::UGE:
    return a >= b;
  case arith::CmpFPredicate::ORD:
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::UNO:
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  }
  return false;
}

LogicalResult Interpreter::runFloat(Operation *op, Frame &frame) {
  double a = at(frame, op->getOperand(0)).number;
  double b = op->getNumOperands() > 1 ? at(frame, op->getOperand(1)).number : 0;
  RuntimeValue &result = at(frame, op->getResult(0));
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    result.integer = compare(cmp.getPredicate(), a, b);
    return success();
  }
  // A double has more than twice the precision of a float, so double rounding is harmless for these operations.
  double exact = llvm::TypeSwitch<Operation *, double>(op)
                     .Case([&](arith::AddFOp) { return a + b; })
                     .Case([&](arith::SubFOp) { return a - b; })
                     .Case([&](arith::MulFOp) { return a * b; })
                     .Case([&](arith::DivFOp) { return a / b; })
                     .Case([&](arith::NegFOp) { return -a; })
                     .Case([&](arith::MinimumFOp) { return std::isnan(a) || a < b ? a : b; })
                     .Default([&](Operation *) { return std::isnan(a) || a > b ? a : b; });
  result.number = op->getResult(0).getType().isF32() ? float(exact) : exact;
  return success();
}

/// Calls the C library's function in the precision of the type.
LogicalResult Interpreter::runReal(Operation *op, Frame &frame) {
  double a = at(frame, op->getOperand(0)).number;
  double b = op->getNumOperands() > 1 ? at(frame, op->getOperand(1)).number : 0;
  auto compute = [&](auto x, auto y) -> double {
    return llvm::TypeSwitch<Operation *, double>(op)
        .Case([&](math::SqrtOp) { return std::sqrt(x); })
        .Case([&](math::ExpOp) { return std::exp(x); })
        .Case([&](math::LogOp) { return std::log(x); })
        .Case([&](math::FloorOp) { return std::floor(x); })
        .Case([&](math::CeilOp) { return std::ceil(x); })
        .Default([&](Operation *) { return std::pow(x, y); });
  };
  bool isFloat = op->getResult(0).getType().isF32();
  at(frame, op->getResult(0)).number = isFloat ? compute(float(a), float(b)) : compute(a, b);
  return success();
}
