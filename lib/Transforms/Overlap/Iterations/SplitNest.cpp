//===- SplitNest.cpp - Split a loop nest: interior and rest ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (i < n) for (j < m) body       for (lo0 <= i < hi0) for (lo1 <= j < hi1) body
//                                 =>   for (part of {[0, lo0), [hi0, n)}) for (i of part) for (j < m) body
//                                      for (part of {[0, lo1), [hi1, m)}) for (lo0 <= i < hi0) for (j of part) body
//
// Both are copies of the unit, including the guards of its loops. The loops count their own iterations, which scalar
// evolution and the vectorizer understand as before. If there are three loops, each iteration of the outermost one
// checks whether it is in the interior, and the other two are as above. The outer one of two loops checks that, too, if
// the last iteration leaves a value:
//
//   for (i < n) if (lo0 <= i && i < hi0) for (part of {[0, lo1), [hi1, m)}) for (j of part) body
//               else for (j < m) body
//
// Iterations of the outermost loop outside the interior run the program's own code, so that an empty interior costs
// next to nothing.
//
//===----------------------------------------------------------------------===//

#include "Iterations/SplitNest.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"
#include "Comm/Transforms/Utils/ControlFlow.h"
#include "Comm/Transforms/Utils/HandOver.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

namespace {
/// A loop of the unit or of its copy.
struct PlacedLoop {
  bool isCopy, isOutermost;
  Block *header, *latch;
  /// How much the header's arguments grow per iteration, as i64; null if they do not.
  ArrayRef<Value> steps;
  /// The arguments of the header that are carried from the interior to the rest.
  llvm::BitVector folds;
};

/// Blocks that run twice, each time with another part of a loop's iterations. Both end blocks receive the results so
/// far.
struct TwoParts {
  Block *enter, *leave;
  Value begin, end;
  SmallVector<Value> soFar;
};

class Splitter {
public:
  Splitter(const NestSplit &split, const SplitBounds &bounds)
      : split(split), bounds(bounds), builder(split.unit.op), loc(split.unit.op->getLoc()), i64(builder.getI64Type()) {}
  Operation *run();

private:
  void handOverOnEdges();
  void growByNumber();
  void copyUnit();
  void combineFolds();
  void decideRepetition(LLVM::CondBrOp branch);
  Value combineOrdered(const OrderedFold &fold, Value total);
  Value receive(int fold, llvm::function_ref<Value(BranchOpInterface, unsigned)> getOnOtherWay);
  void beginSecondPart(ArrayRef<int> resultOfFold, MutableArrayRef<Value> soFar);
  Block *copyLoops(MutableArrayRef<PlacedLoop> loops, unsigned level);
  void copyInner(MutableArrayRef<PlacedLoop> loops, unsigned level, Value isInside);
  void runEdges(MutableArrayRef<PlacedLoop> loops, unsigned level);
  void makePlain(const PlacedLoop &loop);
  PlacedLoop place(unsigned level, bool inCopy);
  void runParts(const PlacedLoop &loop, ArrayRef<Part> parts);
  void runListedParts(const PlacedLoop &loop);
  void runParts(const PlacedLoop &loop, ArrayRef<Part> parts, bool areListed);
  void closeTiles();
  Value loadNumber(Value variable) { return LLVM::LoadOp::create(builder, loc, i64, variable); }
  Part getListedPart(bool isInterior, Value number, Value count);
  TwoParts makeListedParts(const PlacedLoop &loop, Block *exit, ArrayRef<Value> results, Operation *&into);
  TwoParts makeTwoParts(const Part &second, Block *first, Block *last, Block *exit, ArrayRef<Value> results,
                        llvm::function_ref<void(MutableArrayRef<Value>)> betweenParts = {});
  Operation *enter(const TwoParts &parts, const Part &first, ValueRange results);
  Value countIterations(const PlacedLoop &loop);

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  }
  Value truth(bool value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(value));
  }
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }
  Value both(Value a, Value b) { return LLVM::AndOp::create(builder, loc, a, b); }
  Value select(Value condition, Value a, Value b) { return LLVM::SelectOp::create(builder, loc, condition, a, b); }
  Value advance(Value from, Value step, Value iterations);
  Value loadAgain(const Reload &reload, const PlacedLoop &loop, ArrayRef<Value> initial, Value begin);

  const NestSplit &split;
  const SplitBounds &bounds;
  OpBuilder builder;
  Location loc;
  Type i64;
  IRMapping copy;
  Operation *copiedEntry = nullptr;
  /// One total for each fold.
  SmallVector<Value> totalsOfInterior;
};

/// The two edges of a latch.
struct LoopEnd {
  explicit LoopEnd(Block *header, Block *latch)
      : branch(cast<LLVM::CondBrOp>(latch->getTerminator())), backIfTrue(branch.getTrueDest() == header) {}
  MutableOperandRange next() {
    return backIfTrue ? branch.getTrueDestOperandsMutable() : branch.getFalseDestOperandsMutable();
  }
  MutableOperandRange results() {
    return backIfTrue ? branch.getFalseDestOperandsMutable() : branch.getTrueDestOperandsMutable();
  }
  Block *getExit() { return backIfTrue ? branch.getFalseDest() : branch.getTrueDest(); }
  void setExit(Block *exit) { branch->setSuccessor(exit, backIfTrue ? 1 : 0); }

