//===- GuardedWaits.cpp - Early waits under a condition --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/GuardedWaits.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// A wait that another one may precede: it writes its status to memory or not at all, for the guard to write it
/// instead, and nobody looks at its error code.
static bool canBeGuarded(const Interval &interval) {
  WaitOp wait = interval.wait;
  Value error = wait.getError(), status = wait.getStatus();
  return !interval.guard && isa<RequestType>(wait.getRequest().getType()) && !wait.getStatusResult() &&
         (!error || error.use_empty()) && (!status || isa<LLVM::LLVMPointerType>(status.getType()));
}

GuardedWaits::GuardedWaits(Operation *function) {
  SmallVector<WaitOp> waits;
  function->walk([&](MPIOpInterface op) {
    if (std::optional<Interval> interval = getInterval(op); interval && canBeGuarded(*interval))
      waits.push_back(interval->wait);
  });
  if (waits.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&cast<FunctionOpInterface>(function).getFunctionBody().front());
  placeholder = LLVM::PoisonOp::create(builder, function->getLoc(), builder.getI1Type());
  for (WaitOp wait : waits) {
    builder.setInsertionPoint(wait);
    auto guard =
        WaitIfOp::create(builder, wait.getLoc(), wait.getRequest(), wait.getStatus(), placeholder->getResult(0));
    guards.insert({guard, {}});
  }
}

void GuardedWaits::require(WaitIfOp guard, const Condition &condition) {
  for (const Question &question : condition.getQuestions())
    if (!llvm::is_contained(guards[guard], question))
      guards[guard].push_back(question);
}

//===----------------------------------------------------------------------===//
// Questions as code
//===----------------------------------------------------------------------===//

namespace {
/// Writes the questions of one guard in front of it.
class Asker {
public:
  Asker(WaitIfOp guard, DominanceInfo &dominance) : guard(guard), dominance(dominance), builder(guard) {}
  Value ask(const Question &question);

private:
  Value compute(Value value);
  Value compare(Value a, Value b) {
    return LLVM::ICmpOp::create(builder, guard.getLoc(), LLVM::ICmpPredicate::ne, a, b);
  }
  Value call(StringRef function, ValueRange arguments);

  WaitIfOp guard;
  DominanceInfo &dominance;
  OpBuilder builder;
  IRMapping computed;
};
} // namespace

/// The value, where the guard is.
Value Asker::compute(Value value) {
  if (dominance.properlyDominates(value, guard))
    return value;
  if (Value known = computed.lookupOrNull(value))
    return known;
  Operation *definition = value.getDefiningOp();
  assert(definition && "see GuardQuestions");
  for (Value operand : definition->getOperands())
    computed.map(operand, compute(operand));
  return builder.clone(*definition, computed)->getResult(0);
}

/// True if the runtime's function says so.
Value Asker::call(StringRef name, ValueRange arguments) {
  auto module = guard->getParentOfType<ModuleOp>();
  Location loc = guard.getLoc();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder declarations = OpBuilder::atBlockBegin(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        declarations, loc, name,
        LLVM::LLVMFunctionType::get(builder.getI32Type(), SmallVector<Type>(arguments.getTypes()), false));
  }
  Value answer = LLVM::CallOp::create(builder, loc, function, arguments).getResult();
  return compare(answer, LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(0)));
}

Value Asker::ask(const Question &question) {
  Location loc = guard.getLoc();
  switch (question.kind) {
  case Question::Kind::ObserverElsewhere:
    return isMarked(builder, loc, mpi::kObserversMarker);
  case Question::Kind::OtherProgram:
    if (!question.first)
      return call(mpi::kAskWorldMeetsOthers, {});
    return call(mpi::kAskMeetsOthers, compute(question.first));
  case Question::Kind::OtherProcess: {
    Value first = compute(question.first), second = compute(question.second);
    Value nobody = ConstantOp::create(builder, loc, first.getType(), "MPI_PROC_NULL");
    Value areTwo = LLVM::AndOp::create(builder, loc, compare(first, nobody), compare(second, nobody));
    return LLVM::AndOp::create(builder, loc, areTwo, compare(first, second));
  }
  case Question::Kind::Memory:
    return question.memory->materialize(builder, loc);
  }
  llvm_unreachable("a question of no kind");
}

void GuardedWaits::finish() {
  std::optional<DominanceInfo> dominance;
  for (auto &[op, questions] : guards) {
    auto guard = cast<WaitIfOp>(op);
    if (questions.empty()) {
      guard.erase();
      continue;
    }
    if (!dominance)
      dominance.emplace(guard->getParentOfType<FunctionOpInterface>());
    Asker asker(guard, *dominance);
    OpBuilder builder(guard);
    Location loc = guard.getLoc();
    Value holds;
    for (const Question &question : questions) {
      Value one = asker.ask(question);
      holds = holds ? LLVM::OrOp::create(builder, loc, holds, one).getResult() : one;
    }
    guard.getConditionMutable().assign(holds);
    // The status of a null request is empty: only one of the two may write.
    if (Value status = guard.getStatus()) {
      Value ignore = ConstantOp::create(builder, loc, status.getType(), "MPI_STATUS_IGNORE");
      Value late = LLVM::SelectOp::create(builder, loc, holds, ignore, status);
      getInterval(guard.getRequest().getDefiningOp())->wait.getStatusMutable().assign(late);
    }
  }
  if (placeholder)
    placeholder->erase();
}
