//===- PersistentRequests.cpp - Memory with persistent requests ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentRequests.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Parameters.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/MPI/Persistent.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace comm;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Value MPIFunctionCall::getArgument(StringRef param) const {
  int index = function->findParam(param);
  return index < 0 ? Value() : CallOpInterface(call).getArgOperands()[index];
}

Value MPIFunctionCall::getRequests() const {
  for (auto [i, param] : llvm::enumerate(function->params()))
    if (param.role == mpi::Role::Request)
      return CallOpInterface(call).getArgOperands()[i];
  return {};
}

std::optional<MPIFunctionCall> comm::matchMPIFunctionCall(Operation *op) {
  if (!isa<LLVM::CallOp, LLVM::InvokeOp>(op))
    return std::nullopt;
  auto call = cast<CallOpInterface>(op);
  const mpi::Function *function = mpi::lookupFunction(getCalleeName(op));
  if (!function || call.getArgOperands().size() != function->numParams || op->getNumResults() != 1)
    return std::nullopt;
  return MPIFunctionCall{call, function};
}

static bool isRequestFree(const mpi::Function &function) { return function.name == StringRef("MPI_Request_free"); }

/// Returns text such as "MPI_Startall at heat.c:12" or "a statement at heat.c:12".
static std::string describe(Operation *op) {
  std::string name = "a statement";
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    name = mpiOp.getCalledFunction().name;
  else if (std::optional<MPIFunctionCall> call = matchMPIFunctionCall(op))
    name = call->function->name;
  SourcePosition position = getSourcePosition(op->getLoc());
  return position.line ? name + " at " + toString(position) : name;
}

