//===- RecordedRequests.cpp - Requests that are recorded at run time -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordedRequests.h"

#include "ComputeAgain.h"
#include "WaitLoops.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/CommQueries.h"
#include "Comm/Dialect/Comm/Utils/FrameSlots.h"
#include "Comm/Dialect/Comm/Utils/FunctionFacts.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/MPI/Markers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <memory>
#include <vector>

using namespace mlir;
using namespace comm;

/// Limits of struct CommRequestRecord (runtime/lib/overlap/Overlap.h).
static constexpr size_t kMostSets = 4, kMostStarts = 64, kMostOperands = 5;
static constexpr int64_t kRecordWords = 1 + kMostSets + kMostStarts * (kMostOperands + 2);

namespace {
/// A wait, and the starts from which control may reach it in one iteration of the loop around it.
struct RecordedWait {
  MPIOpInterface wait;
  llvm::SmallSetVector<Operation *, 8> starts;
  /// Operations that may start unrecorded requests: earlier records are invalid after them.
  llvm::SmallSetVector<Operation *, 4> ends;
  CFGLoop *around = nullptr;
  /// The join of the branch whose arm ends with the wait (`if (!requests.empty()) MPI_Waitall(...)`), where the wait
  /// for recorded requests is placed. Null: in place of the original wait.
  Block *join = nullptr;

  Operation *getPlace() const { return join ? &join->front() : MPIOpInterface(wait).getOperation(); }
};

class Recorder {
public:
  Recorder(LLVM::LLVMFuncOp function, const RequestFlow &flow, MemoryOracle &oracle, const mpi::ABI &abi);
  /// Returns the number of sets.
  unsigned run(unsigned numSets);

private:
  bool isWait(Operation *op);
  bool isStart(Operation *op);
  bool mayStartOthers(Operation *op);
  bool isLastBeforeStarts(Operation *wait);
  std::optional<RecordedWait> find(MPIOpInterface wait);
  Block *findJoin(const RecordedWait &set);
  bool canRecall(const RecordedWait &set);
  std::vector<RecordedWait> findAll();

  Value call(OpBuilder &builder, Location loc, StringRef name, Type result, ValueRange arguments);
  Value number(OpBuilder &builder, Location loc, Type type, int64_t value);
  Value toNumber(OpBuilder &builder, Location loc, Value value);
  SmallVector<Value> getCompared(MPIOpInterface start, ComputeAgain &again);
  Value makeNull(OpBuilder &builder, Location loc);
  unsigned getNumber(Operation *start) const { return std::distance(recorded.begin(), recorded.find(start)); }
  SmallVector<Value> getOperands(OpBuilder &builder, Operation *start, ComputeAgain &again);
  void record(MPIOpInterface start);
  void forget(unsigned set, Operation *end);
  Value ask(OpBuilder &builder, const RecordedWait &set, Value setNumber, Value noRequest, ComputeAgain &again);
  void sayAgain(OpBuilder &builder, const RecordedWait &set, unsigned index, Value isKnown, unsigned label);
  Value passOn(Value value, const RecordedWait &set);
  void replace(const RecordedWait &set, unsigned index, unsigned label);

  LLVM::LLVMFuncOp function;
  const RequestFlow &flow;
  MemoryOracle &oracle;
  DominanceInfo dominance;
  FunctionLoops loops;
  Type handle, i32, i64, pointer;
  Value memory; // the record
  /// The starts, with the operands whose values are recorded.
  llvm::MapVector<Operation *, SmallVector<Value>> recorded;
  /// The variable with the handle of each recalled start.
  llvm::DenseMap<Operation *, Value> slots;
};
} // namespace

