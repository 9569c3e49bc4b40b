//===- MLIRMemoryOracle.cpp - Memory effects in other dialects ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryOracles.h"

#include "Comm/Analysis/Memory/MemRefObjects.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

namespace {
/// An access to memory.
struct Access {
  Value address; // null: may be anywhere
  bool writes = false;
};

using Accesses = SmallVector<Access, 4>;

/// The effects of calling a function of this module, according to its body.
struct CallSummary {
  Behavior behavior;
  /// It may touch memory that belongs to neither an argument nor a global.
  bool isUnknown = false;
  /// Indices of arguments with whether they are written, and values that name globals.
  SmallVector<std::pair<unsigned, bool>> arguments;
  Accesses globals;
};

/// Uses declared memory effects and the origins of memrefs, for programs in func, memref, scf and similar dialects.
class MLIRMemoryOracle : public MemoryOracle {
public:
  Behavior getBehavior(Operation *op) final;
  bool mayConflict(Operation *a, Operation *b, bool acrossIterations) final;
  bool mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool acrossIterations, Arguments arguments) final;

private:
  std::optional<Accesses> getOwnAccesses(Operation *op);
  std::optional<Accesses> getCallAccesses(CallOpInterface call);
  const CallSummary *getSummary(CallOpInterface call);
  CallSummary summarize(FunctionOpInterface function);
  bool mayConflict(const Access &a, const Access &b);

  MemRefObjects objects;
  SymbolTableCollection symbols;
  /// Null while the function is being summarized, which makes recursive calls unknown.
  llvm::DenseMap<Operation *, std::unique_ptr<CallSummary>> summaries;
};
} // namespace

/// Returns the effects of the operation itself, without those of nested operations.
static std::optional<SmallVector<MemoryEffects::EffectInstance>> getOwnEffects(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    interface.getEffects(effects);
    return effects;
  }
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || op->hasTrait<OpTrait::IsTerminator>())
    return effects;
  return std::nullopt;
}

static bool isMemoryEffect(const MemoryEffects::EffectInstance &effect) {
  return !isa<CommunicationResource>(effect.getResource());
}

/// Whether an operation of the llvm dialect is an ordinary access: not volatile, not atomic, not a fence.
static bool isPlain(Operation *op) { return isPlainAccess(op) || isa<LLVM::AllocaOp>(op); }

Behavior MLIRMemoryOracle::getBehavior(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    const CallSummary *summary = getSummary(call);
    return summary ? summary->behavior : Behavior::unknown();
  }
  auto effects = getOwnEffects(op);
  if (!effects)
    return Behavior::unknown();
  Behavior behavior;
  bool isMPI = isa<MPIOpInterface>(op);
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    if (!isMemoryEffect(effect))
      continue;
    bool writes = !isa<MemoryEffects::Read>(effect.getEffect());
    behavior.reads |= !writes;
    behavior.writes |= writes;
    // It may change a file, or the screen.
    behavior.isObservable |= writes && !effect.getValue() && !isMPI;
  }
  if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) && behavior.touchesMemory() && !isPlain(op))
    return Behavior::unknown();
  behavior.synchronizes |= isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op);
  behavior.mayTrap = op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() && !behavior.touchesMemory() &&
                     !isSpeculatable(op) && !isMPI;
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    behavior.join(getCommBehavior(mpiOp));
  return behavior;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

