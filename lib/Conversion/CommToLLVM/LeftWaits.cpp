//===- LeftWaits.cpp - Waits that left the branch of their start -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/CommToLLVM.h"

#include "CallBuilder.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace comm;

/// Moves the operation into a conditional block of its own.
static void putUnder(Value condition, Operation *op) {
  OpBuilder builder(op);
  Block *before = op->getBlock();
  Block *arm = before->splitBlock(op);
  Block *after = arm->splitBlock(std::next(op->getIterator()));
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, op->getLoc(), condition, arm, after);
  builder.setInsertionPointToEnd(arm);
  LLVM::BrOp::create(builder, op->getLoc(), after);
}

/// `if (request != MPI_REQUEST_NULL) MPI_Wait(...)`: if the start did not run, MPI may not even be initialized, and the
/// status must not be written. An early wait also checks its own condition.
static void guardLeftWait(Operation *wait, Value slot, const mpi::ABI &abi) {
  OpBuilder builder(wait);
  CallBuilder calls(builder, wait, abi);
  Location loc = wait->getLoc();
  Type handle = getHandleType(mpi::HandleClass::Request, abi, wait->getContext());
  Value null = calls.createConstant(*abi.getHandle("MPI_REQUEST_NULL"), handle);
  Value request = LLVM::LoadOp::create(builder, loc, handle, slot);
  Value isActive = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, request, null);
  if (auto early = dyn_cast<WaitIfOp>(wait)) {
    isActive = LLVM::AndOp::create(builder, loc, early.getCondition(), isActive);
    SmallVector<NamedParam> params{{"request", slot}};
    if (Value status = early.getStatus())
      params.emplace_back("status", status);
    wait = createMPIOp(builder, loc, "MPI_Wait", Mode::blocking, params, ArrayRef<StringRef>());
    early.erase();
  }
  wait->removeDiscardableAttr(kLeftAttrName);
  putUnder(isActive, wait);
}

/// Initializes the slot to MPI_REQUEST_NULL.
static void clearSlot(Value slot, const mpi::ABI &abi) {
  Operation *definition = slot.getDefiningOp();
  OpBuilder builder(definition->getContext());
  builder.setInsertionPointAfter(definition);
  CallBuilder calls(builder, definition, abi);
  Type handle = getHandleType(mpi::HandleClass::Request, abi, definition->getContext());
  LLVM::StoreOp::create(builder, definition->getLoc(), calls.createConstant(*abi.getHandle("MPI_REQUEST_NULL"), handle),
                        slot);
}

void comm::guardLeftWaits(Operation *root, const mpi::ABI &abi) {
  llvm::MapVector<Operation *, Value> waits;
  root->walk([&](CompletionOpInterface wait) {
    if (wait->hasAttr(kLeftAttrName))
      waits.insert({wait, wait.getRequests().front()});
  });
  llvm::SmallDenseSet<Value> cleared;
  for (auto [wait, slot] : waits) {
    if (cleared.insert(slot).second)
      clearSlot(slot, abi);
    guardLeftWait(wait, slot, abi);
  }
}
