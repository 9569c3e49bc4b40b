//===- CDagOps.cpp - Communication DAGs -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/Comm.h"

using namespace mlir;
using namespace comm;

static LogicalResult verifyYield(CDagOp op, YieldOp yield) {
  if (yield.getOperandTypes() == op.getResultTypes())
    return success();
  return yield.emitOpError() << "yields " << yield.getNumOperands() << " values, but the comm.cdag around it has "
                             << op.getNumResults() << " results of types " << op.getResultTypes();
}

static LogicalResult verifyRemoteAccess(CDagOp op, MPIOpInterface member) {
  RemoteAccess access = member.getRemoteAccess();
  if (!op.getWin() || access.kind == RemoteAccess::Kind::None)
    return member.emitOpError() << "cannot be in a comm.cdag"
                                << (op.getWin() ? " of a window: only gets and puts can" : " of a communicator");
  if (access.window != op.getWin())
    return member.emitOpError() << "has a different window than the enclosing comm.cdag";
  return success();
}

static LogicalResult verifyMember(CDagOp op, MPIOpInterface member) {
  if (member.isOneSided())
    return verifyRemoteAccess(op, member);
  Matching matching = member.getMatching();
  if (matching.kind == Matching::Kind::None)
    return success();
  if (op.getWin())
    return member.emitOpError() << "cannot be in a comm.cdag of a window: only gets and puts can";
  if (matching.kind != Matching::Kind::Send && matching.kind != Matching::Kind::Receive)
    return member.emitOpError() << "cannot be in a comm.cdag: only sends and receives can";
  if (!member.isAsync())
    return member.emitOpError() << "in a comm.cdag must be async: it completes when the region ends";
  if (matching.communicator != op.getComm())
    return member.emitOpError() << "has a different communicator than the enclosing comm.cdag";
  Value request = member.getOutcome("request");
  if (!request)
    return member.emitOpError() << "in a comm.cdag must return its request, and not put it into memory";
  for (Operation *user : request.getUsers())
    if (!isa<AfterOp>(user))
      return member.emitOpError() << "in a comm.cdag completes when the region ends: its request has no other use "
                                  << "than comm.after";
  return success();
}

LogicalResult CDagOp::verify() {
  if (!getComm() == !getWin())
    return emitOpError() << "has either a communicator, of sends and receives, or a window, of gets and puts";
  if (getEpochs() && !getWin())
    return emitOpError() << "has epochs, which only a window has";
  if (getWin() && !getImplied())
    return emitOpError() << "of a window has the dependencies that the buffers imply: write 'implied'";
  return success();
}

LogicalResult CDagOp::verifyRegions() {
  // A block without successors may never return, so a graph need not end there.
  bool hasYield = false;
  for (Block &block : getBody()) {
    Operation *last = block.empty() ? nullptr : &block.back();
    if (auto yield = dyn_cast_or_null<YieldOp>(last)) {
      if (hasYield)
        return yield.emitOpError() << "is the second one of its comm.cdag: join the paths and yield once";
      hasYield = true;
      if (failed(verifyYield(*this, yield)))
        return failure();
    }
  }
  if (!hasYield)
    return emitOpError() << "has no comm.yield";
  WalkResult result = getBody().walk([&](Operation *op) -> WalkResult {
    if (op != *this && isa<CDagOp>(op)) {
      op->emitOpError() << "cannot be in another comm.cdag";
      return WalkResult::interrupt();
    }
    auto member = dyn_cast<MPIOpInterface>(op);
    return !member || succeeded(verifyMember(*this, member)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult AfterOp::verify() {
  auto graph = (*this)->getParentOfType<CDagOp>();
  if (!graph)
    return emitOpError() << "orders the operations of a comm.cdag, but is not in one";
  if (getPredecessors().empty())
    return emitOpError() << "names no preceding operation";
  for (Value request : getOperands()) {
    Operation *start = request.getDefiningOp();
    if (!isa_and_nonnull<MPIOpInterface>(start) || start->getParentOfType<CDagOp>() != graph)
      return emitOpError() << "takes requests of operations of the same comm.cdag";
  }
  if (llvm::is_contained(getPredecessors(), getRequest()))
    return emitOpError() << "makes an operation wait for itself";
  return success();
}

LogicalResult TransferOp::verify() {
  if (!(*this)->getParentOfType<CDagOp>())
    return emitOpError() << "is part of a comm.cdag, but is not in one";
  auto sourceRank = static_cast<int64_t>(getSourceRank()), targetRank = static_cast<int64_t>(getTargetRank());
  auto sourceOffset = static_cast<int64_t>(getSourceOffset()), targetOffset = static_cast<int64_t>(getTargetOffset());
  auto size = static_cast<int64_t>(getBytes()), most = std::numeric_limits<int64_t>::max();
  if (sourceRank < 0 || targetRank < 0 || sourceOffset < 0 || targetOffset < 0)
    return emitOpError() << "has a negative rank or offset";
  if (size <= 0)
    return emitOpError() << "transfers no bytes";
  if (sourceOffset > most - size || targetOffset > most - size)
    return emitOpError() << "ends at an offset that does not fit into 63 bits";
  return success();
}
