//===- SplitNest.cpp - A nest of loops as two: interior and rest ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (i < n) for (j < m) body       for (lo0 <= i < hi0) for (lo1 <= j < hi1) body
//                                 =>   for (i < n)
//                                        in = lo0 <= i && i < hi0
//                                        for (part of {[0, in ? lo1 : m), [in ? hi1 : m, m)})
//                                          for (j of part) body
//
// Both are copies of the unit, guards of its loops included; loops count iterations of their own, which scalar
// evolution and the vectorizer see through as before. No more copies are needed, whatever is touched.
//
//===----------------------------------------------------------------------===//

#include "SplitNest.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// More iterations than that have a number that 64 bits cannot compute with.
static constexpr int64_t kMostIterations = int64_t(1) << 61;

namespace {
/// Iterations [begin, end).
struct Part {
  Value begin, end;
};

/// One of the loops, in the unit or in its copy.
struct PlacedLoop {
  bool isCopy, isOutermost;
  Block *header, *latch;
  /// By how much the header's arguments grow, as i64; null where they do not.
  SmallVector<Value> steps;
};

class Splitter {
public:
  explicit Splitter(const NestSplit &split)
      : split(split), builder(split.unit.op), loc(split.unit.op->getLoc()), i64(builder.getI64Type()) {}
  Operation *run();

private:
  void computeBounds();
  void copyUnit();
  PlacedLoop place(unsigned level, bool inCopy);
  void runParts(const PlacedLoop &loop, ArrayRef<Part> parts);
  Value countIterations(const PlacedLoop &loop);

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  }
  Value truth(bool value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(value));
  }
  Value compute(Materializer &code, const Expr &expr) {
    return LLVM::TruncOp::create(builder, loc, i64, code.get(expr));
  }
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) { return LLVM::SelectOp::create(builder, loc, condition, a, b); }
  Value both(Value a, Value b) { return LLVM::AndOp::create(builder, loc, a, b); }
  Value advance(Value from, Value step, Value iterations);
  Value loadAgain(const Reload &reload, const PlacedLoop &loop, ArrayRef<Value> initial, Value begin);

  const NestSplit &split;
  OpBuilder builder;
  Location loc;
  Type i64;
  IRMapping copy;
  Operation *copiedEntry = nullptr;
  SmallVector<Value> counts;
  SmallVector<Part> interior;
  SmallVector<SmallVector<Value>> steps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Can it be done?
//===----------------------------------------------------------------------===//

/// The one branch that leads into the loop, and nowhere else.
static LLVM::BrOp findEntry(Block *header, Block *latch) {
  LLVM::BrOp entry;
  for (BlockOperand &edge : header->getUses()) {
    if (edge.getOwner()->getBlock() == latch)
      continue;
    auto branch = dyn_cast<LLVM::BrOp>(edge.getOwner());
    if (!branch || entry)
      return {};
    entry = branch;
  }
  return entry;
}

static bool canGrow(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return isa<LLVM::LLVMPointerType>(type) || (integer && integer.getWidth() <= 64);
}

SmallPtrSet<Block *, 16> comm::findLoopBlocks(Block *header, Block *latch) {
  SmallPtrSet<Block *, 16> blocks{header};
  SmallVector<Block *> work;
  if (latch && blocks.insert(latch).second)
    work.push_back(latch);
  while (!work.empty())
    for (Block *before : work.pop_back_val()->getPredecessors())
      if (blocks.insert(before).second)
        work.push_back(before);
  return blocks;
}

