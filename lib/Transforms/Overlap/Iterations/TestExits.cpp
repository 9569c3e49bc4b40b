//===- TestExits.cpp - Loops that may leave by an error -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (i < n) { if (i >= rows) fail(); body; }
//
// becomes
//
//   stays = no iteration leaves;
//   if (stays) for (i < n) body;
//   if (!stays) for (i < n) { if (i >= rows) fail(); body; }
//
// Only the first of the two loops can be split. Where an iteration leaves, the program's own loop runs as a whole, and
// the code that handles the error finds what it would have found.
//===----------------------------------------------------------------------===//

#include "Iterations/TestExits.h"

#include "Iterations/LoopLegality.h"
#include "Units/ArmNumbers.h"
#include "Units/SimplifyLoads.h"

#include "Comm/Analysis/Footprints/Interior.h"
#include "Comm/Analysis/Footprints/SizeLimiter.h"
#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/Utils/Origin.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Transforms/Utils/ControlFlow.h"
#include "Comm/Transforms/Utils/HandOver.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

/// Limits on the operations that are copied in one module, and on the comparisons of one test.
static constexpr unsigned kMostOperations = 4000, kMostComparisons = 100;

namespace {
/// A loop and its copy before it, which still has the exits.
struct TestedLoop {
  Unit own;
  /// The two branches on the test.
  LLVM::CondBrOp first, second;
  /// The blocks of the copy. The last one is where its exits lead.
  SmallVector<Block *> copied;
  /// Loads of the copy that have moved before it.
  SmallVector<LLVM::LoadOp> early;
};
} // namespace

/// Returns the edge by which the branch stays in the unit if it is all that the copy needs of the branch, or null.
static BlockOperand *findStaying(const Unit &unit, BlockOperand &exit) {
  auto branch = dyn_cast<LLVM::CondBrOp>(exit.getOwner());
  if (!branch || !llvm::is_contained(unit.interior, branch->getBlock()))
    return nullptr;
  BlockOperand &other = branch->getBlockOperands()[1 - exit.getOperandNumber()];
  bool leavesToo = llvm::is_contained(unit.exits, &other);
  return leavesToo ? nullptr : &other;
}

/// Returns true if all that keeps the loop from being split may be its exits. Adds its operations to `size`.
static bool isCandidate(const Unit &unit, MemoryOracle &oracle, unsigned &size) {
  if (!unit.isPiece() || !unit.isLoop || !unit.leavesAbnormally() || !isa<LLVM::CondBrOp, LLVM::BrOp>(unit.op) ||
      isa<LLVM::LandingpadOp>(unit.join->front()))
    return false;
  Unit staying = unit;
  staying.exits.clear();
  if (!llvm::all_of(unit.exits, [&](BlockOperand *exit) { return findStaying(unit, *exit); }) ||
      !whyNotSplit(staying, oracle).empty())
    return false;
  unit.walk([&](Operation *) { ++size; });
  return size <= kMostOperations;
}

/// Returns the blocks that control may reach from the block without passing `end`.
static llvm::SetVector<Block *> findReachableBlocks(ArrayRef<Block *> from, Block *end) {
  llvm::SetVector<Block *> blocks(from.begin(), from.end());
  for (size_t i = 0; i < blocks.size(); ++i)
    for (Block *next : blocks[i]->getSuccessors())
      if (next != end)
        blocks.insert(next);
  return blocks;
}