  LLVM::CondBrOp branch;
  bool backIfTrue;
};
} // namespace

static SmallVector<Value> getValues(MutableOperandRange operands) { return SmallVector<Value>(OperandRange(operands)); }

/// Returns, for each value that leaves the loop, the header argument that carries it as a fold, or -1.
static SmallVector<int> getFoldsThatLeave(const PlacedLoop &loop) {
  LoopEnd end(loop.header, loop.latch);
  SmallVector<Value> next = getValues(end.next()), results = getValues(end.results());
  SmallVector<int> folds(results.size(), -1);
  for (auto [index, result] : llvm::enumerate(results))
    for (unsigned argument : loop.folds.set_bits())
      if (next[argument] == result)
        folds[index] = argument;
  return folds;
}

/// Returns true if anything other than folds leaves the loop.
static bool handsOverMore(const PlacedLoop &loop) { return llvm::is_contained(getFoldsThatLeave(loop), -1); }

//===----------------------------------------------------------------------===//
// Values that leave loops
//===----------------------------------------------------------------------===//

/// Returns the argument through which the block after the loop receives the value.
static BlockArgument handOver(const FootprintAnalysis::Loop &loop, Value value) {
  LoopEnd end(loop.header, loop.latch);
  for (auto [index, result] : llvm::enumerate(getValues(end.results())))
    if (result == value)
      return end.getExit()->getArgument(index);
  end.results().append(value);
  return end.getExit()->addArgument(value.getType(), value.getLoc());
}

/// Passes values that are used after a loop through its exit edge, so that the operands of this edge are all that
/// leaves.
void Splitter::handOverOnEdges() {
  for (const FootprintAnalysis::Loop &loop : llvm::reverse(split.loops)) {
    SmallPtrSet<Block *, 16> blocks = findLoopBlocks(loop.header, loop.latch);
    auto isOutside = [&](OpOperand &use) { return !blocks.contains(use.getOwner()->getBlock()); };
    HandOver leaving([&](Value value) { return !blocks.contains(value.getParentBlock()); });
    auto visit = [&](Value value) {
      if (llvm::none_of(value.getUses(), isOutside))
        return;
      [[maybe_unused]] bool canLeave = leaving.add(value);
      assert(canLeave && "whyNotSplit has asked");
    };
    for (Block *block : split.unit.interior) {
      if (!blocks.contains(block))
        continue;
      llvm::for_each(block->getArguments(), visit);
      for (Operation &op : *block)
        llvm::for_each(op.getResults(), visit);
    }
    Block *exit = LoopEnd(loop.header, loop.latch).getExit();
    for (auto [value, after] : leaving.receive(exit, [&](Value carried) { return handOver(loop, carried); }))
      value.replaceUsesWithIf(after, isOutside);
  }
}

