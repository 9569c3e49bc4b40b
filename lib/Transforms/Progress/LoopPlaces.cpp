//===- LoopPlaces.cpp - Where loops can let MPI progress ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlaces.h"

#include "Comm/Analysis/Order/Dependence.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace comm;

/// Approximate upper bound for the duration of a block of iterations, in cycles: some ten microseconds. Estimates tend
/// to be too high.
static constexpr uint64_t kBlockCycles = 1 << 16;
/// An outer loop with fewer iterations does not let MPI progress often enough.
static constexpr uint64_t kFewPasses = 256;
/// Higher estimates do not come from numbers in the program.
static constexpr uint64_t kMostKnown = 1 << 30;
/// Limits on the iterations of a block: shorter ones would run the vectorizer's checks too often.
static constexpr uint64_t kLeastBlock = 256, kMostBlock = 1 << 16;

Operation *LoopPlaces::getLoop() {
  return strips.empty() ? ticks.front()->getTerminator() : strips.front().latch.getOperation();
}

namespace {
class PlaceFinder {
public:
  PlaceFinder(const Unit &unit, MemoryOracle &oracle, uint64_t leastCycles)
      : unit(unit), oracle(oracle), leastCycles(leastCycles) {}
  void visit(CFGLoop &loop);
  LoopPlaces places;

private:
  void visitInnermost(CFGLoop &loop);
  bool isWorthBlocks(CFGLoop &loop);
  void addBlocksOfAnyLength(CFGLoop &loop);
  /// Estimates the loop's work each time control passes `around`.
  WorkEstimate estimate(CFGLoop &loop, Operation *around);

  const Unit &unit;
  MemoryOracle &oracle;
  uint64_t leastCycles;
};
} // namespace

static bool communicates(CFGLoop &loop) {
  return llvm::any_of(loop.getBlocks(), [](Block *block) {
    return block
        ->walk([](Operation *op) {
          CommRole role = getCommRole(op);
          bool isLocal = role == CommRole::None || role == CommRole::Local;
          return isLocal ? WalkResult::advance() : WalkResult::interrupt();
        })
        .wasInterrupted();
  });
}

WorkEstimate PlaceFinder::estimate(CFGLoop &loop, Operation *around) {
  WorkEstimate work;
  for (Block *block : loop.getBlocks())
    for (Operation &op : *block)
      work.add(oracle.estimateWork(&op, around));
  return work;
}

/// Returns true if a block can be inserted before the loop's header, because no exception or computed address
/// leads there.
static bool isOrdinary(CFGLoop &loop) {
  Block *header = loop.getHeader();
  return !isa<LLVM::LandingpadOp>(header->front()) && llvm::all_of(header->getPredecessors(), [](Block *block) {
    return isa<LLVM::BrOp, LLVM::CondBrOp, LLVM::SwitchOp>(block->getTerminator());
  });
}

/// Returns true if the call ends the program, and so takes none of the loop's time.
static bool endsProgram(Operation &op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  auto callee = call && call.getCallee()
                    ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(call, call.getCalleeAttr())
                    : LLVM::LLVMFuncOp();
  ArrayAttr attributes = callee ? callee.getPassthroughAttr() : ArrayAttr();
  return attributes && llvm::is_contained(attributes, StringAttr::get(op.getContext(), "noreturn"));
}

/// Returns true if the loop itself, without inner loops, has calls of unknown duration.
static bool hasLongCalls(CFGLoop &loop, MemoryOracle &oracle) {
  for (Block *block : loop.getBlocks()) {
    bool isInner = llvm::any_of(loop.getSubLoops(), [&](CFGLoop *inner) { return inner->contains(block); });
    for (Operation &op : *block)
      if (!isInner && isa<CallOpInterface>(op) && !endsProgram(op) &&
          oracle.estimateWork(&op, block->getTerminator()).isUnknown)
        return true;
  }
  return false;
}

/// Returns the branch that exits or continues the loop at the end of each iteration, or null if there is none.
static LLVM::CondBrOp findEndingTest(CFGLoop &loop) {
  Block *latch = loop.getLoopLatch();
  auto branch = latch ? dyn_cast<LLVM::CondBrOp>(latch->getTerminator()) : LLVM::CondBrOp();
  if (branch && loop.contains(branch.getTrueDest()) == loop.contains(branch.getFalseDest()))
    return {};
  return branch;
}