/// Passes values of the loop that are used after it as arguments of its join. Returns false if that is impossible: code
/// that an exit leads to gets its values from the program's own loop alone.
static bool handOver(const Unit &unit) {
  llvm::SetVector<Block *> afterExits, after = findReachableBlocks({unit.join}, unit.op->getBlock());
  for (BlockOperand *exit : unit.exits)
    afterExits.insert_range(findReachableBlocks({exit->get()}, unit.op->getBlock()));
  if (afterExits.contains(unit.join))
    return false;
  auto getPlace = [&](Operation *user) { return unit.join->getParent()->findAncestorBlockInRegion(*user->getBlock()); };
  auto isAfter = [&](Operation *user) {
    Block *place = getPlace(user);
    return !llvm::is_contained(unit.interior, place) && !afterExits.contains(place);
  };
  HandOver leaving([&](Value value) { return !llvm::is_contained(unit.interior, value.getParentBlock()); });
  auto leaves = [&](Value value) { return llvm::any_of(value.getUsers(), isAfter); };
  auto isShared = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return afterExits.contains(getPlace(user)) && after.contains(getPlace(user));
    });
  };
  for (Block *block : unit.interior)
    if (llvm::any_of(block->getArguments(), isShared) ||
        llvm::any_of(*block, [&](Operation &op) { return llvm::any_of(op.getResults(), isShared); }) ||
        !leaving.addOf(*block, leaves))
      return false;
  if (!leaving.getCarried().empty() &&
      llvm::any_of(unit.join->getUses(), [](BlockOperand &edge) { return !isa<BranchOpInterface>(edge.getOwner()); }))
    return false;
  leaving.pass(unit.join, isAfter);
  return true;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

/// Returns true if the loop may be executed where the program would not execute it: it reads a variable that is there.
static bool isAlwaysThere(LLVM::LoadOp load, const DataLayout &layout) {
  int64_t offset = 0;
  Value base = stripConstantOffsets(load.getAddr(), layout, offset);
  auto variable = base.getDefiningOp<LLVM::AllocaOp>();
  std::optional<int64_t> size = variable ? getVariableSize(variable, layout) : std::nullopt;
  return size && offset >= 0 && offset + static_cast<int64_t>(layout.getTypeSize(load.getType())) <= *size;
}

/// Moves what all iterations of the copy compute alike before it: pointers and numbers of variables, of which
/// nothing but the test knows that the loop does not write them, and what follows from them.
static void moveAhead(TestedLoop &loop) {
  DataLayout layout = DataLayout::closest(loop.first);
  SmallPtrSet<Value, 8> written;
  for (Block *block : loop.copied)
    for (auto store : block->getOps<LLVM::StoreOp>())
      written.insert(store.getAddr());
  auto isKnown = [&](Value value) { return !llvm::is_contained(loop.copied, value.getParentBlock()); };
  for (bool changed = true; changed;) {
    changed = false;
    for (Block *block : loop.copied)
      for (Operation &op : llvm::make_early_inc_range(block->without_terminator())) {
        if (!llvm::all_of(op.getOperands(), isKnown) || op.getNumRegions() != 0)
          continue;
        auto load = dyn_cast<LLVM::LoadOp>(op);
        if (!load && (!isPure(&op) || isa<LLVM::UDivOp, LLVM::SDivOp, LLVM::URemOp, LLVM::SRemOp>(op)))
          continue;
        if (load && (!isPlainAccess(load) || !isa<IntegerType, LLVM::LLVMPointerType>(load.getType()) ||
                     written.contains(load.getAddr()) || !isAlwaysThere(load, layout)))
          continue;
        if (load) {
          // What the program promises of the load holds where it executes it.
          for (StringRef promise : {"tbaa", "alias_scopes", "noalias_scopes", "invariant", "invariantGroup"})
            load->removeAttr(promise);
          load->setLoc(dropOrigin(load->getLoc()));
          loop.early.push_back(load);
        }
        moveNumber(&op, loop.first);
        changed = true;
      }
  }
}

