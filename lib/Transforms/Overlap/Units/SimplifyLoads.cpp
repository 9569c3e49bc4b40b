//===- SimplifyLoads.cpp - Hoist and merge loads --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/SimplifyLoads.h"

#include "Units/ArmNumbers.h"
#include "Units/EqualValues.h"
#include "Units/HoistAddresses.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"

using namespace mlir;
using namespace comm;

bool comm::hasWait(const Unit &unit) {
  bool isOne = !unit.isPiece() && getInterval(unit.op);
  unit.walk([&](Operation *op) { isOne |= op->hasAttr(kFollowedAttrName); });
  return isOne;
}

/// Returns the chains that have something in flight.
static SmallVector<Chain *> findRelevant(const ScopeTree &scopes) {
  SmallVector<Chain *> relevant;
  for (const std::unique_ptr<Chain> &chain : scopes.getChains())
    if (llvm::any_of(chain->getUnits(), hasWait))
      relevant.push_back(chain.get());
  return relevant;
}

void comm::forEachRelevant(Region &region, llvm::function_ref<void(Chain &)> fn) {
  ScopeTree scopes(region);
  for (Chain *chain : findRelevant(scopes))
    fn(*chain);
}

/// Returns true if a unit of the chain is an MPI operation.
static bool hasMessage(const Chain &chain) {
  return llvm::any_of(chain.getUnits(),
                      [](const Unit &unit) { return !unit.isPiece() && isa<MPIOpInterface>(unit.op); });
}

bool comm::mayRaiseLoads(LLVM::LLVMFuncOp function) {
  DominanceInfo dominance;
  ScopeTree scopes(function.getBody(), dominance);
  return llvm::any_of(scopes.getChains(),
                      [&](const auto &chain) { return hasMessage(*chain) && repeatsLoads(*chain, dominance); });
}

bool comm::raiseLoads(LLVM::LLVMFuncOp function, MemoryOracle &oracle, const DependenceOptions &options) {
  bool isAny = false;
  DominanceInfo dominance;
  ScopeTree scopes(function.getBody(), dominance);
  for (const std::unique_ptr<Chain> &chain : scopes.getChains())
    isAny |= hasMessage(*chain) && raiseLoadsOfArm(*chain, oracle, options, dominance);
  return isAny;
}

bool comm::simplifyLoads(ArrayRef<LLVM::LLVMFuncOp> functions, MemoryOracle &oracle, const DependenceOptions &options,
                         bool isLast) {
  llvm::SetVector<Operation *> useless;
  HoistedLoads hoisted;
  bool isChanged = false;
  for (LLVM::LLVMFuncOp function : functions) {
    DominanceInfo dominance;
    isChanged |= raiseLoads(function, oracle, options);
    forEachRelevant(function.getBody(), [&](const Chain &chain) {
      if (!hoistOutOfGuards(chain, oracle, isLast, dominance, hoisted))
        return;
      // Results that depend only on these loads need no arm either.
      for (const Unit &unit : chain.getUnits())
        hoistResults(unit, dominance);
    });
    // Merging replaces values, and leaves all operations where they are.
    ScopeTree scopes(function.getBody(), dominance);
    SmallVector<Chain *> relevant = findRelevant(scopes);
    mergeEqualValues(relevant, oracle, options, dominance, hoisted, useless);
    if (replaceCommonArguments(function.getBody(), dominance)) {
      isChanged = true;
      mergeEqualValues(relevant, oracle, options, dominance, hoisted, useless);
    }
    // Pointers that arms passed on are now the values that they were computed from.
    if (isLast)
      for (const Chain *chain : relevant)
        for (const Unit &unit : chain->getUnits())
          isChanged |= hoistResults(unit, dominance) != 0;
  }
  bool isStale = isChanged || !useless.empty() || !hoisted.empty();
  hoisted.remove_if([&](const auto &load) { return useless.contains(load.first); });
  forgetGuards(hoisted);
  for (Operation *op : llvm::reverse(useless))
    op->erase();
  return isStale;
}
