//===- InteriorTest.cpp - Random nests and pieces, against their bytes ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Interior.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace mlir;
using namespace comm;

namespace {
using Bytes = std::set<int64_t>;

/// Nests over a block of rows with a halo. The numbers of points and rows are two symbols.
struct InteriorTest : public ::testing::Test {
  InteriorTest() {
    context.loadDialect<LLVM::LLVMDialect>();
    module = parseSourceString<ModuleOp>("llvm.func @f(%p: !llvm.ptr, %a: i32, %b: i32) { llvm.return }", &context);
    Block &block = module->lookupSymbol<LLVM::LLVMFuncOp>("f").getBody().front();
    pointer = block.getArgument(0);
    first = block.getArgument(1);
    second = block.getArgument(2);
  }

  int draw(int least, int most) { return least + static_cast<int>(random() % (most - least + 1)); }

  int64_t evaluate(const Expr &expr) {
    auto ofSymbol = [&](Value value) -> std::optional<int64_t> { return value == first ? ofFirst : ofSecond; };
    auto ofIteration = [&](unsigned loop) -> std::optional<int64_t> { return iterations[loop]; };
    return static_cast<int64_t>(*expr.evaluate(ofSymbol, ofIteration));
  }
  bool holds(const Predicate &predicate) {
    return predicate
        .evaluate([&](Value value) -> std::optional<int64_t> { return value == first ? ofFirst : ofSecond; })
        .value_or(false);
  }
  void addBytes(const Piece &piece, Bytes &bytes, unsigned level = 0, int64_t offset = 0) {
    if (level == piece.levels.size()) {
      for (int64_t i = 0, size = evaluate(piece.size); i < size; ++i)
        bytes.insert(offset + evaluate(piece.begin) + i);
      return;
    }
    for (int64_t i = 0, count = evaluate(piece.levels[level].count); i < count; ++i)
      addBytes(piece, bytes, level + 1, offset + i * evaluate(piece.levels[level].stride));
  }
  Bytes getBytes(const Piece &piece) {
    Bytes bytes;
    addBytes(piece, bytes);
    return bytes;
  }

  /// Repeats a piece as the analysis does for rows of constant length.
  void repeat(Piece &piece, const Expr &step, const Expr &count) {
    if (step.getConstant()) {
      piece.repeat(step, count);
      return;
    }
    bool isDown = step.getTerms().front().coefficient < 0;
    Expr stride = isDown ? Expr() - step : step;
    if (isDown)
      piece.begin = piece.begin + step * (count - Expr(1));
    piece.holds = piece.holds && Predicate::lessOrEqual(Expr(), stride);
    piece.levels.push_back({stride, count});
  }