std::optional<int64_t> RequestRange::getNumber() const {
  return count ? getConstantInteger(count) : std::optional<int64_t>(1);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

void PersistentRequests::refuse(const Twine &why) {
  if (whyNot.empty())
    whyNot = why.str();
}

PersistentRequests::PersistentRequests(Value memory, const mpi::ABI &abi)
    : memory(memory), layout(DataLayout::closest(memory.getDefiningOp())),
      handleSize(
          layout.getTypeSize(getHandleType(mpi::HandleClass::Request, abi, memory.getContext())).getFixedValue()) {
  findUses();
  if (!whyNot.empty())
    return;
  if (inits.empty() || starts.empty()) {
    refuse("no call of this function creates its requests");
    return;
  }
  auto isConstantRange = [](const RequestRange &range) { return range.offset && range.getNumber(); };
  isConstant = llvm::all_of(inits, [&](const PersistentInit &init) { return isConstantRange(init.place); }) &&
               llvm::all_of(starts, [&](const PersistentUse &use) { return isConstantRange(use.range); }) &&
               llvm::all_of(waits, [&](const PersistentUse &use) { return isConstantRange(use.range); });
  sortInits();
  isConstant ? matchConstants() : matchRanges();
  judgeOthers();
  judgeOrder();
  for (const PersistentUse &wait : waits)
    judgeStatuses(wait);
  for (const PersistentInit &init : inits)
    judgeHandles(init);
}

void PersistentRequests::addPointer(Value pointer, std::optional<int64_t> offset) {
  pointers.insert({pointer, offset});
}

void PersistentRequests::findUses() {
  addPointer(memory, 0);
  for (size_t i = 0; i < pointers.size() && whyNot.empty(); ++i) {
    auto [pointer, offset] = *std::next(pointers.begin(), i);
    for (OpOperand &use : pointer.getUses())
      visit(use, offset);
  }
  // A pointer selected by control flow must point into this memory on all edges.
  for (auto &[pointer, offset] : pointers) {
    auto argument = dyn_cast<BlockArgument>(pointer);
    if (!argument)
      continue;
    std::optional<SmallVector<Value>> passed = getPassedValues(argument);
    if (!passed || !llvm::all_of(*passed, [&](Value each) { return pointers.contains(each); }))
      return refuse("its requests are in one of several arrays, depending on control flow");
  }
}

void PersistentRequests::visit(OpOperand &use, std::optional<int64_t> offset) {
  Operation *op = use.getOwner();
  if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::ICmpOp>(op) || isDeallocation(op))
    return;
  if (auto gep = dyn_cast<LLVM::GEPOp>(op); gep && gep.getBase() == use.get()) {
    std::optional<int64_t> more = getConstantOffset(gep, layout);
    return addPointer(gep.getResult(), offset && more ? std::optional(*offset + *more) : std::nullopt);
  }
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    if (std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
      return addPointer(*argument, std::nullopt);
  if (std::optional<MPIFunctionCall> call = matchMPIFunctionCall(op); call && call->getRequests() == use.get())
    return visitCall(*call, {use.get(), {}, offset});
  if (isWaitInMemory(op)) {
    auto wait = cast<MPIOpInterface>(op);
    StringRef requests = isa<WaitOp>(op) ? "request" : "array_of_requests";
    if (wait.getParam(requests) == use.get()) {
      waits.push_back({op, {use.get(), wait.getParam("count"), offset}, {}});
      return;
    }
  }
  others.push_back({&use, offset});
}

void PersistentRequests::visitCall(const MPIFunctionCall &call, const RequestRange &place) {
  Operation *op = call.call;
  if (!op->getResult(0).use_empty())
    return refuse("the error code of " + describe(op) + " is used");
  if (mpi::isPersistentStart(*call.function)) {
    starts.push_back({op, {place.pointer, call.getArgument("count"), place.offset}, {}});
  } else if (isRequestFree(*call.function)) {
    frees.push_back(op);
  } else if (const mpi::Function *started = mpi::getStartedFunction(*call.function)) {
    inits.push_back({call, started, place});
  } else {
    refuse(describe(op) + " uses its requests: only MPI_Start, MPI_Startall, MPI_Wait, MPI_Waitall and "
                          "MPI_Request_free may use requests of MPI_Send_init, MPI_Recv_init and similar functions");
  }
}

/// Sorts by place, if known, and then by program order.
void PersistentRequests::sortInits() {
  llvm::DenseMap<Operation *, unsigned> order;
  inits.front().call.call->getParentOfType<FunctionOpInterface>()->walk(
      [&](Operation *op) { order[op] = order.size(); });
  llvm::sort(inits, [&](const PersistentInit &a, const PersistentInit &b) {
    if (isConstant && a.place.offset != b.place.offset)
      return a.place.offset < b.place.offset;
    return order.lookup(a.call.call) < order.lookup(b.call.call);
  });
}

/// Returns the number of bytes accessed at a pointer: by a load or store, or by an MPI function that writes a number or
/// handle there.
static std::optional<int64_t> getAccessedBytes(OpOperand &use, const DataLayout &layout) {
  Operation *op = use.getOwner();
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return layout.getTypeSize(load.getType()).getFixedValue();
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return layout.getTypeSize(store.getValue().getType()).getFixedValue();
  std::optional<Parameter> parameter = findParameter(use);
  std::optional<int64_t> written = parameter && !parameter->keepsAddress() ? getWrittenSize(*parameter) : std::nullopt;
  return written > 0 && *written < kOpenEnd ? written : std::nullopt;
}

/// Returns true if the memory is never written: the source of the program's initializers.
static bool isConstantMemory(Value pointer) {
  auto address = getBasePointer(pointer).getDefiningOp<LLVM::AddressOfOp>();
  auto variable =
      address ? SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(address, address.getGlobalNameAttr()) : nullptr;
  return variable && variable.getConstant();
}

/// Checks other uses of the memory: other members of a structure, and what the program writes before there are
/// requests.
void PersistentRequests::judgeOthers() {
  int64_t begin = INT64_MAX, end = isConstant ? 0 : INT64_MAX;
  auto include = [&](const RequestRange &range) {
    begin = std::min(begin, range.offset.value_or(0));
    if (isConstant)
      end = std::max(end, *range.offset + *range.getNumber() * handleSize);
  };
  for (const PersistentInit &init : inits)
    include(init.place);
  for (const PersistentUse &use : llvm::concat<PersistentUse>(starts, waits))
    include(use.range);
  for (const OtherUse &other : others) {
    Operation *op = other.use->getOwner();
    auto store = dyn_cast<LLVM::StoreOp>(op);
    bool isStored = store && store.getValue() == other.use->get();
    std::optional<int64_t> bytes = getAccessedBytes(*other.use, layout);
    if (!isStored && bytes && other.offset && (*other.offset + *bytes <= begin || *other.offset >= end))
      continue;
    if (isa<LLVM::PtrToIntOp>(op) && isOnlySubtracted(op->getResult(0)))
      continue;
    bool isBefore = llvm::none_of(inits, [&](const PersistentInit &init) { return mayReach(init.call.call, op); });
    // A computed value may be a request created elsewhere. An initializer is not.
    auto copy = dyn_cast<LLVM::MemcpyOp>(op);
    bool isFilled = (store && !isStored && isPredefined(store.getValue())) ||
                    (isa<LLVM::MemsetOp>(op) && other.use->getOperandNumber() == 0) ||
                    (copy && copy.getDst() == other.use->get() && isConstantMemory(copy.getSrc()));
    if (!isFilled || !isBefore)
      return refuse(describe(op) + " may read or change its requests");
  }
}

//===----------------------------------------------------------------------===//
// Which requests
//===----------------------------------------------------------------------===//

bool PersistentRequests::mayBeSamePlace(const PersistentInit &a, const PersistentInit &b) const {
  if (a.place.offset && b.place.offset)
    return a.place.offset == b.place.offset;
  std::optional<LinearIndex> first = getElement(a.place.pointer, layout, handleSize);
  std::optional<LinearIndex> second = getElement(b.place.pointer, layout, handleSize);
  return !first || !second || first->symbol != second->symbol || first->constant == second->constant;
}

void PersistentRequests::matchConstants() {
  for (PersistentUse &use : llvm::concat<PersistentUse>(starts, waits))
    for (auto [i, init] : llvm::enumerate(inits)) {
      int64_t distance = *init.place.offset - *use.range.offset;
      if (distance >= 0 && distance < *use.range.getNumber() * handleSize)
        use.inits.push_back(i);
    }
}

bool PersistentRequests::isSameRange(const RequestRange &a, const RequestRange &b) const {
  std::optional<LinearIndex> first = getElement(a.pointer, layout, handleSize);
  std::optional<LinearIndex> second = getElement(b.pointer, layout, handleSize);
  bool isSamePointer = a.pointer == b.pointer || (a.offset && a.offset == b.offset) ||
                       (first && second && first->symbol == second->symbol && first->constant == second->constant);
  return isSamePointer && (a.count == b.count || (a.getNumber() && a.getNumber() == b.getNumber()));
}

/// Returns the block whose execution changes the value, or null.
static Block *getHome(Value pointer, const DataLayout &layout, int64_t size) {
  std::optional<LinearIndex> index = getElement(pointer, layout, size);
  if (!index)
    return pointer.getParentBlock();
  Value symbol = index->symbol;
  return symbol ? symbol.getParentBlock() : nullptr;
}

void PersistentRequests::matchRanges() {
  for (const PersistentInit &init : inits)
    if (!init.place.offset && mayReach(init.call.call, init.call.call))
      return refuse(describe(init.call.call) + " creates several requests in a loop");
  const RequestRange &range = starts.front().range;
  for (PersistentUse &use : llvm::concat<PersistentUse>(starts, waits)) {
    if (!isSameRange(use.range, range))
      return refuse(describe(use.op) + " and " + describe(starts.front().op) + " may name different requests");
    if (!use.range.count && use.range.offset == std::nullopt)
      return refuse(describe(use.op) + " names one request of several: start and complete all of them together");
    for (unsigned i = 0; i < inits.size(); ++i)
      use.inits.push_back(i);
  }
  // A start and the waits after it must use the same range, so it must not be recomputed in between.
  llvm::SmallPtrSet<Block *, 2> homes;
  if (Block *home = getHome(range.pointer, layout, handleSize))
    homes.insert(home);
  if (range.count && !range.getNumber())
    homes.insert(Value(range.count).getParentBlock());
  for (const PersistentUse &start : starts) {
    auto isWait = [&](Operation &op) {
      return llvm::any_of(waits, [&](const PersistentUse &wait) { return wait.op == &op; });
    };
    auto after = llvm::make_range(std::next(start.op->getIterator()), start.op->getBlock()->end());
    if (llvm::any_of(after, isWait))
      continue;
    llvm::SmallSetVector<Block *, 16> reached(start.op->getBlock()->succ_begin(), start.op->getBlock()->succ_end());
    for (size_t i = 0; i < reached.size(); ++i) {
      if (homes.contains(reached[i]))
        return refuse("which requests " + describe(start.op) + " starts may change before they complete");
      if (llvm::none_of(*reached[i], isWait))
        reached.insert(reached[i]->succ_begin(), reached[i]->succ_end());
    }
  }
}

//===----------------------------------------------------------------------===//
// Order, statuses, handles
//===----------------------------------------------------------------------===//

/// Returns true if control may reach `free` from a start without a wait that completes its requests.
bool PersistentRequests::mayBeFreedActive(const PersistentUse &start, Operation *free) const {
  return mayReachFromReturn(start.op, free, [&](Operation &op) {
    return llvm::any_of(waits, [&](const PersistentUse &wait) {
      return wait.op == &op &&
             llvm::all_of(start.inits, [&](unsigned init) { return llvm::is_contained(wait.inits, init); });
    });
  });
}

void PersistentRequests::judgeOrder() {
  for (Operation *free : frees)
    for (const PersistentUse &use : llvm::concat<PersistentUse>(starts, waits))
      if (mayReach(free, use.op))
        return refuse(describe(use.op) + " may follow " + describe(free));
  for (Operation *free : frees)
    for (const PersistentUse &start : starts)
      if (mayBeFreedActive(start, free))
        return refuse(describe(free) + " may free what " + describe(start.op) + " has started");
}

/// Returns true if only MPI accesses the statuses.
static bool areUnseen(Value statuses, const DataLayout &layout) {
  Value memory = getBasePointer(statuses);
  return memory.getDefiningOp<LLVM::AllocaOp>() &&
         walkPointerUses(memory, layout, [&](OpOperand &use, std::optional<int64_t>) {
           return isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, CompletionOpInterface>(use.getOwner());
         });
}

/// Statuses must be unused because they are in the order of the requests.
void PersistentRequests::judgeStatuses(const PersistentUse &wait) {
  auto op = cast<MPIOpInterface>(wait.op);
  StringRef name = isa<WaitOp>(wait.op) ? "status" : "array_of_statuses";
  Value statuses = op.getParam(name);
  if (op.getOutcome(name) || (statuses && !areUnseen(statuses, layout)))
    refuse("the statuses of " + describe(wait.op) + " are used");
}

bool comm::isPredefined(Value handle) {
  Operation *op = handle.getDefiningOp();
  if (auto pointer = dyn_cast_if_present<LLVM::IntToPtrOp>(op))
    return isPredefined(pointer.getArg());
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<LLVM::AddressOfOp, LLVM::ZeroOp>(op));
}

