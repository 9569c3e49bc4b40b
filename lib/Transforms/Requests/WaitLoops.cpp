//===- WaitLoops.cpp - Merge loops of waits -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaitLoops.h"

#include "ComputeAgain.h"
#include "RequestLoop.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/CommQueries.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

using namespace mlir;
using namespace comm;

namespace {
/// The first request of a loop, and the end of its range: the number of requests, or the place after the last one.
struct WaitLoop {
  WaitOp wait;
  LLVM::CondBrOp latch;
  bool leavesIfTrue;
  Value first, count, last;
};
} // namespace

/// Returns true if control goes straight through the loop's blocks, and it computes only its own next iteration: no
/// value of it is used elsewhere.
static bool doesNothingElse(WaitOp wait, CFGLoop &loop) {
  auto isInside = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) { return loop.contains(user->getBlock()); });
  };
  Block *header = loop.getHeader(), *latch = loop.getLoopLatch();
  auto branch = latch ? dyn_cast<LLVM::CondBrOp>(latch->getTerminator()) : LLVM::CondBrOp();
  if (!branch || branch.getTrueDest() == branch.getFalseDest() || !llvm::all_of(header->getArguments(), isInside))
    return false;
  for (Block *block : loop.getBlocks()) {
    bool isInLine = block == header || (block->getNumArguments() == 0 && block->getSinglePredecessor());
    if (!isInLine || (block != latch && !isa<LLVM::BrOp>(block->getTerminator())))
      return false;
    for (Operation &op : block->without_terminator())
      if ((&op != wait && !isPure(&op)) || !llvm::all_of(op.getResults(), isInside))
        return false;
  }
  OperandRange passed = branch.getTrueDest() == header ? branch.getFalseDestOperands() : branch.getTrueDestOperands();
  return llvm::none_of(passed, [&](Value value) { return loop.contains(value.getParentBlock()); });
}

static bool ignoresAll(WaitOp wait) {
  auto op = cast<MPIOpInterface>(wait.getOperation());
  Value status = op.getParam("status"), error = op.getOutcome("error");
  return (!status || !getConstantName(status).empty()) && !op.getOutcome("status") && (!error || error.use_empty());
}

static std::optional<WaitLoop> match(WaitOp wait, FunctionLoops &loops, uint64_t handleSize) {
  CFGLoop *loop = loops.getLoop(wait->getBlock());
  Block *before = loop ? loop->getLoopPredecessor() : nullptr;
  if (!before || !ignoresAll(wait) || !doesNothingElse(wait, *loop))
    return std::nullopt;
  auto isInside = [&](Value value) { return loop->contains(value.getParentBlock()); };
  std::optional<LoopEnd> end = matchEnd(*loop);
  if (!end || isInside(end->last))
    return std::nullopt;
  WaitLoop result{wait, end->latch, end->leavesIfTrue(*loop), {}, {}, {}};
  DataLayout layout = DataLayout::closest(wait);
  Value pointer = getRequestPointer(wait);
  // The loop increments a pointer.
  if (auto place = dyn_cast<BlockArgument>(pointer); place && place.getOwner() == loop->getHeader()) {
    auto step = end->next.getDefiningOp<LLVM::GEPOp>();
    std::optional<int64_t> offset = step ? getConstantOffset(step, layout) : std::nullopt;
    result.first = getPassed(before, place);
    result.last = end->last;
    bool isStep = offset == static_cast<int64_t>(handleSize) && step.getBase() == pointer &&
                  getPassed(loop->getLoopLatch(), place) == end->next;
    return isStep && result.first ? std::optional(result) : std::nullopt;
  }
  // The loop goes through the elements of an array from its beginning.
  std::optional<RequestLoop> numbered = matchRequestLoop(wait, pointer, *loop, layout, handleSize);
  if (!numbered || isInside(numbered->base) ||
      !(numbered->count.getType().isInteger(32) || numbered->count.getType().isInteger(64)))
    return std::nullopt;
  result.first = numbered->base;
  result.count = numbered->count;
  return result;
}

/// Returns the count as an int. Values that do not fit become -1, which MPI rejects, so that no request is skipped.
static Value makeCount(OpBuilder &builder, const WaitLoop &loop, uint64_t handleSize) {
  Location loc = WaitOp(loop.wait).getLoc();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto number = [&](Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value)).getResult();
  };
  Value count = loop.count;
  if (!count) {
    auto address = [&](Value pointer) { return LLVM::PtrToIntOp::create(builder, loc, i64, pointer).getResult(); };
    Value bytes = LLVM::SubOp::create(builder, loc, address(loop.last), address(loop.first));
    count = LLVM::UDivOp::create(builder, loc, bytes, number(i64, handleSize));
  }
  Operation *extension = count.getDefiningOp();
  if (extension && isa<LLVM::ZExtOp, LLVM::SExtOp>(extension) && extension->getOperand(0).getType() == i32)
    count = extension->getOperand(0);
  if (count.getType() == i32)
    return count;
  Value fits = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ule, count, number(i64, INT32_MAX));
  Value narrow = LLVM::TruncOp::create(builder, loc, i32, count);
  return LLVM::SelectOp::create(builder, loc, fits, narrow, number(i32, -1));
}

