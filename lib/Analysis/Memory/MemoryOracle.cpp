//===- MemoryOracle.cpp - Effects of operations ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/MemoryOracle.h"

#include "MemoryOracles.h"

#include "Comm/Analysis/Memory/DatatypeMaker.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

MemoryOracle::~MemoryOracle() = default;

WorkEstimate MemoryOracle::estimateWork(Operation *op, Operation *around) {
  // Trip counts of structured loops are not analyzed here.
  if (isa<CallOpInterface>(op) || op->getNumRegions() != 0 || op->getParentOp() != around->getParentOp())
    return WorkEstimate::unknown();
  return {isMemoryEffectFree(op) ? 1u : 4u, false};
}

const CompletedStarts *MemoryOracle::getCompletedStarts(Operation *wait) {
  const CompletedStarts *all = wait->hasAttr(kFollowedAttrName) ? requests.find(wait) : nullptr;
  return all && all->isKnown() ? all : nullptr;
}

/// Returns the buffer of a start as its wait sees it. A pointer that a loop recomputes may have changed since the
/// start.
static InFlightAccess getInFlight(const InFlightStart &start, const BufferAccess &access) {
  InFlightAccess result{start.start, access, 0, true};
  Value pointer = access.buffer;
  while (!start.isSame(pointer)) {
    auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
    if (!gep) {
      result.isSame = false;
      break;
    }
    pointer = gep.getBase();
    ++result.steps;
  }
  return result;
}

CommAccesses MemoryOracle::getAccesses(MPIOpInterface op) {
  const CompletedStarts *all = getCompletedStarts(op);
  if (!all)
    return getCommAccesses(op);
  CommAccesses result;
  result.accesses = op.getAccesses();
  result.isUnknown =
      llvm::any_of(result.accesses, [&](const BufferAccess &access) { return mayAccessAnything(op, access); });
  for (const InFlightStart &start : all->starts) {
    CommAccesses started = getCommAccesses(start.start);
    result.isUnknown |= started.isUnknown;
    for (const BufferAccess &access : started.accesses)
      if (access.inFlight)
        result.inFlight.push_back(getInFlight(start, access));
  }
  return result;
}

void Behavior::join(const Behavior &other) {
  reads |= other.reads;
  writes |= other.writes;
  mayLeave |= other.mayLeave;
  mayThrow |= other.mayThrow;
  synchronizes |= other.synchronizes;
  isObservable |= other.isObservable;
  communicates |= other.communicates;
  changesMPIState |= other.changesMPIState;
  readsTime |= other.readsTime;
  mayTrap |= other.mayTrap;
}

Behavior Behavior::unknown() {
  Behavior behavior;
  behavior.reads = behavior.writes = behavior.mayLeave = behavior.synchronizes = behavior.isObservable =
      behavior.communicates = true;
  return behavior;
}

CommAccesses comm::getCommAccesses(MPIOpInterface op) {
  CommAccesses result = getArgumentAccesses(op);
  if (auto completion = dyn_cast<CompletionOpInterface>(op.getOperation()))
    for (Value request : completion.getRequests()) {
      auto start = request.getDefiningOp<MPIOpInterface>();
      if (!start || !start.isAsync()) {
        result.isUnknown |= getConstantName(request) != "MPI_REQUEST_NULL";
        continue;
      }
      for (const BufferAccess &access : start.getAccesses())
        if (access.inFlight) {
          result.accesses.push_back(access);
          result.isUnknown |= mayAccessAnything(start, access);
        }
    }
  // Operations on windows are in flight until a synchronization that names no buffer, and other processes access the
  // window's memory meanwhile.
  result.isUnknown |= op.isOneSided();
  return result;
}

CommAccesses comm::getArgumentAccesses(MPIOpInterface op, Arguments arguments) {
  CommAccesses result;
  result.accesses = op.getAccesses();
  if (arguments == Arguments::Requests) {
    llvm::erase_if(result.accesses,
                   [](const BufferAccess &access) { return access.param->role != mpi::Role::Request; });
    return result;
  }
  result.isUnknown = op.reachesBeyondArguments();
  // A reduction with a user-defined operator runs code of the program (MPI-4, 6.9.5).
  if (Value reduction = op.getParam("op"))
    result.isUnknown |= getConstantName(reduction).empty();
  result.isUnknown |=
      llvm::any_of(result.accesses, [&](const BufferAccess &access) { return mayAccessAnything(op, access); });
  return result;
}

