//===- LoopEdits.cpp - Strip-mine a loop ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ^header(args):                      ^enter(args):      // end = min(n, i + block size)
//     body                              ^header(args):
//     cond_br i' == n, ^exit, ^header     body
//                                  =>     cond_br i' == end, ^leave, ^header
//                                       ^leave:
//                                         cond_br end == n, ^exit, ^between
//                                       ^between:
//                                         br ^enter
//
// A loop with another test counts its iterations and leaves where it did or at the end of a block. Scalar evolution can
// compute the trip counts of both loops.
//
//===----------------------------------------------------------------------===//

#include "LoopEdits.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

namespace {
/// The loop ends at `next == limit`, and `next` becomes the header's argument, a step further.
struct Counter {
  BlockArgument argument;
  Value next, limit;
  int64_t step;
};

class StripMiner {
public:
  StripMiner(const StripMine &strip, Value isNeeded, Value credit)
      : strip(strip), isNeeded(isNeeded), credit(credit), header(strip.header), latch(strip.latch), builder(latch),
        loc(latch.getLoc()), backIfTrue(latch.getTrueDest() == header),
        next(backIfTrue ? latch.getTrueDestOperands() : latch.getFalseDestOperands()),
        results(backIfTrue ? latch.getFalseDestOperands() : latch.getTrueDestOperands()) {
    findBlocks();
  }
  Block *run();

private:
  void findBlocks();
  std::optional<Counter> findCounter();
  void makeEnter();
  Value getSize();
  /// Returns the condition at the end of an iteration that ends a block or the loop. Sets `isDone`.
  Value splitByCounter(const Counter &counter);
  Value splitByNumber();

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
  }
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }
  Block *addBlock(Block *before) {
    auto *block = new Block();
    before->getParent()->getBlocks().insert(Region::iterator(before), block);
    return block;
  }

  const StripMine &strip;
  Value isNeeded, credit;
  Block *header;
  LLVM::CondBrOp latch;
  OpBuilder builder;
  Location loc;
  bool backIfTrue;
  SmallVector<Value> next, results;
  llvm::SmallPtrSet<Block *, 16> loop;
  Block *enter = nullptr;
  LLVM::BrOp entry;
  /// True after the last iteration of the loop.
  Value isDone;
};
} // namespace

void StripMiner::findBlocks() {
  loop.insert(header);
  for (SmallVector<Block *> work{latch->getBlock()}; !work.empty();)
    if (Block *block = work.pop_back_val(); loop.insert(block).second)
      llvm::append_range(work, block->getPredecessors());
}

/// Matches `next == limit` as the only test, with a limit that is known before the loop.
std::optional<Counter> StripMiner::findCounter() {
  auto test = latch.getCondition().getDefiningOp<LLVM::ICmpOp>();
  if (!test || test.getPredicate() != (backIfTrue ? LLVM::ICmpPredicate::ne : LLVM::ICmpPredicate::eq))
    return std::nullopt;
  for (bool isSwapped : {false, true}) {
    Value candidate = isSwapped ? test.getRhs() : test.getLhs(), limit = isSwapped ? test.getLhs() : test.getRhs();
    auto sum = candidate.getDefiningOp<LLVM::AddOp>();
    auto argument = sum ? dyn_cast<BlockArgument>(sum.getLhs()) : BlockArgument();
    std::optional<int64_t> step = sum ? getConstantInteger(sum.getRhs()) : std::nullopt;
    auto type = sum ? dyn_cast<IntegerType>(sum.getType()) : IntegerType();
    if (!type || !argument || argument.getOwner() != header || next[argument.getArgNumber()] != candidate || !step ||
        loop.contains(limit.getParentBlock()))
      continue;
    // A block must be shorter than the range of the type.
    if (type.getWidth() < 32 || type.getWidth() > 64 || *step == 0 || std::abs(*step) > 16)
      continue;
    return Counter{argument, candidate, limit, *step};
  }
  return std::nullopt;
}

/// Redirects all edges into the loop to a new block that receives the header's arguments.
void StripMiner::makeEnter() {
  enter = addBlock(header);
  for (BlockArgument argument : header->getArguments())
    enter->addArgument(argument.getType(), argument.getLoc());
  for (BlockOperand &edge : llvm::make_early_inc_range(header->getUses()))
    if (edge.getOwner() != latch)
      edge.set(enter);
  builder.setInsertionPointToEnd(enter);
  entry = LLVM::BrOp::create(builder, loc, enter->getArguments(), header);
}