/// Adds a loop whose iterations may take any time: the runtime determines the length of its blocks.
void PlaceFinder::addBlocksOfAnyLength(CFGLoop &loop) {
  if (LLVM::CondBrOp branch = findEndingTest(loop))
    places.strips.push_back({loop.getHeader(), branch, 0});
  else
    places.ticks.push_back(loop.getHeader());
}

void PlaceFinder::visit(CFGLoop &loop) {
  auto visitInner = [&]() {
    for (CFGLoop *inner : loop.getSubLoops())
      visit(*inner);
  };
  if (communicates(loop))
    return visitInner();
  if (estimate(loop, unit.op).isAtMost(leastCycles))
    return;
  if (!isOrdinary(loop))
    return visitInner();
  if (loop.isInnermost())
    return visitInnermost(loop);
  bool hasInnermost = llvm::any_of(loop.getSubLoops(), [](CFGLoop *inner) { return inner->isInnermost(); });
  if (hasInnermost || hasLongCalls(loop, oracle))
    addBlocksOfAnyLength(loop);
  visitInner();
}

/// Returns true if the loop carries a floating-point number that the optimizer may sum up in any order, which depends
/// on where the loop begins and ends.
static bool mayReassociate(CFGLoop &loop) {
  for (Block *block : loop.getBlocks())
    for (Operation &op : *block)
      if (auto math = dyn_cast<LLVM::FastmathFlagsInterface>(op))
        if (bitEnumContainsAny(math.getFastmathAttr().getValue(), LLVM::FastmathFlags::reassoc) &&
            llvm::any_of(loop.getHeader()->getArguments(), [](BlockArgument argument) {
              return !isa<IntegerType, LLVM::LLVMPointerType>(argument.getType());
            }))
          return true;
  return false;
}

/// Returns true if an innermost loop should be split into blocks. Not if an outer loop already is and this one may be
/// short, since the overhead of blocks would be noticeable.
bool PlaceFinder::isWorthBlocks(CFGLoop &loop) {
  CFGLoop *outer = loop.getParentLoop();
  if (leastCycles == 0 || !outer || !llvm::is_contained(unit.interior, outer->getHeader()) || !outer->getLoopLatch())
    return true;
  Operation *end = outer->getLoopLatch()->getTerminator();
  // The number of passes is that of the branch that ends them.
  bool isOftenPassed = !oracle.estimateWork(end, unit.op).isAtMost(kFewPasses);
  WorkEstimate pass = estimate(loop, end);
  // A higher bound is merely the range of a type.
  bool isKnown = pass.isAtMost(kMostKnown);
  return !pass.isAtMost(leastCycles) && (isKnown || !isOftenPassed);
}

void PlaceFinder::visitInnermost(CFGLoop &loop) {
  Block *latch = loop.getLoopLatch();
  Operation *end = latch ? latch->getTerminator() : nullptr;
  WorkEstimate iteration = end ? estimate(loop, end) : WorkEstimate::unknown();
  // Such a loop is not vectorized.
  if (hasLongCalls(loop, oracle))
    return addBlocksOfAnyLength(loop);
  if (!isWorthBlocks(loop))
    return;
  LLVM::CondBrOp branch = findEndingTest(loop);
  if (!branch) {
    places.refusals.push_back({loop.getHeader()->getTerminator(), "it does not end with a test"});
    return;
  }
  if (mayReassociate(loop)) {
    places.refusals.push_back(
        {branch, "the optimizer may reorder its sums (-ffast-math), depending on the number of iterations"});
    return;
  }
  uint64_t size = llvm::bit_floor(kBlockCycles / std::max<uint64_t>(iteration.cycles, 1));
  places.strips.push_back({loop.getHeader(), branch, static_cast<int64_t>(std::clamp(size, kLeastBlock, kMostBlock))});
}

LoopPlaces comm::findPlaces(const Unit &unit, const CFGLoopInfo &loops, MemoryOracle &oracle, uint64_t leastCycles) {
  PlaceFinder finder(unit, oracle, leastCycles);
  llvm::SmallPtrSet<Block *, 16> interior(unit.interior.begin(), unit.interior.end());
  for (Block *block : unit.interior) {
    CFGLoop *loop = loops.getLoopFor(block);
    bool isOutermost = loop && loop->getHeader() == block &&
                       (!loop->getParentLoop() || !interior.contains(loop->getParentLoop()->getHeader()));
    if (isOutermost)
      finder.visit(*loop);
  }
  return std::move(finder.places);
}
