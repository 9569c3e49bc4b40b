//===- MLIRMemoryOracle.cpp - MLIR's alias analysis for other dialects -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryOracles.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

namespace {
/// Declared memory effects and mlir::AliasAnalysis: for programs in func, memref, scf and the like.
class MLIRMemoryOracle : public MemoryOracle {
public:
  explicit MLIRMemoryOracle(ModuleOp module) : aliases(module) {}
  Behavior getBehavior(Operation *op) final;
  bool mayConflict(Operation *a, Operation *b, bool acrossIterations) final;
  bool mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool acrossIterations) final;

private:
  AliasAnalysis aliases;
};
} // namespace

/// The effects of the operation itself; nested operations are asked one by one.
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

Behavior MLIRMemoryOracle::getBehavior(Operation *op) {
  auto effects = getOwnEffects(op);
  if (!effects || isa<CallOpInterface>(op))
    return Behavior::unknown();
  Behavior behavior;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    if (!isMemoryEffect(effect))
      continue;
    behavior.reads |= isa<MemoryEffects::Read>(effect.getEffect());
    behavior.writes |= !isa<MemoryEffects::Read>(effect.getEffect());
  }
  behavior.mayTrap = op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() && !behavior.touchesMemory() &&
                     !isSpeculatable(op) && !isa<MPIOpInterface>(op);
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    behavior.join(getCommBehavior(mpiOp));
  return behavior;
}

bool MLIRMemoryOracle::mayConflict(Operation *a, Operation *b, bool acrossIterations) {
  auto first = getOwnEffects(a), second = getOwnEffects(b);
  if (!first || !second)
    return true;
  auto isUnknown = [](Operation *op) {
    auto mpiOp = dyn_cast<MPIOpInterface>(op);
    return mpiOp && getCommAccesses(mpiOp).isUnknown;
  };
  for (const MemoryEffects::EffectInstance &x : *first)
    for (const MemoryEffects::EffectInstance &y : *second) {
      if (!isMemoryEffect(x) || !isMemoryEffect(y))
        continue;
      if (isa<MemoryEffects::Read>(x.getEffect()) && isa<MemoryEffects::Read>(y.getEffect()))
        continue;
      if (isUnknown(a) || isUnknown(b) || !x.getValue() || !y.getValue())
        return true;
      // Local alias analysis compares allocations and views, which do not vary with an iteration.
      if (!aliases.alias(x.getValue(), y.getValue()).isNo())
        return true;
    }
  return false;
}

bool MLIRMemoryOracle::mayConflictAtArguments(MPIOpInterface mpiOp, Operation *op, bool) {
  CommAccesses origin = getArgumentAccesses(mpiOp);
  auto effects = getOwnEffects(op);
  if (origin.isUnknown || !effects)
    return true;
  for (const BufferAccess &access : origin.accesses)
    for (const MemoryEffects::EffectInstance &effect : *effects) {
      bool conflicts = access.writes || !isa<MemoryEffects::Read>(effect.getEffect());
      if (isMemoryEffect(effect) && conflicts &&
          (!effect.getValue() || !aliases.alias(access.buffer, effect.getValue()).isNo()))
        return true;
    }
  return false;
}

std::unique_ptr<MemoryOracle> comm::createMLIRMemoryOracle(ModuleOp module) {
  return std::make_unique<MLIRMemoryOracle>(module);
}
