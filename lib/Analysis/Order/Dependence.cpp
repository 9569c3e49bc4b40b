//===- Dependence.cpp - Order constraints between units -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of docs/soundness.md. For each rule, test/Integration/Soundness has a program that would break without it.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Order/Dependence.h"

#include "Causes.h"

#include "Comm/Analysis/Order/AbnormalExits.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

MemoryRefiner::~MemoryRefiner() = default;

CommRole comm::getCommRole(Operation *op) {
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  if (!mpiOp)
    return CommRole::None;
  if (mpiOp.getFunction().mayCallBack || mpiOp.isOneSided())
    return CommRole::Ordered;
  // An operation that changes the state of an object known to others (an error handler, a group of processes) stays in
  // order.
  if (mpiOp.isLocal())
    return mpiOp.getFunction().isLocal || mpiOp.getFunction().onlyAsks() ? CommRole::Local : CommRole::Ordered;
  if (auto completion = dyn_cast<CompletionOpInterface>(op)) {
    bool known = llvm::all_of(completion.getRequests(), [](Value request) {
      auto start = request.getDefiningOp<MPIOpInterface>();
      return start && start.isAsync();
    });
    known |= op->hasAttr(kFollowedAttrName);
    return known && completion.completesAll() ? CommRole::Completion : CommRole::Ordered;
  }
  return mpiOp.getMatching().kind == Matching::Kind::None ? CommRole::Ordered : CommRole::Start;
}

StringRef comm::describe(Reason reason) {
  switch (reason) {
  case Reason::None:
    return "nothing";
  case Reason::Value:
    return "uses or computes a value of the communication";
  case Reason::Memory:
    return "may touch a buffer of the communication";
  case Reason::Leaves:
    return "may not return normally (it may throw, exit or jump)";
  case Reason::Synchronization:
    return "may synchronize with another thread";
  case Reason::Observable:
    return "is observable (input, output or volatile)";
  case Reason::InputOutput:
    return "is input or output, and another process may wait for the message meanwhile, or the message may announce it";
  case Reason::Cause:
    return "starts a message that the completion may have caused, and another process may observe which came first "
           "(-fcomm-known-sources promises that none does)";
  case Reason::Communication:
    return "communicates, and messages could be matched differently";
  case Reason::Time:
    return "reads a clock (-fcomm-relax-timers lets communications cross it)";
  }
  return "";
}

/// Whether the operation orders memory that no operand names: MPI_Barrier is used to publish files and shared memory.
/// In a program that has neither it orders nothing except communication, input and output.
static bool isPureSynchronization(MPIOpInterface op) {
  return op.completesRemotely() && llvm::all_of(op.getAccesses(), [](const BufferAccess &access) {
           return access.param->role == mpi::Role::Request;
         });
}

/// Whether the unit only ends the lifetime of memory.
static bool endsLife(const Unit &unit) {
  return !unit.isPiece() && (isDeallocation(unit.op) || isa<LLVM::LifetimeEndOp>(unit.op));
}

/// Finds the labels by which other units refer to the unit. Finds none if a part of it has no label.
static void findLabels(const Unit &unit, SmallVectorImpl<int64_t> &labels) {
  SmallVector<Operation *, 1> holders{unit.op};
  auto completion = unit.isPiece() ? CompletionOpInterface() : dyn_cast<CompletionOpInterface>(unit.op);
  if (completion && !isWaitInMemory(unit.op)) {
    holders.clear();
    for (Value request : completion.getRequests())
      holders.push_back(request.getDefiningOp());
  }
  for (Operation *holder : holders) {
    auto label = holder ? holder->getAttrOfType<IntegerAttr>(kLabelAttrName) : IntegerAttr();
    if (!label)
      return labels.clear();
    labels.push_back(label.getInt());
  }
}

/// Whether a wait that a guard may run early writes a status that is read. Then either the guard or the wait would have
/// to leave it alone, and which one is not known at an exit. Passes have already removed statuses that are not read.
static bool hasReadStatus(Operation *op) {
  return !isWaitInMemory(op) && llvm::any_of(cast<MPIOpInterface>(op).getAccesses(), [](const BufferAccess &access) {
    return access.param->role == mpi::Role::Status && getConstantName(access.buffer).empty();
  });
}

