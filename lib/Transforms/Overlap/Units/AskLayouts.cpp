//===- AskLayouts.cpp - Datatypes that are known only at run time ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {
#define GEN_PASS_DEF_COMMASKLAYOUTS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct AskLayouts : public comm::impl::CommAskLayoutsBase<AskLayouts> {
  using CommAskLayoutsBase::CommAskLayoutsBase;
  void runOnOperation() final;
};
} // namespace

/// Returns the handle as the program has it, or null if it is not a C handle.
static Value getHandleOfC(Value datatype) {
  Value handle = getHandle(datatype);
  return handle != datatype && (isa<LLVM::LLVMPointerType>(handle.getType()) || handle.getType().isInteger(32))
             ? handle
             : Value();
}

/// Returns true if the datatype is significant on every process that calls the operation. In a scatter it is so only at
/// the root, and with MPI_IN_PLACE it is ignored (MPI-4, 6.6).
static bool isAlwaysSignificant(MPIOpInterface op) {
  Matching::Kind kind = op.getMatching().kind;
  return kind == Matching::Kind::Send || kind == Matching::Kind::Receive || kind == Matching::Kind::SendReceive;
}

/// Returns the place before the operation. The starts of the halves of one MPI_Sendrecv stay adjacent.
static Operation *findPlace(MPIOpInterface op, Value handle) {
  auto other = dyn_cast_or_null<MPIOpInterface>(op->getPrevNode());
  bool isOneCall = other && other.isAsync() && op.isAsync() && areHalvesOfOneCall(other, op);
  return isOneCall && other != handle.getDefiningOp() ? other.getOperation() : op.getOperation();
}

void AskLayouts::runOnOperation() {
  for (LLVM::LLVMFuncOp function : getOperation().getOps<LLVM::LLVMFuncOp>())
    function.walk([&](MPIOpInterface op) {
      if (!isAlwaysSignificant(op))
        return;
      for (const BufferAccess &access : op.getAccesses()) {
        bool isMessage = access.inFlight && access.extent == BufferAccess::Extent::Elements && access.datatype;
        Value handle = isMessage ? getHandleOfC(access.datatype) : Value();
        if (!handle || !mustAsk(access.datatype) || findAskedLayout(handle, op))
          continue;
        OpBuilder builder(findPlace(op, handle));
        askLayout(builder, op.getLoc(), handle);
        ++numAsked;
      }
    });
}
