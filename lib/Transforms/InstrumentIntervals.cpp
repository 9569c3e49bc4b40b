//===- InstrumentIntervals.cpp - Measure overlap intervals -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Interval.h"
#include "RuntimeCalls.h"

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

/// struct comm_report_site of comm/report.h: abi_version, line, column, registered, mpi_call, function, file,
/// executions, seconds, next.
static Value makeSite(RuntimeCalls &runtime, OpBuilder &builder, Interval interval) {
  MLIRContext *context = builder.getContext();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type(), f64 = builder.getF64Type();
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMStructType::getLiteral(
      context, {i32, i32, i32, i32, pointer, pointer, pointer, i64, f64, pointer});
  Location loc = interval.start.getLoc();
  SourcePosition position = getSourcePosition(loc);
  return runtime.makeGlobal(builder, loc, "comm.report.site", type, /*isConstant=*/false, [&](OpBuilder &inner) -> Value {
    Value site = LLVM::ZeroOp::create(inner, loc, type);
    auto set = [&](int64_t field, Value value) {
      site = LLVM::InsertValueOp::create(inner, loc, site, value, ArrayRef<int64_t>{field});
    };
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(inner, loc, i32, inner.getI32IntegerAttr(value));
    };
    set(0, number(1));
    set(1, number(position.line));
    set(2, number(position.column));
    set(4, runtime.getString(inner, loc, getDisplayName(interval.start)));
    set(5, runtime.getString(inner, loc, getFunctionName(interval.start)));
    set(6, runtime.getString(inner, loc, position.file));
    return site;
  });
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
    Value site = makeSite(runtime, builder, interval);
    Value begin = runtime.call(builder, loc, "comm_report_begin", builder.getF64Type(), site);
    WaitOp wait = interval.wait;
    builder.setInsertionPoint(wait);
    runtime.call(builder, loc, "comm_report_end", nullptr, {site, begin});
    markChanged(interval.start);
    ++numInstrumented;
  }
}