Dependence::Dependence(const Chain &chain, MemoryOracle &oracle, const DependenceOptions &options)
    : chain(chain), oracle(oracle), options(options) {
  ArrayRef<Unit> units = chain.getUnits();
  facts.resize(units.size());
  for (size_t i = 0; i < units.size(); ++i) {
    const Unit &unit = units[i];
    Facts &fact = facts[i];
    fact.isLoop = unit.isLoop;
    fact.unit = unit;
    findLabels(unit, fact.labels);
    if (auto avoided = unit.op->getAttrOfType<DenseI64ArrayAttr>(kInteriorAttrName); avoided && unit.isPiece())
      fact.avoided = avoided.asArrayRef();
    if (auto excluded = unit.op->getAttrOfType<DenseI64ArrayAttr>(kExcludesAttrName); excluded && unit.isPiece())
      fact.excluded = excluded.asArrayRef();
    bool mayMoveFreely = !unit.isPiece();
    unit.walk([&](Operation *op) {
      fact.isLoop |= op->getNumRegions() != 0;
      fact.asksHandle |= isQuestion(op) && op->getNumOperands() != 0;
      for (Value operand : op->getOperands()) {
        int definition = chain.findDefiningUnit(operand);
        if (definition >= 0 && definition != static_cast<int>(i))
          fact.definedBy.push_back(definition);
      }
      Behavior behavior = oracle.getBehavior(op);
      CommRole role = getCommRole(op);
      if (role != CommRole::None) {
        fact.commOps.push_back(op);
        fact.isComm |= role != CommRole::Local;
        fact.isOrdered |= role == CommRole::Ordered;
        bool isSingle = !unit.isPiece() && op == unit.op;
        fact.mayCrossExits |=
            role == CommRole::Completion && isSingle && !op->hasAttr(kLeftAttrName) && !hasReadStatus(op);
        fact.isStartOrCompletion |= (role == CommRole::Completion || role == CommRole::Start) && isSingle;
        behavior.synchronizes |=
            options.sideChannels != SideChannels::None && isPureSynchronization(cast<MPIOpInterface>(op));
      }
      if (behavior.touchesMemory())
        fact.memoryOps.push_back(op);
      // Exceptions of an invoke follow one of the unit's exits.
      if (behavior.mayThrow && !isa<LLVM::InvokeOp>(op))
        fact.throwing.push_back(op);
      fact.behavior.join(behavior);
    });
    addExits(fact);
    llvm::sort(fact.definedBy);
    fact.definedBy.erase(llvm::unique(fact.definedBy), fact.definedBy.end());
    fact.isFree = mayMoveFreely && fact.behavior.isPure() && fact.commOps.empty() && !isa<CallOpInterface>(unit.op);
    fact.place = busy.size();
    if (!fact.isFree)
      busy.push_back(i);
  }
  cache.resize(busy.size());
  for (const Facts &interior : facts)
    if (!interior.excluded.empty())
      for (Facts &fact : facts)
        fact.isExcluded |= excludes(interior, fact);
}

/// Blocks from which the function does not return need the values that they use, and run before the rest of the chain.
void Dependence::addExits(Facts &fact) {
  fact.mayLeaveWithin = fact.behavior.mayLeave;
  fact.mayCrossExits |= endsLife(fact.unit);
  fact.behavior.mayLeave |= fact.unit.leavesAbnormally();
  if (!options.mayGuardExits)
    return;
  ArrayRef<Block *> blocks = chain.getBlocks();
  auto isOfChain = [&](Block *block) { return llvm::is_contained(blocks, block); };
  for (BlockOperand *exit : fact.unit.exits) {
    auto [known, isNew] = usedAfter.try_emplace(exit->get());
    auto &definitions = known->second;
    if (isNew && !walkReachable(exit->get(), isOfChain, [&](Operation *op) {
          for (Value operand : op->getOperands())
            if (int definition = chain.findDefiningUnit(operand); definition >= 0)
              definitions.insert(definition);
        }))
      definitions = {-1};
    fact.mayLeaveWithin |= !mayHoldOperations(*exit) || definitions.contains(-1);
    for (int definition : definitions)
      if (definition >= 0 && chain.getUnits()[definition].op != fact.unit.op)
        fact.definedBy.push_back(definition);
  }
}