/// Makes the copy. Both branches on the test enter the copy, until there is a test.
static std::optional<TestedLoop> makeCopy(const Unit &unit) {
  if (!handOver(unit))
    return std::nullopt;
  TestedLoop loop{unit, nullptr, nullptr, {}, {}};
  Block *before = unit.op->getBlock();
  Region &region = *before->getParent();
  Location loc = unit.op->getLoc();
  auto *between = new Block(), *own = new Block();
  region.getBlocks().insert(Region::iterator(unit.join), between);
  region.getBlocks().insert(Region::iterator(unit.join), own);
  IRMapping mapping;
  mapping.map(unit.join, between);
  OpBuilder builder(unit.op);
  SmallVector<Value> poison;
  for (BlockArgument argument : unit.join->getArguments()) {
    between->addArgument(argument.getType(), argument.getLoc());
    poison.push_back(createPoison(builder, loc, argument.getType()));
  }
  Value stays = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(true));
  auto *entry = new Block();
  region.getBlocks().insert(Region::iterator(between), entry);
  SmallVector<Operation *> copies;
  copyBlocks(unit.interior, between, mapping, copies);
  copies.push_back(unit.op->clone(mapping));
  entry->push_back(copies.back());
  mapOperands(copies, mapping);
  unit.op->moveBefore(own, own->end());
  builder.setInsertionPointToEnd(before);
  loop.first = LLVM::CondBrOp::create(builder, loc, stays, entry, ValueRange(), between, poison);
  builder.setInsertionPointToEnd(between);
  loop.second = LLVM::CondBrOp::create(builder, loc, stays, unit.join, between->getArguments(), own, ValueRange());
  loop.copied.push_back(entry);
  for (Block *block : unit.interior)
    loop.copied.push_back(mapping.lookup(block));
  // Code that the program's exits lead to may use values of its own loop.
  loop.copied.push_back(new Block());
  region.getBlocks().insert(Region::iterator(unit.join), loop.copied.back());
  for (BlockOperand *exit : unit.exits) {
    Operation *end = mapping.lookup(exit->getOwner()->getBlock())->getTerminator();
    unsigned successor = exit->getOperandNumber();
    cast<BranchOpInterface>(end).getSuccessorOperands(successor).getMutableForwardedOperands().clear();
    end->setSuccessor(loop.copied.back(), successor);
  }
  builder.setInsertionPointToEnd(loop.copied.back());
  LLVM::UnreachableOp::create(builder, loc);
  moveAhead(loop);
  return loop;
}

/// Removes a copy that is of no use. What has moved ahead of it stays, and is not used.
static void removeCopy(TestedLoop &loop) {
  Block *before = loop.first->getBlock(), *between = loop.second->getBlock(), *own = loop.own.op->getBlock();
  loop.first.erase();
  loop.own.op->moveBefore(before, before->end());
  loop.second.erase();
  for (Block *block : loop.copied)
    block->dropAllReferences();
  for (Block *block : loop.copied) {
    block->dropAllUses();
    block->erase();
  }
  between->erase();
  own->erase();
}