Recorder::Recorder(LLVM::LLVMFuncOp function, const RequestFlow &flow, MemoryOracle &oracle, const mpi::ABI &abi)
    : function(function), flow(flow), oracle(oracle), dominance(function), loops(function.getBody(), dominance) {
  MLIRContext *context = function.getContext();
  handle = getHandleType(mpi::HandleClass::Request, abi, context);
  i32 = IntegerType::get(context, 32);
  i64 = IntegerType::get(context, 64);
  pointer = LLVM::LLVMPointerType::get(context);
}

//===----------------------------------------------------------------------===//
// What may be recorded
//===----------------------------------------------------------------------===//

static bool isErrorUsed(MPIOpInterface op) {
  Value error = op.getOutcome("error");
  return error && !error.use_empty();
}

/// Returns true if nothing is known about its requests.
static bool isOpen(Operation *op, const RequestFlow &flow) {
  return !op->hasAttr(kRequestSetAttrName) && !flow.whyNotFollowed(op).empty();
}

bool Recorder::isWait(Operation *op) {
  auto wait = dyn_cast<WaitallOp>(op);
  if (!wait || !isWaitInMemory(op) || !isOpen(op, flow) || op->getParentRegion() != &function.getBody())
    return false;
  auto mpiOp = cast<MPIOpInterface>(op);
  Value count = mpiOp.getParam("count"), statuses = mpiOp.getParam("array_of_statuses");
  return count && count.getType() == i32 && !mpiOp.getOutcome("array_of_statuses") && !isErrorUsed(mpiOp) &&
         (!statuses || !getConstantName(statuses).empty());
}

bool Recorder::isStart(Operation *op) {
  // A copy of its handle may exist elsewhere: a variable whose value is put into a vector.
  if (!isStartInMemory(op) || op->hasAttr(kRequestSetAttrName) || flow.isFollowed(op) ||
      op->getParentRegion() != &function.getBody())
    return false;
  auto start = cast<MPIOpInterface>(op);
  Matching::Kind kind = start.getMatching().kind;
  return (kind == Matching::Kind::Send || kind == Matching::Kind::Receive) && !start.needsPostedReceive() &&
         !start.completesRemotely() && !isErrorUsed(start);
}

/// Returns true if an unrecorded request may be active after the operation, started by the program or by another thread
/// that it waits for.
bool Recorder::mayStartOthers(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
    // The wait of a set may leave some of its requests, whose handles may equal those of recorded requests that are
    // complete.
    bool isKnown = isStart(op) || isa<CompletionOpInterface>(op) || !getRequestPointer(op) || flow.isFollowed(op);
    return !isKnown || mpiOp.getCalledFunction().mayCallBack;
  }
  if (const mpi::Function *known = mpi::lookupFunction(getCalleeName(op)))
    return known->mayCallBack || known->usesRequests();
  Behavior behavior = oracle.getBehavior(op);
  return behavior.communicates || behavior.synchronizes || op->getNumRegions() != 0;
}

/// Returns true if something is started between this wait and the next one. Requests that the wait leaves are then not
/// worth recalling.
bool Recorder::isLastBeforeStarts(Operation *wait) {
  CFGLoop *around = loops.getLoop(wait->getBlock());
  Block *stop = around ? around->getHeader() : nullptr;
  llvm::SmallSetVector<Block *, 16> entered;
  auto pass = [&](Operation *from, bool &starts) {
    for (Operation *op = from; op; op = op->getNextNode()) {
      if (isWait(op))
        return false;
      if (isStart(op)) {
        starts = true;
        return false;
      }
    }
    return true;
  };
  bool starts = false;
  auto enterAfter = [&](Block *block) {
    for (Block *next : block->getSuccessors())
      if (next != stop)
        entered.insert(next);
  };
  if (pass(wait->getNextNode(), starts))
    enterAfter(wait->getBlock());
  for (size_t i = 0; i < entered.size() && !starts; ++i)
    if (pass(&entered[i]->front(), starts))
      enterAfter(entered[i]);
  return starts;
}

