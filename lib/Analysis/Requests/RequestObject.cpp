//===- RequestObject.cpp - Memory that holds requests ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestObject.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Demangle/Demangle.h"

using namespace mlir;
using namespace comm;

/// Returns "MPI_Waitall at heat.c:12", or a similar description.
static std::string describeUse(Operation *op) {
  std::string name = "a statement";
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    name = mpiOp.getCalledFunction().name;
  else if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      name = "the call of " + llvm::demangle(callee.getRootReference().getValue());
  SourcePosition position = getSourcePosition(op->getLoc());
  return position.line ? name + " at " + toString(position) : name;
}

bool comm::isDeallocation(Operation *op) {
  StringRef callee = getCalleeName(op);
  // free, operator delete and delete[] of all forms
  return callee == "free" || callee.starts_with("_ZdlPv") || callee.starts_with("_ZdaPv");
}

Value comm::getRequestPointer(Operation *op) {
  Value pointer;
  if (auto completion = dyn_cast<CompletionOpInterface>(op)) {
    OperandRange requests = completion.getRequests();
    if (requests.size() == 1)
      pointer = requests.front();
  } else if (auto mpiOp = dyn_cast<MPIOpInterface>(op); mpiOp && mpiOp.isAsync()) {
    pointer = mpiOp.getParam("request");
  }
  return pointer && isa<LLVM::LLVMPointerType>(pointer.getType()) ? pointer : Value();
}

RequestObject::RequestObject(Value pointer, uint64_t handleSize)
    : layout(DataLayout::closest(pointer.getParentBlock()->getParentOp())), handleSize(handleSize) {
  addPointer(pointer);
  findUses();
  isOne &= allocations.size() == 1;
  if (auto stack = isOne ? allocations.front().getDefiningOp<LLVM::AllocaOp>() : LLVM::AllocaOp())
    isOne = stack->getBlock()->isEntryBlock();
  findRange();
  // If requests are copied here from other memory, that memory becomes part of the object and is judged in the same
  // way. The copies may come from anywhere in it.
  for (bool changed = true; changed && whyOpen.empty();) {
    size_t known = pointers.size();
    isShown = false;
    for (size_t i = 0; i < uses.size() && whyOpen.empty(); ++i)
      judge(*uses[i]);
    findUses();
    changed = known != pointers.size();
    isOne &= !changed;
    if ((copies || moves) && !range.isAll()) {
      range = Range();
      changed = true;
    }
  }
  if (!whyOpen.empty() && !whyCopied.empty())
    whyOpen = whyCopied;
}

void RequestObject::findUses() {
  for (; numExpanded < pointers.size() && whyOpen.empty(); ++numExpanded) {
    Value pointer = pointers[numExpanded];
    addOrigins(pointer);
    addUses(pointer);
  }
}

void RequestObject::open(const Twine &why) {
  if (whyOpen.empty())
    whyOpen = why.str();
}

std::optional<LinearIndex> RequestObject::getSlotOf(Operation *op) const {
  return isOne ? getElement(getRequestPointer(op), layout, handleSize) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// No pointer to nothing is of this object: all uses of null in the function are of one value.
void RequestObject::addPointer(Value pointer) {
  if (!isa_and_nonnull<LLVM::ZeroOp, LLVM::UndefOp, LLVM::PoisonOp>(pointer.getDefiningOp()))
    pointers.insert(pointer);
}

void RequestObject::addOrigins(Value pointer) {
  // New memory holds no requests. (A function whose result is `noalias` may have started some there.)
  if (isAllocation(pointer)) {
    allocations.insert(pointer);
    return;
  }
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    if (argument.getOwner()->isEntryBlock())
      return open("its request is in memory that a caller passed");
    isOne = false;
    std::optional<SmallVector<Value>> passed = getPassedValues(argument);
    if (!passed)
      return open("its request is chosen by control flow that is not analyzed");
    for (Value each : *passed)
      addPointer(each);
    return;
  }
  Operation *op = pointer.getDefiningOp();
  if (auto gep = dyn_cast<LLVM::GEPOp>(op))
    return addPointer(gep.getBase());
  if (auto select = dyn_cast<LLVM::SelectOp>(op)) {
    isOne = false;
    addPointer(select.getTrueValue());
    return addPointer(select.getFalseValue());
  }
  if (isa<LLVM::AddressOfOp>(op))
    return open("its request is in a global variable, where other functions may start and complete requests: keep it "
                "in memory of the function that starts it and waits for it");
  open("its request is in memory whose address " + describeUse(op) +
       " provides, where other code may have put requests: keep it in memory of the function that starts it and waits "
       "for it");
}

