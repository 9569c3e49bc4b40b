//===- InstrumentIntervals.cpp - Measure overlap intervals -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MessageBytes.h"

#include "Comm/Transforms/Passes.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CallSite.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/RuntimeCalls.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_COMMINSTRUMENTINTERVALS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct InstrumentIntervals : public comm::impl::CommInstrumentIntervalsBase<InstrumentIntervals> {
  using CommInstrumentIntervalsBase::CommInstrumentIntervalsBase;
  void runOnOperation() final;

private:
  void prepare(RuntimeCalls &runtime, MPIOpInterface init);
};

/// COMM_REPORT_ABI_VERSION and COMM_REPORT_FIGURES of comm/report.h, and the section for sites of that version.
constexpr unsigned kABIVersion = 3, kFigures = 20;
constexpr StringLiteral kSection = "comm_report_v3";

/// Measures one operation.
class Stopwatch {
public:
  /// With `isListed`, the report includes the site even if it is never executed.
  Stopwatch(RuntimeCalls &runtime, MPIOpInterface op, const mpi::ABI *abi, bool isListed)
      : runtime(runtime), op(op), abi(abi), isListed(isListed), builder(op), loc(op.getLoc()),
        f64(builder.getF64Type()) {}

  void measureBlocking();
  /// Returns the time after the start.
  Value measureStart();
  /// `end`: where the interval ends, the wait or an earlier one.
  void measureInterval(const Interval &interval, Operation *end);
  /// Measures a start in a branch that the wait follows.
  void measureLeftWait(Operation *wait);

private:
  void makeSite();
  Value call(StringRef name, ValueRange arguments) {
    SmallVector<Value> all{site};
    llvm::append_range(all, arguments);
    return runtime.call(builder, loc, name, f64, all);
  }
  void tell(StringRef name, ValueRange arguments) {
    SmallVector<Value> all{site};
    llvm::append_range(all, arguments);
    runtime.call(builder, loc, name, nullptr, all);
  }
  /// Returns the time before the operation.
  Value enter() { return call("comm_report_enter", {}); }
  /// Returns the times for the conditional one of two waits and for the other one. The one without anything to wait for
  /// gets 0, which does not count.
  std::pair<Value, Value> divide(Value condition, Value time) {
    Value zero = LLVM::ConstantOp::create(builder, loc, f64, builder.getFloatAttr(f64, 0.0));
    Value early = LLVM::SelectOp::create(builder, loc, condition, time, zero);
    Value late = LLVM::SelectOp::create(builder, loc, condition, zero, time);
    return {early, late};
  }
  void leaveWait(Value entered) { tell("comm_report_waited", entered); }
  void measureWait(Operation *first, Operation *wait, Value begin);

  RuntimeCalls &runtime;
  MPIOpInterface op;
  const mpi::ABI *abi;
  bool isListed;
  OpBuilder builder;
  Location loc;
  Type f64;
  Value site;
};
} // namespace

/// Creates the struct comm_report_site.
void Stopwatch::makeSite() {
  // The site takes the name from the attribute.
  bool isOwn = getProgramsCall(op) != getDisplayName(op);
  if (isOwn)
    op->setDiscardableAttr(kOriginAttrName, builder.getStringAttr(getProgramsCall(op)));
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type figures = LLVM::LLVMArrayType::get(builder.getI64Type(), kFigures);
  site = runtime.makeSite(builder, op, "comm.report.site", kABIVersion, /*isConstant=*/false, getInlinedAt(loc),
                          {figures, pointer});
  if (isListed)
    runtime.setSection(site, kSection, /*alignment=*/8);
  if (isOwn)
    op->removeDiscardableAttr(kOriginAttrName);
}

/// Returns the conditional wait that precedes this one for the same requests in memory, or null.
static WaitallIfOp findEarlyWait(MPIOpInterface wait) {
  Value requests = isWaitInMemory(wait) && !isConditionalWait(wait) ? getRequestPointer(wait) : Value();
  WaitallIfOp last;
  DominanceInfo dominance;
  if (requests)
    for (Operation *user : requests.getUsers())
      if (auto guard = dyn_cast<WaitallIfOp>(user); guard && guard.getLoc() == wait->getLoc() &&
                                                    dominance.properlyDominates(guard, wait) &&
                                                    (!last || dominance.properlyDominates(last, guard)))
        last = guard;
  return last;
}

void Stopwatch::measureBlocking() {
  makeSite();
  Value bytes = computeMessageBytes(builder, op, abi, runtime);
  Value entered = enter();
  // Only one of the two waits counts: the other one finds no requests.
  if (auto guard = dyn_cast<WaitallIfOp>(op.getOperation()))
    entered = divide(guard.getCondition(), entered).first;
  else if (WaitallIfOp early = findEarlyWait(op))
    entered = divide(early.getCondition(), entered).second;
  builder.setInsertionPointAfter(op);
  tell("comm_report_blocked", {entered, bytes});
}

Value Stopwatch::measureStart() {
  makeSite();
  Value bytes = computeMessageBytes(builder, op, abi, runtime);
  Value entered = enter();
  builder.setInsertionPointAfter(op);
  return call("comm_report_started", {entered, bytes});
}

