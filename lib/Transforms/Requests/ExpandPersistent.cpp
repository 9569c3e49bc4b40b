//===- ExpandPersistent.cpp - Start persistent requests as new ones -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent request specifies its buffer far from the start of the message. If a single function creates, starts and
// completes all requests of an array, each start becomes a nonblocking call with the arguments with which the request
// was created. These are kept in variables, which mem2reg turns into values.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "PersistentRequests.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/MPI/Persistent.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/Mem2Reg.h"
#include "llvm/ADT/MapVector.h"

namespace comm {
#define GEN_PASS_DEF_COMMEXPANDPERSISTENT
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct ExpandPersistent : public comm::impl::CommExpandPersistentBase<ExpandPersistent> {
  using CommExpandPersistentBase::CommExpandPersistentBase;
  void runOnOperation() final;
};

/// Keeps an argument of a request from the call that creates the request to the starts.
using Variable = LLVM::AllocaOp;

class Expander {
public:
  Expander(PersistentRequests &requests, const mpi::ABI &abi);
  void run();

private:
  /// What is kept of one call that creates a request.
  struct Kept {
    llvm::SmallVector<Variable> arguments;
    Variable place;
  };
  bool isAlwaysMade(unsigned init);
  bool isAvailable(Value value, Operation *place, unsigned depth = 0);
  Value makeAvailable(Value value, Operation *place);
  Variable createVariable(Value initial);
  void keep(Variable &variable, Value value, Value initial, const PersistentInit &init);
  Value getNobodysBuffer();
  Value createDefault(const mpi::Param &param, Type type);
  void keepArguments();
  void forgetOverwritten();
  Value getKept(Variable variable, Value value, Operation *place);
  Value createIsInRange(unsigned init, const PersistentUse &start);
  void expandStart(PersistentUse &start);
  void expandWait(PersistentUse &wait);
  void eraseCall(Operation *call);
  Value createInteger(Type type, int64_t value);
  Value getSlot(Location loc, unsigned init);

  PersistentRequests &requests;
  const mpi::ABI &abi;
  LLVM::LLVMFuncOp function;
  OpBuilder builder;
  DominanceInfo dominance;
  Location loc;
  /// The new requests, one for each call that creates one.
  Value slots;
  Value nobodysBuffer;
  SmallVector<Kept> kept;
  SmallVector<Variable> variables;
};
} // namespace

Expander::Expander(PersistentRequests &requests, const mpi::ABI &abi)
    : requests(requests), abi(abi), function(requests.inits.front().call.call->getParentOfType<LLVM::LLVMFuncOp>()),
      builder(function.getContext()), dominance(function), loc(builder.getUnknownLoc()), kept(requests.inits.size()) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Expander::createInteger(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

/// Returns true if the value is available at the place or can be computed there again.
bool Expander::isAvailable(Value value, Operation *place, unsigned depth) {
  constexpr unsigned most = 8;
  if (dominance.properlyDominates(value, place))
    return true;
  Operation *op = value.getDefiningOp();
  return op && depth < most && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isAvailable(operand, place, depth + 1); });
}

Value Expander::makeAvailable(Value value, Operation *place) {
  if (dominance.properlyDominates(value, place))
    return value;
  IRMapping map;
  for (Value operand : value.getDefiningOp()->getOperands())
    map.map(operand, makeAvailable(operand, place));
  builder.setInsertionPoint(place);
  Operation *copy = builder.clone(*value.getDefiningOp(), map);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// Creates a variable in the entry block, with an initial value that is computed there.
Variable Expander::createVariable(Value initial) {
  auto variable = LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                                         initial.getType(), createInteger(builder.getI64Type(), 1));
  LLVM::StoreOp::create(builder, loc, initial, variable);
  variables.push_back(variable);
  return variable;
}

//===----------------------------------------------------------------------===//
// Arguments of requests
//===----------------------------------------------------------------------===//

/// Returns true if all starts follow the call and nothing replaces its request.
bool Expander::isAlwaysMade(unsigned init) {
  Operation *call = requests.inits[init].call.call;
  bool isOverwritten = llvm::any_of(llvm::enumerate(requests.inits), [&](auto other) {
    return other.index() != init && requests.mayBeSamePlace(other.value(), requests.inits[init]);
  });
  return !isOverwritten && llvm::all_of(requests.starts, [&](const PersistentUse &start) {
    return dominance.properlyDominates(call, start.op);
  });
}

