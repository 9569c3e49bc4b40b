//===- AskLayouts.cpp - Datatypes that are known at run time alone ---------===//
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

/// The handle as the program has it; null where it is none of C.
static Value getHandleOfC(Value datatype) {
  Value handle = getHandle(datatype);
  return handle != datatype && (isa<LLVM::LLVMPointerType>(handle.getType()) || handle.getType().isInteger(32))
             ? handle
             : Value();
}

/// Whether the datatype is one on every process that calls the operation. Of a scatter it is so at the root alone, and
/// with MPI_IN_PLACE nobody looks at it (MPI-4, 6.6).
static bool isAlwaysSignificant(MPIOpInterface op) {
  Matching::Kind kind = op.getMatching().kind;
  return kind == Matching::Kind::Send || kind == Matching::Kind::Receive || kind == Matching::Kind::SendReceive;
}

/// In front of the operation; the starts that one MPI_Sendrecv became stay next to each other.
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
