//===- RequestFlow.cpp - Starts completed by a wait -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward data flow for each object that holds requests: the starts whose requests may be active in it, and bounds of
// their slots. A wait removes starts if it completes all of their slots.
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Requests/RequestFlow.h"

#include "CopyFlow.h"
#include "FlowBlocks.h"
#include "RequestObject.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Conditions.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

bool InFlightStart::isSame(Value value) const { return !renewed->contains(value.getParentBlock()); }

bool comm::isWaitInMemory(Operation *op) {
  auto completion = dyn_cast<CompletionOpInterface>(op);
  return completion && completion.completesAll() && getRequestPointer(op);
}

bool comm::isStartInMemory(Operation *op) {
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  return mpiOp && mpiOp.isAsync() && !mpiOp.isOneSided() && getRequestPointer(op);
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

namespace {
/// The state of an object at one point of the program.
struct State {
  bool isReached = false;
  ActiveStarts active;
  SlotBounds bounds = SlotBounds::none();

  void clear() {
    active.clear();
    bounds.clear();
  }
  void join(const State &other);
  bool operator==(const State &other) const {
    return isReached == other.isReached && active == other.active && bounds == other.bounds;
  }
};

class ObjectFlow {
public:
  ObjectFlow(const RequestObject &object, FlowBlocks &blocks);
  void solve();
  /// Calls `fn` with each wait and the starts that it may complete.
  void forEachWait(llvm::function_ref<void(Operation *, const ActiveStarts &)> fn);

private:
  /// Whether the wait may access a slot that the start writes.
  bool mayMeet(Operation *wait, Operation *start) const;
  State getIncoming(Block *block);
  void addBranchFacts(Block *from, unsigned successor, SlotBounds &bounds);
  void addSelected(const KnownCondition &known, Operation *at, SlotBounds &bounds);
  void dropContradicted(Block *from, unsigned successor, State &state);
  void transfer(Operation &op, State &state);
  void complete(Operation *wait, State &state);

  const RequestObject &object;
  FlowBlocks &blocks;
  /// For each start, the conditions known to hold where it runs.
  SmallVector<SmallVector<KnownCondition, 4>> conditions;
  /// The blocks in which or after which a pointer into the object is used.
  llvm::BitVector isLive;
  std::vector<State> in, out;
};
} // namespace

void State::join(const State &other) {
  if (!other.isReached)
    return;
  if (!isReached) {
    *this = other;
    return;
  }
  comm::join(active, other.active);
  bounds.join(other.bounds);
}

ObjectFlow::ObjectFlow(const RequestObject &object, FlowBlocks &blocks)
    : object(object), blocks(blocks), isLive(blocks.getOrder().size()), in(blocks.getOrder().size()),
      out(blocks.getOrder().size()) {
  for (Value pointer : object.pointers)
    isLive |= blocks.findLive(pointer);
  for (Operation *start : object.starts)
    conditions.push_back(findConditions(start->getBlock(), blocks.getDominance()));
}

bool ObjectFlow::mayMeet(Operation *wait, Operation *start) const {
  if (object.moves)
    return true;
  std::optional<LinearIndex> first = object.getSlotOf(wait), slot = object.getSlotOf(start);
  if (!first || !slot || first->symbol || slot->symbol)
    return true;
  Value count = cast<MPIOpInterface>(wait).getParam("count");
  std::optional<int64_t> number = count ? getConstantInteger(count) : std::optional<int64_t>(1);
  return slot->constant >= first->constant && (!number || slot->constant < first->constant + *number);
}

void ObjectFlow::complete(Operation *wait, State &state) {
  Value count = cast<MPIOpInterface>(wait).getParam("count");
  LinearIndex number = count ? getLinearIndex(count) : LinearIndex{nullptr, 1};
  if (!object.moves)
    state.bounds.complete(object.getSlotOf(wait), number);
  // A start that writes only slots of this wait has no active request afterwards.
  std::optional<LinearIndex> first = object.getSlotOf(wait);
  if (!object.moves && first && !first->symbol && !number.symbol)
    for (auto [i, start] : llvm::enumerate(object.starts)) {
      std::optional<LinearIndex> slot = object.getSlotOf(start);
      if (slot && !slot->symbol && slot->constant >= first->constant &&
          slot->constant < first->constant + number.constant)
        state.active.erase(i);
    }
  if (state.bounds.isEmpty() || state.active.empty())
    state.clear();
}

void ObjectFlow::transfer(Operation &op, State &state) {
  if (object.starts.contains(&op)) {
    unsigned number = llvm::find(object.starts, &op) - object.starts.begin();
    state.active.try_emplace(number, llvm::BitVector(blocks.getOrder().size()));
    state.bounds.start(object.moves ? std::nullopt : object.getSlotOf(&op));
    for (const KnownCondition &known : conditions[number])
      addSelected(known, &op, state.bounds);
  } else if (object.completions.contains(&op)) {
    // A conditional wait may leave everything unchanged.
    if (isWaitInMemory(&op) && !isConditionalWait(&op))
      complete(&op, state);
  } else if (object.isSimple()) {
    // The lifetime of the memory begins or ends.
    Value allocation = object.allocations.front();
    bool isNew = allocation.getDefiningOp() == &op;
    bool isOver =
        isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op) && llvm::is_contained(op.getOperands(), allocation);
    if (isNew || isOver)
      state.clear();
  }
  for (Value result : op.getResults())
    state.bounds.forget(result);
}