SmallPtrSet<Block *, 4> comm::findBlocksAround(const Unit &unit, Block *header) {
  SmallPtrSet<Block *, 16> interior(unit.interior.begin(), unit.interior.end()), before{header}, after{header};
  for (SmallVector<Block *> work{header}; !work.empty();)
    for (Block *block : work.pop_back_val()->getPredecessors())
      if (interior.contains(block) && before.insert(block).second)
        work.push_back(block);
  for (SmallVector<Block *> work{header}; !work.empty();)
    for (Block *block : work.pop_back_val()->getSuccessors())
      if (interior.contains(block) && after.insert(block).second)
        work.push_back(block);
  SmallPtrSet<Block *, 4> around;
  for (Block *block : unit.interior)
    if (!before.contains(block) && !after.contains(block))
      around.insert(block);
  return around;
}

/// Whether what the loop computes is used after it. Values that nobody uses are handed over, too.
static bool isUsedAfter(const SmallPtrSet<Block *, 16> &blocks) {
  auto isOutside = [&](OpOperand &use) {
    Block *user = use.getOwner()->getBlock();
    if (!blocks.contains(user))
      return true;
    // Handed over on an edge that leaves.
    auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
    for (unsigned i = 0; branch && i < branch->getNumSuccessors(); ++i) {
      Block *target = branch->getSuccessor(i);
      std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
      if (!blocks.contains(target) && argument && argument->getOwner() == target && !argument->use_empty())
        return true;
    }
    return false;
  };
  for (Block *block : blocks) {
    for (BlockArgument argument : block->getArguments())
      if (llvm::any_of(argument.getUses(), isOutside))
        return true;
    for (Operation &op : *block)
      for (Value result : op.getResults())
        if (llvm::any_of(result.getUses(), isOutside))
          return true;
  }
  return false;
}

StringRef comm::whyNotSplit(const NestSplit &split) {
  SmallPtrSet<Block *, 16> interior(split.unit.interior.begin(), split.unit.interior.end());
  for (const FootprintAnalysis::Loop &loop : split.loops) {
    if (!loop.header || !loop.latch || !interior.contains(loop.header) || !interior.contains(loop.latch))
      return "has no header that is known";
    auto end = dyn_cast<LLVM::CondBrOp>(loop.latch->getTerminator());
    bool hasBackedge = end && (end.getTrueDest() == loop.header) != (end.getFalseDest() == loop.header);
    if (!hasBackedge || !findEntry(loop.header, loop.latch))
      return "does not end at its end alone";
    for (auto [argument, step] : llvm::zip_equal(loop.header->getArguments(), loop.steps))
      if ((step.isUnknown() || step.containsIterations() || !canGrow(argument.getType())) &&
          !split.isReloaded(argument))
        return "carries a value from one iteration to the next";
    SmallPtrSet<Block *, 16> blocks = findLoopBlocks(loop.header, loop.latch);
    if (isUsedAfter(blocks))
      return "computes a value that is used after it";
    // What restricted pointers promise holds in one iteration. What is declared before the loop holds in all.
    if (llvm::any_of(blocks, [](Block *block) { return !block->getOps<LLVM::NoAliasScopeDeclOp>().empty(); }))
      return "has restricted pointers of its own";
    if (loop.count.isUnknown() || loop.count.containsIterations())
      return "has a number of iterations that is not known before it";
  }
  return "";
}

