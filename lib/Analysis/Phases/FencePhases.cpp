//===- FencePhases.cpp - Gets and puts between fences ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two fences delimit an epoch in which other processes read and write the memory of the window, and MPI owns the origin
// buffers (MPI-4, 12.5.1 and 12.7). Correct programs access neither, so the data may move at any time in the epoch.
// docs/detect.md has the rules, and the tests of programs that would break without them.
//
//===----------------------------------------------------------------------===//

#include "FencePhases.h"

#include "Comm/Analysis/Phases/RequestMemory.h"
#include "PhaseUnits.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

namespace {
/// An epoch that is examined unit by unit.
class Epoch {
public:
  Epoch(Chain &chain, MemoryOracle &oracle, unsigned begin, WinFenceOp fence)
      : chain(chain), oracle(oracle), begin(begin), fence(fence) {}

  /// Adds a unit; returns why it cannot be part of the epoch, or "".
  std::string add(unsigned index);
  /// Returns why the epoch that ends with `last` is not a phase, or "".
  std::string finish(unsigned end, WinFenceOp last, Phase &phase);
  bool isSameWindow(Value other);
  /// Returns a get or put in a loop over processes, or null.
  MPIOpInterface getLooping() const { return looping; }

private:
  std::string addAccess(const Unit &unit, MPIOpInterface op);
  bool isUnchanged(Value handle);

  Chain &chain;
  MemoryOracle &oracle;
  unsigned begin;
  WinFenceOp fence;
  MPIOpInterface looping;
  SmallVector<MPIOpInterface> accesses;
  SmallVector<Operation *> memoryOps;
};
} // namespace

static bool usesError(MPIOpInterface op) {
  Value error = op.getOutcome("error");
  return error && !error.use_empty();
}

static WinFenceOp getFence(const Unit &unit) { return unit.isPiece() ? WinFenceOp() : dyn_cast<WinFenceOp>(unit.op); }

bool Epoch::isSameWindow(Value other) {
  Value mine = getHandle(fence.getWin());
  return mine == getHandle(other) || loadsSameVariable(mine, getHandle(other));
}

std::string Epoch::addAccess(const Unit &unit, MPIOpInterface op) {
  RemoteAccess access = op.getRemoteAccess();
  accesses.push_back(op);
  if (!looping && isInCycle(unit, op) && isDefinedIn(unit, access.target))
    looping = op;
  if (!isSameWindow(access.window))
    return "the preceding fence is for another window";
  if (!access.isSameAtBothEnds())
    return "its count or datatype differs between origin and target";
  return usesError(op) ? "its error code is used" : "";
}

std::string Epoch::add(unsigned index) {
  const Unit &unit = chain.getUnits()[index];
  std::string reason = unit.leavesAbnormally() ? "code next to it may not return normally" : "";
  auto note = [&](std::string found) { reason = reason.empty() ? std::move(found) : reason; };
  SmallVector<Operation *> own;
  unsigned before = accesses.size();
  unit.walk([&](Operation *op) {
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
      if (mpiOp.getRemoteAccess().kind != RemoteAccess::Kind::None)
        return note(addAccess(unit, mpiOp));
      if (getCommRole(op) != CommRole::Local)
        return note(getMPIDisplayName(op) + " next to it communicates");
    }
    if (op->hasTrait<OpTrait::IsTerminator>() && op->getNumRegions() == 0 && isMemoryEffectFree(op))
      return;
    Behavior behavior = oracle.getBehavior(op);
    note(whyNotBeside(op, behavior));
    if (behavior.touchesMemory())
      own.push_back(op);
  });
  for (auto [i, access] : llvm::enumerate(accesses))
    for (Operation *op : own)
      if ((i < before || isReachable(unit, access, op)) &&
          oracle.mayConflictAtArguments(access, op, /*acrossIterations=*/true))
        note("code around it uses the buffers between the fences");
  // Computation while the data is on its way would move before all messages.
  if (before != 0 && accesses.size() == before && unit.isLoop)
    note("a loop after it computes while the data is in flight");
  llvm::append_range(memoryOps, own);
  return reason;
}

/// Whether the handle is a value, or a variable that nothing in the epoch writes.
bool Epoch::isUnchanged(Value handle) {
  auto load = handle.getDefiningOp<LLVM::LoadOp>();
  if (!load || handle == getHandle(fence.getWin()))
    return true;
  return llvm::none_of(memoryOps,
                       [&](Operation *op) { return oracle.mayConflict(op, load, /*acrossIterations=*/true); }) &&
         llvm::none_of(accesses, [&](MPIOpInterface access) {
           return oracle.mayConflictAtArguments(access, load, /*acrossIterations=*/true);
         });
}