/// Computes variables of an outer loop that grow by a step without going through an inner loop.
void Splitter::growByNumber() {
  for (unsigned level = 0; level + 1 < split.loops.size(); ++level) {
    const FootprintAnalysis::Loop &loop = split.loops[level];
    LoopEnd end(loop.header, loop.latch);
    SmallPtrSet<Block *, 16> inner = findLoopBlocks(split.loops[level + 1].header, split.loops[level + 1].latch);
    for (auto [index, step] : llvm::enumerate(bounds.steps[level])) {
      Value next = end.next()[index].get();
      BlockArgument argument = loop.header->getArgument(index);
      bool isOfInner = isa<BlockArgument>(next) || inner.contains(next.getParentBlock());
      if (!isOfInner || !split.isNumbered(argument))
        continue;
      builder.setInsertionPoint(end.branch);
      Value grown = advance(argument, step, constant(1));
      MutableOperandRange operands = end.next();
      operands.slice(index, 1).assign(grown);
    }
  }
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

/// Scopes of restricted pointers are declared once, before the loops.
static bool declaresScope(Operation *op) { return isa<LLVM::NoAliasScopeDeclOp>(op); }

SmallVector<Operation *> comm::copyUnit(OpBuilder &builder, const NestSplit &split, Block *enter, Block *around,
                                        IRMapping &mapping) {
  SmallPtrSet<Block *, 4> aroundLoop = findBlocksAround(split.unit, split.loops.front().header);
  SmallVector<Block *> blocks;
  for (Block *block : split.unit.interior)
    if (aroundLoop.contains(block))
      mapping.map(block, around);
    else
      blocks.push_back(block);
  SmallVector<Operation *> copies;
  copyBlocks(blocks, around, mapping, copies, declaresScope);
  builder.setInsertionPointToEnd(enter);
  copies.push_back(builder.clone(*split.unit.op, mapping));
  mapOperands(copies, mapping);
  return copies;
}

/// Copies the unit to the place before it. The unit then begins in a block of its own, which receives the folds.
void Splitter::copyUnit() {
  Operation *entry = split.unit.op;
  Block *before = entry->getBlock(), *join = split.unit.join;
  // What the edges to the join carry, by source block.
  const FootprintAnalysis::Loop &loop = split.loops.front();
  Block *exit = findExit(loop.header, loop.latch);
  DominanceInfo dominance(split.unit.op->getParentOfType<FunctionOpInterface>());
  llvm::DenseMap<Block *, SmallVector<Value>> carried;
  for (auto [index, fold] : llvm::enumerate(split.folds)) {
    Value total = getNext(loop.latch, fold.argument);
    if (exit != join)
      total = handOver(loop, total);
    for (Block *from : join->getPredecessors()) {
      carried[from].resize(index + 1, isAfterLoop(split, from, dominance) ? total : Value());
    }
  }
  Block *after = before->splitBlock(entry);
  copy.map(join, after);
  copiedEntry = comm::copyUnit(builder, split, before, after, copy).back();
  for (const Fold &fold : split.folds)
    after->addArgument(fold.argument.getType(), loc);
  auto carry = [&](Operation *terminator, Block *from) {
    auto branch = cast<BranchOpInterface>(terminator);
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      if (branch->getSuccessor(i) != after)
        continue;
      SmallVector<Value> operands;
      builder.setInsertionPoint(terminator);
      for (auto [index, fold] : llvm::enumerate(split.folds)) {
        ArrayRef<Value> values = carried[from];
        Value value = index < values.size() ? values[index] : Value();
        if (value)
          operands.push_back(copy.lookup(value));
        else if (split.combinesFolds || fold.isOrdered)
          operands.push_back(fold.makeIdentity(builder, loc));
        else
          operands.push_back(LLVM::PoisonOp::create(builder, loc, fold.argument.getType()));
      }
      branch.getSuccessorOperands(i).getMutableForwardedOperands().assign(operands);
    }
  };
  for (Block *block : split.unit.interior)
    if (Block *copied = copy.lookup(block); copied != after)
      carry(copied->getTerminator(), block);
  carry(copiedEntry, before);
  llvm::append_range(totalsOfInterior, after->getArguments());
  for (auto [fold, ofInterior] : llvm::zip_equal(split.folds, totalsOfInterior)) {
    unsigned number = fold.argument.getArgNumber();
    if (fold.isOrdered || (split.combinesFolds && (fold.isRepeated || !fold.isIdempotent()))) {
      LLVM::BrOp into = findEntry(copy.lookup(loop.header), copy.lookup(loop.latch));
      builder.setInsertionPoint(into);
      into.getDestOperandsMutable().slice(number, 1).assign(fold.makeIdentity(builder, loc));
    } else if (!split.combinesFolds) {
      findEntry(loop.header, loop.latch).getDestOperandsMutable().slice(number, 1).assign(ofInterior);
    }
  }
  if (split.combinesFolds)
    combineFolds();
}

/// Combines the totals of interior and rest for the code after the unit. The rest does not begin with the interior's
/// totals.
void Splitter::combineFolds() {
  for (auto [index, fold] : llvm::enumerate(split.folds)) {
    if (fold.kind == FoldKind::None || fold.isWitness)
      continue;
    const OrderedFold *ordered = llvm::find_if(
        split.ordered, [number = static_cast<int>(index)](const OrderedFold &each) { return each.total == number; });
    for (Value total : findTotals(split, fold)) {
      auto isAfter = [&](OpOperand &use) {
        return !llvm::is_contained(split.unit.interior, use.getOwner()->getBlock());
      };
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : total.getUses())
        if (isAfter(use))
          uses.push_back(&use);
      builder.setInsertionPointToStart(split.unit.join);
      Value combined = ordered != split.ordered.end() ? combineOrdered(*ordered, total)
                                                      : fold.combine(builder, loc, total, totalsOfInterior[index]);
      for (OpOperand *use : uses)
        use->set(combined);
    }
  }
}

/// Combines the totals of the iterations before the interior, of the interior, and of the iterations after it
/// (`total`).
Value Splitter::combineOrdered(const OrderedFold &ordered, Value total) {
  const Fold &fold = split.folds[ordered.total];
  // A path around the loop that passes another value keeps it.
  Value front = receive(ordered.front, [&](BranchOpInterface branch, unsigned successor) -> Value {
    return branch.getSuccessorOperands(successor)[cast<BlockArgument>(total).getArgNumber()];
  });
  Value witness, ofInterior;
  if (ordered.witness >= 0) {
    ofInterior = totalsOfInterior[ordered.witness];
    witness = receive(ordered.witness, [&](BranchOpInterface branch, unsigned) {
      builder.setInsertionPoint(branch);
      return fold.makeLimit(builder, loc);
    });
  }
  builder.setInsertionPointToStart(split.unit.join);
  Value both = fold.combine(builder, loc, front, totalsOfInterior[ordered.total], ofInterior);
  return fold.combine(builder, loc, both, total, witness);
}

