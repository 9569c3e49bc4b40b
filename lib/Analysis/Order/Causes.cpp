//===- Causes.cpp - Causal order of starts --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a process does causes what others do after they learn of it, through any number of processes: A writes a
// file and sends to B, B receives and sends to C, C receives and reads the file. If B's send starts before B's receive
// is complete, C may read too early. docs/soundness.md ("Causes") has the proof that the starts that this file lets
// pass deprive no process of a cause.
//
//===----------------------------------------------------------------------===//

#include "Causes.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/CommQueries.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace comm;

using Kind = Matching::Kind;

static Question ask(Question::Kind kind, Value first = {}, Value second = {}) { return {kind, first, second, nullptr}; }

static bool isNobody(Value process) { return getConstantName(process) == "MPI_PROC_NULL"; }

/// The condition under which the two are different processes of one communicator.
static Condition areOthers(Value a, Value b) {
  if (!a || !b)
    return Condition::always();
  if (a == b || isNobody(a) || isNobody(b))
    return Condition::never();
  if (std::optional<int64_t> first = getConstantInteger(a), second = getConstantInteger(b); first && second)
    return first == second ? Condition::never() : Condition::always();
  bool canAsk = a.getType() == b.getType() && a.getType().isInteger();
  return canAsk ? Condition::ask(ask(Question::Kind::OtherProcess, a, b)) : Condition::always();
}

/// The condition under which an observer may see how early a message of this communicator was started: in another file,
/// or in another program. It is already known that this file has none.
static Condition isObserved(Value communicator) {
  Condition result = Condition::ask(ask(Question::Kind::ObserverElsewhere));
  StringRef name = communicator ? getConstantName(communicator) : "";
  if (name == "MPI_COMM_SELF")
    return result;
  Value handle = communicator ? getHandle(communicator) : Value();
  bool canAsk =
      name == "MPI_COMM_WORLD" ||
      (handle && name.empty() && (isa<LLVM::LLVMPointerType>(handle.getType()) || handle.getType().isInteger()));
  return result |= canAsk ? Condition::ask(ask(Question::Kind::OtherProgram, name.empty() ? handle : Value()))
                          : Condition::always();
}

/// Whether the communicator has a single group, so that all its collectives are between the same processes.
static bool hasOneGroup(Value communicator) {
  StringRef name = communicator ? getConstantName(communicator) : "";
  return name == "MPI_COMM_WORLD" || name == "MPI_COMM_SELF";
}

/// Whether the sender of what was received takes part in the collective. All processes must start the collective before
/// it completes anywhere, and it cannot complete before this process has received the message. The sender starts it
/// after its message, so whoever learns of the collective also learns what the message would have told. This fails if
/// the sender may start it earlier and wait later: by its nonblocking form, which does not match a blocking one (MPI-4,
/// 6.12), or in another thread.
static bool joinsSender(MPIOpInterface start, MPIOpInterface received) {
  Matching late = start.getMatching(), early = received.getMatching();
  StringRef world = late.communicator ? getConstantName(late.communicator) : "";
  return (early.kind == Kind::Receive || early.kind == Kind::SendReceive) && late.kind == Kind::Collective &&
         start.joinsAll() && !mayBeProgramsStart(start) && world == "MPI_COMM_WORLD";
}

bool comm::mayObserveStarts(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return mpiOp.getCalledFunction().observesStarts() || mpiOp.getMatching().source != Matching::Source::Known;
  const mpi::Function *function = mpi::lookupLinkerName(getCalleeName(op));
  return function && (function->observesStarts() || function->findSource() >= 0);
}

Condition comm::mustStartAfter(MPIOpInterface start, ArrayRef<MPIOpInterface> completed, bool areMany,
                               Observers observers, SideChannels sideChannels) {
  Matching late = start.getMatching();
  Condition result;
  for (MPIOpInterface done : completed) {
    Matching early = done.getMatching();
    // All processes start the first collective before the second one, which completes nowhere until all have started
    // it.
    if (!areMany && early.kind == Kind::Collective && late.kind == Kind::Collective && hasOneGroup(late.communicator) &&
        isSameHandle(early.communicator, late.communicator) && start.joinsAll())
      continue;
    if (observers == Observers::Infer || observers == Observers::Never)
      continue;
    if (observers == Observers::Here)
      return Condition::always();
    if (sideChannels == SideChannels::Ignored) {
      result |= Condition::ask(ask(Question::Kind::ObserverElsewhere));
      continue;
    }
    if (sideChannels == SideChannels::None) {
      result |= isObserved(late.communicator);
      continue;
    }
    if (joinsSender(start, done)) {
      result |= isObserved(late.communicator);
      result |= Condition::ask(ask(Question::Kind::TalkingThreads));
      result |= isObserved(early.communicator);
      continue;
    }
    bool sends = late.kind == Kind::Send || late.kind == Kind::SendReceive;
    if (late.kind == Kind::Receive) {
      // No message leaves the process; only a synchronous send observes that a receive was started.
      result |= isObserved(late.communicator);
    } else if (early.kind == Kind::Send && late.kind != Kind::Probe) {
      // It may have been buffered, so its completion tells nothing.
      result |= isObserved(late.communicator);
    } else if (sends && !areMany && (early.kind == Kind::Receive || early.kind == Kind::SendReceive) &&
               isSameHandle(early.communicator, late.communicator)) {
      // A reply tells the process nothing new.
      result |= areOthers(late.peer, done.getParam("source"));
      result |= isObserved(late.communicator);
    } else {
      return Condition::always();
    }
  }
  return result;
}