bool Dependence::isFence(unsigned unit) const {
  const Facts &fact = facts[unit];
  if (fact.isExcluded)
    return false;
  return fact.mayLeaveWithin || (fact.unit.leavesAbnormally() && !options.mayGuardExits) ||
         (fact.behavior.synchronizes && fact.behavior.communicates);
}

Reason Dependence::getReason(unsigned first, unsigned second) {
  const Facts &a = facts[first], &b = facts[second];
  if (llvm::binary_search(b.definedBy, first))
    return Reason::Value;
  // A unit without effects is constrained only by its value.
  if (a.isFree || b.isFree)
    return Reason::None;
  std::optional<Reason> &known = find(first, second);
  if (!known)
    known = compute(first, second);
  return *known;
}

std::optional<Reason> &Dependence::find(unsigned first, unsigned second) {
  Row &row = cache[facts[second].place];
  unsigned place = facts[first].place, end = facts[second].place;
  if (row.reasons.empty() || place < row.begin) {
    // Extend by as many again, so that backward queries cost no more than forward ones.
    unsigned begin = place - std::min<unsigned>(place, row.reasons.size());
    unsigned added = (row.reasons.empty() ? end : row.begin) - begin;
    row.reasons.insert(row.reasons.begin(), added, std::nullopt);
    row.begin = begin;
  }
  return row.reasons[place - row.begin];
}

void Dependence::forEachPredecessor(unsigned unit, unsigned begin, llvm::function_ref<void(unsigned)> fn) {
  for (unsigned definition : facts[unit].definedBy)
    if (definition >= begin && definition < unit && (facts[unit].isFree || facts[definition].isFree))
      fn(definition);
  if (facts[unit].isFree)
    return;
  for (auto it = llvm::lower_bound(busy, begin); it != busy.end() && *it < unit; ++it)
    if (mustPrecede(*it, unit))
      fn(*it);
}

Condition Dependence::getCondition(unsigned first, unsigned second) {
  if (getReason(first, second) == Reason::None)
    return Condition::never();
  auto it = conditions.find({first, second});
  return it == conditions.end() ? Condition::always() : it->second;
}

/// Returns the starts that the operation completes, or none if they are unknown.
static std::optional<SmallVector<MPIOpInterface, 4>> findCompleted(Operation *completion, MemoryOracle &oracle) {
  SmallVector<MPIOpInterface, 4> starts;
  if (isWaitInMemory(completion)) {
    const CompletedStarts *all = oracle.getCompletedStarts(completion);
    if (!all)
      return std::nullopt;
    for (const InFlightStart &start : all->starts)
      starts.push_back(start.start);
    return starts;
  }
  for (Value request : cast<CompletionOpInterface>(completion).getRequests())
    starts.push_back(request.getDefiningOp<MPIOpInterface>());
  return starts;
}

/// Whether one of the two units completes nothing: both are waits that left their branches, and no pass through the
/// function runs the starts of both, which may be in two arms of a branch.
static bool completeAlternatives(const Unit &a, const Unit &b, MemoryOracle &oracle) {
  auto isLeft = [](const Unit &unit) {
    return !unit.isPiece() && unit.op->hasAttr(kLeftAttrName) && isWaitInMemory(unit.op);
  };
  if (!isLeft(a) || !isLeft(b))
    return false;
  auto ofA = findCompleted(a.op, oracle), ofB = findCompleted(b.op, oracle);
  auto getSlot = [](Operation *op) { return cast<MPIOpInterface>(op).getParam("request"); };
  // A wait for the slot leaves a null handle in it.
  auto mayRunBefore = [&](Operation *start, Value slot, Operation *other) {
    return mayReach(start, other, [&](Operation &op) {
      return op.hasAttr(kLeftAttrName) && !isConditionalWait(&op) && getSlot(&op) == slot;
    });
  };
  return ofA && ofB && llvm::all_of(*ofA, [&](MPIOpInterface x) {
           return llvm::none_of(*ofB, [&](MPIOpInterface y) {
             return mayRunBefore(x, getSlot(a.op), y) || mayRunBefore(y, getSlot(b.op), x);
           });
         });
}