/// Keeps the value with which the call creates the request, and the initial value until then.
void Expander::keep(Variable &variable, Value value, Value initial, const PersistentInit &init) {
  variable = createVariable(initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(init.call.call);
  LLVM::StoreOp::create(builder, loc, value, variable);
}

static bool isPeer(const mpi::Param &param) {
  return param.role == mpi::Role::Rank && !param.isPointer && !param.isArray;
}

/// MPI rejects a null buffer even for a message to MPI_PROC_NULL.
Value Expander::getNobodysBuffer() {
  if (!nobodysBuffer) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(slots);
    nobodysBuffer = LLVM::AllocaOp::create(builder, loc, slots.getType(), builder.getI8Type(),
                                           createInteger(builder.getI64Type(), 1));
  }
  return nobodysBuffer;
}

/// Creates an argument for a message to MPI_PROC_NULL, which MPI checks nevertheless.
Value Expander::createDefault(const mpi::Param &param, Type type) {
  auto module = function->getParentOfType<ModuleOp>();
  auto createHandle = [&](StringRef name) {
    return createRepresented(builder, loc, module, *abi.getHandle(name), type);
  };
  switch (param.role) {
  case mpi::Role::Datatype:
    return createHandle("MPI_BYTE");
  case mpi::Role::Comm:
    return createHandle("MPI_COMM_SELF");
  case mpi::Role::Rank:
    return createInteger(type, *abi.getConstant("MPI_PROC_NULL"));
  case mpi::Role::Buffer:
    return getNobodysBuffer();
  default:
    return createInteger(type, 0);
  }
}

void Expander::keepArguments() {
  for (auto [i, init] : llvm::enumerate(requests.inits)) {
    bool isAlways = isAlwaysMade(i);
    auto isAvailableAtStarts = [&](Value value) {
      return llvm::all_of(requests.starts, [&](const PersistentUse &start) { return isAvailable(value, start.op); });
    };
    auto isAvailableAtInits = [&](Value value) {
      return llvm::all_of(requests.inits,
                          [&](const PersistentInit &other) { return isAvailable(value, other.call.call); });
    };
    builder.setInsertionPointAfterValue(slots);
    CallOpInterface call = init.call.call;
    for (auto [param, argument] : llvm::zip_equal(init.call.function->params(), call.getArgOperands())) {
      Variable &variable = kept[i].arguments.emplace_back();
      if (param.role == mpi::Role::Request)
        continue;
      // A request that was not created sends to or receives from MPI_PROC_NULL, which MPI checks first, so its other
      // arguments do not matter. A call that was skipped last time created the request with earlier values.
      bool mayBeOther = isPeer(param) || !isPredefined(argument);
      if ((!isAlways && mayBeOther) || !isAvailableAtStarts(argument))
        keep(variable, argument, createDefault(param, argument.getType()), init);
    }
    Value place = init.place.pointer;
    if (!requests.isConstant && !(isAvailableAtStarts(place) && isAvailableAtInits(place)))
      keep(kept[i].place, place, LLVM::ZeroOp::create(builder, loc, place.getType()), init);
  }
}

/// Returns the value with which the request was created, at that place.
Value Expander::getKept(Variable variable, Value value, Operation *place) {
  if (!variable)
    return makeAvailable(value, place);
  builder.setInsertionPoint(place);
  return LLVM::LoadOp::create(builder, loc, value.getType(), variable);
}

/// A call that creates a request in the place of another one ends the latter, so its starts must do nothing.
void Expander::forgetOverwritten() {
  for (auto [i, init] : llvm::enumerate(requests.inits))
    for (auto [j, other] : llvm::enumerate(requests.inits)) {
      Operation *call = init.call.call;
      if (i == j || !requests.mayBeSamePlace(init, other) || !mayReach(other.call.call, call))
        continue;
      for (auto [k, param] : llvm::enumerate(other.call.function->params())) {
        Variable variable = kept[j].arguments[k];
        if (!isPeer(param) || !variable)
          continue;
        builder.setInsertionPoint(call);
        Value nobody = createDefault(param, variable.getElemType());
        if (!init.place.offset || !other.place.offset) {
          Value isSame = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, init.place.pointer,
                                              getKept(kept[j].place, other.place.pointer, call));
          builder.setInsertionPoint(call);
          Value peer = LLVM::LoadOp::create(builder, loc, variable.getElemType(), variable);
          nobody = LLVM::SelectOp::create(builder, loc, isSame, nobody, peer);
        }
        LLVM::StoreOp::create(builder, loc, nobody, variable);
      }
    }
}