bool comm::isComputable(const NestSplit &split) {
  DominanceInfo dominance(split.unit.op->getParentOfType<FunctionOpInterface>());
  bool isAvailable = true;
  auto check = [&](Value value) { isAvailable &= dominance.properlyDominates(value, split.unit.op); };
  auto note = [&](const Expr &expr) {
    isAvailable &= expr.isMaterializable();
    expr.forEachSymbol(check);
  };
  auto notePredicate = [&](const Predicate &predicate) {
    isAvailable &= predicate.isMaterializable();
    predicate.forEachSymbol(check);
  };
  for (const FootprintAnalysis::Loop &loop : split.loops) {
    note(loop.count);
    for (auto [argument, step] : llvm::zip_equal(loop.header->getArguments(), loop.steps))
      if (!split.isReloaded(argument))
        note(step);
  }
  for (const auto &touched : split.touched)
    for (const TouchingIterations &each : touched) {
      note(each.range.begin);
      note(each.range.end);
      notePredicate(each.valid);
    }
  notePredicate(split.holds);
  return isAvailable;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Of each loop the longest range that the touched ones leave between its two ends: a touched range belongs to the end
/// that it is nearer to. Right for all numbers, since what is assumed is asked.
void Splitter::computeBounds() {
  Predicate holds = split.holds;
  for (auto [loop, touched] : llvm::zip_equal(split.loops, split.touched)) {
    holds = holds && Predicate::lessOrEqual(loop.count, Expr(kMostIterations)) &&
            Predicate::lessOrEqual(Expr(), loop.count);
    for (const TouchingIterations &each : touched)
      holds = holds && each.valid;
  }
  // In a branch, which is one unit of the chain however long it is: taken if the loop may run at all.
  Operation *entry = split.unit.op;
  Block *before = entry->getBlock(), *after = before->splitBlock(entry), *made = new Block();
  after->getParent()->getBlocks().insert(Region::iterator(after), made);
  builder.setInsertionPointToEnd(before);
  Materializer guard(builder, loc);
  Value mayRun = guard.get(Predicate::lessOrEqual(Expr(1), split.loops.front().count)), none = constant(0);
  auto *branch = LLVM::CondBrOp::create(builder, loc, mayRun, made, ValueRange(), after, ValueRange()).getOperation();
  SmallVector<Value> results;
  auto hand = [&](Value value) -> Value {
    results.push_back(value);
    return after->addArgument(i64, loc);
  };

  builder.setInsertionPointToEnd(made);
  Value zero = constant(0);
  Materializer code(builder, loc);
  Value isRight = code.get(holds);
  for (auto [loop, touched] : llvm::zip_equal(split.loops, split.touched)) {
    Value count = compute(code, loop.count), low = zero, high = count;
    for (const TouchingIterations &each : touched) {
      Value begin = compute(code, each.range.begin), end = compute(code, each.range.end);
      Value sum = LLVM::AddOp::create(builder, loc, begin, end);
      Value isThere = compare(LLVM::ICmpPredicate::ult, begin, end);
      Value isLow = compare(LLVM::ICmpPredicate::ule, sum, count);
      Value isHigh = both(isThere, compare(LLVM::ICmpPredicate::ugt, sum, count));
      isLow = both(isThere, isLow);
      low = select(both(isLow, compare(LLVM::ICmpPredicate::ugt, end, low)), end, low);
      high = select(both(isHigh, compare(LLVM::ICmpPredicate::ult, begin, high)), begin, high);
    }
    Value isSome = both(isRight, compare(LLVM::ICmpPredicate::ult, low, high));
    low = select(isSome, low, zero);
    high = select(isSome, high, zero);
    counts.push_back(hand(count));
    Value first = hand(low);
    interior.push_back({first, hand(high)});
    SmallVector<Value> &ofLoop = steps.emplace_back();
    for (const Expr &step : loop.steps)
      ofLoop.push_back(step.isZero() || !step.isMaterializable() ? Value() : hand(compute(code, step)));
  }
  LLVM::BrOp::create(builder, loc, results, after);
  cast<LLVM::CondBrOp>(branch).getFalseDestOperandsMutable().assign(SmallVector<Value>(results.size(), none));
  builder.setInsertionPoint(entry);
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

static void dropOperands(Operation *terminator, Block *target) {
  auto branch = cast<BranchOpInterface>(terminator);
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
    if (branch->getSuccessor(i) == target)
      branch.getSuccessorOperands(i).getMutableForwardedOperands().clear();
}

/// In front of the unit, which then begins in a block of its own.
void Splitter::copyUnit() {
  Operation *entry = split.unit.op;
  Block *before = entry->getBlock(), *after = before->splitBlock(entry);
  copy.map(split.unit.join, after);
  SmallVector<Operation *> copies;
  SmallPtrSet<Block *, 4> around = findBlocksAround(split.unit, split.loops.front().header);
  for (Block *block : split.unit.interior) {
    if (around.contains(block)) {
      copy.map(block, after);
      continue;
    }
    auto *made = new Block();
    after->getParent()->getBlocks().insert(Region::iterator(after), made);
    copy.map(block, made);
    for (BlockArgument argument : block->getArguments())
      copy.map(argument, made->addArgument(argument.getType(), argument.getLoc()));
  }
  OpBuilder::InsertionGuard guard(builder);
  auto clone = [&](Operation *op, Block *into) {
    builder.setInsertionPointToEnd(into);
    copies.push_back(builder.clone(*op, copy));
    return copies.back();
  };
  // Scopes of restricted pointers are declared once, before the loops.
  for (Block *block : split.unit.interior)
    for (Operation &op : *block)
      if (!around.contains(block) && !isa<LLVM::NoAliasScopeDeclOp>(op))
        clone(&op, copy.lookup(block));
  copiedEntry = clone(entry, before);
  // What is defined in a later block was not there yet.
  for (Operation *op : copies)
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(copy.lookupOrDefault(operand.get()));
    });
  for (Operation *op : copies)
    if (op->hasTrait<OpTrait::IsTerminator>())
      dropOperands(op, after);
}

