//===- LeftWaits.cpp - Waits that left the branch of their start -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/LeftWaits.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

Value comm::getLeftSlot(Operation *op) {
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  Value slot = mpiOp && (mpiOp.isAsync() || isa<WaitOp, WaitIfOp>(op)) ? mpiOp.getParam("request") : Value();
  bool isOne = slot && isa<LLVM::LLVMPointerType>(slot.getType()) && llvm::any_of(slot.getUsers(), isLeft);
  return isOne ? slot : Value();
}

MPIOpInterface comm::getOnlyStart(WaitOp wait) {
  Value request = wait.getRequest();
  if (!isLeft(wait))
    return request.getDefiningOp<MPIOpInterface>();
  for (Operation *user : request.getUsers())
    if (auto start = dyn_cast<MPIOpInterface>(user); start && start.isAsync())
      return start;
  return nullptr;
}

MPIOpInterface comm::cloneStart(OpBuilder &builder, MPIOpInterface start, Value slot) {
  SmallVector<NamedParam> params;
  for (auto [index, name] : llvm::enumerate(start.getParamNames()))
    if (OperandRange operands = start.getParamOperands(index); !operands.empty() && name != "request")
      params.emplace_back(name, ValueRange(operands));
  SmallVector<StringRef> outcomes;
  if (slot)
    params.emplace_back("request", slot);
  else
    outcomes.push_back("request");
  MPIOpInterface clone =
      createMPIOp(builder, start->getLoc(), start.getMPIFunctionName(), Mode::async, params, outcomes);
  clone->setDiscardableAttrs(start->getDiscardableAttrDictionary());
  return clone;
}

WaitOp comm::cloneWait(OpBuilder &builder, WaitOp wait, Value request) {
  SmallVector<NamedParam> params{{"request", request}};
  if (Value status = cast<MPIOpInterface>(wait.getOperation()).getParam("status"))
    params.emplace_back("status", status);
  return cast<WaitOp>(
      createMPIOp(builder, wait.getLoc(), "MPI_Wait", Mode::blocking, params, ArrayRef<StringRef>()).getOperation());
}

WaitOp comm::createLeftWait(OpBuilder &builder, WaitOp wait, Value slot) {
  WaitOp left = cloneWait(builder, wait, slot);
  for (StringRef name : {kFollowedAttrName, kLeftAttrName})
    left->setDiscardableAttr(name, builder.getUnitAttr());
  return left;
}
