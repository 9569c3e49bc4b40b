//===- Phases.cpp - Communication phases ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Phases/Phases.h"

#include "Comm/Analysis/Phases/RequestMemory.h"
#include "Comm/Dialect/Comm/Utils/CommQueries.h"
#include "FencePhases.h"
#include "LocalReductions.h"
#include "PhaseUnits.h"
#include "RankDependence.h"
#include "SizeLoops.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/Placement.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace comm;

namespace {
/// The facts about one unit that the search needs.
struct UnitFacts {
  enum class Kind { Neutral, Messages, Fence };
  Kind kind = Kind::Neutral;
  SmallVector<MPIOpInterface> messages;
  SmallVector<CompletionOpInterface> completions;
  SmallVector<Operation *> memoryOps;
  /// Reductions in the program's own code. Those that must follow messages are members of the phase.
  SmallVector<LocalReduction> reductions;
  llvm::SmallDenseSet<unsigned> members;
  /// Why the unit is a fence although it communicates.
  std::string reason;
};

/// Finds the phases of one chain.
class PhaseFinder {
public:
  PhaseFinder(Chain &chain, MemoryOracle &oracle, const RejectPhase &reject)
      : chain(chain), oracle(oracle), reject(reject) {}

  std::vector<Phase> find();

private:
  UnitFacts computeFacts(const Unit &unit);
  void findMembers(unsigned begin, unsigned index);
  bool follows(const LocalReduction &reduction, const UnitFacts &earlier, const Unit *within);
  bool conflict(const UnitFacts &earlier, const UnitFacts &later);
  bool conflictsWithin(const Unit &unit, const UnitFacts &facts);
  bool finish(unsigned begin, unsigned end, Phase &phase);
  bool isBefore(Value value, unsigned unit);
  bool isKnownBefore(Value communicator, unsigned begin, unsigned end);

  Chain &chain;
  MemoryOracle &oracle;
  const RejectPhase &reject;
  std::vector<UnitFacts> facts;
};
} // namespace

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

static bool isMessage(MPIOpInterface op) {
  Matching::Kind kind = op.getMatching().kind;
  return kind == Matching::Kind::Send || kind == Matching::Kind::Receive || kind == Matching::Kind::SendReceive;
}

/// Returns why a message cannot be delayed; "" if it can.
static StringRef whyNotLater(MPIOpInterface op) {
  if (op.getParam("status") || op.getOutcome("status"))
    return "its status is used";
  if (Value error = op.getOutcome("error"); error && !error.use_empty())
    return "its error code is used";
  if (op.completesRemotely())
    return "a synchronous send reveals when it was received";
  if (op.getMatching().source == Matching::Source::Any)
    return "it takes messages from any source";
  if (hasOneBuffer(op))
    return "it sends from and receives into one buffer";
  return whyOnlyHere(op);
}

static StringRef whyNotDropped(CompletionOpInterface op) {
  auto mpiOp = cast<MPIOpInterface>(op.getOperation());
  if (!op.completesAll())
    return "it completes some of the requests";
  for (StringRef status : {"status", "array_of_statuses"})
    if (mpiOp.getParam(status) || mpiOp.getOutcome(status))
      return "its status is used";
  if (Value error = mpiOp.getOutcome("error"); error && !error.use_empty())
    return "its error code is used";
  return "";
}

static bool isSameCommunicator(Value a, Value b) {
  return isSameHandle(a, b) || loadsSameVariable(getHandle(a), getHandle(b));
}

/// Returns the ranks that the message is sent to or received from.
static SmallVector<Value, 2> getPeers(MPIOpInterface op) {
  SmallVector<Value, 2> peers;
  for (StringRef name : {"dest", "source"})
    if (Value peer = op.getParam(name))
      peers.push_back(peer);
  return peers;
}

//===----------------------------------------------------------------------===//
// One unit
//===----------------------------------------------------------------------===//

