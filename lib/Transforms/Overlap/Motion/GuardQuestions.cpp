//===- GuardQuestions.cpp - What guards of waits can ask -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/GuardQuestions.h"

#include "Motion/LeftWaits.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

/// Limit on what is recomputed for a guard.
static constexpr unsigned mostDepth = 6;

std::optional<int> GuardQuestions::findProvider(Value value, unsigned guard) const {
  int definition = chain.findDefiningUnit(value);
  if (definition < 0)
    return -1;
  const Unit &unit = chain.getUnits()[definition];
  bool isOutcome = unit.isPiece() ? isa<BlockArgument>(value) && value.getParentBlock() == unit.join
                                  : value.getDefiningOp() == unit.op;
  return isOutcome && definition < static_cast<int>(guard) ? std::optional<int>(definition) : std::nullopt;
}

bool GuardQuestions::canCompute(Value value, unsigned guard, unsigned depth) {
  if (findProvider(value, guard))
    return true;
  // Arithmetic after the guard can be repeated before it.
  Operation *op = value.getDefiningOp();
  if (!op || !depth || op->getNumRegions() != 0 || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
      isa<CallOpInterface>(op) || !oracle.getBehavior(op).isPure())
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return canCompute(operand, guard, depth - 1); });
}

/// Returns the MPI operations that use the communicator.
static SmallVector<Operation *> findUsers(Value communicator) {
  SmallVector<Operation *> users;
  SmallVector<Value> values{communicator};
  while (!values.empty()) {
    Value value = values.pop_back_val();
    for (Operation *user : value.getUsers()) {
      auto op = dyn_cast<MPIOpInterface>(user);
      if (op && op.getParam("comm") == value)
        users.push_back(user);
      else if (user->getNumResults() == 1 && getHandle(user->getResult(0)) == communicator)
        values.push_back(user->getResult(0));
    }
  }
  return users;
}

bool GuardQuestions::isValidHandle(const Question &question, unsigned first, unsigned second) {
  const Unit &later = chain.getUnits()[second];
  if (question.kind != Question::Kind::OtherProgram || !question.first || !later.isPiece())
    return true;
  auto wait = dyn_cast<WaitOp>(chain.getUnits()[first].op);
  Operation *start = wait && !isLeft(wait) ? getOnlyStart(wait).getOperation() : nullptr;
  Block *arm = question.entry ? getOnlyArm(later) : nullptr, *front = chain.getBlocks().front();
  return llvm::any_of(findUsers(question.first), [&](Operation *user) {
    if (user == start || user->getBlock() == arm)
      return true;
    int index = chain.findUnit(user);
    return index >= 0
               ? index < static_cast<int>(second) && !chain.getUnits()[index].isPiece()
               : user->getParentRegion() == front->getParent() && dominance.properlyDominates(user->getBlock(), front);
  });
}

bool GuardQuestions::canAskInstead(unsigned first, unsigned second) {
  auto guard = guardOf.find(first);
  if (guard == guardOf.end())
    return false;
  Condition condition = dependence.getCondition(first, second);
  bool canAsk = !condition.isAlways() && !condition.isNever();
  for (const Question &question : condition.getQuestions()) {
    canAsk = canAsk && isValidHandle(question, first, second);
    question.forEachOperand([&](Value operand) {
      // Questions about bytes use values as they are, without recomputation.
      canAsk &= canCompute(operand, guard->second, question.memory ? 0 : mostDepth);
    });
  }
  return canAsk;
}

void GuardQuestions::visitProviders(Value value, unsigned guard, llvm::function_ref<void(unsigned)> fn) const {
  std::optional<int> provider = findProvider(value, guard);
  if (!provider)
    for (Value operand : value.getDefiningOp()->getOperands())
      visitProviders(operand, guard, fn);
  else if (*provider >= 0)
    fn(*provider);
}

void GuardQuestions::forEachProvider(unsigned first, unsigned second, llvm::function_ref<void(unsigned)> fn) {
  if (!canAskInstead(first, second))
    return;
  Condition condition = dependence.getCondition(first, second);
  for (const Question &question : condition.getQuestions())
    question.forEachOperand([&](Value operand) { visitProviders(operand, guardOf.lookup(first), fn); });
}