Reason Dependence::compute(unsigned first, unsigned second) {
  const Facts &a = facts[first], &b = facts[second];
  if (excludes(a, b) || excludes(b, a) || completeAlternatives(a.unit, b.unit, oracle))
    return Reason::None;
  if (Reason reason = compareBehavior(a, b); reason != Reason::None)
    return reason;
  Condition causes = compareCauses(a, b);
  if (causes.isAlways())
    return Reason::Cause;
  Condition memory = compareMemory(a, b);
  Reason reason = !memory.isNever() ? Reason::Memory : !causes.isNever() ? Reason::Cause : Reason::None;
  memory |= causes;
  if (!memory.isAlways() && !memory.isNever())
    conditions.emplace(std::pair(first, second), memory);
  return reason;
}

Reason Dependence::compareBehavior(const Facts &a, const Facts &b) const {
  // A path that ends early must see every effect that came before, and none that came after.
  auto mayStayBehind = [](const Facts &f) { return f.behavior.isPure() && !f.isComm; };
  bool isGuarded = options.mayGuardExits && a.mayCrossExits && !b.mayLeaveWithin;
  if ((a.behavior.mayNotContinue() && !mayStayBehind(b)) ||
      (b.behavior.mayNotContinue() && !mayStayBehind(a) && !isGuarded))
    return Reason::Leaves;
  auto isShared = [](const Facts &f) { return f.behavior.touchesMemory() || f.isComm || f.behavior.synchronizes; };
  if ((a.behavior.synchronizes && isShared(b)) || (b.behavior.synchronizes && isShared(a)))
    return Reason::Synchronization;
  if (a.behavior.isObservable && b.behavior.isObservable)
    return Reason::Observable;
  return compareCommunication(a, b);
}

/// Whether `late`, a start after the completion of `early`, may move before it. MPI does not constrain the order of
/// completions. What matters is what the completion tells others, if they can act on it before `early` is complete.
/// Other rules cover receives from any source.
static bool mayStartBefore(MPIOpInterface late, Operation *completion, MemoryOracle &oracle) {
  // A ready send relies on what earlier completions told about its receiver.
  if (late.needsPostedReceive())
    return false;
  auto starts = findCompleted(completion, oracle);
  // The completion of a synchronous send tells that it was received.
  return starts && llvm::none_of(*starts, [](MPIOpInterface early) {
           return early.getMatching().source == Matching::Source::Any || early.completesRemotely();
         });
}

/// Whether the operation must stay before input and output that follow it. A message may announce a file that is then
/// read. And while a process waits outside MPI (for a line of a pipe, for a file to appear), its messages make no
/// progress, but it may wait for a process that waits for one of them. Small sends are no exception: over TCP, Open MPI
/// sends the first bytes to a process only in the second call.
static bool comesBeforeInputOutput(Operation *op) {
  CommRole role = getCommRole(op);
  return role == CommRole::Completion || role == CommRole::Start;
}

/// Whether the operation must stay after input and output that precede it. A message may announce a file written
/// before, and a completion may wait for a process that saw the output. Only a receive may be started early.
static bool comesAfterInputOutput(Operation *op) {
  CommRole role = getCommRole(op);
  if (role != CommRole::Start)
    return role == CommRole::Completion;
  auto start = cast<MPIOpInterface>(op);
  Matching::Kind kind = start.getMatching().kind;
  return !start.isAsync() || (kind != Matching::Kind::Receive && kind != Matching::Kind::Probe);
}

/// Whether a comparison uses the value, directly or through computations, so that the program branches on it.
static bool isCompared(Value value) {
  constexpr size_t mostValues = 100;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<LLVM::FCmpOp, LLVM::ICmpOp>(user) || values.size() > mostValues)
        return true;
      if (isMemoryEffectFree(user))
        values.insert_range(user->getResults());
      if (auto branch = dyn_cast<BranchOpInterface>(user))
        if (auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
          values.insert(*argument);
    }
  return false;
}

/// Returns the function that a call without operands calls, as readings of clocks are.
static StringAttr getClock(Operation *reading) {
  auto call = dyn_cast_or_null<CallOpInterface>(reading);
  auto callee = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee()) : SymbolRefAttr();
  return callee && reading->getNumOperands() == 0 && reading->getNumResults() == 1 ? callee.getRootReference()
                                                                                   : StringAttr();
}