/// Returns true if only MPI and this function have access to the handle: it is loaded from a variable whose address
/// does not escape, and is passed only to MPI functions.
static bool isOwnHandle(Value handle, const DataLayout &layout) {
  auto load = handle.getDefiningOp<LLVM::LoadOp>();
  Value variable = load ? getBasePointer(load.getAddr()) : Value();
  if (!variable || !variable.getDefiningOp<LLVM::AllocaOp>())
    return false;
  auto isOfMPI = [](Operation *op) { return isa<MPIOpInterface, CastOp>(op) || matchMPIFunctionCall(op); };
  return walkPointerUses(variable, layout, [&](OpOperand &use, std::optional<int64_t>) {
    Operation *user = use.getOwner();
    if (auto other = dyn_cast<LLVM::LoadOp>(user))
      return llvm::all_of(other->getUsers(), [&](Operation *op) { return isOfMPI(op) || isa<LLVM::ICmpOp>(op); });
    auto store = dyn_cast<LLVM::StoreOp>(user);
    return isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user) || isOfMPI(user) ||
           (store && store.getAddr() == use.get() && isPredefined(store.getValue()));
  });
}

/// Returns the MPI function that is called, with or without an operation, or null for other operations.
static const mpi::Function *getMPIFunction(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return &mpiOp.getCalledFunction();
  std::optional<MPIFunctionCall> call = matchMPIFunctionCall(op);
  return call ? call->function : nullptr;
}