/// If a condition is known, so are selects on it that have been computed already (`count = c ? used + 2 : used`).
void ObjectFlow::addSelected(const KnownCondition &known, Operation *at, SlotBounds &bounds) {
  for (Operation *user : known.value.getUsers()) {
    auto select = dyn_cast<LLVM::SelectOp>(user);
    if (select && select.getCondition() == known.value && select.getType().isIntOrIndex() &&
        blocks.getDominance().properlyDominates(user, at))
      bounds.addEqual(getLinearIndex(select),
                      getLinearIndex(known.isTrue ? select.getTrueValue() : select.getFalseValue()));
  }
}

/// Adds what the condition of a branch implies if control goes to this successor.
void ObjectFlow::addBranchFacts(Block *from, unsigned successor, SlotBounds &bounds) {
  std::optional<KnownCondition> asked = getAsked(from, successor);
  if (asked)
    addSelected(*asked, from->getTerminator(), bounds);
  auto compare = asked ? asked->value.getDefiningOp<LLVM::ICmpOp>() : LLVM::ICmpOp();
  if (!compare || !compare.getLhs().getType().isIntOrIndex())
    return;
  LinearIndex a = getLinearIndex(compare.getLhs()), b = getLinearIndex(compare.getRhs());
  bool isTrue = asked->isTrue;
  using Kind = LLVM::ICmpPredicate;
  Kind kind = compare.getPredicate();
  if ((kind == Kind::eq && isTrue) || (kind == Kind::ne && !isTrue)) {
    bounds.addEqual(a, b);
    if (!b.symbol)
      bounds.addAtMost(a, b.constant);
  }
  if (b.symbol)
    return;
  if ((kind == Kind::slt && isTrue) || (kind == Kind::sge && !isTrue))
    bounds.addAtMost(a, b.constant - 1);
  if ((kind == Kind::sle && isTrue) || (kind == Kind::sgt && !isTrue))
    bounds.addAtMost(a, b.constant);
}

/// `if (up) start(); ... if (up) wait();`: where the condition is false after the branch, no request of the start is
/// active, unless the condition has been recomputed in between.
void ObjectFlow::dropContradicted(Block *from, unsigned successor, State &state) {
  std::optional<KnownCondition> asked = getAsked(from, successor);
  if (!asked || state.active.empty())
    return;
  Block *home = asked->value.getParentBlock();
  auto isComputedAgain = [&](const llvm::BitVector &again) {
    return llvm::any_of(again.set_bits(), [&](unsigned header) {
      return blocks.getLoop(blocks.getOrder()[header]).test(blocks.getNumber(home));
    });
  };
  for (auto it = state.active.begin(); it != state.active.end();) {
    bool isContradicted = llvm::any_of(conditions[it->first], [&](const KnownCondition &known) {
      return known.value == asked->value && known.isTrue != asked->isTrue;
    });
    it = isContradicted && !isComputedAgain(it->second) ? state.active.erase(it) : std::next(it);
  }
  if (state.active.empty())
    state.clear();
}