CallSummary MLIRMemoryOracle::summarize(FunctionOpInterface function) {
  CallSummary summary;
  auto add = [&](const Access &access) {
    if (!access.address) {
      summary.isUnknown = true;
      return;
    }
    for (const MemoryObject &object : objects.find(access.address)) {
      if (object.kind == MemoryObject::Kind::Argument)
        summary.arguments.emplace_back(cast<BlockArgument>(object.value).getArgNumber(), access.writes);
      else if (object.kind == MemoryObject::Kind::Global)
        summary.globals.push_back({object.value, access.writes});
      else
        summary.isUnknown |= object.kind == MemoryObject::Kind::Unknown;
      // Nobody else can access its own allocations.
    }
  };
  function.getFunctionBody().walk([&](Operation *op) {
    summary.behavior.join(getBehavior(op));
    // Its messages are matched with those of others.
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
      summary.behavior.communicates |= !mpiOp.isLocal();
    std::optional<Accesses> accesses = getOwnAccesses(op);
    summary.isUnknown |= !accesses;
    if (accesses)
      llvm::for_each(*accesses, add);
  });
  summary.behavior.reads = summary.behavior.writes = summary.isUnknown;
  for (auto [argument, writes] : summary.arguments)
    (writes ? summary.behavior.writes : summary.behavior.reads) = true;
  for (const Access &global : summary.globals)
    (global.writes ? summary.behavior.writes : summary.behavior.reads) = true;
  return summary;
}

/// Returns null if the call may run code that the module does not show.
const CallSummary *MLIRMemoryOracle::getSummary(CallOpInterface call) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallableInTable(&symbols));
  // The linker may replace a function of the llvm dialect by another definition.
  if (!function || function.isExternal() || isa<LLVM::LLVMFuncOp>(function))
    return nullptr;
  auto [it, isNew] = summaries.try_emplace(function);
  if (isNew) {
    auto summary = std::make_unique<CallSummary>(summarize(function));
    return (summaries[function] = std::move(summary)).get(); // the map may have grown
  }
  return it->second.get();
}

std::optional<Accesses> MLIRMemoryOracle::getCallAccesses(CallOpInterface call) {
  const CallSummary *summary = getSummary(call);
  if (!summary || summary->isUnknown)
    return std::nullopt;
  Accesses result = summary->globals;
  for (auto [argument, writes] : summary->arguments) {
    if (argument >= call.getArgOperands().size())
      return std::nullopt;
    result.push_back({call.getArgOperands()[argument], writes});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns none if the operation may touch any memory.
std::optional<Accesses> MLIRMemoryOracle::getOwnAccesses(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    return getCallAccesses(call);
  auto effects = getOwnEffects(op);
  if (!effects)
    return std::nullopt;
  Accesses result;
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
    CommAccesses accesses = getAccesses(mpiOp);
    if (accesses.isUnknown)
      return std::nullopt;
    for (const InFlightAccess &inFlight : accesses.inFlight)
      result.push_back({inFlight.access.buffer, inFlight.access.writes});
  }
  for (const MemoryEffects::EffectInstance &effect : *effects)
    if (isMemoryEffect(effect))
      result.push_back({effect.getValue(), !isa<MemoryEffects::Read>(effect.getEffect())});
  return result;
}

bool MLIRMemoryOracle::mayConflict(const Access &a, const Access &b) {
  if (!a.writes && !b.writes)
    return false;
  return !a.address || !b.address || !objects.areApart(a.address, b.address);
}

bool MLIRMemoryOracle::mayConflict(Operation *a, Operation *b, bool) {
  auto first = getOwnAccesses(a), second = getOwnAccesses(b);
  if (!first || !second)
    return true;
  for (const Access &x : *first)
    for (const Access &y : *second)
      if (mayConflict(x, y))
        return true;
  return false;
}

bool MLIRMemoryOracle::mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool, Arguments arguments) {
  CommAccesses origin = getArgumentAccesses(mpiOp, arguments);
  auto accesses = getOwnAccesses(op);
  if (origin.isUnknown || !accesses)
    return true;
  for (const BufferAccess &access : origin.accesses)
    for (const Access &other : *accesses)
      if (mayConflict({access.buffer, access.writes}, other))
        return true;
  return false;
}

std::unique_ptr<MemoryOracle> comm::createMLIRMemoryOracle() { return std::make_unique<MLIRMemoryOracle>(); }
