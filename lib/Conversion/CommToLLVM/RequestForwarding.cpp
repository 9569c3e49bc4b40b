//===- RequestForwarding.cpp - Requests that leave comm -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A !comm.request passes block arguments, calls and returns by value, as its handle. A loop that starts a request and
// passes it to the next iteration thus needs no second slot. But a test may complete a request before it is passed on,
// which sets its handle to MPI_REQUEST_NULL, so the handle must be read where it is passed on rather than where the
// operation started.
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/CommToLLVM.h"

#include "CallBuilder.h"

using namespace mlir;
using namespace comm;

static bool mayComplete(OpOperand &use) {
  auto completion = dyn_cast<CompletionOpInterface>(use.getOwner());
  return completion && llvm::is_contained(completion.getRequests(), use.get());
}

static void reloadUses(Value request, Type handle) {
  bool completes = false;
  SmallVector<OpOperand *> forwards;
  for (OpOperand &use : request.getUses()) {
    completes |= mayComplete(use);
    if (use.getOwner()->getName().getDialectNamespace() != "comm")
      forwards.push_back(&use);
  }
  if (!completes)
    return;
  for (OpOperand *use : forwards) {
    OpBuilder builder(use->getOwner());
    Location loc = use->getOwner()->getLoc();
    Value now = CastOp::create(builder, loc, handle, request);
    // Not a comm.cast, which would fold with the preceding one.
    auto back = UnrealizedConversionCastOp::create(builder, loc, request.getType(), now);
    use->set(back.getResult(0));
  }
}

void comm::reloadForwardedRequests(Operation *root, const mpi::ABI &abi) {
  Type handle = getHandleType(mpi::HandleClass::Request, abi, root->getContext());
  SmallVector<Value> requests;
  root->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(requests, block.getArguments());
    llvm::append_range(requests, op->getResults());
  });
  for (Value request : requests)
    if (isa<RequestType>(request.getType()))
      reloadUses(request, handle);
}
