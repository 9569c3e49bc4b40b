//===- IntegerEvaluator.cpp - Evaluation of integer operations ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/IntegerEvaluator.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;
using llvm::APInt;

static bool compare(LLVM::ICmpPredicate predicate, const APInt &a, const APInt &b) {
  switch (predicate) {
  case LLVM::ICmpPredicate::eq:
    return a == b;
  case LLVM::ICmpPredicate::ne:
    return a != b;
  case LLVM::ICmpPredicate::slt:
    return a.slt(b);
  case LLVM::ICmpPredicate::sle:
    return a.sle(b);
  case LLVM::ICmpPredicate::sgt:
    return a.sgt(b);
  case LLVM::ICmpPredicate::sge:
    return a.sge(b);
  case LLVM::ICmpPredicate::ult:
    return a.ult(b);
  case LLVM::ICmpPredicate::ule:
    return a.ule(b);
  case LLVM::ICmpPredicate::ugt:
    return a.ugt(b);
  case LLVM::ICmpPredicate::uge:
    return a.uge(b);
  }
  llvm_unreachable("all predicates are above");
}

/// Computes a quotient or remainder, unless it is undefined.
static std::optional<APInt> divide(Operation *op, const APInt &a, const APInt &b) {
  if (b.isZero() || (a.isMinSignedValue() && b.isAllOnes()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case([&](LLVM::SDivOp) { return a.sdiv(b); })
      .Case([&](LLVM::UDivOp) { return a.udiv(b); })
      .Case([&](LLVM::SRemOp) { return a.srem(b); })
      .Case([&](LLVM::URemOp) { return a.urem(b); })
      .Default(std::nullopt);
}

/// Uses the folder of the operation (arith and similar dialects).
static std::optional<APInt> fold(Operation *op, ArrayRef<APInt> operands) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<Attribute> constants;
  for (auto [type, value] : llvm::zip(op->getOperandTypes(), operands)) {
    unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth : value.getBitWidth();
    constants.push_back(IntegerAttr::get(type, value.sextOrTrunc(width)));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(constants, results)) || results.size() != 1)
    return std::nullopt;
  if (auto attribute = dyn_cast<Attribute>(results.front())) {
    if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
      return integer.getValue();
    return std::nullopt;
  }
  // The operation folds to one of its operands.
  for (auto [operand, value] : llvm::zip(op->getOperands(), operands))
    if (operand == cast<Value>(results.front()))
      return value;
  return std::nullopt;
}

std::optional<APInt> comm::evaluateInteger(Operation *op, ArrayRef<APInt> operands) {
  if (op->getNumRegions() != 0)
    return std::nullopt;
  auto widthOf = [&] {
    Type type = op->getResult(0).getType();
    return type.isIndex() ? unsigned(IndexType::kInternalStorageBitWidth) : type.getIntOrFloatBitWidth();
  };
  if (operands.size() == 1)
    return llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
        .Case([&](LLVM::TruncOp) { return operands[0].trunc(widthOf()); })
        .Case([&](LLVM::SExtOp) { return operands[0].sext(widthOf()); })
        .Case([&](LLVM::ZExtOp) { return operands[0].zext(widthOf()); })
        .Case([&](LLVM::FreezeOp) { return operands[0]; })
        .Default([&](Operation *) { return fold(op, operands); });
  if (operands.size() == 3 && isa<LLVM::SelectOp>(op))
    return operands[0].isZero() ? operands[2] : operands[1];
  if (operands.size() != 2)
    return fold(op, operands);
  const APInt &a = operands[0], &b = operands[1];
  bool isShift = isa<LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp>(op);
  if (isShift && b.uge(a.getBitWidth()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case([&](LLVM::AddOp) { return a + b; })
      .Case([&](LLVM::SubOp) { return a - b; })
      .Case([&](LLVM::MulOp) { return a * b; })
      .Case([&](LLVM::AndOp) { return a & b; })
      .Case([&](LLVM::OrOp) { return a | b; })
      .Case([&](LLVM::XOrOp) { return a ^ b; })
      .Case([&](LLVM::ShlOp) { return a.shl(b); })
      .Case([&](LLVM::LShrOp) { return a.lshr(b); })
      .Case([&](LLVM::AShrOp) { return a.ashr(b); })
      .Case([&](LLVM::SMaxOp) { return a.sgt(b) ? a : b; })
      .Case([&](LLVM::SMinOp) { return a.slt(b) ? a : b; })
      .Case([&](LLVM::UMaxOp) { return a.ugt(b) ? a : b; })
      .Case([&](LLVM::UMinOp) { return a.ult(b) ? a : b; })
      .Case([&](LLVM::ICmpOp icmp) { return APInt(1, compare(icmp.getPredicate(), a, b)); })
      .Case<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>([&](Operation *) { return divide(op, a, b); })
      .Default([&](Operation *) { return fold(op, operands); });
}