//===----------------------------------------------------------------------===//
// Starts and waits
//===----------------------------------------------------------------------===//

Value Expander::getSlot(Location loc, unsigned init) {
  if (init == 0)
    return slots;
  return LLVM::GEPOp::create(builder, loc, slots.getType(), slots.getDefiningOp<LLVM::AllocaOp>().getElemType(), slots,
                             LLVM::GEPArg(init));
}

/// Returns whether the request is in the range of the start.
Value Expander::createIsInRange(unsigned init, const PersistentUse &start) {
  Value place = getKept(kept[init].place, requests.inits[init].place.pointer, start.op);
  builder.setInsertionPoint(start.op);
  Type integer = builder.getI64Type();
  auto toInteger = [&](Value pointer) -> Value { return LLVM::PtrToIntOp::create(builder, loc, integer, pointer); };
  Value distance = LLVM::SubOp::create(builder, loc, toInteger(place), toInteger(start.range.pointer));
  Value count = start.range.count ? start.range.count : createInteger(integer, 1);
  if (count.getType() != integer)
    count = LLVM::SExtOp::create(builder, loc, integer, count);
  Type handle = slots.getDefiningOp<LLVM::AllocaOp>().getElemType();
  int64_t size = DataLayout::closest(function).getTypeSize(handle).getFixedValue();
  Value bytes = LLVM::MulOp::create(builder, loc, count, createInteger(integer, size));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, distance, bytes);
}

void Expander::expandStart(PersistentUse &start) {
  auto module = function->getParentOfType<ModuleOp>();
  for (unsigned i : start.inits) {
    PersistentInit &init = requests.inits[i];
    CallOpInterface call = init.call.call;
    SmallVector<Value> arguments;
    for (auto [k, param] : llvm::enumerate(init.call.function->params())) {
      builder.setInsertionPoint(start.op);
      Value argument = param.role == mpi::Role::Request
                           ? getSlot(start.op->getLoc(), i)
                           : getKept(kept[i].arguments[k], call.getArgOperands()[k], start.op);
      if (isPeer(param) && !requests.isConstant) {
        Value isInRange = createIsInRange(i, start);
        Value nobody = createDefault(param, argument.getType());
        argument = LLVM::SelectOp::create(builder, loc, isInRange, argument, nobody);
      }
      arguments.push_back(argument);
    }
    StringRef name = init.started->name;
    builder.setInsertionPoint(start.op);
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), llvm::to_vector(ValueRange(arguments).getTypes()));
      LLVM::LLVMFuncOp::create(builder, loc, name, type);
    }
    LLVM::CallOp::create(builder, start.op->getLoc(), builder.getI32Type(), name, arguments);
  }
}

void Expander::expandWait(PersistentUse &wait) {
  auto op = cast<MPIOpInterface>(wait.op);
  builder.setInsertionPoint(op);
  SmallVector<NamedParam> params;
  unsigned first = wait.inits.empty() ? 0 : wait.inits.front();
  Value slot = getSlot(op.getLoc(), first);
  bool isOne = wait.inits.size() == 1;
  if (isOne) {
    params.emplace_back("request", slot);
  } else {
    params.emplace_back("count", createInteger(builder.getI32Type(), wait.inits.size()));
    params.emplace_back("array_of_requests", slot);
  }
  SmallVector<StringRef> outcomes;
  Value error = op.getOutcome("error");
  if (error)
    outcomes.push_back("error");
  MPIOpInterface completion =
      createMPIOp(builder, op.getLoc(), isOne ? "MPI_Wait" : "MPI_Waitall", Mode::blocking, params, outcomes);
  if (error)
    error.replaceAllUsesWith(completion.getOutcome("error"));
  op.erase();
}

/// Erases a call that does not throw: control continues at the normal destination.
void Expander::eraseCall(Operation *call) {
  if (auto invoke = dyn_cast<LLVM::InvokeOp>(call)) {
    builder.setInsertionPoint(call);
    LLVM::BrOp::create(builder, call->getLoc(), invoke.getNormalDestOperands(), invoke.getNormalDest());
  }
  call->erase();
}