/// Returns the number of iterations of a block, as an i64 at the end of the block that enters the loop.
Value StripMiner::getSize() {
  Type i64 = builder.getI64Type();
  builder.setInsertionPoint(entry);
  if (strip.blockSize)
    return constant(i64, strip.blockSize);
  Value size = LLVM::LoadOp::create(builder, loc, i64, credit);
  isNeeded = compare(LLVM::ICmpPredicate::ule, size, constant(i64, kMostIterations));
  return size;
}

Value StripMiner::splitByCounter(const Counter &counter) {
  // The rest has at least one iteration, and an exact number of them, since the test is for equality.
  Value begin = enter->getArgument(counter.argument.getArgNumber());
  Type type = begin.getType();
  Value size = getSize();
  unsigned width = cast<IntegerType>(type).getWidth();
  if (width < 64)
    size = LLVM::TruncOp::create(builder, loc, type, size);
  Value distance = LLVM::MulOp::create(builder, loc, size, constant(type, std::abs(counter.step)));
  Value rest = counter.step > 0 ? LLVM::SubOp::create(builder, loc, counter.limit, begin)
                                : LLVM::SubOp::create(builder, loc, begin, counter.limit);
  Value isLong = compare(LLVM::ICmpPredicate::ugt, rest, distance);
  Value blockEnd = counter.step > 0 ? LLVM::AddOp::create(builder, loc, begin, distance).getResult()
                                    : LLVM::SubOp::create(builder, loc, begin, distance).getResult();
  Value splits = LLVM::AndOp::create(builder, loc, isLong, isNeeded);
  Value end = LLVM::SelectOp::create(builder, loc, splits, blockEnd, counter.limit);
  isDone = LLVM::XOrOp::create(builder, loc, splits, constant(builder.getI1Type(), 1));
  builder.setInsertionPoint(latch);
  return compare(LLVM::ICmpPredicate::eq, counter.next, end);
}

Value StripMiner::splitByNumber() {
  Type i64 = builder.getI64Type();
  Value size = getSize();
  size = LLVM::SelectOp::create(builder, loc, isNeeded, size, constant(i64, -1));
  entry.getDestOperandsMutable().append(constant(i64, 0));
  Value number = header->addArgument(i64, loc);
  builder.setInsertionPoint(latch);
  Value following = LLVM::AddOp::create(builder, loc, number, constant(i64, 1), LLVM::IntegerOverflowFlags::nuw);
  next.push_back(following);
  isDone = latch.getCondition();
  if (backIfTrue)
    isDone = LLVM::XOrOp::create(builder, loc, isDone, constant(builder.getI1Type(), 1));
  return LLVM::OrOp::create(builder, loc, isDone, compare(LLVM::ICmpPredicate::eq, following, size));
}

Block *StripMiner::run() {
  SmallVector<Value> again(next);
  std::optional<Counter> counter = findCounter();
  makeEnter();
  Value isOver = counter ? splitByCounter(*counter) : splitByNumber();
  Block *exit = backIfTrue ? latch.getFalseDest() : latch.getTrueDest();
  auto where = std::next(Region::iterator(latch->getBlock()));
  Block *leave = new Block(), *between = new Block();
  header->getParent()->getBlocks().insert(where, leave);
  header->getParent()->getBlocks().insert(where, between);
  builder.setInsertionPoint(latch);
  auto end = LLVM::CondBrOp::create(builder, loc, isOver, leave, ValueRange(), header, next);
  end.setLoopAnnotationAttr(latch.getLoopAnnotationAttr());
  builder.setInsertionPointToEnd(leave);
  LLVM::CondBrOp::create(builder, loc, isDone, exit, results, between, ValueRange());
  builder.setInsertionPointToEnd(between);
  LLVM::BrOp::create(builder, loc, again, enter);
  latch.erase();
  return between;
}

Block *comm::stripMine(const StripMine &strip, Value isNeeded, Value credit) {
  return StripMiner(strip, isNeeded, credit).run();
}
