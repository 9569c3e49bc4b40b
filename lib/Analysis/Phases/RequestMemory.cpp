//===- RequestMemory.cpp - Memory for requests ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program keeps requests in an array on the stack or from malloc. They can be dropped if only the messages and waits
// of the phase access that array.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Phases/RequestMemory.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

std::string comm::getMPIDisplayName(Operation *op) {
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  return mpiOp ? std::string(mpiOp.getCalledFunction().name) : op->getName().getStringRef().str();
}

/// Returns the array that the pointer points into, a stack slot or newly allocated memory, or null.
static Value getObject(Value pointer) {
  Value object = getBasePointer(pointer);
  if (object.getDefiningOp<LLVM::AllocaOp>())
    return object;
  if (auto call = object.getDefiningOp<LLVM::CallOp>())
    if (std::optional<StringRef> callee = call.getCallee(); callee && (*callee == "malloc" || *callee == "calloc"))
      return object;
  return nullptr;
}

bool comm::looksAtNoRequest(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user))
    return true;
  if (auto store = dyn_cast<LLVM::StoreOp>(user))
    return store.getAddr() == use.get() && store.getValue() != use.get() && !store.getVolatile_();
  if (isa<LLVM::MemsetOp>(user))
    return use.getOperandNumber() == 0;
  if (auto call = dyn_cast<LLVM::CallOp>(user))
    if (std::optional<StringRef> callee = call.getCallee())
      return *callee == "free";
  return false;
}

static bool isRequestUse(OpOperand &use, const llvm::SmallPtrSetImpl<Operation *> &members) {
  if (!members.contains(use.getOwner()))
    return false;
  auto mpiOp = cast<MPIOpInterface>(use.getOwner());
  for (StringRef name : {"request", "array_of_requests"})
    if (llvm::is_contained(comm::detail::getParamOperands(mpiOp, name), use.get()))
      return true;
  return false;
}

/// Whether only requests of the members use the array.
static bool isOnlySeenBy(Value object, const llvm::SmallPtrSetImpl<Operation *> &members) {
  DataLayout layout = DataLayout::closest(object.getDefiningOp());
  return walkPointerUses(object, layout, [&](OpOperand &use, std::optional<int64_t>) {
    return isRequestUse(use, members) || looksAtNoRequest(use);
  });
}

std::string comm::whyRequestsEscape(const Phase &phase) {
  llvm::SmallPtrSet<Operation *, 16> members;
  for (MPIOpInterface message : phase.messages)
    members.insert(message);
  for (CompletionOpInterface completion : phase.completions)
    members.insert(completion);

  llvm::SmallSetVector<Value, 4> started, completed;
  for (CompletionOpInterface completion : phase.completions)
    for (Value request : completion.getRequests()) {
      if (isa<RequestType>(request.getType())) {
        if (!request.getDefiningOp() || !members.contains(request.getDefiningOp()))
          return getMPIDisplayName(completion) + " next to it completes a request that was started elsewhere";
        continue;
      }
      Value object = getObject(request);
      if (!object)
        return "the requests of " + getMPIDisplayName(completion) + " next to it may be known elsewhere";
      completed.insert(object);
    }
  for (MPIOpInterface message : phase.messages) {
    if (!message.isAsync())
      continue;
    if (Value request = message.getOutcome("request")) {
      bool isCompleted = false;
      for (Operation *user : request.getUsers()) {
        if (!members.contains(user))
          return "its request is used elsewhere";
        isCompleted |= isa<CompletionOpInterface>(user);
      }
      if (!isCompleted)
        return "its wait is not next to it";
      continue;
    }
    Value object = getObject(message.getParam("request"));
    if (!object)
      return "its request may be known elsewhere";
    started.insert(object);
  }
  for (Value object : started)
    if (!completed.contains(object))
      return "its wait is not next to it";
  for (Value object : completed) {
    if (!started.contains(object))
      return "a wait next to it completes requests that were started elsewhere";
    if (!isOnlySeenBy(object, members))
      return "its request may be known elsewhere";
  }
  return "";
}