/// The copy stays where the program's own loop could leave.
static void removeExits(const Unit &copied) {
  for (BlockOperand *exit : copied.exits) {
    Operation *end = exit->getOwner();
    unsigned staying = findStaying(copied, *exit)->getOperandNumber();
    BranchTarget target{
        end->getSuccessor(staying),
        llvm::to_vector(cast<BranchOpInterface>(end).getSuccessorOperands(staying).getForwardedOperands())};
    OpBuilder builder(end);
    createBranch(builder, end->getLoc(), target);
    end->erase();
  }
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

/// Returns the condition under which the copy does not write what the load reads.
static Predicate writesNothingOf(LLVM::LoadOp load, const Unit &copied, FootprintAnalysis &analysis,
                                 MemoryOracle &oracle) {
  Footprint footprint = analysis.getFootprint(copied);
  if (footprint.isUnknown)
    return Predicate::never();
  Piece bytes;
  bytes.base.pointer = load.getAddr();
  bytes.size = Expr(static_cast<int64_t>(DataLayout::closest(load).getTypeSize(load.getType())));
  bytes.reads = true;
  Predicate result = Predicate::always();
  for (const Piece &piece : footprint.pieces)
    if (piece.writes && (!piece.op || oracle.mayConflict(load, piece.op, /*acrossIterations=*/true)))
      result = result && areDisjoint(bytes, piece, areDifferentObjects);
  return result;
}

/// Returns the condition under which no iteration of the copy leaves or writes what has been loaded before it, if
/// it can be computed there; else never.
static Predicate findTest(const TestedLoop &loop, const Unit &copied, FootprintAnalysis &analysis, MemoryOracle &oracle,
                          DominanceInfo &dominance) {
  Predicate test = analysis.findStaying(copied);
  if (test.isFalse())
    return test;
  for (LLVM::LoadOp load : loop.early)
    test = test && writesNothingOf(load, copied, analysis, oracle);
  if (!test.isMaterializable())
    test = limitSizes(test);
  // Whether it holds for typical numbers does not matter: the assertions of a program hold.
  bool isKnown = test.isMaterializable() && test.getSize() <= kMostComparisons;
  test.forEachSymbol([&](Value value) { isKnown &= dominance.properlyDominates(value, loop.first); });
  return isKnown ? test : Predicate::never();
}

static const Unit *findUnit(const ScopeTree &scopes, Operation *op) {
  for (const std::unique_ptr<Chain> &chain : scopes.getChains())
    for (const Unit &unit : chain->getUnits())
      if (unit.op == op)
        return &unit;
  return nullptr;
}

static void finish(TestedLoop &loop, const Unit &copied, const Predicate &test) {
  OpBuilder builder(loop.first);
  Value stays = test.materialize(builder, loop.first.getLoc());
  loop.first.getConditionMutable().assign(stays);
  loop.second.getConditionMutable().assign(stays);
  removeExits(copied);
  loop.copied.back()->erase();
}

/// Returns the loops after a wait that only exits keep from being split. Creates the oracle if it is needed.
static std::vector<Unit> findLoops(ModuleOp module, ArrayRef<Operation *> functions,
                                   std::unique_ptr<MemoryOracle> &oracle) {
  std::vector<Unit> found;
  unsigned size = 0;
  auto mayLeave = [](const Unit &unit) { return unit.isLoop && unit.leavesAbnormally(); };
  auto neverReturns = [](Block &block) { return isa<LLVM::UnreachableOp>(block.back()); };
  for (Operation *function : functions) {
    if (llvm::none_of(function->getRegion(0), neverReturns))
      continue;
    ScopeTree scopes(function->getRegion(0));
    for (const std::unique_ptr<Chain> &chain : scopes.getChains()) {
      ArrayRef<Unit> after = chain->getUnits().drop_until([](const Unit &unit) { return hasWait(unit); });
      if (llvm::none_of(after, mayLeave))
        continue;
      if (!oracle)
        oracle = MemoryOracle::create(module, functions);
      llvm::copy_if(after, std::back_inserter(found),
                    [&](const Unit &unit) { return isCandidate(unit, *oracle, size); });
    }
  }
  return found;
}

OwnLoops comm::testExits(ModuleOp module, ArrayRef<Operation *> functions, std::unique_ptr<MemoryOracle> &unchanged) {
  std::vector<Unit> found = findLoops(module, functions, unchanged);
  OwnLoops ownLoops;
  if (found.empty())
    return ownLoops;
  unchanged.reset();
  std::vector<TestedLoop> loops;
  for (const Unit &unit : found)
    if (std::optional<TestedLoop> loop = makeCopy(unit))
      loops.push_back(std::move(*loop));
  if (loops.empty())
    return ownLoops;
  // The analyses look at the copies, whose numbers are known before them.
  std::vector<std::pair<Unit, Predicate>> tests;
  {
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module, functions);
    std::unique_ptr<FootprintAnalysis> footprints = FootprintAnalysis::create(*oracle);
    llvm::DenseMap<Region *, std::unique_ptr<ScopeTree>> scopes;
    DominanceInfo dominance;
    for (TestedLoop &loop : loops) {
      std::unique_ptr<ScopeTree> &tree = scopes[loop.first->getParentRegion()];
      if (!tree)
        tree = std::make_unique<ScopeTree>(*loop.first->getParentRegion());
      const Unit *copied = footprints ? findUnit(*tree, loop.first) : nullptr;
      Predicate test = copied && copied->join == loop.second->getBlock()
                           ? findTest(loop, *copied, *footprints, *oracle, dominance)
                           : Predicate::never();
      tests.push_back({copied ? *copied : Unit(), test});
    }
  }
  for (auto [loop, test] : llvm::zip_equal(loops, tests)) {
    if (test.second.isFalse()) {
      removeCopy(loop);
      continue;
    }
    finish(loop, test.first, test.second);
    SmallVector<Value> &numbers = ownLoops[loop.second];
    test.second.forEachSymbol([&](Value value) { numbers.push_back(value); });
  }
  return ownLoops;
}