Behavior comm::getMPIBehavior(const mpi::Function &function, bool isLocal) {
  Behavior behavior;
  behavior.mayLeave = function.mayNotReturn;
  behavior.readsTime = function.isTime;
  behavior.changesMPIState = isLocal && !function.isTime && !function.onlyAsks();
  // Other processes can observe what this one puts into a window, and when.
  behavior.isObservable = function.mayCallBack || function.isOneSided() || function.isOfFiles;
  return behavior;
}

Behavior comm::getCommBehavior(MPIOpInterface op, const CommAccesses &accesses) {
  Behavior behavior = getMPIBehavior(op.getFunction(), op.isLocal());
  if (accesses.isUnknown)
    behavior.reads = behavior.writes = true;
  return behavior;
}

/// Whether control always continues with the next operation, unless the program ends.
static bool goesOn(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return !mpiOp.getCalledFunction().mayCallBack && !mpiOp.getParam("op");
  return isMemoryEffectFree(op) || isQuestion(op) ||
         isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op);
}

/// Whether either both are executed or none: they are in one block, and nothing between them leaves it.
static bool comeTogether(Operation *a, Operation *b) {
  if (a->getBlock() != b->getBlock())
    return false;
  if (b->isBeforeInBlock(a))
    std::swap(a, b);
  return llvm::all_of(llvm::make_range(a->getIterator(), b->getIterator()), [](Operation &op) { return goesOn(&op); });
}

/// Whether an MPI operation that is executed together with `op` has a buffer computed from the pointer. Pointer
/// arithmetic on MPI_BOTTOM does not yield a valid buffer.
static bool isBaseOfOtherBuffer(Value pointer, MPIOpInterface op) {
  auto isBuffer = [&](Value address) {
    return llvm::any_of(address.getUsers(), [&](Operation *user) {
      auto other = dyn_cast<MPIOpInterface>(user);
      return other && comeTogether(other, op) && llvm::any_of(other.getAccesses(), [&](const BufferAccess &access) {
               return access.buffer == address && access.param->role == mpi::Role::Buffer;
             });
    });
  };
  return llvm::any_of(pointer.getUsers(), [&](Operation *user) {
    auto gep = dyn_cast<LLVM::GEPOp>(user);
    return gep && gep.getBase() == pointer && isBuffer(gep.getResult());
  });
}

/// Whether the pointer is the address of an object on all paths. Pointer arithmetic on MPI_BOTTOM does not yield a
/// valid buffer, and the address of a variable or of new memory is never MPI_BOTTOM.
static bool isAddressOfObject(Value pointer, MPIOpInterface op) {
  constexpr size_t most = 16;
  llvm::SetVector<Value> values;
  values.insert(pointer);
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (isa_and_nonnull<LLVM::GEPOp, LLVM::AddressOfOp>(value.getDefiningOp()) || isAllocation(value) ||
        isBaseOfOtherBuffer(value, op))
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner()->isEntryBlock() || values.size() > most)
      return false;
    for (BlockOperand &edge : argument.getOwner()->getUses()) {
      auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
      Value operand = branch ? branch.getSuccessorOperands(edge.getOperandNumber())[argument.getArgNumber()] : Value();
      if (!operand)
        return false;
      values.insert(operand);
    }
  }
  return true;
}

bool comm::mayAccessAnything(MPIOpInterface op, const BufferAccess &access) {
  if (access.extent == BufferAccess::Extent::MemRef || access.extent == BufferAccess::Extent::Scalar)
    return false;
  // Such datatypes have no absolute addresses, and none of their elements is at MPI_BOTTOM. NULL has the same
  // representation (in a message without elements).
  if (access.datatype && isRelative(access.datatype))
    return false;
  StringRef name = getConstantName(access.buffer);
  if (!name.empty())
    return name == "MPI_BOTTOM";
  // Displacements that are differences of the addresses of two variables: MPI forbids them (5.1.12), but textbooks use
  // them.
  auto module = op->getParentOfType<ModuleOp>();
  if (access.datatype && module && module->hasAttr(kAcrossVariablesAttrName))
    return true;
  if (access.param->role != mpi::Role::Buffer)
    return false;
  return !isAddressOfObject(access.buffer, op);
}

static std::unique_ptr<MemoryOracle> createOracle(ModuleOp module, std::optional<ArrayRef<Operation *>> functions) {
  if (std::unique_ptr<MemoryOracle> oracle = createLLVMMemoryOracle(module, functions))
    return oracle;
  return createMLIRMemoryOracle();
}

std::unique_ptr<MemoryOracle> MemoryOracle::create(ModuleOp module) { return createOracle(module, std::nullopt); }

std::unique_ptr<MemoryOracle> MemoryOracle::create(ModuleOp module, ArrayRef<Operation *> functions) {
  return createOracle(module, functions);
}
