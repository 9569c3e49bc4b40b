//===- FootprintTest.cpp - Random pieces and loops, against their bytes ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Footprint.h"
#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Analysis/Memory/LLVMTranslation.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace mlir;
using namespace comm;

namespace {
using Bytes = std::set<int64_t>;

struct FootprintTest : public ::testing::Test {
  FootprintTest() {
    DialectRegistry registry;
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerCommDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<LLVM::LLVMDialect, CommDialect>();
  }

  int draw(int least, int most) { return least + static_cast<int>(random() % (most - least + 1)); }

  std::optional<Int128> evaluate(const Expr &expr) {
    return expr.evaluate(
        [&](Value value) -> std::optional<int64_t> {
          auto it = numbers.find(value.getAsOpaquePointer());
          return it == numbers.end() ? std::nullopt : std::optional<int64_t>(it->second);
        },
        [&](unsigned) { return iteration; });
  }

  bool holds(const Predicate &predicate) {
    return predicate
        .evaluate([&](Value value) -> std::optional<int64_t> { return numbers.at(value.getAsOpaquePointer()); })
        .value_or(false);
  }

  Bytes getBytes(const Piece &piece, unsigned level = 0, int64_t offset = 0) {
    Bytes bytes;
    if (level == piece.levels.size()) {
      int64_t begin = offset + *evaluate(piece.begin), size = *evaluate(piece.size);
      for (int64_t i = 0; i < size; ++i)
        bytes.insert(begin + i);
      return bytes;
    }
    int64_t count = *evaluate(piece.levels[level].count), stride = *evaluate(piece.levels[level].stride);
    for (int64_t i = 0; i < count; ++i)
      bytes.merge(getBytes(piece, level + 1, offset + i * stride));
    return bytes;
  }

  static bool meet(const Bytes &a, const Bytes &b) {
    return llvm::any_of(a, [&](int64_t byte) { return b.count(byte); });
  }