void Expander::run() {
  builder.setInsertionPointToStart(&function.getBody().front());
  Type handle = getHandleType(mpi::HandleClass::Request, abi, builder.getContext());
  slots = LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), handle,
                                 createInteger(builder.getI64Type(), requests.inits.size()));
  // A wait that no start precedes completes nothing.
  auto isStarted = [&](const PersistentUse &wait) {
    return llvm::any_of(requests.starts, [&](const PersistentUse &start) {
      return dominance.properlyDominates(start.op, wait.op) &&
             llvm::all_of(wait.inits, [&](unsigned init) { return llvm::is_contained(start.inits, init); });
    });
  };
  if (!llvm::all_of(requests.waits, isStarted)) {
    Value null = createRepresented(builder, loc, function->getParentOfType<ModuleOp>(),
                                   *abi.getHandle("MPI_REQUEST_NULL"), handle);
    for (unsigned i = 0; i < requests.inits.size(); ++i)
      LLVM::StoreOp::create(builder, loc, null, getSlot(loc, i));
  }
  keepArguments();
  forgetOverwritten();
  for (PersistentUse &start : requests.starts)
    expandStart(start);
  for (PersistentUse &wait : requests.waits)
    expandWait(wait);
  for (PersistentUse &start : requests.starts)
    eraseCall(start.op);
  for (PersistentInit &init : requests.inits)
    eraseCall(init.call.call);
  for (Operation *free : requests.frees)
    eraseCall(free);
  SmallVector<PromotableAllocationOpInterface> slotsToPromote;
  for (Variable variable : variables)
    slotsToPromote.push_back(cast<PromotableAllocationOpInterface>(variable.getOperation()));
  DominanceInfo after(function);
  (void)tryToPromoteMemorySlots(slotsToPromote, builder, DataLayout::closest(function), after);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Returns text such as "MPI_Recv_init at heat.c:8 and 3 others".
static std::string describe(const PersistentRequests &requests, const PersistentUse &start) {
  std::string text;
  for (unsigned i : start.inits)
    if (text.empty()) {
      const MPIFunctionCall &call = requests.inits[i].call;
      text = call.function->name;
      if (SourcePosition position = getSourcePosition(CallOpInterface(call.call)->getLoc()); position.line)
        text += " at " + toString(position);
    }
  if (size_t others = start.inits.size() - std::min<size_t>(start.inits.size(), 1))
    text += " and " + std::to_string(others) + " other" + (others == 1 ? "" : "s");
  return text.empty() ? "no call" : text;
}

static remark::RemarkOpts getOptions(Operation *start, StringRef name) {
  return remark::RemarkOpts::name(name).category("comm-expand-persistent").function(getFunctionName(start));
}

static StringRef getCalledName(Operation *start) { return matchMPIFunctionCall(start)->function->name; }

void ExpandPersistent::runOnOperation() {
  ModuleOp module = getOperation();
  StringRef name = getABIName(abi, module);
  const mpi::ABI *known = name.empty() ? nullptr : lookupABI(name, module);
  if (!known)
    return name.empty() ? markAllAnalysesPreserved() : signalPassFailure();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    llvm::MapVector<Value, SmallVector<Operation *>> startsOf;
    function.walk([&](Operation *op) {
      std::optional<MPIFunctionCall> call = matchMPIFunctionCall(op);
      if (call && mpi::isPersistentStart(*call->function))
        startsOf[getBasePointer(call->getRequests())].push_back(op);
    });
    for (auto &[memory, starts] : startsOf) {
      std::string whyNot = "its requests are in memory that other code may use: keep them in an array of the function "
                           "that creates, starts and completes them";
      std::optional<PersistentRequests> requests;
      if (isAllocation(memory)) {
        requests.emplace(memory, *known);
        whyNot = requests->whyNot;
      }
      if (!whyNot.empty()) {
        for (Operation *start : starts)
          remark::missed(start->getLoc(), getOptions(start, "KeptPersistent"))
              << getCalledName(start) << " stays as it is: " << whyNot;
        continue;
      }
      for (const PersistentUse &start : requests->starts)
        remark::analysis(start.op->getLoc(), getOptions(start.op, "ExpandedPersistent"))
            << getCalledName(start.op) << " starts the requests of " << describe(*requests, start)
            << " as nonblocking calls";
      numExpanded += requests->inits.size();
      Expander(*requests, *known).run();
    }
  }
}
