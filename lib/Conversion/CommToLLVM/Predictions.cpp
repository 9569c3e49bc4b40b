//===- Predictions.cpp - Starts that may be the blocking call --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/CommToLLVM.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace comm;

/// `if (predicted short) MPI_Recv(...); else MPI_Irecv(..., slot)`. The slot is null before, and stays null.
static void followPrediction(MPIOpInterface start, LLVM::GlobalOp prediction) {
  OpBuilder builder(start);
  Location loc = start.getLoc();
  Block *before = start->getBlock(), *arm = before->splitBlock(start);
  Block *after = arm->splitBlock(std::next(start->getIterator()));
  auto *blocking = new Block();
  before->getParent()->getBlocks().insert(Region::iterator(after), blocking);

  builder.setInsertionPointToEnd(before);
  Type i8 = builder.getI8Type();
  Value flag = LLVM::AddressOfOp::create(builder, loc, prediction);
  Value last = LLVM::LoadOp::create(builder, loc, i8, flag, /*alignment=*/1, /*isVolatile=*/false,
                                    /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                    LLVM::AtomicOrdering::monotonic);
  Value zero = LLVM::ConstantOp::create(builder, loc, i8, builder.getI8IntegerAttr(0));
  Value isShort = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, last, zero);
  LLVM::CondBrOp::create(builder, loc, isShort, blocking, arm);

  builder.setInsertionPointToEnd(blocking);
  cloneWithMode(builder, start, Mode::blocking);
  LLVM::BrOp::create(builder, loc, after);

  builder.setInsertionPointToEnd(arm);
  LLVM::BrOp::create(builder, loc, after);
}

void comm::followPredictions(Operation *root) {
  SmallVector<MPIOpInterface> starts;
  root->walk([&](MPIOpInterface op) {
    if (op->hasAttr(kPredictionAttrName))
      starts.push_back(op);
  });
  for (MPIOpInterface start : starts) {
    auto name = cast<FlatSymbolRefAttr>(start->removeDiscardableAttr(kPredictionAttrName));
    auto prediction = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(start, name);
    // Without a slot of its own the start has a request that a wait uses. It may always be nonblocking.
    if (prediction && start->getNumResults() == 0 && start->getParentOfType<LLVM::LLVMFuncOp>())
      followPrediction(start, prediction);
  }
}
