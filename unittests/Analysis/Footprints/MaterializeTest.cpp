//===- MaterializeTest.cpp - Generated code against exact numbers ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Expr.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/TypeSwitch.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace comm;
using llvm::APInt;

namespace {
/// Executes the operations that expressions become.
class Interpreter {
public:
  void set(Value value, const APInt &number) { numbers[value] = number; }
  APInt get(Value value) const {
    auto known = numbers.find(value);
    EXPECT_TRUE(known != numbers.end());
    return known == numbers.end() ? APInt(64, 0) : known->second;
  }
  void run(Block &block) {
    for (Operation &op : block.without_terminator())
      run(op);
  }

private:
  void run(Operation &op) {
    auto operand = [&](unsigned index) { return get(op.getOperand(index)); };
    Type type = op.getResult(0).getType();
    unsigned width = type.isIntOrIndex() ? type.getIntOrFloatBitWidth() : 64;
    auto result = [&](const APInt &number) { numbers[op.getResult(0)] = number; };
    auto overflow = [&](APInt (APInt::*compute)(const APInt &, bool &) const) {
      bool isOver = false;
      numbers[op.getResult(0)] = (operand(0).*compute)(operand(1), isOver);
      overflows[op.getResult(0)] = isOver;
    };
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](LLVM::ConstantOp constant) { result(cast<IntegerAttr>(constant.getValue()).getValue()); })
        .Case<LLVM::FreezeOp, LLVM::PtrToIntOp>([&](auto) { result(operand(0)); })
        .Case([&](LLVM::SExtOp) { result(operand(0).sext(width)); })
        .Case([&](LLVM::ZExtOp) { result(operand(0).zext(width)); })
        .Case([&](LLVM::TruncOp) { result(operand(0).trunc(width)); })
        .Case([&](LLVM::AddOp) { result(operand(0) + operand(1)); })
        .Case([&](LLVM::SubOp) { result(operand(0) - operand(1)); })
        .Case([&](LLVM::MulOp) { result(operand(0) * operand(1)); })
        .Case([&](LLVM::SDivOp) {
          ASSERT_TRUE(operand(1).isStrictlyPositive()) << "the division may trap";
          result(operand(0).sdiv(operand(1)));
        })
        .Case([&](LLVM::AndOp) { result(operand(0) & operand(1)); })
        .Case([&](LLVM::OrOp) { result(operand(0) | operand(1)); })
        .Case([&](LLVM::XOrOp) { result(operand(0) ^ operand(1)); })
        .Case([&](LLVM::SMinOp) { result(llvm::APIntOps::smin(operand(0), operand(1))); })
        .Case([&](LLVM::SMaxOp) { result(llvm::APIntOps::smax(operand(0), operand(1))); })
        .Case([&](LLVM::SelectOp) { result(operand(0).isOne() ? operand(1) : operand(2)); })
        .Case([&](LLVM::ICmpOp compare) {
          APInt a = operand(0), b = operand(1);
          bool holds = compare.getPredicate() == LLVM::ICmpPredicate::slt   ? a.slt(b)
                       : compare.getPredicate() == LLVM::ICmpPredicate::sge ? a.sge(b)
                                                                            : a.ult(b);
          result(APInt(1, holds));
        })
        .Case([&](LLVM::SAddWithOverflowOp) { overflow(&APInt::sadd_ov); })
        .Case([&](LLVM::SMulWithOverflowOp) { overflow(&APInt::smul_ov); })
        .Case([&](LLVM::ExtractValueOp extract) {
          result(extract.getPosition()[0] == 0 ? operand(0) : APInt(1, overflows.at(op.getOperand(0))));
        })
        .Default([&](Operation *) { FAIL() << op.getName().getStringRef().str(); });
  }

  llvm::DenseMap<Value, APInt> numbers;
  llvm::DenseMap<Value, bool> overflows;
};

struct MaterializeTest : public ::testing::Test {
  MaterializeTest() {
    context.loadDialect<LLVM::LLVMDialect>();
    module =
        parseSourceString<ModuleOp>("llvm.func @f(%a: i32, %b: i64, %c: i64, %p: !llvm.ptr) { llvm.return }", &context);
    block = &module->lookupSymbol<LLVM::LLVMFuncOp>("f").getBody().front();
  }

  int draw(int least, int most) { return least + static_cast<int>(random() % (most - least + 1)); }

  Expr drawExpr(unsigned depth) {
    if (depth == 0 || draw(0, 4) == 0)
      return draw(0, 2) ? Expr::symbol(block->getArgument(draw(0, 3))) : Expr(draw(-9, 9));
    Expr a = drawExpr(depth - 1), b = drawExpr(depth - 1);
    switch (draw(0, 8)) {
    case 0:
      return Expr::min(a, b);
    case 1:
      return Expr::max(a, b);
    case 2:
      return Expr::floorDiv(a, Expr::max(b, Expr(1)));
    case 3:
      return Expr::wrap(a, 1 << draw(3, 6), draw(0, 1));
    case 4:
    case 5:
      return a * b;
    case 6:
      return a - b;
    default:
      return a + b * Expr(draw(1, 64));
    }
  }