/// Returns the clock that the value was read from. It may be a constant where the program does not measure: `begin =
/// measures ? clock() : 0`.
static StringAttr getClock(Value value, unsigned depth = 0) {
  if (Operation *reading = value.getDefiningOp())
    return getClock(reading);
  constexpr unsigned mostBranches = 4;
  std::optional<SmallVector<Value>> passed =
      depth < mostBranches ? getPassedValues(cast<BlockArgument>(value)) : std::nullopt;
  if (!passed)
    return StringAttr();
  StringAttr clock;
  for (Value each : *passed) {
    if (each.getDefiningOp<LLVM::ConstantOp>() || each.getDefiningOp<LLVM::PoisonOp>())
      continue;
    StringAttr other = getClock(each, depth + 1);
    if (!other || (clock && other != clock))
      return StringAttr();
    clock = other;
  }
  return clock;
}

/// Returns the uses of the value, also as a block argument after branches.
static SmallVector<OpOperand *> getUsesBeyondBranches(Value value) {
  SmallVector<OpOperand *> uses;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
      if (auto argument = branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt)
        values.insert(*argument);
      else
        uses.push_back(&use);
    }
  return uses;
}

/// Returns the clock function of a reading that is only used in differences with other readings, as the end of an
/// interval (`isEnd`) or as its beginning, and only if no difference is compared with anything.
static StringRef getIntervalClock(Operation *op, bool isEnd) {
  StringAttr clock = getClock(op);
  if (!clock)
    return "";
  bool isUsed = false;
  for (OpOperand *use : getUsesBeyondBranches(op->getResult(0))) {
    Operation *difference = use->getOwner();
    if (!isa<LLVM::FSubOp>(difference) || getClock(difference->getOperand(0)) != clock ||
        getClock(difference->getOperand(1)) != clock || isCompared(difference->getResult(0)))
      return "";
    isUsed |= use->getOperandNumber() == (isEnd ? 0 : 1);
  }
  return isUsed ? clock.getValue() : "";
}

/// Whether the first reading ends an interval and the second, possibly the same, begins another, and both are used only
/// for differences. A wait that moves across both moves from one interval to the next, so that no time is lost.
static bool areBetweenIntervals(Operation *end, Operation *begin) {
  StringRef clock = getIntervalClock(end, /*isEnd=*/true);
  return !clock.empty() && clock == getIntervalClock(begin, /*isEnd=*/false);
}

/// Whether it is `sum + end - begin` with readings of one clock, as Fortran computes `sum = sum + clock() - begin`.
static bool isRunningSum(LLVM::FSubOp difference) {
  auto sum = difference.getLhs().getDefiningOp<LLVM::FAddOp>();
  StringAttr clock = getClock(difference.getRhs());
  auto isEnd = [&](Value value) { return getClock(value) == clock; };
  return sum && clock && sum->hasOneUse() && isEnd(sum.getLhs()) != isEnd(sum.getRhs()) &&
         !isCompared(difference.getResult());
}

/// Whether the reading is only used in running sums.
static bool isOfRunningSums(Operation *reading) {
  return getClock(reading) && !reading->use_empty() &&
         llvm::all_of(getUsesBeyondBranches(reading->getResult(0)), [](OpOperand *use) {
           Operation *user = use->getOwner();
           if (isa<LLVM::FAddOp>(user) && user->hasOneUse())
             user = *user->user_begin();
           auto difference = dyn_cast<LLVM::FSubOp>(user);
           return difference && isRunningSum(difference);
         });
}

/// Whether the reading ends or begins intervals that are added up: a profile of where the program spends time.
static bool isOfProfile(Operation *reading) {
  if (isOfRunningSums(reading))
    return true;
  bool isOfInterval =
      !getIntervalClock(reading, /*isEnd=*/true).empty() || !getIntervalClock(reading, /*isEnd=*/false).empty();
  return isOfInterval && llvm::all_of(getUsesBeyondBranches(reading->getResult(0)), [](OpOperand *use) {
           return llvm::all_of(use->getOwner()->getResult(0).getUsers(),
                               [](Operation *user) { return isa<LLVM::FAddOp>(user); });
         });
}