std::optional<RecordedWait> Recorder::find(MPIOpInterface wait) {
  RecordedWait set{wait, {}, {}, loops.getLoop(wait->getBlock())};
  Block *home = wait->getBlock(), *header = set.around ? set.around->getHeader() : nullptr;
  llvm::SmallSetVector<Block *, 16> entered;
  auto passUp = [&](Block *block, Operation *last) {
    for (Operation *op = last; op; op = op->getPrevNode()) {
      if (isStart(op)) {
        set.starts.insert(op);
      } else if (isWait(op) ? isLastBeforeStarts(op) : mayStartOthers(op)) {
        set.ends.insert(op);
        return;
      }
    }
    if (block != header)
      entered.insert(block->pred_begin(), block->pred_end());
  };
  passUp(home, wait->getPrevNode());
  for (size_t i = 0; i < entered.size(); ++i) {
    if (entered[i] == home)
      return std::nullopt; // a cycle that is not a loop
    passUp(entered[i], &entered[i]->back());
  }
  return set.starts.empty() || set.starts.size() > kMostStarts ? std::nullopt : std::optional(std::move(set));
}

Block *Recorder::findJoin(const RecordedWait &set) {
  MPIOpInterface wait = set.wait;
  Block *home = wait->getBlock(), *before = home->getSinglePredecessor();
  auto branch = dyn_cast<LLVM::BrOp>(home->getTerminator());
  Block *join = branch ? branch.getDest() : nullptr;
  // An arm entered by a single branch, which otherwise leads to the join, in the same iteration.
  if (!branch || !join || !before || join == home || !llvm::is_contained(before->getSuccessors(), join) ||
      loops.getLoop(join) != set.around || (set.around && join == set.around->getHeader()))
    return nullptr;
  for (Operation *op = wait->getNextNode(); op != branch; op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return nullptr;
  bool areKnown = llvm::all_of(join->getPredecessors(), [&](Block *from) {
    return isa<BranchOpInterface>(from->getTerminator()) && dominance.dominates(before, from);
  });
  return areKnown ? join : nullptr;
}

/// Returns the operands that may have changed at the wait, in the program's representation.
SmallVector<Value> Recorder::getCompared(MPIOpInterface start, ComputeAgain &again) {
  SmallVector<Value> compared;
  Value request = getRequestPointer(start);
  for (Value operand : start->getOperands())
    if (operand != request && again.mayDiffer(operand))
      compared.push_back(getHandle(operand));
  return compared;
}

bool Recorder::canRecall(const RecordedWait &set) {
  ComputeAgain again(set.wait, dominance, loops, oracle), later(set.getPlace(), dominance, loops, oracle);
  return llvm::all_of(set.starts, [&](Operation *start) {
    Value request = getRequestPointer(start);
    bool isPossible =
        llvm::count(start->getOperands(), request) == 1 && llvm::all_of(start->getOperands(), [&](Value operand) {
          return operand == request || (again.canCompute(operand) && later.canCompute(operand));
        });
    if (!isPossible)
      return false;
    SmallVector<Value> compared = getCompared(cast<MPIOpInterface>(start), again);
    return compared.size() <= kMostOperands && llvm::all_of(compared, [](Value value) {
             return isa<LLVM::LLVMPointerType>(value.getType()) ||
                    (isa<IntegerType>(value.getType()) && value.getType().getIntOrFloatBitWidth() <= 64);
           });
  });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The functions access only the record and the memory that the wait accesses.
Value Recorder::call(OpBuilder &builder, Location loc, StringRef name, Type result, ValueRange arguments) {
  auto describe = [&](LLVM::LLVMFuncOp callee) {
    callee.setPassthroughAttr(builder.getStrArrayAttr(kUnnoticedFacts));
    const auto none = LLVM::ModRefInfo::NoModRef;
    callee.setMemoryEffectsAttr(
        LLVM::MemoryEffectsAttr::get(builder.getContext(), {none, LLVM::ModRefInfo::ModRef, none, none, none, none}));
    callee.setNoUnwind(true);
    callee.setWillReturn(true);
    for (auto [index, argument] : llvm::enumerate(arguments))
      if (isa<LLVM::LLVMPointerType>(argument.getType()))
        callee.setArgAttr(index, LLVM::LLVMDialect::getNoCaptureAttrName(), builder.getUnitAttr());
  };
  auto module = function->getParentOfType<ModuleOp>();
  LLVM::LLVMFuncOp callee = getOrDeclareFunction(builder, module, name, result, arguments.getTypes(), describe);
  auto made = LLVM::CallOp::create(builder, loc, callee, arguments);
  return result ? made.getResult() : Value();
}

Value Recorder::number(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value Recorder::toNumber(OpBuilder &builder, Location loc, Value value) {
  value = LLVM::FreezeOp::create(builder, loc, value);
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(builder, loc, i64, value);
  return value.getType() == i64 ? value : LLVM::SExtOp::create(builder, loc, i64, value).getResult();
}

/// Creates a null handle in the implementation's representation.
Value Recorder::makeNull(OpBuilder &builder, Location loc) {
  Value null = ConstantOp::create(builder, loc, RequestType::get(builder.getContext()), "MPI_REQUEST_NULL");
  return CastOp::create(builder, loc, handle, null);
}

/// Records the start, right after it.
void Recorder::record(MPIOpInterface start) {
  OpBuilder builder(start->getContext());
  builder.setInsertionPointAfter(start);
  Location loc = start.getLoc();
  Value request = LLVM::LoadOp::create(builder, loc, handle, getRequestPointer(start));
  SmallVector<Value> arguments{memory, number(builder, loc, i32, getNumber(start)), toNumber(builder, loc, request)};
  for (Value operand : recorded[start])
    arguments.push_back(toNumber(builder, loc, operand));
  while (arguments.size() < 3 + kMostOperands)
    arguments.push_back(number(builder, loc, i64, 0));
  call(builder, loc, mpi::kRecordRequest, Type(), arguments);
  start->setDiscardableAttr(kRecordedAttrName, builder.getUnitAttr());
}

void Recorder::forget(unsigned set, Operation *end) {
  OpBuilder builder(end->getContext());
  auto add = [&] {
    Location loc = end->getLoc();
    call(builder, loc, mpi::kForgetRequests, Type(), {memory, number(builder, loc, i32, set)});
  };
  if (!end->hasTrait<OpTrait::IsTerminator>()) {
    builder.setInsertionPointAfter(end);
    return add();
  }
  for (Block *next : end->getSuccessors()) {
    builder.setInsertionPointToStart(next);
    while (builder.getInsertionPoint() != next->end() && isa<LLVM::LandingpadOp>(*builder.getInsertionPoint()))
      builder.setInsertionPointAfter(&*builder.getInsertionPoint());
    add();
  }
}

SmallVector<Value> Recorder::getOperands(OpBuilder &builder, Operation *start, ComputeAgain &again) {
  SmallVector<Value> operands;
  IRMapping known;
  for (Value operand : recorded[start])
    operands.push_back(toNumber(builder, start->getLoc(), again.compute(operand, builder, known)));
  while (operands.size() < kMostOperands)
    operands.push_back(number(builder, start->getLoc(), i64, 0));
  return operands;
}

/// Returns whether all requests that the wait may complete were recorded, with operands that have not changed.
Value Recorder::ask(OpBuilder &builder, const RecordedWait &set, Value setNumber, Value noRequest,
                    ComputeAgain &again) {
  MPIOpInterface wait = set.wait;
  Location loc = wait.getLoc();
  Value no = number(builder, loc, i32, 0);
  auto isTrue = [&](Value answer) -> Value {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, answer, no);
  };
  Value isKnown = isTrue(call(builder, loc, mpi::kKnowsRequests, i32,
                              {memory, setNumber, getRequestPointer(wait), wait.getParam("count"), noRequest}));
  for (Operation *start : set.starts) {
    SmallVector<Value> arguments{memory, setNumber, number(builder, loc, i32, getNumber(start))};
    llvm::append_range(arguments, getOperands(builder, start, again));
    isKnown = LLVM::AndOp::create(builder, loc, isKnown, isTrue(call(builder, loc, mpi::kHasOperands, i32, arguments)));
  }
  return isKnown;
}

/// Recalls the starts of the wait. If some request is unknown, their requests are null.
void Recorder::sayAgain(OpBuilder &builder, const RecordedWait &set, unsigned index, Value isKnown, unsigned label) {
  Location loc = MPIOpInterface(set.wait).getLoc();
  ComputeAgain again(set.getPlace(), dominance, loops, oracle);
  Value setNumber = number(builder, loc, i32, index);
  Value null = makeNull(builder, loc), noRequest = toNumber(builder, loc, null);
  // Recompute all operands: code that waited early may have written anything.
  IRMapping values;
  for (Operation *start : set.starts)
    for (Value operand : start->getOperands())
      if (operand != getRequestPointer(start))
        values.map(operand, again.compute(operand, builder, values));
  for (Operation *start : set.starts) {
    Value request = call(builder, loc, mpi::kGetRequest, handle,
                         {memory, setNumber, number(builder, loc, i32, getNumber(start)), noRequest});
    Value &slot = slots[start];
    if (!slot)
      slot = createFrameSlot(function.getBody(), loc, handle);
    LLVM::StoreOp::create(builder, loc, LLVM::SelectOp::create(builder, loc, isKnown, request, null), slot);
    values.map(getRequestPointer(start), slot);
    Operation *copy = builder.clone(*start, values);
    copy->removeDiscardableAttr(kCallAttrName);
    copy->setDiscardableAttr(kRecalledAttrName, builder.getUnitAttr());
    copy->setDiscardableAttr(kRequestSetAttrName, builder.getI64IntegerAttr(label));
  }
}

/// Returns the value at the join, or 0 if control did not come through the arm.
Value Recorder::passOn(Value value, const RecordedWait &set) {
  Location loc = MPIOpInterface(set.wait).getLoc();
  for (auto it = set.join->pred_begin(); it != set.join->pred_end(); ++it) {
    auto branch = cast<BranchOpInterface>((*it)->getTerminator());
    OpBuilder builder(branch);
    Value passed = *it == set.wait->getBlock() ? value : number(builder, loc, value.getType(), 0);
    branch.getSuccessorOperands(it.getSuccessorIndex()).append(passed);
  }
  return set.join->addArgument(value.getType(), loc);
}

/// Replaces the wait by code that asks, waits at once for unknown requests, and recalls the starts of the others.
void Recorder::replace(const RecordedWait &set, unsigned index, unsigned label) {
  MPIOpInterface wait = set.wait;
  Location loc = wait.getLoc();
  OpBuilder builder(wait);
  ComputeAgain again(wait, dominance, loops, oracle);
  Value requests = getRequestPointer(wait), count = wait.getParam("count");
  Value setNumber = number(builder, loc, i32, index), noRequest = toNumber(builder, loc, makeNull(builder, loc));
  Value isKnown = ask(builder, set, setNumber, noRequest, again);
  // Known requests are taken out of the program's memory, which then has null handles, as after the wait.
  Value taken = createFrameSlot(function.getBody(), loc, handle, kMostStarts);
  Value numTaken = call(builder, loc, mpi::kTakeRequests, i32,
                        {LLVM::ZExtOp::create(builder, loc, i32, isKnown), requests, count, taken, noRequest});
  MPIOpInterface early = createMPIOp(builder, loc, "MPI_Waitall", Mode::blocking,
                                     {NamedParam("count", count), NamedParam("array_of_requests", requests)}, {});
  early->setDiscardableAttr(kUnrecordedAttrName, builder.getUnitAttr());
  if (Attribute size = wait->getAttr(kWaitLoopAttrName))
    early->setDiscardableAttr(kWaitLoopAttrName, size);
  if (set.join) {
    isKnown = passOn(isKnown, set);
    numTaken = passOn(numTaken, set);
    builder.setInsertionPointToStart(set.join);
  }
  sayAgain(builder, set, index, isKnown, label);
  createMPIOp(builder, loc, "MPI_Waitall", Mode::blocking,
              {NamedParam("count", numTaken), NamedParam("array_of_requests", taken)}, {})
      ->setDiscardableAttr(kRequestSetAttrName, builder.getI64IntegerAttr(label));
}

/// Returns all waits that can be recorded, and sets the operands recorded with each start. Returns none if there are
/// too many.
std::vector<RecordedWait> Recorder::findAll() {
  std::vector<RecordedWait> sets;
  function.walk([&](MPIOpInterface op) {
    if (sets.size() == kMostSets || !isWait(op))
      return;
    std::optional<RecordedWait> set = find(op);
    if (!set)
      return;
    set->join = findJoin(*set);
    if (canRecall(*set))
      sets.push_back(std::move(*set));
  });
  bool isTooMuch = false;
  for (const RecordedWait &set : sets) {
    ComputeAgain again(set.wait, dominance, loops, oracle);
    for (Operation *start : set.starts) {
      SmallVector<Value> &operands = recorded[start];
      for (Value operand : getCompared(cast<MPIOpInterface>(start), again))
        if (!llvm::is_contained(operands, operand))
          operands.push_back(operand);
      isTooMuch |= operands.size() > kMostOperands;
    }
  }
  return isTooMuch || recorded.size() > kMostStarts ? std::vector<RecordedWait>() : sets;
}

unsigned Recorder::run(unsigned numSets) {
  // In a cycle that is not a loop, values cannot be attributed to an iteration.
  if (!loops.areAll())
    return 0;
  std::vector<RecordedWait> sets = findAll();
  if (sets.empty())
    return 0;
  Location loc = function.getLoc();
  memory = createFrameSlot(function.getBody(), loc, i64, kRecordWords);
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(memory.getDefiningOp());
  call(builder, loc, mpi::kBeginRecord, Type(), memory);
  for (auto [index, set] : llvm::enumerate(sets))
    replace(set, index, numSets + index + 1);
  for (auto [index, set] : llvm::enumerate(sets)) {
    for (Operation *end : set.ends)
      forget(index, end);
    if (set.around) {
      builder.setInsertionPointToStart(set.around->getHeader());
      call(builder, loc, mpi::kForgetRequests, Type(), {memory, number(builder, loc, i32, index)});
    }
  }
  for (auto &[start, operands] : recorded)
    record(cast<MPIOpInterface>(start));
  for (const RecordedWait &set : sets)
    set.wait->erase();
  return sets.size();
}

unsigned comm::recordRequests(ModuleOp module, const mpi::ABI &abi, uint64_t handleSize, unsigned numSets) {
  unsigned found = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    SmallVector<Operation *> waits;
    function.walk([&](Operation *op) {
      if (isa<WaitOp, WaitallOp>(op) && isWaitInMemory(op))
        waits.push_back(op);
    });
    if (waits.empty())
      continue;
    auto flow = std::make_unique<RequestFlow>(function);
    auto isWanted = [&](Operation *wait) { return isOpen(wait, *flow); };
    if (mergeWaitLoops(function, handleSize, isWanted))
      flow = std::make_unique<RequestFlow>(function);
    else if (llvm::none_of(waits, [&](Operation *wait) { return isa<WaitallOp>(wait) && isWanted(wait); }))
      continue;
    Operation *only = function;
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module, only);
    found += Recorder(function, *flow, *oracle, abi).run(numSets + found);
  }
  return found;
}