/// A persistent request keeps its datatype and communicator alive even if the program frees their handles. A start that
/// uses the handles later requires that they still exist (MPI-4, 2.5.1).
void PersistentRequests::judgeHandles(const PersistentInit &init) {
  Operation *function = init.call.call->getParentOfType<FunctionOpInterface>();
  auto module = function->getParentOfType<ModuleOp>();
  auto isBetween = [&](Operation *op) {
    return mayReach(init.call.call, op) &&
           llvm::any_of(starts, [&](const PersistentUse &start) { return mayReach(op, start.op); });
  };
  std::unique_ptr<MemoryOracle> oracle;
  for (auto [param, argument] :
       llvm::zip_equal(init.call.function->params(), CallOpInterface(init.call.call).getArgOperands())) {
    if ((param.role != mpi::Role::Datatype && param.role != mpi::Role::Comm) || isPredefined(argument))
      continue;
    bool isOwn = isOwnHandle(argument, layout);
    module.walk([&, &param = param](Operation *op) {
      const mpi::Function *called = getMPIFunction(op);
      bool isHere = function->isProperAncestor(op);
      if (called) {
        bool frees = param.role == mpi::Role::Datatype
                         ? called->name == StringRef("MPI_Type_free")
                         : llvm::is_contained({"MPI_Comm_free", "MPI_Comm_disconnect"}, StringRef(called->name));
        if (frees && (isHere ? isBetween(op) : !isOwn))
          refuse(describe(op) + " may free the " + (param.role == mpi::Role::Datatype ? "datatype" : "communicator") +
                 " of " + describe(init.call.call) + ", which starts after it would need");
        return;
      }
      if (isOwn || !isHere || !isa<CallOpInterface>(op) || !whyNot.empty() || !isBetween(op))
        return;
      if (!oracle)
        oracle = MemoryOracle::create(module);
      if (oracle->getBehavior(op).communicates)
        refuse("a function that is called between " + describe(init.call.call) + " and " + describe(starts.front().op) +
               " may free its datatype or communicator");
    });
  }
}