State ObjectFlow::getIncoming(Block *block) {
  State result;
  bool isPointerPassed = llvm::any_of(block->getArguments(), [&](Value a) { return object.pointers.contains(a); });
  bool isReachable = isLive.test(blocks.getNumber(block)) || isPointerPassed;
  if (block->isEntryBlock())
    result.isReached = true;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    Block *from = *it;
    if (!blocks.contains(from) || !out[blocks.getNumber(from)].isReached)
      continue;
    State state = out[blocks.getNumber(from)];
    if (!isReachable) {
      // Once no pointer into the memory is live, its requests cannot be accessed.
      state.clear();
    } else {
      addBranchFacts(from, it.getSuccessorIndex(), state.bounds);
      dropContradicted(from, it.getSuccessorIndex(), state);
      if (state.bounds.isEmpty())
        state.clear();
      if (blocks.isBackEdge(from, block))
        for (auto &[start, again] : state.active)
          again.set(blocks.getNumber(block));
      SmallVector<std::pair<Value, Value>> passed;
      SmallVector<Value> arguments(block->getArguments().begin(), block->getArguments().end());
      if (auto branch = dyn_cast<BranchOpInterface>(from->getTerminator())) {
        SuccessorOperands operands = branch.getSuccessorOperands(it.getSuccessorIndex());
        for (auto [i, argument] : llvm::enumerate(arguments))
          if (Value value = operands[i]; value && value.getType().isIntOrIndex())
            passed.push_back({argument, value});
      }
      state.bounds.assign(passed, arguments);
    }
    result.join(state);
  }
  return result;
}

void ObjectFlow::solve() {
  // Drop bounds that a loop weakens in each round, and all bounds if that takes too long.
  constexpr unsigned patience = 6, most = 64;
  for (unsigned round = 0;; ++round) {
    bool changed = false;
    for (Block *block : blocks.getOrder()) {
      unsigned number = blocks.getNumber(block);
      State incoming = getIncoming(block);
      if (round > patience && in[number].isReached)
        incoming.bounds.widen(in[number].bounds);
      if (round > most && !incoming.bounds.isEmpty())
        incoming.bounds.forgetPlaces();
      if (round > 0 && incoming == in[number])
        continue;
      changed = true;
      in[number] = incoming;
      for (Operation &op : *block)
        transfer(op, incoming);
      out[number] = incoming;
    }
    if (!changed)
      return;
  }
}