Reason Dependence::compareCommunication(const Facts &a, const Facts &b) const {
  if ((a.behavior.communicates && (b.isComm || b.behavior.communicates)) || (b.behavior.communicates && a.isComm))
    return Reason::Communication;
  // A datatype is committed before it is used, and a buffer is attached before a buffered send. A datatype must not be
  // queried after it is freed.
  auto starts = [](const Facts &f) {
    return f.asksHandle || llvm::any_of(f.commOps, [](Operation *op) { return getCommRole(op) == CommRole::Start; });
  };
  if ((a.behavior.changesMPIState && (b.behavior.changesMPIState || starts(b))) ||
      (b.behavior.changesMPIState && starts(a)))
    return Reason::Communication;
  if ((!a.commOps.empty() && b.isOrdered) || (!b.commOps.empty() && a.isOrdered))
    return Reason::Communication;
  if (b.behavior.isObservable && llvm::any_of(a.commOps, comesBeforeInputOutput))
    return Reason::InputOutput;
  if (a.behavior.isObservable && llvm::any_of(b.commOps, comesAfterInputOutput))
    return Reason::InputOutput;
  // Everything that a program measures stays between its readings, including computation, which has no other dependence
  // on a clock.
  bool isTimed = a.behavior.readsTime || b.behavior.readsTime;
  auto isBetweenIntervals = [&](const Facts &clock) {
    // A branch that measures.
    if (clock.unit.isPiece()) {
      bool isProfile = !clock.unit.isLoop;
      clock.unit.walk([&](Operation *op) { isProfile &= !oracle.getBehavior(op).readsTime || isOfProfile(op); });
      return isProfile;
    }
    // Find the nearest readings on either side, skipping loads and stores of sums, and ends of lifetimes.
    auto find = [&](int step) {
      for (unsigned at = clock.place + step; at < busy.size(); at += step) {
        const Unit &other = facts[busy[at]].unit;
        if (other.isPiece() || (!isa<LLVM::LoadOp, LLVM::StoreOp>(other.op) && !endsLife(other)))
          return other.isPiece() ? nullptr : other.op;
      }
      return static_cast<Operation *>(nullptr);
    };
    Operation *reading = clock.unit.op, *next = find(1), *last = find(-1);
    return (next && areBetweenIntervals(reading, next)) || (last && areBetweenIntervals(last, reading)) ||
           areBetweenIntervals(reading, reading) || isOfProfile(reading);
  };
  // Waits, and deallocation of the memory of requests and statuses.
  bool waits = !a.behavior.readsTime && a.isComm && llvm::all_of(a.commOps, [](Operation *op) {
    return getCommRole(op) == CommRole::Completion || getCommRole(op) == CommRole::Local;
  });
  bool isPassed = waits || endsLife(a.unit);
  if (isTimed && (!options.relaxTimers || (a.behavior.readsTime && b.behavior.readsTime)) &&
      !(isPassed && isBetweenIntervals(b)))
    return Reason::Time;
  for (Operation *x : a.commOps)
    for (Operation *y : b.commOps) {
      CommRole early = getCommRole(x), late = getCommRole(y);
      if (early == CommRole::Local || late == CommRole::Local)
        continue;
      if (early == CommRole::Start) // matched in this order; and a wait comes after all that it may wait for
        return Reason::Communication;
      if (late == CommRole::Start && !mayStartBefore(cast<MPIOpInterface>(y), x, oracle))
        return Reason::Communication;
    }
  return Reason::None;
}

Block *comm::getOnlyArm(const Unit &unit) {
  auto branch = unit.isPiece() ? dyn_cast<LLVM::CondBrOp>(unit.op) : LLVM::CondBrOp();
  if (!branch || (branch.getTrueDest() == unit.join) == (branch.getFalseDest() == unit.join))
    return nullptr;
  return branch.getTrueDest() == unit.join ? branch.getFalseDest() : branch.getTrueDest();
}

std::pair<Value, bool> comm::getEntry(const Unit &unit) {
  Block *arm = getOnlyArm(unit);
  if (!arm)
    return {};
  auto branch = cast<LLVM::CondBrOp>(unit.op);
  return {branch.getCondition(), branch.getTrueDest() == arm};
}

