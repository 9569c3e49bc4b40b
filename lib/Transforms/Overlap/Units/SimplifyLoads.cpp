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

void comm::forEachRelevant(Region &region, llvm::function_ref<void(Chain &)> fn) {
  ScopeTree scopes(region);
  for (const std::unique_ptr<Chain> &chain : scopes.getChains())
    if (llvm::any_of(chain->getUnits(), hasWait))
      fn(*chain);
}

/// Returns true if a unit of the chain is an MPI operation.
static bool hasMessage(const Chain &chain) {
  return llvm::any_of(chain.getUnits(),
                      [](const Unit &unit) { return !unit.isPiece() && isa<MPIOpInterface>(unit.op); });
}

bool comm::mayRaiseLoads(LLVM::LLVMFuncOp function) {
  ScopeTree scopes(function.getBody());
  return llvm::any_of(scopes.getChains(), [](const auto &chain) { return hasMessage(*chain) && repeatsLoads(*chain); });
}

bool comm::raiseLoads(LLVM::LLVMFuncOp function, MemoryOracle &oracle, const DependenceOptions &options) {
  bool isAny = false;
  ScopeTree scopes(function.getBody());
  for (const std::unique_ptr<Chain> &chain : scopes.getChains())
    isAny |= hasMessage(*chain) && raiseLoadsOfArm(*chain, oracle, options);
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
      if (!hoistOutOfGuards(chain, oracle, isLast, hoisted))
        return;
      // Results that depend only on these loads need no arm either.
      for (const Unit &unit : chain.getUnits())
        hoistResults(unit, dominance);
    });
    auto mergeAll = [&]() {
      forEachRelevant(function.getBody(),
                      [&](const Chain &chain) { mergeEqualValues(chain, oracle, options, hoisted, useless); });
    };
    mergeAll();
    if (replaceCommonArguments(function.getBody())) {
      isChanged = true;
      mergeAll();
    }
    // Pointers that arms passed on are now the values that they were computed from.
    if (isLast)
      forEachRelevant(function.getBody(), [&](const Chain &chain) {
        for (const Unit &unit : chain.getUnits())
          isChanged |= hoistResults(unit, dominance) != 0;
      });
  }
  bool isStale = isChanged || !useless.empty() || !hoisted.empty();
  hoisted.remove_if([&](const auto &load) { return useless.contains(load.first); });
  forgetGuards(hoisted);
  for (Operation *op : llvm::reverse(useless))
    op->erase();
  return isStale;
}
