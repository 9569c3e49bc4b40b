//===- GuardedWaits.cpp - Early waits under a condition --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/GuardedWaits.h"

#include "Motion/LeftWaits.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// One that left the branch of its start, likewise.
static bool canBeGuarded(WaitOp wait) {
  Value status = wait.getStatus();
  return isLeft(wait) && getOnlyStart(wait) && wait.use_empty() &&
         (!status || isa<LLVM::LLVMPointerType>(status.getType()));
}

GuardedWaits::GuardedWaits(Operation *function) {
  SmallVector<WaitOp> waits;
  function->walk([&](MPIOpInterface op) {
    auto wait = dyn_cast<WaitOp>(op.getOperation());
    if (wait && canBeGuarded(wait))
      waits.push_back(wait);
    else if (std::optional<Interval> interval = getInterval(op); interval && canBeGuarded(*interval))
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
    // Of a request in memory: what it completes, and what keeps off it.
    if (isLeft(wait))
      guard->setDiscardableAttrs(wait->getDiscardableAttrDictionary());
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
/// Writes the questions of one guard in front of an operation.
class Asker {
public:
  Asker(Operation *place, DominanceInfo &dominance) : place(place), dominance(dominance), builder(place) {}
  Value ask(const Question &question);

private:
  Value askAlone(const Question &question, Value entered);
  Value compute(Value value);
  Value computeHandle(Value communicator, Value entered);
  Value compare(Value a, Value b) {
    return LLVM::ICmpOp::create(builder, place->getLoc(), LLVM::ICmpPredicate::ne, a, b);
  }

  Operation *place;
  DominanceInfo &dominance;
  OpBuilder builder;
  IRMapping computed;
};
} // namespace

/// The value, where it is asked.
Value Asker::compute(Value value) {
  if (dominance.properlyDominates(value, place))
    return value;
  if (Value known = computed.lookupOrNull(value))
    return known;
  Operation *definition = value.getDefiningOp();
  assert(definition && "see GuardQuestions");
  for (Value operand : definition->getOperands())
    computed.map(operand, compute(operand));
  return builder.clone(*definition, computed)->getResult(0);
}

/// Where the branch is not entered the communicator may be freed, or none, and nobody may look at it.
Value Asker::computeHandle(Value communicator, Value entered) {
  Value handle = compute(communicator);
  if (!entered)
    return handle;
  Location loc = place->getLoc();
  Value isValid = LLVM::FreezeOp::create(builder, loc, entered);
  Value null = ConstantOp::create(builder, loc, CommunicatorType::get(builder.getContext()), "MPI_COMM_NULL");
  Value other = CastOp::create(builder, loc, handle.getType(), null);
  return LLVM::SelectOp::create(builder, loc, isValid, handle, other);
}

Value Asker::ask(const Question &question) {
  if (!question.entry)
    return askAlone(question, {});
  Location loc = place->getLoc();
  Value entered = compute(question.entry);
  if (!question.isEnteredIfTrue) {
    Value yes = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(true));
    entered = LLVM::XOrOp::create(builder, loc, entered, yes);
  }
  return LLVM::AndOp::create(builder, loc, askAlone(question, entered), entered);
}

/// Whatever branch the second unit is, if that is entered.
Value Asker::askAlone(const Question &question, Value entered) {
  Location loc = place->getLoc();
  switch (question.kind) {
  case Question::Kind::ObserverElsewhere:
    return isMarked(builder, loc, mpi::kObserversMarker);
  case Question::Kind::OtherProgram:
    if (!question.first)
      return askRuntime(builder, loc, mpi::kAskWorldMeetsOthers);
    return askRuntime(builder, loc, mpi::kAskMeetsOthers, computeHandle(question.first, entered));
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

Value comm::askAny(ArrayRef<Question> questions, Operation *place, DominanceInfo &dominance) {
  Asker asker(place, dominance);
  Value holds;
  for (const Question &question : questions) {
    OpBuilder builder(place);
    Value one = asker.ask(question);
    holds = holds ? LLVM::OrOp::create(builder, place->getLoc(), holds, one).getResult() : one;
  }
  return holds;
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
    Value holds = askAny(questions, guard, *dominance);
    OpBuilder builder(guard);
    Location loc = guard.getLoc();
    // What was computed in a branch, or for one, is computed again here, where it may mean nothing.
    if (isLeft(guard) || llvm::any_of(questions, [](const Question &question) { return !!question.entry; }))
      holds = LLVM::FreezeOp::create(builder, loc, holds);
    guard.getConditionMutable().assign(holds);
    // The status of a null request is empty: only one of the two may write. One that left its branch asks by itself.
    if (Value status = isLeft(guard) ? Value() : guard.getStatus()) {
      Value ignore = ConstantOp::create(builder, loc, status.getType(), "MPI_STATUS_IGNORE");
      Value late = LLVM::SelectOp::create(builder, loc, holds, ignore, status);
      getInterval(guard.getRequest().getDefiningOp())->wait.getStatusMutable().assign(late);
    }
  }
  if (placeholder)
    placeholder->erase();
}
