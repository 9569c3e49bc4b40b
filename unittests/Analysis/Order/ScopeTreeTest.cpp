//===- ScopeTreeTest.cpp - Chains of random graphs, against definitions ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Order/ScopeTree.h"

#include "Comm/Analysis/Order/PostDominance.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/Sequence.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace mlir;
using namespace comm;

namespace {
using Blocks = std::set<Block *>;

struct ScopeTreeTest : public ::testing::Test {
  ScopeTreeTest() : builder(&context) { context.loadDialect<LLVM::LLVMDialect>(); }

  unsigned draw(unsigned bound) { return random() % bound; }

  /// Builds a function of n blocks with random control flow: branches, switches, returns, ends without a return.
  Region &build(unsigned n) {
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
    Type i32 = builder.getI32Type(), i1 = builder.getI1Type();
    auto function = LLVM::LLVMFuncOp::create(builder, loc(), "f",
                                             LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context), {i32, i1}));
    Region &region = function.getBody();
    SmallVector<Block *> blocks{function.addEntryBlock(builder)};
    while (blocks.size() < n) {
      blocks.push_back(new Block());
      region.push_back(blocks.back());
    }
    for (Block *block : blocks)
      fill(block, blocks);
    return region;
  }

  Location loc() { return builder.getUnknownLoc(); }

  void fill(Block *block, ArrayRef<Block *> blocks) {
    builder.setInsertionPointToEnd(block);
    Block *entry = blocks.front();
    SmallVector<Value> values{entry->getArgument(0)};
    for (unsigned i = 0, count = draw(4); i < count; ++i)
      values.push_back(LLVM::AddOp::create(builder, loc(), values[draw(values.size())], values[draw(values.size())]));
    // Any block except the entry, which has no predecessors.
    auto any = [&] { return blocks[1 + draw(blocks.size() - 1)]; };
    Value condition = entry->getArgument(1);
    unsigned kind = blocks.size() == 1 ? 0 : draw(12);
    if (kind == 0)
      LLVM::ReturnOp::create(builder, loc(), ValueRange{});
    else if (kind == 1)
      LLVM::UnreachableOp::create(builder, loc());
    else if (kind < 5)
      LLVM::BrOp::create(builder, loc(), ValueRange{}, any());
    else
      LLVM::CondBrOp::create(builder, loc(), condition, any(), any());
  }

  static bool returns(Block *block) { return isa<LLVM::ReturnOp>(block->getTerminator()); }

  /// Returns the blocks that can be reached from the successors of `from` without entering `without`.
  static Blocks reach(Block *from, Block *without) {
    Blocks reached;
    SmallVector<Block *> work{from};
    while (!work.empty())
      for (Block *successor : work.pop_back_val()->getSuccessors())
        if (successor != without && reached.insert(successor).second)
          work.push_back(successor);
    return reached;
  }
  static bool canReturn(Block *block) {
    return returns(block) || llvm::any_of(reach(block, nullptr), [](Block *b) { return returns(b); });
  }
  /// Returns true if all paths from `a` to a return lead through `b`, another block.
  static bool isStrictPostDominator(Block *b, Block *a) {
    return a != b && canReturn(a) && !returns(a) &&
           llvm::none_of(reach(a, b), [](Block *block) { return returns(block); });
  }

  /// The definition: the blocks between the end of `from` and `to`, if they have one entry, one exit and no way back.
  static std::optional<Blocks> getPiece(Block *from, Block *to) {
    if (!isStrictPostDominator(to, from))
      return std::nullopt;
    Blocks interior;
    for (Block *block : reach(from, to))
      if (canReturn(block))
        interior.insert(block);
    if (interior.count(from))
      return std::nullopt;
    auto isInside = [&](Block *pred) { return pred == from || interior.count(pred); };
    Blocks targets = interior;
    targets.insert(to);
    for (Block *block : targets)
      if (block->isEntryBlock() || !llvm::all_of(block->getPredecessors(), isInside))
        return std::nullopt;
    return interior;
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  std::mt19937 random{7};
};
} // namespace