static void replace(const WaitLoop &loop, uint64_t handleSize) {
  WaitOp wait = loop.wait;
  OpBuilder builder(wait);
  Location loc = wait.getLoc();
  Value ignore = ConstantOp::create(builder, loc, LLVM::LLVMPointerType::get(wait.getContext()), "MPI_STATUSES_IGNORE");
  SmallVector<NamedParam> params{{"count", makeCount(builder, loop, handleSize)},
                                 {"array_of_requests", loop.first},
                                 {"array_of_statuses", ignore}};
  createMPIOp(builder, loc, "MPI_Waitall", Mode::blocking, params, {})
      ->setDiscardableAttr(kWaitLoopAttrName, builder.getI64IntegerAttr(handleSize));
  // Control leaves after the first iteration, which is one block.
  LLVM::CondBrOp branch = loop.latch;
  builder.setInsertionPoint(branch);
  LLVM::BrOp::create(builder, branch.getLoc(),
                     loop.leavesIfTrue ? branch.getTrueDestOperands() : branch.getFalseDestOperands(),
                     loop.leavesIfTrue ? branch.getTrueDest() : branch.getFalseDest());
  Block *header = loop.leavesIfTrue ? branch.getFalseDest() : branch.getTrueDest(), *latch = branch->getBlock();
  branch.erase();
  wait.erase();
  while (header != latch) {
    auto next = cast<LLVM::BrOp>(header->getTerminator());
    Block *merged = next.getDest();
    latch = merged == latch ? header : latch;
    next.erase();
    header->getOperations().splice(header->end(), merged->getOperations());
    merged->erase();
  }
}

bool comm::mergeWaitLoops(LLVM::LLVMFuncOp function, uint64_t handleSize,
                          llvm::function_ref<bool(Operation *)> isWanted) {
  SmallVector<WaitLoop> found;
  DominanceInfo dominance(function);
  FunctionLoops loops(function.getBody(), dominance);
  for (Block &block : function.getBody())
    for (auto wait : block.getOps<WaitOp>())
      if (getRequestPointer(wait) && isWanted(wait))
        if (std::optional<WaitLoop> loop = match(wait, loops, handleSize))
          found.push_back(*loop);
  for (const WaitLoop &loop : found)
    replace(loop, handleSize);
  return !found.empty();
}

/// Creates the loop again: for generalized requests, the end of one may complete the next one.
static void makeLoop(WaitallOp all) {
  uint64_t handleSize = all->getAttrOfType<IntegerAttr>(kWaitLoopAttrName).getInt();
  auto op = cast<MPIOpInterface>(all.getOperation());
  Value first = op.getParam("array_of_requests"), count = op.getParam("count");
  Location loc = all.getLoc();
  Block *before = all->getBlock(), *rest = before->splitBlock(all), *after = rest->splitBlock(all->getNextNode());
  OpBuilder builder(all->getContext());
  Type i64 = builder.getI64Type();
  auto number = [&](Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value)).getResult();
  };
  // MPI reports a negative count as an error.
  Block *loop = builder.createBlock(after, i64, loc);
  builder.setInsertionPointToEnd(before);
  Value isSome = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sgt, count, number(count.getType(), 0));
  Value number64 = LLVM::SExtOp::create(builder, loc, i64, count), zero = number(i64, 0);
  LLVM::CondBrOp::create(builder, loc, isSome, loop, ValueRange{zero}, rest, ValueRange{});
  builder.setInsertionPointToEnd(rest);
  LLVM::BrOp::create(builder, loc, after);
  builder.setInsertionPointToEnd(loop);
  Type bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), handleSize);
  Value request = LLVM::GEPOp::create(builder, loc, first.getType(), bytes, first, loop->getArgument(0));
  createMPIOp(builder, loc, "MPI_Wait", Mode::blocking, {NamedParam("request", request)}, {});
  Value next = LLVM::AddOp::create(builder, loc, loop->getArgument(0), number(i64, 1));
  Value isLast = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, next, number64);
  LLVM::CondBrOp::create(builder, loc, isLast, after, ValueRange{}, loop, ValueRange{next});
}

void comm::makeWaitLoops(Operation *function) {
  SmallVector<WaitallOp> merged;
  function->walk([&](WaitallOp wait) {
    if (wait->hasAttr(kWaitLoopAttrName) && isa<LLVM::LLVMFuncOp>(wait->getParentOp()))
      merged.push_back(wait);
  });
  for (WaitallOp wait : merged)
    makeLoop(wait);
}