void RequestObject::addUses(Value pointer) {
  // A null pointer is shared by unrelated code.
  if (Operation *op = pointer.getDefiningOp(); isa_and_nonnull<LLVM::ZeroOp, LLVM::UndefOp, LLVM::PoisonOp>(op))
    return;
  for (OpOperand &use : pointer.getUses()) {
    Operation *user = use.getOwner();
    if (user->getParentRegion() != pointer.getParentRegion())
      return open("its request is used in control flow that is not analyzed");
    if (auto gep = dyn_cast<LLVM::GEPOp>(user); gep && gep.getBase() == pointer) {
      addPointer(gep.getResult());
    } else if (auto select = dyn_cast<LLVM::SelectOp>(user)) {
      addPointer(select.getResult());
    } else if (auto branch = dyn_cast<BranchOpInterface>(user)) {
      std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
      if (argument)
        addPointer(*argument);
      else
        uses.push_back(&use); // an argument of an invoke
    } else {
      uses.push_back(&use);
    }
  }
}

/// Determines where in a structure the requests are, from starts and completions.
void RequestObject::findRange() {
  std::optional<int64_t> begin, end = 0;
  for (OpOperand *use : uses) {
    if (use->get() != getRequestPointer(use->getOwner()))
      continue;
    std::optional<LinearIndex> slot = isOne ? getElement(use->get(), layout, handleSize) : std::nullopt;
    if (!slot || (slot->symbol && !isNonNegative(slot->symbol)))
      return;
    auto mpiOp = cast<MPIOpInterface>(use->getOwner());
    Value count = isa<CompletionOpInterface>(use->getOwner()) ? mpiOp.getParam("count") : Value();
    std::optional<int64_t> number = count ? getConstantInteger(count) : std::optional<int64_t>(1);
    if (slot->symbol || !number)
      end.reset();
    else if (end)
      end = std::max<int64_t>(*end, (slot->constant + *number) * handleSize);
    begin = std::min<int64_t>(begin.value_or(slot->constant * handleSize), slot->constant * handleSize);
  }
  range.begin = begin.value_or(0);
  range.end = end;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// Whether an access of this type at the pointer may touch memory that holds requests.
bool RequestObject::mayHoldRequests(Value pointer, Type accessed) const {
  if (!isOne)
    return true;
  std::optional<int64_t> offset = getConstantOffset(pointer, layout);
  if (!offset)
    return true;
  int64_t size = layout.getTypeSize(accessed).getFixedValue();
  return *offset + size > range.begin && (!range.end || *offset < *range.end);
}

/// Whether the type can hold a request: no program keeps one in a floating-point number, or half of one in a small
/// integer.
bool RequestObject::mayBeHandle(Type type) const {
  return !type.isF32() && !type.isF64() && layout.getTypeSize(type).getFixedValue() >= handleSize;
}

/// Whether the operation preserves the bytes of a handle.
static bool isConversion(Operation *op) {
  return isa<LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::BitcastOp, LLVM::FreezeOp>(op);
}

static bool isConstantHandle(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (op->hasTrait<OpTrait::ConstantLike>() ||
                isa<LLVM::ZeroOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::AddressOfOp>(op));
}

/// Whether this is the address of the program's own memory, such as a buffer, and so not a request, which MPI creates.
static bool isAddress(Value value) {
  if (!isa<LLVM::LLVMPointerType>(value.getType()))
    return false;
  Value base = getBasePointer(value);
  return isAllocation(base) || base.getDefiningOp<LLVM::AllocaOp>();
}

/// Follows a loaded value, which may be a request: it is inspected, or stored again.
void RequestObject::judgeLoad(Operation *load) {
  llvm::SmallSetVector<Value, 4> values;
  values.insert(load->getResult(0));
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<LLVM::ICmpOp>(user))
        continue;
      if (isConversion(user) || isa<LLVM::SelectOp>(user)) {
        values.insert(user->getResult(0));
        continue;
      }
      auto branch = dyn_cast<BranchOpInterface>(user);
      std::optional<BlockArgument> argument =
          branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
      if (argument) {
        values.insert(*argument);
        continue;
      }
      auto store = dyn_cast<LLVM::StoreOp>(user);
      isShown |= !store || store.getValue() != use.get() || !pointers.contains(store.getAddr());
    }
}

/// Notes that requests are copied here from that memory.
void RequestObject::addSource(Operation *copy, Value from, const Twine &why) {
  if (!pointers.contains(from) && whyCopied.empty())
    whyCopied = (describeUse(copy) + why).str();
  copies = true;
  addPointer(from);
}