UnitFacts PhaseFinder::computeFacts(const Unit &unit) {
  UnitFacts result;
  auto fence = [&](const Twine &reason) {
    result.kind = UnitFacts::Kind::Fence;
    if (result.reason.empty())
      result.reason = reason.str();
  };
  if (unit.leavesAbnormally())
    fence("code next to it may not return normally");
  unit.walk([&](Operation *op) {
    CommRole role = getCommRole(op);
    if (auto message = dyn_cast<MPIOpInterface>(op); message && isMessage(message)) {
      if (StringRef reason = whyNotLater(message); !reason.empty())
        fence(reason);
      result.messages.push_back(message);
      return;
    }
    if (auto completion = dyn_cast<CompletionOpInterface>(op)) {
      if (StringRef reason = whyNotDropped(completion); !reason.empty())
        fence(getMPIDisplayName(op) + " next to it stays: " + reason);
      result.completions.push_back(completion);
      return;
    }
    if (role != CommRole::None && role != CommRole::Local) {
      fence(getMPIDisplayName(op) + " next to it communicates");
      return;
    }
    if (op->hasTrait<OpTrait::IsTerminator>() && op->getNumRegions() == 0 && isMemoryEffectFree(op))
      return;
    Behavior behavior = oracle.getBehavior(op);
    if (std::string reason = whyNotBeside(op, behavior); !reason.empty())
      fence(reason);
    if (behavior.touchesMemory())
      result.memoryOps.push_back(op);
    if (std::optional<LocalReduction> reduction = matchLocalReduction(op, oracle))
      result.reductions.push_back(*reduction);
  });
  if (result.kind == UnitFacts::Kind::Neutral && (!result.messages.empty() || !result.completions.empty()))
    result.kind = UnitFacts::Kind::Messages;
  return result;
}

/// Returns the operations that run at the end of the phase: messages, and the parts of reductions.
static SmallVector<Operation *> getDeferred(const UnitFacts &facts) {
  SmallVector<Operation *> deferred(facts.messages.begin(), facts.messages.end());
  for (unsigned member : facts.members)
    llvm::append_range(deferred, facts.reductions[member].memoryOps);
  return deferred;
}

/// Returns the operations that stay in place.
static SmallVector<Operation *> getImmediate(const UnitFacts &facts) {
  SmallVector<Operation *> immediate = facts.memoryOps;
  for (unsigned member : facts.members)
    llvm::erase_if(immediate,
                   [&](Operation *op) { return llvm::is_contained(facts.reductions[member].memoryOps, op); });
  return immediate;
}

/// Whether the reduction uses results of an operation that runs at the end of the phase. `within`: the unit that both
/// are in.
bool PhaseFinder::follows(const LocalReduction &reduction, const UnitFacts &earlier, const Unit *within) {
  for (Operation *deferred : getDeferred(earlier))
    for (Operation *op : reduction.memoryOps)
      if ((!within || isReachable(*within, deferred, op)) && !llvm::is_contained(reduction.memoryOps, deferred) &&
          oracle.mayConflict(deferred, op, /*acrossIterations=*/true))
        return true;
  return false;
}

/// Finds the reductions of a unit that belong to the phase starting at unit `begin`.
void PhaseFinder::findMembers(unsigned begin, unsigned index) {
  UnitFacts &own = facts[index];
  own.members.clear();
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < own.reductions.size(); ++i) {
      if (own.members.contains(i))
        continue;
      bool isMember = follows(own.reductions[i], own, &chain.getUnits()[index]);
      for (unsigned earlier = begin; earlier < index && !isMember; ++earlier)
        isMember = follows(own.reductions[i], facts[earlier], nullptr);
      if (isMember)
        own.members.insert(i);
      changed |= isMember;
    }
  }
}

bool PhaseFinder::conflict(const UnitFacts &earlier, const UnitFacts &later) {
  for (Operation *deferred : getDeferred(earlier))
    for (Operation *op : getImmediate(later))
      if (oracle.mayConflict(deferred, op, /*acrossIterations=*/true))
        return true;
  return false;
}

