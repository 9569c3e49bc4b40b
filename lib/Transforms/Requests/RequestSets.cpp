//===- RequestSets.cpp - Requests in memory of other functions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestSets.h"

#include "SetFinder.h"

#include "Comm/Analysis/Memory/LLVMModel.h"
#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/MPI/Sums.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <vector>

using namespace mlir;
using namespace comm;

/// Returns true if the operation is a message of numbers, which have types of their own (MPI-4, 3.3.1), or touches no
/// memory: it neither sends nor receives requests. Optionally ignores the requests that it starts or completes.
static bool isMessageOfNumbers(MPIOpInterface op, bool ignoresRequests = false) {
  CommAccesses all = getArgumentAccesses(op);
  return !op.isOneSided() && !all.isUnknown && llvm::all_of(all.accesses, [&](const BufferAccess &access) {
    // A status that overlaps a request of a later wait would destroy it.
    if (ignoresRequests && llvm::is_contained({mpi::Role::Request, mpi::Role::Status}, access.param->role))
      return true;
    StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
    return access.param->role == mpi::Role::Buffer && llvm::is_contained(mpi::getFloatingDatatypes(), datatype);
  });
}

/// Returns true if the messages completed by a wait of another set consist of numbers.
static bool completesNumbers(Operation *wait, ArrayRef<RequestSet> sets) {
  auto set = llvm::find_if(sets, [&](const RequestSet &other) { return other.wait == wait; });
  return set != sets.end() && llvm::all_of(set->starts, [](Operation *start) {
           return isMessageOfNumbers(cast<MPIOpInterface>(start), /*ignoresRequests=*/true);
         });
}

/// Returns true if the operation may put other requests into the places, remove or expose requests, or change the
/// location of the places.
static bool mayTouch(const RequestSet &set, Operation *op, ArrayRef<RequestSet> sets, MemoryOracle &oracle) {
  // The lifetime of a variable does not begin or end while it contains requests to be waited for.
  bool isOwn =
      op == set.wait || llvm::is_contained(set.starts, op) || isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op);
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  bool isHarmless = isOwn || set.harmless.contains(op);
  if (isHarmless && mpiOp && !isOwn)
    isHarmless =
        isMessageOfNumbers(mpiOp, /*ignoresRequests=*/true) && (!isWaitInMemory(op) || completesNumbers(op, sets));
  Behavior behavior = oracle.getBehavior(op);
  if (behavior.synchronizes || behavior.communicates)
    return true;
  if (!behavior.touchesMemory())
    return false;
  if (!isHarmless && (mpiOp ? !isMessageOfNumbers(mpiOp)
                            : oracle.mayConflictAtArguments(cast<MPIOpInterface>(set.wait), op,
                                                            /*acrossIterations=*/true)))
    return true;
  return behavior.writes && llvm::any_of(set.loads, [&](const LoadPair &pair) {
           return oracle.mayConflictInOrder(op, pair.first, /*acrossIterations=*/true) ||
                  oracle.mayConflictInOrder(op, pair.second, /*acrossIterations=*/true);
         });
}

static bool isUntouched(const RequestSet &set, ArrayRef<RequestSet> sets, MemoryOracle &oracle) {
  return llvm::none_of(set.between, [&](Operation *root) {
    return root
        ->walk([&](Operation *op) {
          return mayTouch(set, op, sets, oracle) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

static void label(const RequestSet &set, std::optional<int64_t> number) {
  SmallVector<Operation *, 4> members(set.starts);
  members.push_back(set.wait);
  for (Operation *op : members)
    if (number)
      op->setDiscardableAttr(kRequestSetAttrName, Builder(op->getContext()).getI64IntegerAttr(*number));
    else
      op->removeDiscardableAttr(kRequestSetAttrName);
  // The attribute that the oracle relies on.
  if (number)
    set.wait->setDiscardableAttr(kFollowedAttrName, UnitAttr::get(set.wait->getContext()));
  else
    set.wait->removeDiscardableAttr(kFollowedAttrName);
}

static Operation *getFunction(const RequestSet &set) { return set.wait->getParentOfType<LLVM::LLVMFuncOp>(); }

/// Returns the functions of the sets, each after those that it calls or mentions, unless they call each other.
static SmallVector<Operation *> findCalleesFirst(ModuleOp module, ArrayRef<RequestSet> sets) {
  SymbolTable symbols(module);
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> order;
  auto visit = [&](auto &self, Operation *function) -> void {
    if (!seen.insert(function).second)
      return;
    forEachMentionedFunction(function, symbols, [&](Operation *callee) { self(self, callee); });
    if (llvm::any_of(sets, [&](const RequestSet &set) { return getFunction(set) == function; }))
      order.push_back(function);
  };
  for (const RequestSet &set : sets)
    visit(visit, getFunction(set));
  return order;
}

/// Removes the sets of the function whose places something touches. Returns true if there are none.
static bool keepUntouched(ModuleOp module, Operation *function, std::vector<RequestSet> &sets) {
  auto isOfFunction = [&](const RequestSet &set) { return getFunction(set) == function; };
  if (llvm::none_of(sets, isOfFunction))
    return true;
  std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module, function);
  std::vector<RequestSet> right, wrong;
  for (const RequestSet &set : sets)
    (!isOfFunction(set) || isUntouched(set, sets, *oracle) ? right : wrong).push_back(set);
  for (const RequestSet &set : wrong)
    label(set, std::nullopt);
  sets = std::move(right);
  return wrong.empty();
}

unsigned comm::markRequestSets(ModuleOp module, const mpi::ABI &abi, uint64_t handleSize) {
  std::vector<RequestSet> sets;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal() || function.getBody().hasOneBlock())
      continue;
    RequestFlow flow(function);
    auto isOpen = [&](MPIOpInterface op) { return isWaitInMemory(op) && !flow.whyNotFollowed(op).empty(); };
    bool isWorthIt =
        function->walk([&](MPIOpInterface op) { return isOpen(op) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
    if (isWorthIt)
      llvm::append_range(sets, SetFinder(function.getBody(), abi, handleSize).find(function, flow));
  }
  // Assume that all waits do what they seem to do: the first one to complete something else would need an earlier one
  // that does. If one does not, check the others again. Callees come first, because what their waits do matters for
  // their callers, and each check translates the function.
  auto labelAll = [&] {
    for (auto [i, set] : llvm::enumerate(sets))
      label(set, i + 1);
  };
  labelAll();
  SmallVector<Operation *> functions = findCalleesFirst(module, sets);
  size_t numChecked = 0;
  for (size_t i = 0; numChecked < functions.size(); i = (i + 1) % functions.size()) {
    numChecked = keepUntouched(module, functions[i], sets) ? numChecked + 1 : 0;
    labelAll();
  }
  return sets.size();
}
