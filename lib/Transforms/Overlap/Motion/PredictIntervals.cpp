//===- PredictIntervals.cpp - Starts of short intervals block --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If nothing but local work is between a start and its wait, the wait may as well follow the start, so the two may be
// the blocking call. Which form is faster depends on trip counts, most of which are unknown where the start is. They
// are known at the wait, and they tend to be what they were the last time.
//
//===----------------------------------------------------------------------===//

#include "Motion/LeftWaits.h"

#include "Comm/Transforms/Passes.h"
#include "Comm/Transforms/Utils/RuntimeCalls.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/FrameSlots.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

namespace comm {
#define GEN_PASS_DEF_COMMPREDICTINTERVALS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

/// An interval is short if it executes fewer operations, some 40 ns (as SplitCost's kLeastHidden).
static constexpr int64_t kShortOperations = 128;
/// More iterations make no difference.
static constexpr int64_t kManyIterations = 1 << 20;

namespace {
struct PredictIntervals : public comm::impl::CommPredictIntervalsBase<PredictIntervals> {
  using CommPredictIntervalsBase::CommPredictIntervalsBase;
  void runOnOperation() final;
};

/// A start, its wait, and the loops between them that decide how long the interval is.
struct Prediction {
  MPIOpInterface start;
  WaitOp wait;
  /// What enters the unit that contains the start.
  Operation *begin;
  SmallVector<CFGLoop *> loops;
};

/// Finds the intervals of one function whose length depends on its loops alone.
class PredictionFinder {
public:
  explicit PredictionFinder(LLVM::LLVMFuncOp function)
      : scopes(function.getBody()), dominance(function), loops(dominance.getDomTree(&function.getBody())) {}
  std::optional<Prediction> find(WaitOp wait);

private:
  bool addUnit(const Unit &unit, Prediction &prediction);

  ScopeTree scopes;
  DominanceInfo dominance;
  CFGLoopInfo loops;
};

/// Generates the code of one prediction.
class PredictionCode {
public:
  PredictionCode(const Prediction &prediction, RuntimeCalls &runtime, Type handle)
      : prediction(prediction), runtime(runtime), handle(handle), builder(prediction.start),
        loc(prediction.start->getLoc()), i64(builder.getI64Type()) {}
  void insert();

private:
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  }
  Value countIterations(CFGLoop &loop, Block *edge);
  void countLoop(CFGLoop &loop, Value operations);
  void leave(FlatSymbolRefAttr flag);