bool PhaseFinder::conflictsWithin(const Unit &unit, const UnitFacts &facts) {
  for (Operation *deferred : getDeferred(facts))
    for (Operation *op : getImmediate(facts))
      if (isReachable(unit, deferred, op) && oracle.mayConflict(deferred, op, /*acrossIterations=*/true))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Runs of units
//===----------------------------------------------------------------------===//

/// Whether a loop in the unit goes over peers, or has as many steps as there are processes.
static bool loopsOverPeers(const Unit &unit, const UnitFacts &facts) {
  return llvm::any_of(facts.messages,
                      [&](MPIOpInterface message) {
                        return isInCycle(unit, message) &&
                               llvm::any_of(getPeers(message), [&](Value peer) { return isDefinedIn(unit, peer); });
                      }) ||
         loopsBySize(unit, facts.messages);
}

bool PhaseFinder::isBefore(Value value, unsigned unit) {
  int definition = chain.findDefiningUnit(value);
  return definition < static_cast<int>(unit);
}

/// Whether the communicator is a constant, a value defined before, or a variable that can be read before because
/// nothing in the units writes it.
bool PhaseFinder::isKnownBefore(Value communicator, unsigned begin, unsigned end) {
  if (!getConstantName(communicator).empty())
    return true;
  Value handle = getHandle(communicator);
  auto load = handle.getDefiningOp<LLVM::LoadOp>();
  if (!load)
    return isBefore(handle, begin);
  if (!isBefore(load.getAddr(), begin) && !load.getAddr().getDefiningOp<LLVM::AddressOfOp>())
    return false;
  auto mayWrite = [&](Operation *op) { return oracle.mayConflict(op, load, /*acrossIterations=*/true); };
  for (unsigned i = begin; i < end; ++i)
    if (llvm::any_of(facts[i].messages, [&](MPIOpInterface op) { return mayWrite(op); }) ||
        llvm::any_of(facts[i].memoryOps, mayWrite))
      return false;
  return true;
}

/// Fills in the phase of units [begin, end). Returns false and reports the reason if they are not a phase.
bool PhaseFinder::finish(unsigned begin, unsigned end, Phase &phase) {
  phase.chain = &chain;
  phase.begin = begin;
  phase.end = end;
  bool overPeers = false;
  for (unsigned i = begin; i < end; ++i) {
    llvm::append_range(phase.messages, facts[i].messages);
    llvm::append_range(phase.completions, facts[i].completions);
    for (unsigned member : facts[i].members)
      phase.reductions.push_back(facts[i].reductions[member]);
    overPeers |= loopsOverPeers(chain.getUnits()[i], facts[i]);
  }
  if (phase.messages.empty() || !overPeers)
    return false;
  MPIOpInterface first = phase.messages.front();
  phase.communicator = first.getCommunicator();
  for (MPIOpInterface message : phase.messages)
    if (!isSameCommunicator(message.getCommunicator(), phase.communicator)) {
      reject(message, "the messages next to it use another communicator");
      return false;
    }
  auto has = [&](Matching::Kind kind) {
    return llvm::any_of(phase.messages, [&](MPIOpInterface message) {
      Matching::Kind its = message.getMatching().kind;
      return its == kind || its == Matching::Kind::SendReceive;
    });
  };
  if (!has(Matching::Kind::Send) || !has(Matching::Kind::Receive)) {
    reject(first, "the other ends of its messages are elsewhere");
    return false;
  }
  if (!isKnownBefore(phase.communicator, begin, end)) {
    reject(first, "its communicator is not known before");
    return false;
  }
  if (std::string reason = whyRequestsEscape(phase); !reason.empty()) {
    reject(first, reason);
    return false;
  }
  findTemporaries(phase);
  return true;
}

std::vector<Phase> PhaseFinder::find() {
  ArrayRef<Unit> units = chain.getUnits();
  facts.reserve(units.size());
  for (const Unit &unit : units) {
    facts.push_back(computeFacts(unit));
    findMembers(facts.size() - 1, facts.size() - 1);
    UnitFacts &fact = facts.back();
    if (fact.kind == UnitFacts::Kind::Messages && conflictsWithin(unit, fact)) {
      fact.kind = UnitFacts::Kind::Fence;
      fact.reason = "code around it uses the buffers between the messages";
    }
    if (fact.kind == UnitFacts::Kind::Fence && loopsOverPeers(unit, fact))
      reject(fact.messages.front(), fact.reason);
  }
  std::vector<Phase> phases;
  for (unsigned begin = 0; begin < units.size();) {
    if (facts[begin].kind != UnitFacts::Kind::Messages) {
      ++begin;
      continue;
    }
    unsigned end = begin + 1;
    findMembers(begin, begin);
    for (unsigned i = end; i < units.size() && facts[i].kind != UnitFacts::Kind::Fence; ++i) {
      findMembers(begin, i);
      // Computation between messages would move before all of them, so it must not be worth overlapping.
      if (facts[i].kind == UnitFacts::Kind::Neutral && units[i].isLoop && facts[i].members.empty())
        break;
      bool isFree = !conflictsWithin(units[i], facts[i]);
      for (unsigned earlier = begin; earlier < i && isFree; ++earlier)
        isFree = !conflict(facts[earlier], facts[i]);
      if (!isFree)
        break;
      if (facts[i].kind == UnitFacts::Kind::Messages || !facts[i].members.empty())
        end = i + 1;
    }
    Phase phase;
    if (finish(begin, end, phase))
      phases.push_back(std::move(phase));
    begin = end;
  }
  return phases;
}

//===----------------------------------------------------------------------===//
// All chains
//===----------------------------------------------------------------------===//

/// Whether a loop of the outer phase repeats the inner ones, which have all of its messages.
static bool isRepetition(const Phase &outer, ArrayRef<Phase> inner) {
  llvm::SmallPtrSet<Operation *, 8> covered;
  for (const Phase &phase : inner)
    for (MPIOpInterface message : phase.messages)
      covered.insert(message);
  if (!llvm::all_of(outer.messages, [&](MPIOpInterface message) { return covered.contains(message); }))
    return false;
  Operation *entry = inner.front().chain->getUnits()[inner.front().begin].op;
  for (unsigned i = outer.begin; i < outer.end; ++i)
    if (const Unit &unit = outer.chain->getUnits()[i]; contains(unit, entry))
      return isInCycle(unit, entry);
  return false;
}

std::vector<Phase> comm::findPhases(ModuleOp module, ScopeTree &tree, MemoryOracle &oracle, const RejectPhase &reject) {
  // Collect each chain's phases, and keep those that are not inside a better one. Reports about a chain inside a phase
  // are dropped.
  std::vector<std::vector<Phase>> found;
  std::vector<std::vector<std::pair<MPIOpInterface, std::string>>> rejected;
  for (const std::unique_ptr<Chain> &chain : tree.getChains()) {
    rejected.emplace_back();
    RejectPhase note = [&](MPIOpInterface op, const Twine &reason) { rejected.back().emplace_back(op, reason.str()); };
    found.push_back(PhaseFinder(*chain, oracle, note).find());
    llvm::append_range(found.back(), findFencePhases(*chain, oracle, note));
  }
  auto isInside = [](Operation *op, const Phase &phase) {
    for (unsigned i = phase.begin; i < phase.end; ++i)
      if (contains(phase.chain->getUnits()[i], op))
        return true;
    return false;
  };
  RankDependence ranks(module);
  std::vector<Phase> result;
  for (auto [index, phases] : llvm::enumerate(found))
    for (Phase &phase : phases) {
      auto overlaps = [&](const Phase &other) {
        return llvm::any_of(phase.messages, [&](MPIOpInterface op) { return isInside(op, other); });
      };
      if (llvm::any_of(result, overlaps))
        continue;
      bool repeated = false;
      for (size_t i = index + 1; i < found.size() && !repeated; ++i)
        repeated = !found[i].empty() && isRepetition(phase, found[i]);
      if (repeated)
        continue;
      Operation *entry = phase.chain->getUnits()[phase.begin].op;
      if (ranks.findBranch(entry))
        rejected[index].emplace_back(phase.messages.front(), "whether a process gets here depends on its rank");
      else
        result.push_back(std::move(phase));
    }
  decideEpochs(result);
  // If an outer and an inner chain both failed, the inner one was closer to a phase.
  llvm::SmallPtrSet<Operation *, 8> told;
  for (auto &chain : llvm::reverse(rejected))
    for (auto &[op, reason] : chain)
      if (llvm::none_of(result, [&, op = op](const Phase &phase) { return isInside(op, phase); }) &&
          told.insert(op).second)
        reject(op, reason);
  return result;
}