/// Traces the origin of a stored value: constants, which are not requests, and places in memory.
void RequestObject::judgeStore(Operation *store, Value value) {
  constexpr StringLiteral why = " stores a value that may be a request from elsewhere: let its start write it there";
  llvm::SmallSetVector<Value, 4> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Value each = values[i];
    if (isConstantHandle(each) || isAddress(each))
      continue;
    handles.insert(each);
    Operation *op = each.getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(each);
    std::optional<SmallVector<Value>> passed = argument ? getPassedValues(argument) : std::nullopt;
    if (auto load = dyn_cast_or_null<LLVM::LoadOp>(op)) {
      addSource(store, load.getAddr(), why);
    } else if (op && isConversion(op)) {
      values.insert(op->getOperand(0));
    } else if (auto select = dyn_cast_or_null<LLVM::SelectOp>(op)) {
      values.insert(select.getTrueValue());
      values.insert(select.getFalseValue());
    } else if (passed) {
      values.insert_range(*passed);
    } else {
      return open(describeUse(store) + why);
    }
  }
}

void RequestObject::judge(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::ICmpOp>(op) || isDeallocation(op))
    return;
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    if (mayBeHandle(load.getType()) && mayHoldRequests(use.get(), load.getType()))
      judgeLoad(load);
    return;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    if (store.getValue() == use.get())
      return open(describeUse(op) + " stores a pointer to its request, through which other code may access it");
    Value value = store.getValue();
    if (mayBeHandle(value.getType()) && mayHoldRequests(use.get(), value.getType()))
      judgeStore(op, value);
    return;
  }
  if (isa<LLVM::PtrToIntOp>(op)) {
    if (!isOnlySubtracted(op->getResult(0)))
      open(describeUse(op) + " converts a pointer to its request to an integer");
    return;
  }
  if (isa<LLVM::MemsetOp>(op) && use.getOperandNumber() == 0)
    return;
  if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp>(op) && use.getOperandNumber() < 2) {
    Value to = op->getOperand(0), from = op->getOperand(1);
    if (!pointers.contains(to)) {
      isShown = true;
      return;
    }
    auto global = getBasePointer(from).getDefiningOp<LLVM::AddressOfOp>();
    auto module = op->getParentOfType<ModuleOp>();
    auto variable = global ? module.lookupSymbol<LLVM::GlobalOp>(global.getGlobalName()) : LLVM::GlobalOp();
    if (isOne && pointers.contains(from))
      moves = true;
    else if (!variable || !variable.getConstant())
      addSource(op, from, " copies values that may be requests from elsewhere");
    return;
  }
  judgeCall(use);
}

void RequestObject::judgeCall(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
    const mpi::Function &function = mpiOp.getCalledFunction();
    for (auto [index, param] : llvm::enumerate(function.params())) {
      OperandRange operands = comm::detail::getParamOperands(op, param.name);
      unsigned first = operands.getBeginOperandIndex();
      if (operands.empty() || use.getOperandNumber() < first || use.getOperandNumber() >= first + operands.size())
        continue;
      if (param.role != mpi::Role::Request)
        return judgeArgument(use, function, index);
      if (isStartInMemory(op))
        starts.insert(op);
      else if (getRequestPointer(op) == use.get() && isa<CompletionOpInterface>(op))
        completions.insert(op);
      else
        open(describeUse(op) + " may put another request in its place");
      return;
    }
    return open(describeUse(op) + " uses its memory");
  }
  StringRef callee = getCalleeName(op);
  const mpi::Function *function = mpi::lookupFunction(callee);
  auto call = dyn_cast<CallOpInterface>(op);
  if (function && call) {
    OperandRange arguments = call.getArgOperands();
    unsigned index = use.getOperandNumber() - arguments.getBeginOperandIndex();
    if (index < function->numParams) {
      if (function->params()[index].role != mpi::Role::Request)
        return judgeArgument(use, *function, index);
      return open(describeUse(op) + " starts, tests, frees or cancels it: requests of MPI_Isend, MPI_Irecv and other "
                                    "nonblocking functions may only be waited for");
    }
  }
  if (call)
    return open(describeUse(op) + " may start or complete it, because it gets a pointer to its memory");
  open(describeUse(op) + " passes a pointer to its request on");
}

/// MPI writes request handles only where it is given a place for them. Pointers kept for callbacks or other processes,
/// and addresses converted to numbers, may lead anywhere.
void RequestObject::judgeArgument(OpOperand &use, const mpi::Function &function, unsigned index) {
  const mpi::Param &param = function.params()[index];
  bool isMessage = param.role == mpi::Role::Buffer && !function.isOneSided() && function.isMessage(index);
  bool isRead = param.role == mpi::Role::Memory || param.role == mpi::Role::Address ||
                param.role == mpi::Role::Function || param.role == mpi::Role::VarArgs ||
                (param.role == mpi::Role::Buffer && !isMessage);
  if (isRead)
    open(describeUse(use.getOwner()) + " keeps a pointer to the memory of its request");
}