/// Other processes act on what they have been told, through any number of processes. A branch that is not entered tells
/// nothing.
Condition Dependence::compareCauses(const Facts &a, const Facts &b) {
  Condition result;
  auto [entry, isEnteredIfTrue] = getEntry(b.unit);
  for (Operation *x : a.commOps)
    for (Operation *y : b.commOps)
      if (getCommRole(x) == CommRole::Completion && getCommRole(y) == CommRole::Start && !result.isAlways()) {
        auto completed = findCompleted(x, oracle);
        // A wait that left its branch completes a single start, once.
        bool areMany = isWaitInMemory(x) && !(x->hasAttr(kLeftAttrName) && completed && completed->size() == 1);
        Condition condition = completed ? mustStartAfter(cast<MPIOpInterface>(y), *completed, areMany,
                                                         options.observers, options.sideChannels)
                                        : Condition::always();
        result |= entry ? condition.ifEntered(entry, isEnteredIfTrue) : condition;
      }
  return result;
}

/// Whether the labels include all of the unit.
static bool includeAll(ArrayRef<int64_t> labels, ArrayRef<int64_t> ofUnit) {
  return !ofUnit.empty() && llvm::all_of(ofUnit, [&](int64_t label) { return llvm::is_contained(labels, label); });
}

/// Whether the iterations of the first unit were chosen to avoid the memory of the second (comm-split-iterations).
bool Dependence::keepsOff(const Facts &interior, const Facts &other) {
  return includeAll(interior.avoided, other.labels);
}

/// Whether the first unit does nothing where the second one, a branch, is entered.
bool Dependence::excludes(const Facts &interior, const Facts &other) {
  return includeAll(interior.excluded, other.labels);
}

/// Returns the starts that a completion completes if it writes nothing else; empty for other units, or if unknown.
static SmallVector<Operation *, 1> findPlainStarts(const Unit &unit) {
  auto completion = unit.isPiece() ? CompletionOpInterface() : dyn_cast<CompletionOpInterface>(unit.op);
  bool isPlain = completion && !isWaitInMemory(unit.op) &&
                 llvm::none_of(cast<MPIOpInterface>(unit.op).getAccesses(), [](const BufferAccess &access) {
                   return access.writes && getConstantName(access.buffer).empty();
                 });
  SmallVector<Operation *, 1> starts;
  if (isPlain)
    for (Value request : completion.getRequests())
      starts.push_back(request.getDefiningOp());
  return starts;
}

/// Whether both complete operations that were in flight together before either wait. The order of such waits does not
/// change memory, since messages arrive at any time. Whether the second one may be started while the first one is in
/// flight is decided between that start and the wait.
bool Dependence::areInFlightTogether(const Facts &a, const Facts &b) const {
  SmallVector<Operation *, 1> first = findPlainStarts(a.unit), second = findPlainStarts(b.unit);
  int end = std::min(chain.findUnit(a.unit.op), chain.findUnit(b.unit.op));
  auto isBefore = [&](Operation *start) {
    int unit = start ? chain.findUnit(start) : -1;
    return unit >= 0 && unit < end;
  };
  return !first.empty() && !second.empty() && llvm::all_of(first, isBefore) && llvm::all_of(second, isBefore);
}

Condition Dependence::compareMemory(const Facts &a, const Facts &b) {
  if (keepsOff(a, b) || keepsOff(b, a) || areInFlightTogether(a, b))
    return Condition::never();
  if (!(a.behavior.writes && b.behavior.touchesMemory()) && !(b.behavior.writes && a.behavior.touchesMemory()))
    return Condition::never();
  if (a.memoryOps.size() * b.memoryOps.size() > options.maxComparisons)
    return Condition::always();
  auto mayConflict = [&](Operation *x) {
    return llvm::any_of(b.memoryOps,
                        [&](Operation *y) { return oracle.mayConflictInPass(x, y, a.isLoop || b.isLoop); });
  };
  if (llvm::none_of(a.memoryOps, mayConflict))
    return Condition::never();
  if (options.refiner && (a.isStartOrCompletion || b.isStartOrCompletion))
    return options.refiner->refine(a.unit, b.unit, chain);
  return Condition::always();
}
