//===- InstrumentIntervals.cpp - Measure overlap intervals -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/RuntimeCalls.h"

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
};
} // namespace

/// COMM_REPORT_ABI_VERSION of comm/report.h.
constexpr unsigned kABIVersion = 2;

/// struct comm_report_site: executions, seconds, shortest and next follow what all sites have.
static Value makeReportSite(RuntimeCalls &runtime, OpBuilder &builder, MPIOpInterface start) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return runtime.makeSite(builder, start, "comm.report.site", kABIVersion, /*isConstant=*/false,
                          {builder.getI64Type(), builder.getF64Type(), builder.getI64Type(), pointer});
}

/// Where the interval ends: the wait, or the first of the waits that come right before it. Waiting for another
/// communication is no overlap.
static Operation *getIntervalEnd(Operation *wait, Value request) {
  Operation *end = wait;
  for (Operation *before = wait->getPrevNode(); before; before = before->getPrevNode()) {
    if (isa<WaitOp, WaitIfOp>(before))
      end = before;
    else if (!isPure(before) || request.getDefiningOp() == before)
      break;
  }
  return end;
}

void InstrumentIntervals::runOnOperation() {
  RuntimeCalls runtime(getOperation());
  SmallVector<Interval> intervals;
  SmallVector<MPIOpInterface> inits;
  getOperation().walk([&](MPIOpInterface op) {
    if (std::optional<Interval> interval = getInterval(op))
      intervals.push_back(*interval);
    if (StringRef(op.getMPIFunctionName()).starts_with("MPI_Init"))
      inits.push_back(op);
  });
  OpBuilder builder(&getContext());
  for (MPIOpInterface init : inits) {
    builder.setInsertionPointAfter(init);
    runtime.call(builder, init.getLoc(), "comm_report_init", nullptr, {});
    markChanged(init);
  }
  for (Interval &interval : intervals) {
    builder.setInsertionPointAfter(interval.start);
    Location loc = interval.start.getLoc();
    Value site = makeReportSite(runtime, builder, interval.start);
    Value begin = runtime.call(builder, loc, "comm_report_begin", builder.getF64Type(), site);
    Value request = interval.start.getOutcome("request");
    // It ends at one of two waits. An interval that began at 0 does not count.
    if (WaitIfOp guard = interval.guard) {
      builder.setInsertionPoint(guard);
      Type f64 = builder.getF64Type();
      Value zero = LLVM::ConstantOp::create(builder, loc, f64, builder.getFloatAttr(f64, 0.0));
      Value ended = LLVM::SelectOp::create(builder, loc, guard.getCondition(), begin, zero);
      runtime.call(builder, loc, "comm_report_end", nullptr, {site, ended});
      begin = LLVM::SelectOp::create(builder, loc, guard.getCondition(), zero, begin);
    }
    builder.setInsertionPoint(getIntervalEnd(interval.wait, request));
    runtime.call(builder, loc, "comm_report_end", nullptr, {site, begin});
    markChanged(interval.start);
    ++numInstrumented;
  }
}