/// Returns the fold's total at the end of the unit; `getOnOtherWay` provides it for paths around the loop.
Value Splitter::receive(int fold, llvm::function_ref<Value(BranchOpInterface, unsigned)> getOnOtherWay) {
  const FootprintAnalysis::Loop &loop = split.loops.front();
  Block *exit = findExit(loop.header, loop.latch), *join = split.unit.join;
  Value total = getNext(loop.latch, split.folds[fold].argument);
  if (exit != join)
    total = handOver(loop, total);
  DominanceInfo dominance(split.unit.op->getParentOfType<FunctionOpInterface>());
  Value received = join->addArgument(total.getType(), loc);
  for (BlockOperand &edge : join->getUses()) {
    auto branch = cast<BranchOpInterface>(edge.getOwner());
    bool isAfter = isAfterLoop(split, branch->getBlock(), dominance);
    Value handed = isAfter ? total : getOnOtherWay(branch, edge.getOperandNumber());
    branch.getSuccessorOperands(edge.getOperandNumber()).append(handed);
  }
  return received;
}

/// Repeats the loops if some part may have met a NaN. An empty interior has changed no order.
void Splitter::decideRepetition(LLVM::CondBrOp branch) {
  Value mayMatter;
  for (const RepeatedFold &repeated : split.repeated) {
    const Fold &fold = split.folds[repeated.total];
    // On paths around the loop nothing was met.
    auto receiveOr = [&](int index, llvm::function_ref<Value()> otherwise) {
      return receive(index, [&](BranchOpInterface edge, unsigned) {
        builder.setInsertionPoint(edge);
        return otherwise();
      });
    };
    Value total = receiveOr(repeated.total, [&]() { return fold.makeIdentity(builder, loc); });
    Value witness = receiveOr(repeated.witness, [&]() { return fold.makeLimit(builder, loc); });
    builder.setInsertionPoint(branch);
    Value limit = fold.makeLimit(builder, loc);
    auto add = [&](LLVM::FCmpPredicate predicate, Value value) {
      Value holds = LLVM::FCmpOp::create(builder, loc, predicate, value, limit);
      mayMatter = mayMatter ? LLVM::OrOp::create(builder, loc, mayMatter, holds).getRes() : holds;
    };
    add(LLVM::FCmpPredicate::oeq, total);
    add(LLVM::FCmpPredicate::une, witness);
    if (split.combinesFolds) {
      add(LLVM::FCmpPredicate::oeq, totalsOfInterior[repeated.total]);
      add(LLVM::FCmpPredicate::une, totalsOfInterior[repeated.witness]);
    }
  }
  builder.setInsertionPoint(branch);
  const Part &outermost = bounds.interior.front();
  Value isSplit = compare(LLVM::ICmpPredicate::ult, outermost.begin, outermost.end);
  branch.getConditionMutable().assign(both(isSplit, mayMatter));
}

void comm::addOrderedFolds(NestSplit &split) {
  FootprintAnalysis::Loop &loop = split.loops.front();
  auto add = [&](Fold fold) {
    split.folds.push_back(std::move(fold));
    for (FootprintAnalysis::Loop &each : split.loops)
      each.steps.push_back(Expr::unknown());
    return static_cast<int>(split.folds.size()) - 1;
  };
  for (int i = 0, number = split.folds.size(); i < number; ++i) {
    if (split.folds[i].isRepeated)
      split.repeated.push_back({i, add(makeWitness(split.folds[i], loop))});
    if (!split.folds[i].isOrdered)
      continue;
    OrderedFold &ordered = split.ordered.emplace_back(OrderedFold{i});
    if (split.folds[i].takesNaN)
      ordered.witness = add(makeWitness(split.folds[i], loop));
    if (split.combinesFolds)
      ordered.front = add(makeHeld(split.folds[i], loop));
  }
}

PlacedLoop Splitter::place(unsigned level, bool inCopy) {
  Block *header = split.loops[level].header, *latch = split.loops[level].latch;
  llvm::BitVector folds(header->getNumArguments());
  for (BlockArgument argument : header->getArguments())
    if (split.isFold(argument))
      folds.set(argument.getArgNumber());
  if (inCopy)
    return {true, level == 0, copy.lookup(header), copy.lookup(latch), bounds.steps[level], folds};
  return {false, level == 0, header, latch, bounds.steps[level], folds};
}

/// Disables vectorization and unrolling of loops that run only a few iterations: the overhead would exceed the work.
void Splitter::makePlain(const PlacedLoop &loop) {
  if (!split.hasNarrowEdges)
    return;
  LLVM::CondBrOp end = LoopEnd(loop.header, loop.latch).branch;
  LLVM::LoopAnnotationAttr old = end.getLoopAnnotationAttr();
  MLIRContext *context = builder.getContext();
  BoolAttr yes = BoolAttr::get(context, true);
  auto vectorize = LLVM::LoopVectorizeAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  auto unroll = LLVM::LoopUnrollAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  auto plain = old ? LLVM::LoopAnnotationAttr::get(context, old.getDisableNonforced(), vectorize, {}, unroll, {},
                                                   old.getLicm(), {}, {}, {}, old.getUnswitch(), old.getMustProgress(),
                                                   {}, old.getStartLoc(), old.getEndLoc(), old.getParallelAccesses())
                   : LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {},
                                                   {}, {}, {});
  end.setLoopAnnotationAttr(plain);
}