  Prediction prediction;
  RuntimeCalls &runtime;
  Type handle;
  OpBuilder builder;
  Location loc;
  Type i64;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which intervals
//===----------------------------------------------------------------------===//

/// Returns true for operations that only compute and access memory: no other process or thread can tell when they run.
static bool isLocalWork(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return !store.getVolatile_() && store.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return isa<LLVM::BrOp, LLVM::CondBrOp, LLVM::SwitchOp>(op);
  return op->getNumRegions() == 0 && !isa<CallOpInterface>(op) && isMemoryEffectFree(op);
}

/// Returns the only start of a message that the wait completes, if the two may be one blocking call without outcomes.
static MPIOpInterface findMessage(WaitOp wait) {
  Value status = wait.getStatus();
  bool isSilent = wait->use_empty() && (!status || getConstantName(status) == "MPI_STATUS_IGNORE");
  MPIOpInterface start = isSilent ? getOnlyStart(wait) : nullptr;
  Value error = start ? start.getOutcome("error") : Value();
  if (!start || isHalf(start) || (error && !error.use_empty()))
    return {};
  Matching::Kind kind = start.getMatching().kind;
  bool isMessage = (kind == Matching::Kind::Send && !start.completesAtOnce()) || kind == Matching::Kind::Receive;
  if (!isMessage || start.isOneSided())
    return {};
  if (isLeft(wait)) {
    Value slot = wait.getRequest();
    auto isOfTwo = [&](Operation *user) { return user == wait || user == start; };
    return llvm::all_of(slot.getUsers(), isOfTwo) ? start : nullptr;
  }
  return start.getOutcome("request").hasOneUse() ? start : nullptr;
}

/// Adds the unit's outermost loops. Returns false if it may do more than local work and the start.
bool PredictionFinder::addUnit(const Unit &unit, Prediction &prediction) {
  bool isLocal = !unit.leavesAbnormally();
  unit.walk([&](Operation *op) { isLocal &= op == prediction.start.getOperation() || isLocalWork(op); });
  if (!isLocal)
    return false;
  for (Block *block : unit.interior) {
    CFGLoop *loop = loops.getLoopFor(block);
    bool isOutermost =
        loop && loop->getHeader() == block &&
        (!loop->getParentLoop() || !llvm::is_contained(unit.interior, loop->getParentLoop()->getHeader()));
    if (isOutermost)
      prediction.loops.push_back(loop);
  }
  return true;
}

/// Returns the number of the unit's operations outside of those loops.
static int64_t countOutside(const Unit &unit, ArrayRef<CFGLoop *> loops) {
  int64_t number = 0;
  unit.walk([&](Operation *op) {
    number += llvm::none_of(loops, [&](CFGLoop *loop) { return loop->contains(op->getBlock()); });
  });
  return number;
}

std::optional<Prediction> PredictionFinder::find(WaitOp wait) {
  MPIOpInterface start = findMessage(wait);
  const Chain *chain = start ? scopes.getChainOf(wait) : nullptr;
  if (!chain)
    return std::nullopt;
  int begin = chain->findUnit(start), end = chain->findUnit(wait);
  if (begin < 0 || begin >= end || chain->getUnits()[end].op != wait)
    return std::nullopt;
  Prediction prediction{start, wait, chain->getUnits()[begin].op, {}};
  ArrayRef<Unit> interval = chain->getUnits().slice(begin, end - begin);
  if (!llvm::all_of(interval, [&](const Unit &unit) { return addUnit(unit, prediction); }) || prediction.loops.empty())
    return std::nullopt;
  int64_t operations = 0;
  for (const Unit &unit : interval)
    operations += countOutside(unit, prediction.loops);
  // A start in a loop of its unit is executed several times.
  bool isRepeated = llvm::any_of(prediction.loops, [&](CFGLoop *loop) { return loop->contains(start->getBlock()); });
  return isRepeated || operations >= kShortOperations ? std::nullopt : std::optional<Prediction>(prediction);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Returns how often the loop's header runs, computed at the end of `edge`, which leads to it. Null if the loop does
/// not end when a counter reaches a bound.
Value PredictionCode::countIterations(CFGLoop &loop, Block *edge) {
  Block *latch = loop.getLoopLatch();
  auto branch = latch ? dyn_cast<LLVM::CondBrOp>(latch->getTerminator()) : LLVM::CondBrOp();
  auto test = branch ? branch.getCondition().getDefiningOp<LLVM::ICmpOp>() : LLVM::ICmpOp();
  if (!test || !loop.isInnermost() || loop.contains(branch.getTrueDest()) == loop.contains(branch.getFalseDest()))
    return {};
  auto next = test.getLhs().getDefiningOp<LLVM::AddOp>();
  auto counter = next ? dyn_cast<BlockArgument>(next.getLhs()) : BlockArgument();
  APInt step;
  bool isCounter = counter && counter.getOwner() == loop.getHeader() &&
                   matchPattern(next.getRhs(), m_ConstantInt(&step)) && !step.isZero() && step.getBitWidth() <= 64;
  Value bound = test.getRhs();
  if (!isCounter || loop.contains(bound.getParentBlock()))
    return {};
  Value from = edge->getArgument(counter.getArgNumber());
  if (step.isNegative())
    std::swap(from, bound);
  Value distance = LLVM::SubOp::create(builder, loc, bound, from);
  Value size = LLVM::ConstantOp::create(builder, loc, distance.getType(),
                                        builder.getIntegerAttr(distance.getType(), step.abs()));
  // The loop may end elsewhere before its bound matters.
  Value times = LLVM::FreezeOp::create(builder, loc, LLVM::UDivOp::create(builder, loc, distance, size));
  return times.getType() == i64 ? times : LLVM::ZExtOp::create(builder, loc, i64, times).getResult();
}

/// Adds the loop's operations to the sum, in a block of its own through which control enters the loop.
void PredictionCode::countLoop(CFGLoop &loop, Value operations) {
  Block *header = loop.getHeader();
  SmallVector<BlockOperand *> entries;
  for (BlockOperand &use : header->getUses())
    if (!loop.contains(use.getOwner()->getBlock()))
      entries.push_back(&use);
  auto *edge = new Block();
  header->getParent()->getBlocks().insert(Region::iterator(header), edge);
  for (BlockArgument argument : header->getArguments())
    edge->addArgument(argument.getType(), argument.getLoc());
  for (BlockOperand *use : entries)
    use->set(edge);
  builder.setInsertionPointToEnd(edge);
  Value times = countIterations(loop, edge), many = constant(kManyIterations);
  times = times ? LLVM::UMinOp::create(builder, loc, times, many).getResult() : many;
  int64_t size = 0;
  for (Block *block : loop.getBlocks())
    size += llvm::range_size(*block);
  Value before = LLVM::LoadOp::create(builder, loc, i64, operations);
  Value work = LLVM::MulOp::create(builder, loc, times, constant(size));
  LLVM::StoreOp::create(builder, loc, LLVM::AddOp::create(builder, loc, before, work), operations);
  LLVM::BrOp::create(builder, loc, edge->getArguments(), header);
}

/// Gives the start the prediction, and its request a slot, which stays null if the start is the blocking call.
void PredictionCode::leave(FlatSymbolRefAttr flag) {
  MPIOpInterface start = prediction.start;
  WaitOp wait = prediction.wait;
  if (isLeft(wait)) {
    start->setDiscardableAttr(kPredictionAttrName, flag);
    return;
  }
  Value slot = createFrameSlot(start, start.getLoc(), handle);
  builder.setInsertionPoint(start);
  cloneStart(builder, start, slot)->setDiscardableAttr(kPredictionAttrName, flag);
  builder.setInsertionPoint(wait);
  createLeftWait(builder, wait, slot);
  wait.erase();
  start.erase();
}

void PredictionCode::insert() {
  Type i8 = builder.getI8Type();
  builder.setInsertionPoint(prediction.wait);
  Value flag = runtime.makeGlobal(builder, loc, "comm_short_interval", i8, /*isConstant=*/false, [&](OpBuilder &inner) {
    return LLVM::ConstantOp::create(inner, loc, i8, inner.getI8IntegerAttr(0)).getResult();
  });
  Value operations = createFrameSlot(prediction.start, loc, i64);
  Value sum = LLVM::LoadOp::create(builder, loc, i64, operations);
  Value isShort = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, sum, constant(kShortOperations));
  // Another thread may execute the same interval.
  Value byte = LLVM::ZExtOp::create(builder, loc, i8, isShort);
  LLVM::StoreOp::create(builder, loc, byte, flag, /*alignment=*/1, /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
  builder.setInsertionPoint(prediction.begin);
  LLVM::StoreOp::create(builder, loc, constant(0), operations);
  for (CFGLoop *loop : prediction.loops)
    countLoop(*loop, operations);
  leave(flag.getDefiningOp<LLVM::AddressOfOp>().getGlobalNameAttr());
}

void PredictIntervals::runOnOperation() {
  ModuleOp module = getOperation();
  const mpi::ABI *known = mpi::ABI::lookup(getABIName(abi, module));
  if (!known)
    return markAllAnalysesPreserved(); // the size of a request is unknown
  Type handle = getHandleType(mpi::HandleClass::Request, *known, &getContext());
  RuntimeCalls runtime(module);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal() || function.getBody().hasOneBlock())
      continue;
    SmallVector<WaitOp> waits;
    function.walk([&](WaitOp wait) { waits.push_back(wait); });
    if (waits.empty())
      continue;
    PredictionFinder finder(function);
    SmallVector<Prediction> found;
    for (WaitOp wait : waits)
      if (std::optional<Prediction> prediction = finder.find(wait))
        found.push_back(*prediction);
    for (const Prediction &prediction : found)
      PredictionCode(prediction, runtime, handle).insert();
    numPredicted += found.size();
  }
}