TEST_F(ScopeTreeTest, PostDominance) {
  for (unsigned i = 0; i < 1500; ++i) {
    Region &region = build(1 + draw(10));
    PostDominance postDominance(region);
    for (Block &a : region) {
      EXPECT_EQ(postDominance.canReturn(&a), canReturn(&a));
      Block *expected = nullptr;
      for (Block &b : region) {
        if (!isStrictPostDominator(&b, &a))
          continue;
        bool isNearest = llvm::all_of(region, [&](Block &other) {
          return &other == &b || !isStrictPostDominator(&other, &a) || isStrictPostDominator(&other, &b);
        });
        if (isNearest)
          expected = &b;
      }
      EXPECT_EQ(postDominance.getImmediate(&a), expected);
    }
  }
}

TEST_F(ScopeTreeTest, ChainsAreWhatTheyAreDefinedToBe) {
  for (unsigned i = 0; i < 1500; ++i) {
    Region &region = build(1 + draw(10));
    ScopeTree scopes(region);
    unsigned numBlocks = 0;
    for (const std::unique_ptr<Chain> &chain : scopes.getChains()) {
      ArrayRef<Block *> blocks = chain->getBlocks();
      numBlocks += blocks.size();
      unsigned next = 0;
      for (const Unit &unit : chain->getUnits()) {
        if (!unit.isPiece()) {
          EXPECT_EQ(unit.op->getBlock(), blocks[next]);
          EXPECT_EQ(scopes.getChainOf(unit.op), chain.get());
          continue;
        }
        ASSERT_LT(next + 1, blocks.size());
        EXPECT_EQ(unit.op, blocks[next]->getTerminator());
        EXPECT_EQ(unit.join, blocks[next + 1]);
        std::optional<Blocks> piece = getPiece(blocks[next], unit.join);
        ASSERT_TRUE(piece.has_value());
        EXPECT_EQ(Blocks(unit.interior.begin(), unit.interior.end()), *piece);
        bool isLoop = llvm::any_of(*piece, [&](Block *block) { return reach(block, unit.join).count(block); });
        EXPECT_EQ(unit.isLoop, isLoop);
        bool leaves = false;
        for (Block *block : reach(blocks[next], unit.join))
          leaves |= !canReturn(block);
        EXPECT_EQ(unit.leavesAbnormally(), leaves);
        ++next;
      }
      // The chain continues as long as there is a piece.
      for (Block &to : region)
        EXPECT_FALSE(getPiece(blocks.back(), &to).has_value());
    }
    EXPECT_EQ(numBlocks, std::distance(region.begin(), region.end())) << "each block is in one chain";
  }
}

/// Any order that the values allow is legal IR with the same operations.
TEST_F(ScopeTreeTest, ReorderKeepsTheOperations) {
  for (unsigned i = 0; i < 1500; ++i) {
    Region &region = build(1 + draw(10));
    ASSERT_TRUE(succeeded(verify(*module)));
    auto collect = [&] {
      std::multiset<Operation *> operations;
      module->walk([&](Operation *op) { operations.insert(op); });
      return operations;
    };
    std::multiset<Operation *> before = collect();
    ScopeTree scopes(region);
    for (const std::unique_ptr<Chain> &chain : scopes.getChains())
      for (unsigned round = 0; round < 2; ++round) {
        unsigned n = chain->getUnits().size();
        std::vector<std::set<unsigned>> needs(n);
        for (unsigned unit = 0; unit < n; ++unit)
          chain->getUnits()[unit].walk([&](Operation *op) {
            for (Value operand : op->getOperands())
              if (int definition = chain->findDefiningUnit(operand); definition >= 0)
                if (definition != static_cast<int>(unit))
                  needs[unit].insert(definition);
          });
        SmallVector<unsigned> order, left(llvm::to_vector(llvm::seq<unsigned>(0, n)));
        while (!left.empty()) {
          unsigned pick = draw(left.size()), unit = left[pick];
          if (!llvm::all_of(needs[unit], [&](unsigned need) { return llvm::is_contained(order, need); }))
            continue;
          order.push_back(unit);
          left.erase(left.begin() + pick);
        }
        SmallVector<Operation *> expected;
        for (unsigned unit : order)
          expected.push_back(chain->getUnits()[unit].op);
        chain->reorder(order);
        for (auto [unit, op] : llvm::zip_equal(chain->getUnits(), expected)) {
          EXPECT_EQ(unit.op, op);
          EXPECT_EQ(chain->getUnits()[chain->findUnit(op)].op, op);
        }
        ASSERT_TRUE(succeeded(verify(*module)));
      }
    EXPECT_EQ(collect(), before);
  }
}
