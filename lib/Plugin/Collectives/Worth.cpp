//===- Worth.cpp - Which collectives profit from starts -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worth.h"

#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Sums.h"
#include "Comm/Plugin/Profile/CallProfile.h"
#include "Comm/Plugin/RoundTrip/Splice.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

/// Visits calls in functions that run; excludes the old bodies that Comm keeps (Splice.cpp) and other cold code.
static void forEachCall(const Function &function, function_ref<void(const CallBase &)> fn) {
  for (const User *user : function.users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &function &&
                                               !call->getFunction()->hasFnAttribute(Attribute::Cold) &&
                                               !call->getFunction()->hasFnAttribute(kOriginalAttr))
      fn(*call);
}

namespace {
/// Computes how many loops surround a call, including those in callers that the file shows.
class LoopDepths {
public:
  int get(const CallBase &call);

private:
  // The maximum depth, which also ends recursion.
  static constexpr int kMost = 4;
  int getOfFunction(const Function &function, int steps);
  int getInFunction(const CallBase &call);

  DenseMap<const Function *, DenseMap<const BasicBlock *, int>> inFunction;
};

/// Time that calls of a collective save and cost, in nanoseconds of the measured run.
class MeasuredGain {
public:
  /// Adds a call of the program, which starts the collective or blocks.
  void add(const CallBase &call, const mpi::Function &function, bool isStart, const CallProfile *profile,
           const mpi::ABI *abi);
  /// Returns whether the starts save less than the nonblocking form costs all calls; nullopt if a call was not
  /// measured.
  std::optional<bool> isUseless() const { return isKnown ? std::optional(paid >= saved) : std::nullopt; }

private:
  bool isKnown = true;
  double saved = 0, paid = 0;
};

struct Calls {
  const CallBase *start = nullptr;
  int started = -1, blocking = -1;
  bool isRepeated = false;
  MeasuredGain gain;

  bool isUseless() const { return gain.isUseless().value_or(blocking >= started || !isRepeated); }
};
} // namespace

void MeasuredGain::add(const CallBase &call, const mpi::Function &function, bool isStart, const CallProfile *profile,
                       const mpi::ABI *abi) {
  std::optional<report::Measurement> measured = profile ? profile->lookup(call, function) : std::nullopt;
  if (measured && measured->executions == 0 && measured->nodes > 1 && measured->ranks > 1)
    return; // the program never executes it
  std::optional<SiteFacts> facts = measured ? SiteFacts::make(*measured, function) : std::nullopt;
  std::optional<ExtraCost> extra = facts && abi ? facts->getExtraCost(abi) : std::nullopt;
  isKnown &= extra.has_value();
  if (!isKnown)
    return;
  double executions = double(facts->getExecutions());
  paid += executions * double(extra->most);
  if (!isStart)
    return;
  // At most the whole blocking call; for a call measured only as a start, the length of its interval.
  std::optional<uint64_t> most = facts->getBlocking() ? facts->getBlocking() : facts->getInterval();
  isKnown = most.has_value();
  saved += executions * double(most.value_or(0));
}

int LoopDepths::getInFunction(const CallBase &call) {
  auto *function = const_cast<Function *>(call.getFunction());
  auto [it, isNew] = inFunction.try_emplace(function);
  if (isNew) {
    DominatorTree dominance(*function);
    LoopInfo loops(dominance);
    for (const BasicBlock &block : *function)
      if (int depth = loops.getLoopDepth(&block))
        it->second[&block] = depth;
  }
  return it->second.lookup(call.getParent());
}

int LoopDepths::getOfFunction(const Function &function, int steps) {
  int depth = 0;
  if (steps < kMost)
    forEachCall(function, [&](const CallBase &call) {
      if (depth < kMost)
        depth = std::max(depth, getInFunction(call) + getOfFunction(*call.getFunction(), steps + 1));
    });
  return std::min(depth, kMost);
}

int LoopDepths::get(const CallBase &call) {
  return std::min(getInFunction(call) + getOfFunction(*call.getFunction(), 0), kMost);
}

SmallVector<UselessStarts> comm::findUselessStarts(Module &module, const CallProfile *profile, const mpi::ABI *abi) {
  MapVector<StringRef, Calls> calls;
  LoopDepths depths;
  for (const Function &function : module) {
    if (!function.getName().starts_with(mpi::kStartPrefix))
      continue;
    const mpi::Function *known = mpi::lookupFunction(function.getName().substr(function.getName().find("MPI_")));
    assert(known && "only Comm makes such names");
    forEachCall(function, [&](const CallBase &call) {
      Calls &all = calls[known->name];
      int depth = depths.get(call);
      if (depth > all.started) {
        all.started = depth;
        all.start = &call;
      }
      all.gain.add(call, *known, /*isStart=*/true, profile, abi);
      all.isRepeated |= depth > 0 || call.getFunction()->getName() != "main";
    });
  }
  for (auto &named : calls) {
    Calls &all = named.second;
    if (const Function *blocking = module.getFunction(named.first); blocking && blocking->isDeclaration())
      forEachCall(*blocking, [&](const CallBase &call) {
        all.blocking = std::max(all.blocking, depths.get(call));
        all.gain.add(call, *mpi::lookupFunction(named.first), /*isStart=*/false, profile, abi);
      });
  }
  SmallVector<UselessStarts> result;
  for (const auto &[name, all] : calls)
    if (all.isUseless())
      result.push_back({name, all.start, all.gain.isUseless().has_value()});
  return result;
}