  Predicate drawPredicate() {
    Predicate result = Predicate::lessOrEqual(drawExpr(3), drawExpr(2));
    for (int parts = draw(0, 2); parts > 0; --parts) {
      Predicate other = Predicate::lessOrEqual(drawExpr(2), drawExpr(3));
      result = draw(0, 1) ? result && other : result || other;
    }
    return result;
  }

  /// Sizes of programs, and now and then anything.
  int64_t drawNumber(bool isSmall) {
    if (isSmall)
      return draw(-100, 100);
    static constexpr int64_t edges[] = {INT64_MIN, INT64_MAX, int64_t(1) << 50, -(int64_t(1) << 50), int64_t(1) << 32};
    uint64_t number = draw(0, 2) ? random() >> draw(0, 63) : static_cast<uint64_t>(edges[draw(0, 4)]) + draw(-2, 2);
    return static_cast<int64_t>(number);
  }

  /// Gives each symbol a number; pointers do not become negative ones if they are small.
  void drawNumbers(bool isSmall) {
    for (Value argument : block->getArguments()) {
      int64_t number = drawNumber(isSmall);
      if (isa<LLVM::LLVMPointerType>(argument.getType()) && isSmall)
        number += 4096;
      unsigned width = argument.getType().isInteger(32) ? 32 : 64;
      APInt bits(width, number, /*isSigned=*/true, /*implicitTrunc=*/true);
      interpreter.set(argument, bits);
      numbers[argument] = bits.getSExtValue();
    }
  }

  auto getNumber() {
    return [&](Value value) -> std::optional<int64_t> { return numbers.lookup(value); };
  }

  void clear() {
    while (block->getOperations().size() > 1)
      std::prev(block->without_terminator().end())->erase();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Block *block;
  std::mt19937_64 random{11};
  Interpreter interpreter;
  llvm::DenseMap<Value, int64_t> numbers;
};
} // namespace

/// A generated condition is true only if the exact one is, for all numbers, and is the exact one for sizes of programs.
TEST_F(MaterializeTest, Conditions) {
  unsigned held = 0, different = 0, inverse = 0;
  for (int run = 0; run < 3000; ++run) {
    Predicate predicate = drawPredicate();
    OpBuilder builder = OpBuilder::atBlockTerminator(block);
    Value condition = predicate.materialize(builder, builder.getUnknownLoc());
    for (int values = 0; condition && values < 12; ++values) {
      bool isSmall = values < 4;
      drawNumbers(isSmall);
      interpreter.run(*block);
      bool isFound = interpreter.get(condition).isOne();
      std::optional<bool> holds = predicate.evaluate(getNumber());
      if (!holds)
        continue;
      ASSERT_TRUE(*holds || !isFound) << run;
      if (isSmall && *holds != isFound)
        ++inverse;
      held += isFound;
      different += *holds && !isFound;
    }
    clear();
  }
  EXPECT_GT(held, 1000u);
  EXPECT_GT(different, 100u) << "no number exceeds the limits";
  EXPECT_LT(inverse, 100u);
}

/// Checked numbers are the exact ones wherever they are said to fit. Exact numbers always are.
TEST_F(MaterializeTest, Numbers) {
  unsigned fitted = 0, tried = 0;
  for (int run = 0; run < 3000; ++run) {
    Expr expr = drawExpr(4);
    OpBuilder builder = OpBuilder::atBlockTerminator(block);
    Location loc = builder.getUnknownLoc();
    Materializer checked(builder, loc, Arithmetic::Checked);
    Value narrow = checked.getNarrow(expr), exact = expr.materialize(builder, loc);
    if (narrow) {
      Value fits = checked.get(Predicate::fits(expr));
      for (int values = 0; values < 12; ++values) {
        drawNumbers(/*isSmall=*/values < 6);
        interpreter.run(*block);
        std::optional<Int128> number = expr.evaluate(getNumber(), [](unsigned) { return std::nullopt; });
        if (!number)
          continue;
        APInt expected(128, {static_cast<uint64_t>(*number), static_cast<uint64_t>(*number >> 64)});
        ASSERT_EQ(interpreter.get(exact), expected) << run;
        ++tried;
        if (!interpreter.get(fits).isOne())
          continue;
        ++fitted;
        ASSERT_EQ(interpreter.get(narrow).sext(128), expected) << run;
      }
    }
    clear();
  }
  EXPECT_GT(fitted * 2, tried);
}
