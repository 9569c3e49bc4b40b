//===- GuardedWaits.cpp - Early waits under a condition --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedWaits.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// A wait that another one may precede: it writes its status to memory or not at all, for the guard to write it
/// instead, and nobody looks at its error code.
static bool canBeGuarded(const Interval &interval) {
  WaitOp wait = interval.wait;
  Value error = wait.getError(), status = wait.getStatus();
  return !interval.guard && isa<RequestType>(wait.getRequest().getType()) && !wait.getStatusResult() &&
         (!error || error.use_empty()) && (!status || isa<LLVM::LLVMPointerType>(status.getType()));
}

GuardedWaits::GuardedWaits(Operation *function) {
  SmallVector<WaitOp> waits;
  function->walk([&](MPIOpInterface op) {
    if (std::optional<Interval> interval = getInterval(op); interval && canBeGuarded(*interval))
      waits.push_back(interval->wait);
  });
  if (waits.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&cast<FunctionOpInterface>(function).getFunctionBody().front());
  placeholder = LLVM::PoisonOp::create(builder, function->getLoc(), builder.getI1Type());
  for (WaitOp wait : waits) {
    builder.setInsertionPoint(wait);
    auto guard =
        WaitIfOp::create(builder, wait.getLoc(), wait.getRequest(), wait.getStatus(), placeholder->getResult(0));
    guards.insert({guard, {}});
  }
}

void GuardedWaits::require(WaitIfOp guard, const Condition &condition) { guards[guard].push_back(condition); }

/// The condition as a value.
static Value build(OpBuilder &builder, Location loc, const Condition &condition) {
  switch (condition.kind) {
  case Condition::Kind::Always:
    break;
  case Condition::Kind::AnySourceElsewhere:
    return isMarked(builder, loc, mpi::kAnySourceMarker);
  }
  llvm_unreachable("what always holds is no guard's condition");
}

void GuardedWaits::finish() {
  for (auto &[op, conditions] : guards) {
    auto guard = cast<WaitIfOp>(op);
    if (conditions.empty()) {
      guard.erase();
      continue;
    }
    OpBuilder builder(guard);
    Location loc = guard.getLoc();
    Value holds;
    llvm::SmallVector<Condition::Kind> seen;
    for (const Condition &condition : conditions) {
      if (llvm::is_contained(seen, condition.kind))
        continue;
      seen.push_back(condition.kind);
      Value one = build(builder, loc, condition);
      holds = holds ? LLVM::OrOp::create(builder, loc, holds, one).getResult() : one;
    }
    guard.getConditionMutable().assign(holds);
    // The status of a null request is empty: only one of the two may write.
    if (Value status = guard.getStatus()) {
      Value ignore = ConstantOp::create(builder, loc, status.getType(), "MPI_STATUS_IGNORE");
      Value late = LLVM::SelectOp::create(builder, loc, holds, ignore, status);
      getInterval(guard.getRequest().getDefiningOp())->wait.getStatusMutable().assign(late);
    }
  }
  if (placeholder)
    placeholder->erase();
}
