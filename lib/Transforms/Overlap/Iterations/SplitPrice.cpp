//===- SplitPrice.cpp - When splitting a loop pays ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/SplitNest.h"

#include "Comm/Analysis/Memory/WorkEstimate.h"
#include "Comm/Dialect/Comm/Utils/Worksharing.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace comm;

/// Cost of the bounds and of starting a second loop.
static constexpr int64_t kCyclesOfSplit = 3000;
/// Cost of starting a parallel region several times, relative to the work that all threads of a node share.
static constexpr int64_t kCyclesOfForks = 30000;
/// Additional cost of a row of the interior: it begins three times instead of once, and vectors do not fill it.
static constexpr int64_t kCyclesOfRow = 40;
/// Approximate number of operations that a core executes per cycle.
static constexpr int64_t kOperationsPerCycle = 4;
/// Approximate cost of divisions, roots, and calls in operations.
static constexpr int64_t kLongOperation = 16;
/// Assumed trip count of inner loops.
static constexpr int64_t kInnerIterations = 32;
/// Copied memory is most likely an array of numbers; larger sizes are clamped to kMostBytes.
static constexpr int64_t kBytesOfElement = 8, kMostBytes = int64_t(1) << 20;
/// Fewer iterations than this fill no vectors.
static constexpr int64_t kNarrow = 8;

static int64_t getOperations(Operation &op) {
  if (op.hasTrait<OpTrait::IsTerminator>() || op.getNumResults() + op.getNumOperands() == 0)
    return 0;
  if (isa<LLVM::FDivOp, LLVM::SqrtOp, LLVM::CallOp, LLVM::SDivOp, LLVM::UDivOp>(op))
    return kLongOperation;
  // A loop of loads and stores in which an optimizer has recognized a copy.
  if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp, LLVM::MemsetOp>(op)) {
    llvm::APInt bytes;
    bool isKnown = matchPattern(op.getOperand(2), m_ConstantInt(&bytes));
    return 2 * (isKnown ? static_cast<int64_t>(bytes.getLimitedValue(kMostBytes)) / kBytesOfElement : kInnerIterations);
  }
  bool isAddress = isa<LLVM::GEPOp, LLVM::SExtOp, LLVM::ZExtOp>(op) ||
                   (op.getNumResults() == 1 && op.getResult(0).getType().isInteger(64) && !isa<LLVM::LoadOp>(op));
  return isAddress ? 0 : 1;
}

std::string comm::whyTooShort(ArrayRef<MPIOpInterface> starts, const SiteProfile &profile) {
  constexpr uint64_t leastTime = kCyclesOfSplit / WorkEstimate::kCyclesPerNanosecond;
  uint64_t longest = 0;
  for (MPIOpInterface start : starts) {
    std::optional<SiteFacts> facts = profile.lookup(start);
    // Within a node such loops stay whole anyway.
    if (!facts || facts->getTransport() != mpi::Transport::Network || !facts->getLongestBlocking())
      return "";
    longest = std::max(longest, *facts->getLongestBlocking());
  }
  if (starts.empty() || longest > leastTime)
    return "";
  return llvm::formatv("has little to hide: according to the profile, the communication it waits for takes {0} ns on "
                       "average, and starting a second loop takes about {1} ns",
                       longest, leastTime);
}

void comm::estimate(NestSplit &split, unsigned depth, bool asks) {
  const FootprintAnalysis::Loop &innermost = split.loops.back();
  std::optional<int64_t> edges = getTypicalEdges(split.touched.back(), innermost.count);
  split.hasNarrowEdges = depth == 0 && edges && *edges <= kNarrow;
  if (!asks)
    return;
  int64_t operations = 0;
  for (Block *block : findLoopBlocks(innermost.header, innermost.latch))
    for (Operation &op : *block)
      operations += getOperations(op);
  for (unsigned inner = 0; inner < depth; ++inner)
    operations *= kInnerIterations;
  operations = std::max<int64_t>(operations, 1);
  auto getIterations = [&](int64_t cycles) { return llvm::divideCeil(cycles * kOperationsPerCycle, operations); };
  SplitPrice price;
  bool isShared = llvm::any_of(
      split.loops, [](const FootprintAnalysis::Loop &loop) { return isWorksharing(loop.latch->getTerminator()); });
  price.leastIterations = getIterations(isShared ? kCyclesOfForks : kCyclesOfSplit);
  bool hasRows = split.loops.size() > 1 && edges.value_or(1) > 0;
  price.leastOfInnermost = hasRows ? getIterations(kCyclesOfRow) : 1;
  price.leastOfRun = getIterations(kCyclesOfRow);
  split.price = price;
}