std::string Epoch::finish(unsigned end, WinFenceOp last, Phase &phase) {
  if (usesError(cast<MPIOpInterface>(fence.getOperation())) || usesError(cast<MPIOpInterface>(last.getOperation())))
    return "the error code of a fence is used";
  if (chain.findDefiningUnit(last.getAssert()) >= static_cast<int>(begin) && !getConstantInteger(last.getAssert()))
    return "the assertion of the next fence is not known before it";
  for (MPIOpInterface access : accesses)
    if (!isUnchanged(getHandle(access.getRemoteAccess().window)))
      return "its window may change";
  if (!isUnchanged(getHandle(last.getWin())))
    return "its window may change";
  phase.chain = &chain;
  phase.begin = begin;
  phase.end = end;
  phase.window = fence.getWin();
  phase.firstFence = fence;
  phase.lastFence = last;
  phase.messages = accesses;
  return "";
}

std::vector<Phase> comm::findFencePhases(Chain &chain, MemoryOracle &oracle, const RejectPhase &reject) {
  ArrayRef<Unit> units = chain.getUnits();
  std::vector<Phase> phases;
  for (unsigned begin = 0; begin < units.size(); ++begin) {
    WinFenceOp fence = getFence(units[begin]);
    if (!fence)
      continue;
    Epoch epoch(chain, oracle, begin, fence);
    std::string reason;
    unsigned end = begin + 1;
    WinFenceOp last;
    for (; end < units.size() && reason.empty(); ++end) {
      last = getFence(units[end]);
      if (last && epoch.isSameWindow(last.getWin()))
        break;
      last = nullptr;
      reason = epoch.add(end);
    }
    MPIOpInterface looping = epoch.getLooping();
    if (!looping)
      continue;
    Phase phase;
    if (reason.empty())
      reason = last ? epoch.finish(end + 1, last, phase) : "no fence for its window follows";
    if (reason.empty()) {
      phases.push_back(std::move(phase));
      begin = end;
    } else {
      reject(looping, reason);
    }
  }
  return phases;
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

/// Collects all users of the window. Returns false if others may know it.
static bool collectUsers(Value window, llvm::SmallPtrSetImpl<Operation *> &users) {
  Value handle = getHandle(window);
  SmallVector<Value> handles;
  if (auto load = handle.getDefiningOp<LLVM::LoadOp>()) {
    // The window must be in a stack variable whose address only MPI's functions get, which do not keep it.
    if (!load.getAddr().getDefiningOp<LLVM::AllocaOp>())
      return false;
    for (Operation *user : load.getAddr().getUsers()) {
      auto mpiOp = dyn_cast<MPIOpInterface>(user);
      if (auto other = dyn_cast<LLVM::LoadOp>(user))
        handles.push_back(other.getResult());
      else if (mpiOp && mpiOp.getParam("win") == load.getAddr())
        users.insert(user);
      else if (!isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user))
        return false;
    }
  } else if (handle.getDefiningOp<MPIOpInterface>()) {
    handles.push_back(handle);
  } else {
    return false;
  }
  for (size_t i = 0; i < handles.size(); ++i)
    for (Operation *user : handles[i].getUsers()) {
      auto mpiOp = dyn_cast<MPIOpInterface>(user);
      if (auto cast = dyn_cast<CastOp>(user))
        handles.push_back(cast.getResult());
      else if (mpiOp && mpiOp.isOneSided())
        users.insert(user);
      else
        return false;
    }
  return true;
}

void comm::decideEpochs(MutableArrayRef<Phase> phases) {
  llvm::SmallPtrSet<Operation *, 16> members;
  for (Phase &phase : phases)
    if (phase.window)
      for (MPIOpInterface access : phase.messages)
        members.insert(access);
  for (Phase &phase : phases) {
    if (!phase.window)
      continue;
    llvm::SmallPtrSet<Operation *, 16> users;
    phase.needsEpochs = !collectUsers(phase.window, users) || llvm::any_of(users, [&](Operation *user) {
      return !members.contains(user) && !isa<WinFenceOp, WinCreateOp, WinAllocateOp, WinFreeOp>(user);
    });
  }
}