/// Copies the loops from that level on and replaces them in `loops` by the copies. Returns a new block that enters the
/// copies with the initial values of the loops.
Block *Splitter::copyLoops(MutableArrayRef<PlacedLoop> loops, unsigned level) {
  Block *header = loops[level].header;
  IRMapping inner;
  SmallVector<Operation *> copies;
  copyBlocks(listLoopBlocks(header, loops[level].latch), header, inner, copies, declaresScope);
  mapOperands(copies, inner);
  LLVM::BrOp entry = findEntry(header, loops[level].latch);
  for (PlacedLoop &loop : loops.drop_front(level)) {
    loop.header = inner.lookup(loop.header);
    loop.latch = inner.lookup(loop.latch);
  }
  auto *enter = new Block();
  header->getParent()->getBlocks().insert(Region::iterator(loops[level].header), enter);
  builder.setInsertionPointToEnd(enter);
  LLVM::BrOp::create(builder, loc, entry.getDestOperands(), loops[level].header);
  return enter;
}

/// Copies the loops from that level on for iterations of the loop around them that are in the interior. The copies
/// replace the loops in `loops`.
void Splitter::copyInner(MutableArrayRef<PlacedLoop> loops, unsigned level, Value isInside) {
  Block *header = loops[level].header;
  LLVM::BrOp entry = findEntry(header, loops[level].latch);
  Block *inside = copyLoops(loops, level);
  builder.setInsertionPoint(entry);
  auto guard = LLVM::CondBrOp::create(builder, loc, isInside, inside, ValueRange(), header, entry.getDestOperands());
  guard->setDiscardableAttrs(entry->getDiscardableAttrDictionary());
  entry.erase();
}