  /// Returns the pieces of an access of the nest, one per depth.
  std::vector<Piece> nest(Expr begin, ArrayRef<Expr> steps, ArrayRef<Expr> counts) {
    std::vector<Piece> pieces;
    for (unsigned depth = 0; depth <= steps.size(); ++depth) {
      Piece piece;
      piece.base.pointer = pointer;
      piece.begin = begin;
      piece.size = Expr(8);
      for (unsigned level = steps.size(); level-- > 0;)
        if (level < depth)
          piece.begin = piece.begin + steps[level] * Expr::iteration(level);
        else
          repeat(piece, steps[level], counts[level]);
      pieces.push_back(piece);
    }
    return pieces;
  }
  static NestedPieces point(const std::vector<Piece> &pieces) {
    NestedPieces result;
    for (const Piece &piece : pieces)
      result.push_back(&piece);
    return result;
  }
  /// Calls `fn` in each iteration of the first `depth` loops.
  template <typename Fn> void run(ArrayRef<Expr> counts, const Fn &fn, unsigned level = 0) {
    if (level == counts.size())
      return fn();
    for (int64_t i = 0, count = evaluate(counts[level]); i < count; ++i) {
      iterations[level] = i;
      run(counts, fn, level + 1);
    }
    iterations[level] = 0;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Value pointer, first, second;
  int64_t ofFirst = 0, ofSecond = 0;
  std::array<int64_t, 4> iterations{};
  std::mt19937 random{11};
};

/// No iteration in the box touches the avoided bytes, and most boxes are as large as possible.
TEST_F(InteriorTest, NothingIsTouched) {
  Expr m = Expr::symbol(first), n = Expr::symbol(second);
  unsigned taken = 0, inside = 0, possible = 0;
  for (int round = 0; round < 3000; ++round) {
    unsigned depth = draw(1, 3);
    Expr point(8), row = Expr(8) * (n + Expr(2)), plane = row * (n + Expr(2));
    SmallVector<Expr> all{plane, row, point}, steps(all.end() - depth, all.end());
    SmallVector<Expr> counts(depth, n);
    counts[0] = m;
    Expr begin(0);
    for (const Expr &step : steps)
      begin = begin + step;
    Expr center = begin;
    if (draw(0, 4) == 0) { // from the last to the first
      begin = begin + steps[0] * (counts[0] - Expr(1));
      steps[0] = Expr() - steps[0];
    }
    std::vector<std::vector<Piece>> accesses;
    for (int i = draw(1, 3); i > 0; --i)
      accesses.push_back(nest(begin + all[3 - draw(1, depth)] * Expr(draw(-1, 1)), steps, counts));
    // A face of the block or of its halo, or any piece.
    Piece other;
    other.base.pointer = pointer;
    other.begin = center;
    other.size = Expr(8);
    unsigned fixed = draw(0, depth - 1);
    for (unsigned level = depth; level-- > 0;) {
      Expr step = all[3 - depth + level];
      if (level == fixed)
        other.begin = other.begin + step * (draw(0, 1) ? Expr(draw(-1, 1)) : counts[level] - Expr(draw(0, 1)));
      else
        repeat(other, step, draw(0, 5) ? counts[level] : Expr(draw(1, 2)));
    }
    Interior interior(counts);
    bool isAvoided = true;
    for (const std::vector<Piece> &access : accesses)
      isAvoided &= interior.avoid(InteriorTest::point(access), other, areDifferentObjects);
    if (!isAvoided)
      continue;
    ++taken;
    ofFirst = draw(0, 5);
    ofSecond = draw(0, 5);
    Bytes avoided = getBytes(other);
    run(counts, [&] {
      bool isOut = false, meets = false;
      for (unsigned level = 0; level < depth; ++level)
        for (const TouchingIterations &touched : interior.getTouched(level))
          isOut |= !holds(touched.valid) || (evaluate(touched.range.begin) <= iterations[level] &&
                                             iterations[level] < evaluate(touched.range.end));
      for (const std::vector<Piece> &access : accesses)
        for (int64_t byte : getBytes(access.back()))
          meets |= avoided.count(byte) != 0;
      EXPECT_TRUE(isOut || !meets) << "round " << round << ", " << ofFirst << " x " << ofSecond;
      possible += !meets;
      inside += !isOut;
    });
  }
  EXPECT_GT(taken, 2000u);
  EXPECT_GT(inside, possible / 2);
}

/// Accesses that are said not to meet in different iterations do not.
// In a block of three dimensions whose ghost faces arrive, each loop loses its first and last iteration, and no loop
// avoids a face of another one.
TEST_F(InteriorTest, FacesLeaveTheMiddle) {
  Expr s = Expr::symbol(first), n = Expr::symbol(second);
  SmallVector<Expr> steps{Expr(8) * s * s, Expr(8) * s, Expr(8)}, counts(3, n);
  Expr center = steps[0] + steps[1] + steps[2];
  Interior interior(counts);
  for (unsigned face = 0; face < 3; ++face)
    for (const Expr &place : {Expr(-1), n}) {
      Piece ghosts;
      ghosts.base.pointer = pointer;
      ghosts.begin = center + steps[face] * place;
      ghosts.size = Expr(8);
      for (unsigned level = 3; level-- > 0;)
        if (level != face)
          repeat(ghosts, steps[level], n);
      for (unsigned dimension = 0; dimension < 3; ++dimension)
        for (int offset : {-1, 0, 1})
          EXPECT_TRUE(interior.avoid(point(nest(center + steps[dimension] * Expr(offset), steps, counts)), ghosts,
                                     areDifferentObjects));
    }
  ofFirst = 10;
  ofSecond = 8;
  for (unsigned level = 0; level < 3; ++level)
    for (const TouchingIterations &touched : interior.getTouched(level)) {
      int64_t begin = evaluate(touched.range.begin), end = evaluate(touched.range.end);
      EXPECT_TRUE(holds(touched.valid));
      EXPECT_TRUE(begin >= end || end <= 1 || begin >= 7) << "level " << level << ": " << begin << " to " << end;
    }
}

TEST_F(InteriorTest, Independence) {
  Expr m = Expr::symbol(first), n = Expr::symbol(second);
  unsigned found = 0, real = 0;
  for (int round = 0; round < 2000; ++round) {
    unsigned depth = draw(1, 2);
    Expr row = Expr(8) * (draw(0, 1) ? n : n + Expr(2));
    SmallVector<Expr> steps{row, Expr(8)}, counts{m, n};
    if (draw(0, 4) == 0)
      steps[0] = Expr() - row;
    std::vector<Piece> a = nest(row * Expr(4) + Expr(8 * draw(-1, 1)), steps, counts);
    std::vector<Piece> b = nest(row * Expr(4 + draw(-1, 1)) + Expr(4 * draw(-3, 3)), steps, counts);
    // The same in several planes, which may be shorter than the loop's range in each.
    if (draw(0, 1)) {
      Expr plane = row * (m + Expr(draw(-1, 2)));
      int planes = draw(1, 3);
      for (unsigned level = 0; level < a.size(); ++level) {
        repeat(a[level], plane, planes);
        repeat(b[level], plane, planes);
      }
    }
    ArrayRef<Expr> around = ArrayRef(counts).take_front(depth);
    Predicate independent = areIterationsIndependent(point(a), point(b), around, areDifferentObjects);
    ofFirst = draw(0, 3);
    ofSecond = draw(0, 3);
    std::vector<Bytes> inA, inB;
    run(around, [&] {
      inA.push_back(getBytes(a[depth]));
      inB.push_back(getBytes(b[depth]));
    });
    bool meet = false;
    for (size_t i = 0; i < inA.size(); ++i)
      for (size_t j = 0; j < inB.size(); ++j)
        meet |= i != j && llvm::any_of(inA[i], [&](int64_t byte) { return inB[j].count(byte); });
    EXPECT_FALSE(meet && holds(independent)) << "round " << round;
    found += holds(independent);
    real += !meet;
  }
  EXPECT_GT(found, real / 3);
}

TEST_F(InteriorTest, Parities) {
  Expr m = Expr::symbol(first), n = Expr::symbol(second);
  EXPECT_EQ((Expr(3) * m - Expr(2) * n + Expr(5)).getParity(), m + Expr(1));
  EXPECT_EQ((Expr::wrap(Expr(3) * m * n, 8, /*isSigned=*/true) + n).getParity(), m * n + n);
  unsigned found = 0, real = 0;
  for (int round = 0; round < 3000; ++round) {
    unsigned loops = draw(2, 3);
    // The outermost of three loops iterates over planes.
    Expr row = Expr(8) * (Expr(2) * n + Expr(draw(1, 4))), plane = row * (m + Expr(draw(0, 2)));
    int step = draw(1, 3);
    SmallVector<Expr> steps{row, Expr(8 * step)}, counts{m, n};
    if (loops == 3) {
      steps.insert(steps.begin(), plane);
      counts.insert(counts.begin(), Expr(draw(1, 3)));
    }
    auto make = [&](int plusPlanes, int plusRows, int plusColumns) {
      int bit = draw(0, 1);
      Expr begin = plane * Expr(8 + plusPlanes) + row * Expr(plusRows) + Expr(8 * (bit + plusColumns));
      std::vector<Piece> pieces = nest(begin, steps, counts);
      Expr even(bit);
      for (unsigned level = 0; level + 1 < loops; ++level)
        if (draw(0, 9))
          even = even + Expr::iteration(level);
      bool isOfPoints = draw(0, 3) == 0;
      if (isOfPoints)
        even = even + Expr::iteration(loops - 1);
      for (unsigned depth = isOfPoints ? loops : loops - 1; depth <= loops; ++depth)
        pieces[depth].evens.push_back(even);
      return pieces;
    };
    bool isInPlane = loops == 2 || draw(0, 1);
    std::vector<Piece> a = make(0, 0, 0);
    std::vector<Piece> b = make(isInPlane ? 0 : draw(-1, 1), isInPlane ? draw(-1, 1) : 0, draw(-1, 1));
    unsigned depth = draw(1, loops);
    ArrayRef<Expr> around = ArrayRef(counts).take_front(depth);
    Predicate independent = areIterationsIndependent(point(a), point(b), around, areDifferentObjects);
    ofFirst = draw(0, 4);
    ofSecond = draw(0, 4);
    std::vector<std::pair<std::vector<int64_t>, Bytes>> inA, inB;
    run(counts, [&] {
      std::vector<int64_t> place(iterations.begin(), iterations.begin() + depth);
      auto note = [&](const Piece &piece, auto &in) {
        if (in.empty() || in.back().first != place)
          in.push_back({place, {}});
        if (evaluate(piece.evens[0]) % 2 == 0)
          in.back().second.merge(getBytes(piece));
      };
      note(a[loops], inA);
      note(b[loops], inB);
    });
    bool meet = false;
    for (const auto &[place, bytes] : inA)
      for (const auto &[otherPlace, otherBytes] : inB)
        meet |= place != otherPlace &&
                llvm::any_of(bytes, [&, &other = otherBytes](int64_t byte) { return other.count(byte); });
    EXPECT_FALSE(meet && holds(independent)) << "round " << round;
    found += holds(independent);
    real += !meet;
  }
  EXPECT_GT(found, real / 3);
}
} // namespace
