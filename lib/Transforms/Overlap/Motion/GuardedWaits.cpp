//===- GuardedWaits.cpp - Early waits under a condition --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/GuardedWaits.h"

#include "Motion/LeftWaits.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// Returns true if another wait may precede this one: it writes its status to memory, where the guard can write it
/// instead, or not at all, and its error code is unused.
static bool canBeGuarded(const Interval &interval) {
  WaitOp wait = interval.wait;
  Value error = wait.getError(), status = wait.getStatus();
  return !interval.guard && isa<RequestType>(wait.getRequest().getType()) && !wait.getStatusResult() &&
         (!error || error.use_empty()) && (!status || isa<LLVM::LLVMPointerType>(status.getType()));
}

/// Likewise for a wait that left the branch of its start.
static bool canBeGuarded(WaitOp wait) {
  Value status = wait.getStatus();
  return isLeft(wait) && getOnlyStart(wait) && wait.use_empty() &&
         (!status || isa<LLVM::LLVMPointerType>(status.getType()));
}

bool comm::canBeGuardedInMemory(Operation *op) {
  auto wait = dyn_cast<MPIOpInterface>(op);
  bool isOne = wait && isWaitInMemory(op) && !isConditionalWait(op) && !isLeft(op) && op->use_empty() &&
               op->hasAttr(kFollowedAttrName) && !op->hasAttr(kRecalledAttrName);
  return isOne && llvm::all_of(wait.getAccesses(), [](const BufferAccess &access) {
           return access.param->role != mpi::Role::Status || !getConstantName(access.buffer).empty();
         });
}

Operation *comm::findGuardInMemory(Operation *wait) {
  Operation *guard = isWaitInMemory(wait) ? wait->getPrevNode() : nullptr;
  bool isGuard = guard && isConditionalWait(guard) && getRequestPointer(guard) == getRequestPointer(wait);
  return isGuard ? guard : nullptr;
}

/// Creates a guard right before the wait, for the same requests.
static Operation *createGuard(OpBuilder &builder, Operation *wait, Value condition) {
  if (!canBeGuardedInMemory(wait)) {
    auto one = cast<WaitOp>(wait);
    auto guard = WaitIfOp::create(builder, wait->getLoc(), one.getRequest(), one.getStatus(), condition);
    // For a request in memory, the attributes tell what the guard completes and what avoids it.
    if (isLeft(wait))
      guard->setDiscardableAttrs(wait->getDiscardableAttrDictionary());
    return guard;
  }
  Value count = cast<MPIOpInterface>(wait).getParam("count");
  if (!count)
    count = LLVM::ConstantOp::create(builder, wait->getLoc(), builder.getI32Type(), builder.getI32IntegerAttr(1));
  Operation *guard = WaitallIfOp::create(builder, wait->getLoc(), count, getRequestPointer(wait), condition);
  for (StringRef name : {kFollowedAttrName, kRequestSetAttrName, kLabelAttrName})
    if (Attribute value = wait->getAttr(name))
      guard->setAttr(name, value);
  return guard;
}

static OpOperand &getCondition(Operation *guard) {
  auto one = dyn_cast<WaitIfOp>(guard);
  return one ? one.getConditionMutable() : cast<WaitallIfOp>(guard).getConditionMutable();
}

GuardedWaits::GuardedWaits(Operation *function) {
  SmallVector<Operation *> waits;
  function->walk([&](MPIOpInterface op) {
    auto wait = dyn_cast<WaitOp>(op.getOperation());
    if ((wait && canBeGuarded(wait)) || canBeGuardedInMemory(op))
      waits.push_back(op);
    else if (std::optional<Interval> interval = getInterval(op); interval && canBeGuarded(*interval))
      waits.push_back(interval->wait);
  });
  if (waits.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&cast<FunctionOpInterface>(function).getFunctionBody().front());
  placeholder = LLVM::PoisonOp::create(builder, function->getLoc(), builder.getI1Type());
  for (Operation *wait : waits) {
    builder.setInsertionPoint(wait);
    guards.insert({createGuard(builder, wait, placeholder->getResult(0)), {}});
  }
}

void GuardedWaits::require(Operation *guard, const Condition &condition) {
  for (const Question &question : condition.getQuestions())
    if (!llvm::is_contained(guards[guard], question))
      guards[guard].push_back(question);
}

//===----------------------------------------------------------------------===//
// Questions as code
//===----------------------------------------------------------------------===//

namespace {
/// Generates the questions of one guard before an operation.
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

/// Returns the value at the place of the question, recomputed if necessary.
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

/// Replaces the communicator by MPI_COMM_NULL if the branch is not entered: it may be freed or invalid then, and must
/// not be used.
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

/// Answers the question, provided that the second unit, if it is a branch, is entered.
Value Asker::askAlone(const Question &question, Value entered) {
  Location loc = place->getLoc();
  switch (question.kind) {
  case Question::Kind::ObserverElsewhere:
    return isMarked(builder, loc, mpi::kObserversMarker);
  case Question::Kind::TalkingThreads:
    return askRuntime(builder, loc, mpi::kAskTalkingThreads);
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
  llvm_unreachable("unknown kind of question");
}

Value comm::askAny(ArrayRef<Question> questions, Operation *place, DominanceInfo &dominance, bool mayMeanNothing) {
  Asker asker(place, dominance);
  Value holds;
  for (const Question &question : questions) {
    OpBuilder builder(place);
    Value one = asker.ask(question);
    if (mayMeanNothing)
      one = LLVM::FreezeOp::create(builder, place->getLoc(), one);
    holds = holds ? LLVM::OrOp::create(builder, place->getLoc(), holds, one).getResult() : one;
  }
  return holds;
}

void GuardedWaits::finish() {
  std::optional<DominanceInfo> dominance;
  for (auto &[guard, questions] : guards) {
    if (questions.empty()) {
      guard->erase();
      continue;
    }
    if (!dominance)
      dominance.emplace(guard->getParentOfType<FunctionOpInterface>());
    // What was computed in a branch, or for one, is recomputed here, where it may be meaningless.
    bool mayMeanNothing =
        isWaitInMemory(guard) || llvm::any_of(questions, [](const Question &question) { return !!question.entry; });
    Value holds = askAny(questions, guard, *dominance, mayMeanNothing);
    getCondition(guard).assign(holds);
    // The status of a null request is empty, so only one of the two waits may write it. A guard whose wait left its
    // branch checks that itself.
    auto one = dyn_cast<WaitIfOp>(guard);
    if (Value status = one && !isLeft(one) ? one.getStatus() : Value()) {
      OpBuilder builder(guard);
      Value ignore = ConstantOp::create(builder, one.getLoc(), status.getType(), "MPI_STATUS_IGNORE");
      Value late = LLVM::SelectOp::create(builder, one.getLoc(), holds, ignore, status);
      getInterval(one.getRequest().getDefiningOp())->wait.getStatusMutable().assign(late);
    }
  }
  if (placeholder)
    placeholder->erase();
}