/// Returns the end of the interval: the wait, or the first of the waits immediately before it. Waiting for another
/// communication is not overlap.
static Operation *getIntervalEnd(const Interval &interval) {
  Operation *end = interval.wait;
  for (Operation *before = end->getPrevNode(); before; before = before->getPrevNode()) {
    // The first of the two waits knows which one counts.
    if (interval.guard == before)
      break;
    if (isa<WaitOp>(before) || isConditionalWait(before))
      end = before;
    else if (!isPure(before) || interval.start == before)
      break;
  }
  return end;
}

/// Ends the interval before `first`, which is the wait itself or one of those immediately before it.
void Stopwatch::measureWait(Operation *first, Operation *wait, Value begin) {
  builder.setInsertionPoint(first);
  Value entered = call("comm_report_end", begin);
  if (first != wait) {
    builder.setInsertionPoint(wait);
    entered = call("comm_report_turn", entered);
  }
  builder.setInsertionPointAfter(wait);
  leaveWait(entered);
}

void Stopwatch::measureInterval(const Interval &interval, Operation *end) {
  Value begin = measureStart();
  // The interval ends at one of two waits.
  if (WaitIfOp guard = interval.guard) {
    builder.setInsertionPoint(guard);
    auto [early, late] = divide(guard.getCondition(), begin);
    measureWait(guard, guard, early);
    begin = late;
  }
  measureWait(end, interval.wait, begin);
}

void InstrumentIntervals::prepare(RuntimeCalls &runtime, MPIOpInterface init) {
  OpBuilder builder(init);
  builder.setInsertionPointAfter(init);
  if (!file.empty())
    runtime.call(builder, init.getLoc(), "comm_report_file", nullptr, runtime.getString(builder, init.getLoc(), file));
  runtime.call(builder, init.getLoc(), "comm_report_init", nullptr, {});
  markChanged(init);
}

void Stopwatch::measureLeftWait(Operation *wait) {
  builder.setInsertionPoint(wait);
  makeSite();
  Value entered = enter();
  builder.setInsertionPointAfter(wait);
  leaveWait(entered);
}

namespace {
/// The operations to measure.
struct Measured {
  SmallVector<Interval> intervals;
  /// Starts whose waits are for requests in memory, and blocking calls.
  SmallVector<MPIOpInterface> starts, blocking;
  /// Starts in branches, and the waits after these branches.
  SmallVector<std::pair<MPIOpInterface, Operation *>> leftWaits;
  SmallVector<MPIOpInterface> inits;
};
} // namespace

/// Returns true if the operation waits, unlike MPI_Test.
static bool isWait(Operation *op) { return isa<WaitOp, WaitallOp, WaitanyOp, WaitsomeOp>(op) || isConditionalWait(op); }

/// Returns the start in a branch that the wait completes, or null for other waits.
static MPIOpInterface findLeftStart(MPIOpInterface op) {
  if (!op->hasAttr(kLeftAttrName))
    return nullptr;
  for (Operation *user : op.getParam("request").getUsers())
    if (auto start = dyn_cast<MPIOpInterface>(user); start && start.isAsync())
      return start;
  return nullptr;
}

static Measured findMeasured(ModuleOp module, bool all) {
  Measured found;
  llvm::SmallPtrSet<Operation *, 16> waits;
  SmallVector<MPIOpInterface> others;
  module.walk([&](MPIOpInterface op) {
    if (isa<InitOp, InitThreadOp>(*op))
      found.inits.push_back(op);
    std::optional<Interval> interval = getInterval(op);
    if (!interval) {
      others.push_back(op);
      return;
    }
    found.intervals.push_back(*interval);
    waits.insert(interval->wait);
    waits.insert(interval->cleanups.begin(), interval->cleanups.end());
    if (interval->guard)
      waits.insert(interval->guard);
  });
  for (MPIOpInterface op : others) {
    if (!all || waits.contains(op) || !op->getParentOfType<LLVM::LLVMFuncOp>())
      continue;
    if (op.isAsync())
      found.starts.push_back(op);
    else if (MPIOpInterface start = findLeftStart(op))
      found.leftWaits.push_back({start, op});
    else if (op.hasAsyncForm() || isWait(op))
      found.blocking.push_back(op);
  }
  return found;
}

void InstrumentIntervals::runOnOperation() {
  RuntimeCalls runtime(getOperation());
  Measured found = findMeasured(getOperation(), all);
  const mpi::ABI *abi = nullptr;
  if (auto name = getOperation()->getAttrOfType<StringAttr>(kABIAttrName))
    abi = mpi::ABI::lookup(name.getValue());
  for (MPIOpInterface init : found.inits)
    prepare(runtime, init);
  // Find the ends before our own calls are inserted between waits.
  SmallVector<Operation *> ends;
  for (const Interval &interval : found.intervals)
    ends.push_back(getIntervalEnd(interval));
  for (auto [interval, end] : llvm::zip_equal(found.intervals, ends)) {
    Stopwatch(runtime, interval.start, abi, all).measureInterval(interval, end);
    markChanged(interval.start);
  }
  for (MPIOpInterface start : found.starts) {
    Stopwatch(runtime, start, abi, all).measureStart();
    markChanged(start);
  }
  for (MPIOpInterface op : found.blocking) {
    Stopwatch(runtime, op, abi, all).measureBlocking();
    markChanged(op);
  }
  for (auto [start, wait] : found.leftWaits) {
    Stopwatch(runtime, start, abi, all).measureLeftWait(wait);
    markChanged(wait);
  }
  numInstrumented += found.intervals.size() + found.starts.size() + found.blocking.size();
}