/// Runs the outer one of the last two loops outside the interior, and then the edges of the inner one inside it. A
/// separate nest is cheaper than a loop that begins twice in each row. The code around the inner loop writes nothing
/// (`whyNotTwice`), so a part without iterations need not run.
void Splitter::runEdges(MutableArrayRef<PlacedLoop> loops, unsigned level) {
  PlacedLoop outside = loops[level];
  Block *nest = copyLoops(loops, level);
  const PlacedLoop &inside = loops[level];
  const Part &rows = bounds.interior[level], &columns = bounds.interior[level + 1];
  LoopEnd outsideEnd(outside.header, outside.latch), end(inside.header, inside.latch);
  SmallVector<Value> results = getValues(end.results());
  TwoParts edges = makeTwoParts({columns.end, bounds.counts[level + 1]}, nest, inside.latch, end.getExit(), results);
  for (auto [fold, soFar] : llvm::zip_equal(getFoldsThatLeave(inside), edges.soFar))
    nest->getTerminator()->setOperand(fold, soFar);
  end.setExit(edges.leave);
  builder.setInsertionPointToEnd(edges.enter);
  Value isSome = compare(LLVM::ICmpPredicate::ult, edges.begin, edges.end);
  LLVM::CondBrOp::create(builder, loc, isSome, nest, ValueRange(), edges.leave, edges.soFar);

  // Between the two nests.
  auto *between = new Block();
  edges.enter->getParent()->getBlocks().insert(Region::iterator(edges.enter), between);
  for (Value result : results)
    between->addArgument(result.getType(), loc);
  outsideEnd.setExit(between);
  builder.setInsertionPointToEnd(between);
  enter(edges, {constant(0), columns.begin}, between->getArguments());

  makePlain(loops.back());
  builder.setInsertionPoint(findEntry(outside.header, outside.latch));
  runParts(outside, {Part{constant(0), rows.begin}, Part{rows.end, bounds.counts[level]}});
  runParts(inside, rows);
  runParts(loops[level + 1], Part{edges.begin, edges.end});
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns the value after that many iterations.
Value Splitter::advance(Value from, Value step, Value iterations) {
  if (!step)
    return from;
  Value distance = LLVM::MulOp::create(builder, loc, step, iterations);
  if (isa<LLVM::LLVMPointerType>(from.getType()))
    return LLVM::GEPOp::create(builder, loc, from.getType(), builder.getI8Type(), from,
                               ArrayRef<LLVM::GEPArg>{distance});
  if (from.getType() != i64)
    distance = LLVM::TruncOp::create(builder, loc, from.getType(), distance);
  return LLVM::AddOp::create(builder, loc, from, distance);
}

/// Computes what the iteration before `begin` passes on; for iteration 0 that is known. If `begin` is 0, the code loads
/// for iteration 0, which runs, so its loads are valid.
Value Splitter::loadAgain(const Reload &reload, const PlacedLoop &loop, ArrayRef<Value> initial, Value begin) {
  Value zero = constant(0), isFirst = compare(LLVM::ICmpPredicate::eq, begin, zero);
  Value before = select(isFirst, zero, LLVM::SubOp::create(builder, loc, begin, constant(1)));
  IRMapping map;
  auto arguments = split.loops.front().header->getArguments();
  for (unsigned i = 0; i < loop.steps.size(); ++i)
    map.map(arguments[i], advance(initial[i], loop.steps[i], before));
  for (Operation *op : reload.ops) {
    if (loop.isCopy)
      for (Value operand : op->getOperands())
        if (!map.contains(operand))
          map.map(operand, copy.lookupOrDefault(operand));
    builder.clone(*op, map);
  }
  return select(isFirst, initial[reload.argument.getArgNumber()], map.lookupOrDefault(reload.next));
}

/// Adds an argument to the header that counts iterations from 0.
Value Splitter::countIterations(const PlacedLoop &loop) {
  LLVM::BrOp entry = findEntry(loop.header, loop.latch);
  builder.setInsertionPoint(entry);
  entry.getDestOperandsMutable().append(constant(0));
  Value number = loop.header->addArgument(i64, loc);
  LoopEnd end(loop.header, loop.latch);
  builder.setInsertionPoint(end.branch);
  Value next = LLVM::AddOp::create(builder, loc, number, constant(1),
                                   LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw);
  end.next().append(next);
  builder.setInsertionPointToStart(loop.header);
  return number;
}

/// Creates the blocks before `first` and after `last`. After the second part, control goes to `exit` with the results.
TwoParts Splitter::makeTwoParts(const Part &second, Block *first, Block *last, Block *exit, ArrayRef<Value> results,
                                llvm::function_ref<void(MutableArrayRef<Value>)> betweenParts) {
  TwoParts parts{new Block(), new Block(), {}, {}, {}};
  Region::BlockListType &blocks = first->getParent()->getBlocks();
  blocks.insert(Region::iterator(first), parts.enter);
  blocks.insert(std::next(Region::iterator(last)), parts.leave);
  parts.begin = parts.enter->addArgument(i64, loc);
  parts.end = parts.enter->addArgument(i64, loc);
  Value isSecond = parts.enter->addArgument(builder.getI1Type(), loc);
  for (Value result : results) {
    parts.soFar.push_back(parts.enter->addArgument(result.getType(), loc));
    parts.leave->addArgument(result.getType(), loc);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(parts.leave);
  SmallVector<Value> again{second.begin, second.end, truth(true)}, beginsWith(parts.leave->getArguments());
  if (betweenParts)
    betweenParts(beginsWith);
  llvm::append_range(again, beginsWith);
  LLVM::CondBrOp::create(builder, loc, isSecond, exit, parts.leave->getArguments(), parts.enter, again);
  return parts;
}

/// Enters the blocks with the first part.
Operation *Splitter::enter(const TwoParts &parts, const Part &first, ValueRange results) {
  SmallVector<Value> handed{first.begin, first.end, truth(false)};
  llvm::append_range(handed, results);
  return LLVM::BrOp::create(builder, loc, handed, parts.enter);
}

/// Sets the initial values of ordered folds for the second part of the rest: the first part's total combined with that
/// of the interior, or the identity if the latter is not known yet.
void Splitter::beginSecondPart(ArrayRef<int> resultOfFold, MutableArrayRef<Value> soFar) {
  auto find = [&](int fold) -> Value * {
    int result = fold >= 0 ? resultOfFold[split.folds[fold].argument.getArgNumber()] : -1;
    return result >= 0 ? &soFar[result] : nullptr;
  };
  for (const OrderedFold &ordered : split.ordered) {
    const Fold &fold = split.folds[ordered.total];
    Value *total = find(ordered.total), *witness = find(ordered.witness), *front = find(ordered.front);
    if (!total)
      continue;
    if (front) {
      *front = *total;
      *total = fold.makeIdentity(builder, loc);
      if (witness)
        *witness = fold.makeLimit(builder, loc);
      continue;
    }
    Value ofInterior = ordered.witness >= 0 ? totalsOfInterior[ordered.witness] : Value();
    *total = fold.combine(builder, loc, *total, totalsOfInterior[ordered.total], ofInterior);
  }
}

/// Returns a run of the interior, or the iterations before a run; those after the last one come last.
Part Splitter::getListedPart(bool isInterior, Value number, Value count) {
  const RunList &runs = *bounds.runs;
  auto load = [&](Value index) -> Value {
    Value place = LLVM::GEPOp::create(builder, loc, runs.numbers.getType(), builder.getI32Type(), runs.numbers,
                                      ArrayRef<LLVM::GEPArg>{index});
    return LLVM::ZExtOp::create(builder, loc, i64, LLVM::LoadOp::create(builder, loc, builder.getI32Type(), place));
  };
  Value first = LLVM::ShlOp::create(builder, loc, number, constant(1)), one = constant(1), zero = constant(0);
  if (isInterior) {
    Value begin = load(first), end = load(LLVM::AddOp::create(builder, loc, first, one));
    // A tile may continue the last run.
    if (runs.tiles)
      begin = LLVM::UMaxOp::create(builder, loc, begin, loadNumber(runs.tiles->executedEnd));
    return {begin, end};
  }
  Value isFirst = compare(LLVM::ICmpPredicate::eq, number, zero);
  Value isLast = compare(LLVM::ICmpPredicate::eq, number, count);
  Value endOfBefore = select(isFirst, zero, LLVM::SubOp::create(builder, loc, first, one));
  return {select(isFirst, zero, load(endOfBefore)),
          select(isLast, bounds.counts.front(), load(select(isLast, zero, first)))};
}

/// As makeTwoParts, for the runs of the interior or for what is between them. Sets `into` to the operation that enters
/// the first part.
TwoParts Splitter::makeListedParts(const PlacedLoop &loop, Block *exit, ArrayRef<Value> results, Operation *&into) {
  TwoParts parts{new Block(), new Block(), {}, {}, {}};
  auto *start = new Block(), *again = new Block();
  Region::BlockListType &blocks = loop.header->getParent()->getBlocks();
  blocks.insert(Region::iterator(loop.header), start);
  blocks.insert(Region::iterator(loop.header), parts.enter);
  auto afterLatch = std::next(Region::iterator(loop.latch));
  blocks.insert(afterLatch, parts.leave);
  blocks.insert(afterLatch, again);
  Value number = parts.enter->addArgument(i64, loc);
  parts.begin = parts.enter->addArgument(i64, loc);
  parts.end = parts.enter->addArgument(i64, loc);
  for (Value result : results) {
    parts.soFar.push_back(parts.enter->addArgument(result.getType(), loc));
    parts.leave->addArgument(result.getType(), loc);
    again->addArgument(result.getType(), loc);
  }
  const RunList &runs = *bounds.runs;
  Value numRuns = runs.count, first = constant(0);
  if (runs.tiles) {
    Value executed = loadNumber(runs.tiles->numExecuted);
    numRuns = loop.isCopy ? loadNumber(runs.tiles->numFound) : executed;
    // The last run that has been executed, or the first one.
    if (loop.isCopy)
      first = LLVM::SubOp::create(builder, loc, LLVM::UMaxOp::create(builder, loc, executed, constant(1)), constant(1));
  }
  auto enter = [&](Value which, ValueRange soFar) {
    Part part = getListedPart(loop.isCopy, which, numRuns);
    SmallVector<Value> handed{which, part.begin, part.end};
    llvm::append_range(handed, soFar);
    LLVM::BrOp::create(builder, loc, handed, parts.enter);
  };
  Value count = numRuns;
  if (!loop.isCopy)
    count = LLVM::AddOp::create(builder, loc, count, constant(1));
  Value isSome = compare(LLVM::ICmpPredicate::ult, first, count);
  into = LLVM::CondBrOp::create(builder, loc, isSome, start, ValueRange(), exit, results);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(start);
  enter(first, results);
  builder.setInsertionPointToEnd(parts.leave);
  Value next = LLVM::AddOp::create(builder, loc, number, constant(1));
  Value isOver = compare(LLVM::ICmpPredicate::eq, next, count);
  LLVM::CondBrOp::create(builder, loc, isOver, exit, parts.leave->getArguments(), again, parts.leave->getArguments());
  builder.setInsertionPointToEnd(again);
  enter(next, again->getArguments());
  return parts;
}

/// Lets control go from the end of the interior to the next tile, or on to the rest.
void Splitter::closeTiles() {
  const RunTiles &tiles = *bounds.runs->tiles;
  Block *end = split.unit.op->getBlock(), *rest = end->splitBlock(split.unit.op);
  builder.setInsertionPointToEnd(end);
  LLVM::StoreOp::create(builder, loc, loadNumber(tiles.numFound), tiles.numExecuted);
  LLVM::StoreOp::create(builder, loc, loadNumber(tiles.foundEnd), tiles.executedEnd);
  Value goesOn = LLVM::LoadOp::create(builder, loc, builder.getI1Type(), tiles.goesOn);
  LLVM::CondBrOp::create(builder, loc, goesOn, tiles.next, ValueRange(), rest, ValueRange());
  tiles.leave->getTerminator()->erase();
  builder.setInsertionPointToEnd(tiles.leave);
  LLVM::BrOp::create(builder, loc, ValueRange(), rest);
}

void Splitter::runParts(const PlacedLoop &loop, ArrayRef<Part> parts) { runParts(loop, parts, /*areListed=*/false); }
void Splitter::runListedParts(const PlacedLoop &loop) { runParts(loop, {}, /*areListed=*/true); }

/// Makes the loop run these iterations, one part after the other. The values that leave the loop are those of the last
/// part that ran; folds continue from one part to the next. `areListed`: the parts are in memory.
void Splitter::runParts(const PlacedLoop &loop, ArrayRef<Part> parts, bool areListed) {
  Block *header = loop.header;
  LLVM::BrOp entry = findEntry(header, loop.latch);
  LoopEnd oldEnd(header, loop.latch);
  SmallVector<Value> next = getValues(oldEnd.next()), results = getValues(oldEnd.results());
  Block *exit = oldEnd.getExit();
  SmallVector<Value> initial(entry.getDestOperands());
  SmallPtrSet<Block *, 16> blocks = findLoopBlocks(header, loop.latch);
  builder.setInsertionPoint(entry);
  // The results if no iteration runs: for a fold, its initial value.
  SmallVector<Value> resultsBefore(results);
  SmallVector<int> foldOfResult = getFoldsThatLeave(loop), resultOfFold(header->getNumArguments(), -1);
  for (auto [index, result] : llvm::enumerate(resultsBefore)) {
    if (!blocks.contains(result.getParentBlock()))
      continue;
    int fold = foldOfResult[index];
    if (fold >= 0)
      resultOfFold[fold] = index;
    result = fold >= 0 ? initial[fold] : LLVM::PoisonOp::create(builder, loc, result.getType()).getResult();
  }
  Value number = header->addArgument(i64, loc);

  Block *leave = exit;
  // An answer that is always true.
  Value waited;
  if (bounds.measurements && !loop.isCopy) {
    Value site =
        LLVM::AddressOfOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), *bounds.measurements);
    waited = askRuntimeAlone(builder, loc, mpi::kAskWaited, site);
  }
  Value begin = areListed ? Value() : parts[0].begin, end = areListed ? Value() : parts[0].end;
  SmallVector<Value> soFar(resultsBefore);
  Operation *into = nullptr;
  if (areListed || parts.size() == 2) {
    TwoParts blocksOfParts =
        areListed ? makeListedParts(loop, exit, resultsBefore, into)
                  : makeTwoParts(parts[1], header, loop.latch, exit, resultsBefore,
                                 [&](MutableArrayRef<Value> soFar) { beginSecondPart(resultOfFold, soFar); });
    if (!areListed)
      into = enter(blocksOfParts, parts[0], resultsBefore);
    leave = blocksOfParts.leave;
    begin = blocksOfParts.begin;
    end = blocksOfParts.end;
    soFar = blocksOfParts.soFar;
    builder.setInsertionPointToEnd(blocksOfParts.enter);
  }
  Value isSome = compare(LLVM::ICmpPredicate::ult, begin, end);
  if (waited)
    isSome = both(isSome, waited);
  SmallVector<Value> first;
  for (auto [index, value] : llvm::enumerate(initial)) {
    int result = resultOfFold[index];
    const Reload *reload = llvm::find_if(split.reloads, [&, i = index](const Reload &each) {
      return loop.isOutermost && each.argument.getArgNumber() == i;
    });
    if (result >= 0)
      first.push_back(soFar[result]);
    else if (reload != split.reloads.end())
      first.push_back(loadAgain(*reload, loop, initial, begin));
    else
      first.push_back(advance(value, loop.steps[index], begin));
  }
  first.push_back(begin);
  auto guard = LLVM::CondBrOp::create(builder, loc, isSome, header, first, leave, soFar);
  if (!into)
    into = guard;
  into->setDiscardableAttrs(entry->getDiscardableAttrDictionary());
  if (entry == copiedEntry)
    copiedEntry = into;
  entry->erase();

  builder.setInsertionPoint(oldEnd.branch);
  Value following = LLVM::AddOp::create(builder, loc, number, constant(1),
                                        LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw);
  Value isOver = compare(LLVM::ICmpPredicate::eq, following, end);
  next.push_back(following);
  auto newEnd = LLVM::CondBrOp::create(builder, loc, isOver, leave, results, header, next);
  newEnd.setLoopAnnotationAttr(oldEnd.branch.getLoopAnnotationAttr());
  newEnd->setLoc(oldEnd.branch->getLoc());
  oldEnd.branch.erase();
}