void ObjectFlow::forEachWait(llvm::function_ref<void(Operation *, const ActiveStarts &)> fn) {
  for (Block *block : blocks.getOrder()) {
    State state = in[blocks.getNumber(block)];
    for (Operation &op : *block) {
      if (object.completions.contains(&op) && isWaitInMemory(&op)) {
        ActiveStarts met;
        for (const auto &[start, again] : state.active)
          if (mayMeet(&op, object.starts[start]))
            met.try_emplace(start, again);
        fn(&op, met);
      }
      transfer(op, state);
    }
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static uint64_t getHandleSize(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  StringRef name = module ? getABIName("", module) : StringRef();
  const mpi::ABI *abi = name.empty() ? nullptr : mpi::ABI::lookup(name);
  if (!abi)
    return 0;
  Type handle = getHandleType(mpi::HandleClass::Request, *abi, op->getContext());
  return DataLayout::closest(op).getTypeSize(handle).getFixedValue();
}

/// Returns the blocks of all loops around the operation that do not contain the other one.
static std::shared_ptr<llvm::DenseSet<Block *>> findRenewed(Operation *op, Operation *other, FlowBlocks &blocks) {
  auto renewed = std::make_shared<llvm::DenseSet<Block *>>();
  if (!blocks.contains(op->getBlock()) || !blocks.contains(other->getBlock()))
    return renewed;
  unsigned place = blocks.getNumber(op->getBlock()), otherPlace = blocks.getNumber(other->getBlock());
  for (Block *header : blocks.getOrder()) {
    bool isHeader = llvm::any_of(header->getPredecessors(),
                                 [&](Block *from) { return blocks.contains(from) && blocks.isBackEdge(from, header); });
    if (!isHeader || !blocks.getLoop(header).test(place) || blocks.getLoop(header).test(otherPlace))
      continue;
    for (unsigned block : blocks.getLoop(header).set_bits())
      renewed->insert(blocks.getOrder()[block]);
  }
  return renewed;
}

/// Whether the wait of a set surely completes the start: it may be one of several that the program counts, and the wait
/// may leave some to others.
static bool isSurelyCompleted(Operation *start, ArrayRef<Operation *> users, uint64_t handleSize) {
  if (start->hasAttr(kRecalledAttrName))
    return true;
  const auto *wait = llvm::find_if(users, [&](Operation *user) {
    return isWaitInMemory(user) && user->getAttr(kRequestSetAttrName) == start->getAttr(kRequestSetAttrName);
  });
  Value count = wait != users.end() ? cast<MPIOpInterface>(*wait).getParam("count") : Value();
  if (wait == users.end() || !count)
    return wait != users.end();
  std::optional<LinearIndex> slot = getElement(getRequestPointer(start), DataLayout::closest(start), handleSize);
  return slot && !slot->symbol && getConstantInteger(count);
}

/// Returns the starts completed by the wait of a set that a pass has found (kRequestSetAttrName).
static SmallVector<InFlightStart, 4> findSet(Operation *wait, ArrayRef<Operation *> users, FlowBlocks &blocks) {
  SmallVector<InFlightStart, 4> starts;
  for (Operation *start : users)
    if (start->getAttr(kRequestSetAttrName) == wait->getAttr(kRequestSetAttrName) && !isWaitInMemory(start))
      starts.push_back({cast<MPIOpInterface>(start), findRenewed(start, wait, blocks)});
  return starts;
}

RequestFlow::~RequestFlow() = default;

RequestFlow::RequestFlow(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || function.isExternal())
    return;
  Region &region = function.getFunctionBody();
  SmallVector<Operation *> users;
  llvm::DenseMap<Operation *, size_t> places; // position in the program
  function.walk([&](Operation *user) {
    if (!getRequestPointer(user))
      return;
    places[user] = users.size();
    users.push_back(user);
  });
  if (users.empty())
    return;
  uint64_t handleSize = getHandleSize(function);
  std::unique_ptr<FlowBlocks> blocks;
  // Starts whose requests are copied elsewhere are revisited after the waits, which may use the copies.
  SmallVector<Operation *> order(users);
  for (size_t next = 0; next < order.size(); ++next) {
    Operation *user = order[next];
    if (user->getParentRegion() != &region) {
      causes[user] = "its request is used in control flow that is not analyzed";
      continue;
    }
    if (followed.contains(user) || completed.contains(user) || causes.contains(user))
      continue;
    if (user->hasAttr(kRequestSetAttrName)) {
      if (!blocks)
        blocks = std::make_unique<FlowBlocks>(region);
      if (isWaitInMemory(user))
        completed[user].starts = findSet(user, users, *blocks);
      else if (isSurelyCompleted(user, users, handleSize))
        followed.insert(user);
      continue;
    }
    RequestObject object(getRequestPointer(user), handleSize);
    if (!object.whyOpen.empty()) {
      causes[user] = object.whyOpen;
      continue;
    }
    if (object.isShown && isStartInMemory(user) && next < users.size()) {
      order.push_back(user);
      continue;
    }
    if (!object.isShown)
      followed.insert(object.starts.begin(), object.starts.end());
    if (!blocks)
      blocks = std::make_unique<FlowBlocks>(region);
    auto add = [&](Operation *wait, const ActiveStarts &active) {
      auto [result, isNew] = completed.try_emplace(wait);
      if (!isNew)
        return;
      for (const auto &[number, again] : active) {
        auto renewed = std::make_shared<llvm::DenseSet<Block *>>();
        for (unsigned header : again.set_bits())
          for (unsigned block : blocks->getLoop(blocks->getOrder()[header]).set_bits())
            renewed->insert(blocks->getOrder()[block]);
        result->second.starts.push_back({cast<MPIOpInterface>(object.starts[number]), std::move(renewed)});
      }
      llvm::sort(result->second.starts, [&](const InFlightStart &a, const InFlightStart &b) {
        return places.lookup(a.start) < places.lookup(b.start);
      });
    };
    auto follow = [&](auto &&flow) {
      flow.solve();
      flow.forEachWait(add);
    };
    if (object.copies)
      follow(CopyFlow(object, *blocks));
    else
      follow(ObjectFlow(object, *blocks));
    // Starts and other completions of the object need no visit of their own.
    for (Operation *start : object.starts)
      causes.try_emplace(start, "");
    for (Operation *completion : object.completions)
      causes.try_emplace(completion, "");
  }
  for (Operation *user : users)
    if (isWaitInMemory(user) && !completed.contains(user)) {
      std::string why = causes.lookup(user);
      completed[user].whyUnknown = why.empty() ? "it is never reached" : why;
    }
}

const CompletedStarts *RequestFlow::find(Operation *wait) const {
  auto it = completed.find(wait);
  return it == completed.end() ? nullptr : &it->second;
}

std::string RequestFlow::whyNotFollowed(Operation *op) const { return causes.lookup(op); }

const RequestFlow &RequestFlows::get(Operation *op) {
  Operation *function = op;
  while (function && !isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  std::unique_ptr<RequestFlow> &flow = flows[function];
  if (!flow)
    flow = std::make_unique<RequestFlow>(function);
  return *flow;
}

const CompletedStarts *RequestFlows::find(Operation *wait) {
  return isWaitInMemory(wait) ? get(wait).find(wait) : nullptr;
}