PlacedLoop Splitter::place(unsigned level, bool inCopy) {
  const FootprintAnalysis::Loop &loop = split.loops[level];
  Block *header = loop.header, *latch = loop.latch;
  if (inCopy)
    return {true, level == 0, copy.lookup(header), copy.lookup(latch), steps[level]};
  return {false, level == 0, header, latch, steps[level]};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What the value is after that many iterations.
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

/// What the iteration before `begin` hands over; that of the first one is known. The first iteration runs, so that what
/// it loads can be loaded.
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

/// Gives the header the number of the iteration, from 0.
Value Splitter::countIterations(const PlacedLoop &loop) {
  LLVM::BrOp entry = findEntry(loop.header, loop.latch);
  builder.setInsertionPoint(entry);
  entry.getDestOperandsMutable().append(constant(0));
  Value number = loop.header->addArgument(i64, loc);
  auto end = cast<LLVM::CondBrOp>(loop.latch->getTerminator());
  builder.setInsertionPoint(end);
  Value next = LLVM::AddOp::create(builder, loc, number, constant(1),
                                   LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw);
  if (end.getTrueDest() == loop.header)
    end.getTrueDestOperandsMutable().append(next);
  else
    end.getFalseDestOperandsMutable().append(next);
  builder.setInsertionPointToStart(loop.header);
  return number;
}

/// Makes the loop run these iterations, one part after the other.
void Splitter::runParts(const PlacedLoop &loop, ArrayRef<Part> parts) {
  Block *header = loop.header;
  Region *region = header->getParent();
  LLVM::BrOp entry = findEntry(header, loop.latch);
  auto oldEnd = cast<LLVM::CondBrOp>(loop.latch->getTerminator());
  bool backIfTrue = oldEnd.getTrueDest() == header;
  SmallVector<Value> next(backIfTrue ? oldEnd.getTrueDestOperands() : oldEnd.getFalseDestOperands());
  Block *exit = backIfTrue ? oldEnd.getFalseDest() : oldEnd.getTrueDest();
  SmallVector<Value> results(backIfTrue ? oldEnd.getFalseDestOperands() : oldEnd.getTrueDestOperands());
  // What the loop computes and hands over is used by nobody.
  SmallPtrSet<Block *, 16> blocks = findLoopBlocks(header, loop.latch);
  builder.setInsertionPoint(entry);
  for (Value &result : results)
    if (blocks.contains(result.getParentBlock()))
      result = LLVM::PoisonOp::create(builder, loc, result.getType());
  SmallVector<Value> initial(entry.getDestOperands());
  Value number = header->addArgument(i64, loc);

  // Where a part begins, and where it is over.
  Block *enter = nullptr, *leave = exit;
  Value begin = parts[0].begin, end = parts[0].end, isLast;
  if (parts.size() == 2) {
    enter = new Block();
    leave = new Block();
    region->getBlocks().insert(Region::iterator(header), enter);
    region->getBlocks().insert(std::next(Region::iterator(loop.latch)), leave);
    begin = enter->addArgument(i64, loc);
    end = enter->addArgument(i64, loc);
    isLast = enter->addArgument(builder.getI1Type(), loc);
    Operation *into = LLVM::BrOp::create(builder, loc, ValueRange{parts[0].begin, parts[0].end, truth(false)}, enter);
    into->setDiscardableAttrs(entry->getDiscardableAttrDictionary());
    builder.setInsertionPointToEnd(enter);
  }
  Value isSome = compare(LLVM::ICmpPredicate::ult, begin, end);
  SmallVector<Value> first;
  for (auto [index, value, step] : llvm::enumerate(initial, loop.steps)) {
    const Reload *reload = llvm::find_if(split.reloads, [&, i = index](const Reload &each) {
      return loop.isOutermost && each.argument.getArgNumber() == i;
    });
    first.push_back(reload == split.reloads.end() ? advance(value, step, begin)
                                                  : loadAgain(*reload, loop, initial, begin));
  }
  first.push_back(begin);
  ValueRange handedOver = parts.size() == 2 ? ValueRange() : ValueRange(results);
  auto guard = LLVM::CondBrOp::create(builder, loc, isSome, header, first, leave, handedOver);
  if (parts.size() == 1)
    guard->setDiscardableAttrs(entry->getDiscardableAttrDictionary());
  if (entry == copiedEntry)
    copiedEntry = parts.size() == 1 ? guard.getOperation() : entry->getPrevNode();
  entry->erase();

  builder.setInsertionPoint(oldEnd);
  Value following = LLVM::AddOp::create(builder, loc, number, constant(1),
                                        LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw);
  Value isOver = compare(LLVM::ICmpPredicate::eq, following, end);
  next.push_back(following);
  auto newEnd = LLVM::CondBrOp::create(builder, loc, isOver, leave, handedOver, header, next);
  newEnd.setLoopAnnotationAttr(oldEnd.getLoopAnnotationAttr());
  newEnd->setLoc(oldEnd->getLoc());
  oldEnd.erase();
  if (parts.size() == 1)
    return;
  builder.setInsertionPointToEnd(leave);
  LLVM::CondBrOp::create(builder, loc, isLast, exit, results, enter,
                         ValueRange{parts[1].begin, parts[1].end, truth(true)});
}

Operation *Splitter::run() {
  computeBounds();
  copyUnit();
  for (unsigned level = 0; level < split.loops.size(); ++level)
    runParts(place(level, /*inCopy=*/true), interior[level]);
  // Outer loops of the rest run whole, and know where the interior is.
  Value isInside;
  unsigned last = split.loops.size() - 1;
  for (unsigned level = 0; level < last; ++level) {
    Value number = countIterations(place(level, /*inCopy=*/false));
    Value isHere = both(compare(LLVM::ICmpPredicate::uge, number, interior[level].begin),
                        compare(LLVM::ICmpPredicate::ult, number, interior[level].end));
    isInside = isInside ? both(isInside, isHere) : isHere;
  }
  PlacedLoop innermost = place(last, /*inCopy=*/false);
  builder.setInsertionPoint(findEntry(innermost.header, innermost.latch));
  Value zero = constant(0), count = counts[last], low = interior[last].begin, high = interior[last].end;
  if (isInside) {
    low = select(isInside, low, count);
    high = select(isInside, high, count);
  }
  runParts(innermost, {{zero, low}, {high, count}});
  return copiedEntry;
}

Operation *comm::splitNest(const NestSplit &split) { return Splitter(split).run(); }