  /// Parses a function of integers, whose arguments are symbols.
  Block *parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text.str();
    return &module->lookupSymbol<LLVM::LLVMFuncOp>("f").getBody().front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::mt19937 random{7};
  std::map<void *, int64_t> numbers;
  std::optional<int64_t> iteration;
};

TEST_F(FootprintTest, Arithmetic) {
  Block *block = parse("llvm.func @f(%a: i32, %b: i64) { llvm.return }");
  Expr a = Expr::symbol(block->getArgument(0)), b = Expr::symbol(block->getArgument(1));
  EXPECT_EQ((a + b) * (a - b), a * a - b * b);
  EXPECT_EQ(((a + Expr(2)) * (b + Expr(3)) * Expr(8)).divideExactly((a + Expr(2)) * Expr(4)), (b + Expr(3)) * Expr(2));
  EXPECT_TRUE((a * Expr(3)).divideExactly(Expr(2)).isUnknown());
  EXPECT_TRUE((a + Expr(1)).divideExactly(a).isUnknown());
  EXPECT_TRUE((Expr(INT64_MAX) + Expr(1)).isUnknown());
  EXPECT_EQ(Expr::wrap(Expr(255), 8, true).getConstant(), -1);
  EXPECT_EQ(Expr::wrap(Expr(-1), 32, false).getConstant(), 0xffffffffll);
  EXPECT_EQ(Expr::wrap(a, 32, true), a);
  EXPECT_NE(Expr::wrap(a, 32, false), a);
  // Two numbers with an odd difference have different last bits, whose sum is 1.
  EXPECT_EQ(Expr::wrap(a, 1, false) + Expr::wrap(a + Expr(1), 1, false), Expr(1));
  EXPECT_EQ(Expr::wrap(Expr(3) - a, 1, true), Expr::wrap(a, 1, false) - Expr(1));
  EXPECT_EQ(Expr::wrap(Expr(2) * a, 1, true), Expr());
  EXPECT_EQ(Expr::floorDiv(Expr(-7), Expr(2)).getConstant(), -4);
  EXPECT_EQ(Expr::floorDiv(a * Expr(6), Expr(3)), a * Expr(2));
  EXPECT_TRUE(Expr::floorDiv(a, Expr(0)).isUnknown());
  // Division by a symbol leaves no known bound below the dividend.
  EXPECT_FALSE(Expr::min(Expr::floorDiv(Expr(2056), a), Expr(9)).getConstant());
  EXPECT_TRUE(Expr::floorDiv(Expr(2056), a).isNonNegative());
  EXPECT_TRUE((Expr(2056) - Expr::floorDiv(Expr(2056), a)).isNonNegative());
  EXPECT_FALSE(Expr::max(Expr::floorDiv(Expr(-2056), a), Expr(-9)).getConstant());
  EXPECT_TRUE((Expr(-1) - Expr::floorDiv(Expr(-2056), a)).isNonNegative());
  EXPECT_EQ(Expr::min(a, a + Expr(1)), a);
  EXPECT_EQ(Expr::max(a, b), Expr::max(b, a));
  EXPECT_TRUE((Expr(4) - Expr(4)).isZero());
  // Powers of a symbol must fit into 128 bits.
  EXPECT_FALSE((b * b * b).isMaterializable());
  EXPECT_TRUE((a * b).isMaterializable());
}

TEST_F(FootprintTest, Predicates) {
  Block *block = parse("llvm.func @f(%a: i32) { llvm.return }");
  Expr a = Expr::symbol(block->getArgument(0));
  EXPECT_TRUE(Predicate::lessOrEqual(a, a + Expr(1)).isTrue());
  EXPECT_TRUE(Predicate::lessOrEqual(a + Expr(1), a).isFalse());
  EXPECT_TRUE(Predicate::lessOrEqual(a, Expr(int64_t(1) << 31)).isTrue());
  EXPECT_TRUE(Predicate::lessOrEqual(a, Expr::unknown()).isFalse());
  Predicate open = Predicate::lessOrEqual(Expr(1), a);
  EXPECT_FALSE(open.isTrue() || open.isFalse());
  EXPECT_TRUE((open || Predicate::always()).isTrue());
  EXPECT_EQ((open && open).getSize(), 1u);
  for (int64_t value : {-1, 0, 1, 2}) {
    numbers[block->getArgument(0).getAsOpaquePointer()] = value;
    EXPECT_EQ(holds(open), value >= 1);
  }
}

/// Pieces that are reported disjoint always are; most disjoint pairs are found.
TEST_F(FootprintTest, RandomPieces) {
  Block *block = parse("llvm.func @f(%p: !llvm.ptr, %a: i32, %b: i32) { llvm.return }");
  Expr symbols[] = {Expr::symbol(block->getArgument(1)), Expr::symbol(block->getArgument(2))};
  auto drawExpr = [&](int most) {
    Expr expr(draw(-most, most));
    return draw(0, 1) ? expr + symbols[draw(0, 1)] * Expr(draw(1, 3)) : expr;
  };
  auto drawPiece = [&](const Expr &row) {
    Piece piece;
    piece.base.pointer = block->getArgument(0);
    piece.begin = drawExpr(12);
    piece.size = Expr(draw(0, 4));
    for (int i = draw(0, 2); i > 0; --i)
      piece.repeat(draw(0, 2) ? row * Expr(draw(1, 2)) : drawExpr(3),
                   draw(0, 1) ? Expr(draw(1, 3)) : Expr::max(symbols[0], Expr(1)));
    return piece;
  };
  unsigned apart = 0, found = 0;
  for (int run = 0; run < 4000; ++run) {
    Expr row = drawExpr(6);
    Piece a = drawPiece(row), b = drawPiece(row);
    Predicate disjoint = areDisjoint(a, b, areDifferentObjects);
    for (int values = 0; values < 4; ++values) {
      numbers[block->getArgument(1).getAsOpaquePointer()] = draw(0, 5);
      numbers[block->getArgument(2).getAsOpaquePointer()] = draw(-2, 5);
      bool isApart = !meet(getBytes(a), getBytes(b)), isFound = holds(disjoint);
      ASSERT_TRUE(isApart || !isFound) << run;
      apart += isApart;
      found += isFound;
    }
  }
  EXPECT_GT(found * 2, apart);
}

/// The answer contains all iterations that touch the range, and its first and last one do.
TEST_F(FootprintTest, RandomIterations) {
  Block *block = parse("llvm.func @f(%p: !llvm.ptr, %a: i32) { llvm.return }");
  Expr symbol = Expr::symbol(block->getArgument(1));
  for (int run = 0; run < 4000; ++run) {
    Piece piece;
    piece.base.pointer = block->getArgument(0);
    int step = draw(1, 5) * (draw(0, 1) ? 1 : -1);
    piece.begin = Expr(draw(-20, 20)) + Expr(step) * Expr::iteration(0) + (draw(0, 1) ? symbol : Expr());
    piece.size = Expr(draw(1, 7));
    int64_t first = draw(-20, 20), last = first + draw(1, 10), count = draw(0, 9);
    numbers[block->getArgument(1).getAsOpaquePointer()] = draw(-5, 5);
    TouchingIterations touching = findTouching(piece, 0, Expr(count), Expr(first), Expr(last));
    ASSERT_TRUE(touching.valid.isTrue());
    int64_t begin = *evaluate(touching.range.begin), end = *evaluate(touching.range.end);
    ASSERT_LE(0, begin);
    ASSERT_LE(begin, end);
    ASSERT_LE(end, count);
    for (int64_t i = 0; i < count; ++i) {
      iteration = i;
      Int128 from = *evaluate(piece.begin), to = from + *evaluate(piece.size);
      ASSERT_EQ(from < last && first < to, begin <= i && i < end) << run;
    }
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// for (i = 0; i < n; ++i) for (j = lower * i; j < m; ++j) p[a * i + b * j + c] = 0, of shorts, as clang emits it.
struct Nest {
  int a, b, c, lower;
  bool isDown;

  std::string print() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "llvm.func @f(%p: !llvm.ptr, %n: i64, %m: i64) {\n"
       << "  %zero = llvm.mlir.constant(0 : i64) : i64\n  %one = llvm.mlir.constant(1 : i64) : i64\n"
       << "  %a = llvm.mlir.constant(" << a << " : i64) : i64\n  %b = llvm.mlir.constant(" << b << " : i64) : i64\n"
       << "  %c = llvm.mlir.constant(" << c << " : i64) : i64\n  %l = llvm.mlir.constant(" << lower << " : i64) : i64\n"
       << "  %v = llvm.mlir.constant(0 : i16) : i16\n"
       << "  %some = llvm.icmp \"sgt\" %n, %zero : i64\n"
       << "  llvm.cond_br %some, ^outer(%zero : i64), ^join {tag = \"nest\"}\n"
       << "^outer(%i: i64):\n"
       << "  %from = llvm.mul %i, %l overflow<nsw> : i64\n"
       << "  %any = llvm.icmp \"slt\" %from, %m : i64\n"
       << "  llvm.cond_br %any, ^inner(%from : i64), ^next\n"
       << "^inner(%j: i64):\n"
       << "  %x = llvm.mul %i, %a overflow<nsw> : i64\n  %y = llvm.mul %j, %b overflow<nsw> : i64\n"
       << "  %s = llvm.add %x, %y overflow<nsw> : i64\n  %t = llvm.add %s, %c overflow<nsw> : i64\n";
    if (isDown)
      os << "  %k = llvm.sub %zero, %t overflow<nsw> : i64\n";
    os << "  %q = llvm.getelementptr inbounds %p[" << (isDown ? "%k" : "%t")
       << "] : (!llvm.ptr, i64) -> !llvm.ptr, i16\n"
       << "  llvm.store %v, %q : i16, !llvm.ptr\n"
       << "  %j1 = llvm.add %j, %one overflow<nsw> : i64\n  %more = llvm.icmp \"slt\" %j1, %m : i64\n"
       << "  llvm.cond_br %more, ^inner(%j1 : i64), ^next\n"
       << "^next:\n"
       << "  %i1 = llvm.add %i, %one overflow<nsw> : i64\n  %again = llvm.icmp \"slt\" %i1, %n : i64\n"
       << "  llvm.cond_br %again, ^outer(%i1 : i64), ^join\n"
       << "^join:\n  llvm.return\n}\n";
    return text;
  }

  Bytes run(int64_t n, int64_t m, int64_t only = -1) const {
    Bytes bytes;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = lower * i; j < m && (only < 0 || only == i); ++j) {
        int64_t index = (isDown ? -1 : 1) * (a * i + b * j + c);
        bytes.insert({2 * index, 2 * index + 1});
      }
    return bytes;
  }
};

TEST_F(FootprintTest, RandomNests) {
  unsigned known = 0, runs = 150;
  for (unsigned run = 0; run < runs; ++run) {
    Nest nest{draw(-4, 6), draw(-3, 4), draw(-9, 9), draw(0, 2), draw(0, 3) == 0};
    Block *block = parse(nest.print());
    std::unique_ptr<FootprintAnalysis> analysis = FootprintAnalysis::create(*module);
    ASSERT_TRUE(analysis);
    ScopeTree scopes(*block->getParent());
    const Unit *unit = nullptr;
    for (const auto &chain : scopes.getChains())
      for (const Unit &candidate : chain->getUnits())
        if (candidate.isPiece() && candidate.op->hasAttr("tag"))
          unit = &candidate;
    ASSERT_TRUE(unit);
    Footprint footprint = analysis->getFootprint(*unit);
    FootprintAnalysis::Iterations iterations = analysis->getIterations(*unit);
    ASSERT_TRUE(iterations.isLoop);
    if (footprint.isUnknown || footprint.pieces.size() != 1 || footprint.pieces[0].isWhole)
      continue;
    ++known;
    const Piece &piece = footprint.pieces[0];
    EXPECT_EQ(piece.base.pointer, block->getArgument(0));
    EXPECT_TRUE(piece.writes && !piece.reads);
    for (int64_t n = -1; n <= 5; ++n)
      for (int64_t m = -1; m <= 5; ++m) {
        numbers[block->getArgument(1).getAsOpaquePointer()] = n;
        numbers[block->getArgument(2).getAsOpaquePointer()] = m;
        Bytes touched = nest.run(n, m);
        if (touched.empty() || !holds(piece.holds))
          continue;
        Bytes predicted = getBytes(piece);
        ASSERT_TRUE(std::includes(predicted.begin(), predicted.end(), touched.begin(), touched.end()))
            << nest.print() << n << " " << m;
        ASSERT_EQ(*evaluate(iterations.count), n);
        if (iterations.footprint.pieces.size() != 1 || iterations.footprint.pieces[0].isWhole)
          continue;
        for (int64_t i = 0; i < n; ++i) {
          iteration = i;
          Bytes ofOne = nest.run(n, m, i), each = getBytes(iterations.footprint.pieces[0]);
          ASSERT_TRUE(std::includes(each.begin(), each.end(), ofOne.begin(), ofOne.end())) << nest.print() << i;
        }
      }
  }
  EXPECT_GT(known * 2, runs);
}

} // namespace