Operation *Splitter::run() {
  handOverOnEdges();
  growByNumber();
  LLVM::CondBrOp repetition = split.repeated.empty() ? LLVM::CondBrOp() : repeatNest(split);
  for (const Fold &fold : split.folds)
    fold.dropPromises();
  copyUnit();
  if (bounds.runs && bounds.runs->tiles)
    closeTiles();
  if (repetition)
    decideRepetition(repetition);
  if (bounds.runs) {
    assert(split.loops.size() == 1 && split.ordered.empty() && "only an inspector finds runs");
    runListedParts(place(0, /*inCopy=*/true));
    runListedParts(place(0, /*inCopy=*/false));
    return copiedEntry;
  }
  for (unsigned level = 0; level < split.loops.size(); ++level)
    runParts(place(level, /*inCopy=*/true), bounds.interior[level]);
  // The rest.
  SmallVector<PlacedLoop> loops;
  for (unsigned level = 0; level < split.loops.size(); ++level)
    loops.push_back(place(level, /*inCopy=*/false));
  if (loops.size() == 2) {
    // An empty interior would cost a comparison for each row.
    builder.setInsertionPoint(findEntry(loops[0].header, loops[0].latch));
    const Part &rows = bounds.interior[0];
    copyInner(loops, 0, compare(LLVM::ICmpPredicate::ult, rows.begin, rows.end));
  }
  for (unsigned level = 0; level + 1 < loops.size(); ++level) {
    if (level + 2 == loops.size() && !handsOverMore(loops[level]) && !handsOverMore(loops[level + 1])) {
      runEdges(loops, level);
      return copiedEntry;
    }
    Value number = countIterations(loops[level]);
    const Part &part = bounds.interior[level];
    Value isInside = both(compare(LLVM::ICmpPredicate::uge, number, part.begin),
                          compare(LLVM::ICmpPredicate::ult, number, part.end));
    copyInner(loops, level + 1, isInside);
  }
  const PlacedLoop &innermost = loops.back();
  if (loops.size() > 1)
    makePlain(innermost);
  builder.setInsertionPoint(findEntry(innermost.header, innermost.latch));
  const Part &inside = bounds.interior.back();
  Part front{constant(0), inside.begin}, back{inside.end, bounds.counts.back()};
  runParts(innermost, {front, back});
  return copiedEntry;
}

Operation *comm::splitNest(const NestSplit &split, const SplitBounds &bounds) { return Splitter(split, bounds).run(); }
