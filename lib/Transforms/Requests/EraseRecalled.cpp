//===- EraseRecalled.cpp - Erase recalled starts --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "WaitLoops.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {
#define GEN_PASS_DEF_COMMERASERECALLED
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct EraseRecalled : public comm::impl::CommEraseRecalledBase<EraseRecalled> {
  using CommEraseRecalledBase::CommEraseRecalledBase;
  void runOnOperation() final;
};
} // namespace

static bool isCallOfRecord(Operation *op) {
  return llvm::is_contained({mpi::kBeginRecord, mpi::kForgetRequests, mpi::kRecordRequest, mpi::kKnowsRequests,
                             mpi::kHasOperands, mpi::kTakeRequests, mpi::kGetRequest},
                            getCalleeName(op));
}

/// Returns the wait that stayed next to the early one, with nothing but recalled operations in between, or null if it
/// moved.
static Operation *findAdjacentWait(Operation *early) {
  // If the arm of a branch ends here, continue at its join.
  auto getNext = [](Operation *op) {
    auto branch = dyn_cast<LLVM::BrOp>(op);
    return branch ? &branch.getDest()->front() : op->getNextNode();
  };
  constexpr unsigned most = 1000;
  Operation *op = getNext(early);
  for (unsigned i = 0; op && i < most; ++i, op = getNext(op)) {
    bool isSaidAgain = op->hasAttr(kRecalledAttrName) || isCallOfRecord(op) ||
                       isa<LLVM::BrOp, LLVM::LoadOp, LLVM::StoreOp>(op) || isMemoryEffectFree(op);
    if (!isSaidAgain)
      return isa<WaitallOp>(op) && op->hasAttr(kRequestSetAttrName) ? op : nullptr;
  }
  return nullptr;
}

/// Erases the record, since no wait has moved: each early wait then waits for all requests.
static void eraseRecord(ArrayRef<Operation *> waits, ArrayRef<Operation *> calls) {
  for (Operation *wait : waits)
    wait->erase();
  for (Operation *call : calls) {
    OpBuilder builder(call);
    for (Value result : call->getResults())
      result.replaceAllUsesWith(LLVM::ZeroOp::create(builder, call->getLoc(), result.getType()));
    call->erase();
  }
}

void EraseRecalled::runOnOperation() {
  SmallVector<Operation *> early, calls, waits;
  getOperation()->walk([&](Operation *op) {
    if (op->hasAttr(kUnrecordedAttrName))
      early.push_back(op);
    else if (isCallOfRecord(op))
      calls.push_back(op);
  });
  for (Operation *op : early)
    if (Operation *wait = findAdjacentWait(op))
      waits.push_back(wait);
  numErased += eraseRecalled(getOperation());
  if (waits.size() == early.size())
    eraseRecord(waits, calls);
  makeWaitLoops(getOperation());
}
