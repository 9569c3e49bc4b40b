//===- LeftWaits.cpp - Waits that left the branch of their start -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/CommToLLVM.h"

#include "CallBuilder.h"

using namespace mlir;
using namespace comm;

/// `if (request != MPI_REQUEST_NULL) MPI_Wait(...)`: where the start did not run, MPI may not even be initialized, and
/// the status is not to be written.
static void guardLeftWait(WaitOp wait, const mpi::ABI &abi) {
  OpBuilder builder(wait);
  CallBuilder calls(builder, wait, abi);
  Location loc = wait.getLoc();
  Type handle = getHandleType(mpi::HandleClass::Request, abi, wait.getContext());
  auto createNull = [&]() { return calls.createConstant(*abi.getHandle("MPI_REQUEST_NULL"), handle); };
  Value slot = wait.getRequest();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(slot.getDefiningOp());
    LLVM::StoreOp::create(builder, loc, createNull(), slot);
  }
  Value request = LLVM::LoadOp::create(builder, loc, handle, slot);
  Value isActive = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, request, createNull());
  Block *before = wait->getBlock();
  Block *arm = before->splitBlock(wait);
  Block *after = arm->splitBlock(std::next(wait->getIterator()));
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, isActive, arm, after);
  builder.setInsertionPointToEnd(arm);
  LLVM::BrOp::create(builder, loc, after);
  wait->removeDiscardableAttr(kLeftAttrName);
}

void comm::guardLeftWaits(Operation *root, const mpi::ABI &abi) {
  SmallVector<WaitOp> waits;
  root->walk([&](WaitOp wait) {
    if (wait->hasAttr(kLeftAttrName))
      waits.push_back(wait);
  });
  for (WaitOp wait : waits)
    guardLeftWait(wait, abi);
}
