//===- Observers.cpp - Calls that see when a message was started ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Sources/Observers.h"

#include "ObjectUses.h"
#include "SourceProver.h"

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

/// Returns the values of MPI_ANY_SOURCE in all implementations that pass communicators as this program does.
static SmallVector<int64_t, 2> getAnySources(const Function &receive) {
  const mpi::Function *function = mpi::lookupLinkerName(receive.getName());
  int communicator = function->findRole(mpi::Role::Comm, mpi::Direction::In);
  bool hasPointers = communicator >= 0 && communicator < static_cast<int>(receive.arg_size()) &&
                     receive.getArg(communicator)->getType()->isPointerTy();
  SmallVector<int64_t, 2> numbers;
  for (const mpi::ABI &abi : mpi::ABI::all())
    if (std::optional<int64_t> any = abi.getConstant("MPI_ANY_SOURCE");
        any && abi.handlesArePointers() == hasPointers && !is_contained(numbers, *any))
      numbers.push_back(*any);
  return numbers;
}

namespace {
/// LLVM's value ranges, by function. They are dropped before the module changes.
class Ranges {
public:
  LazyValueInfo &operator()(Function &function) {
    std::pair<std::unique_ptr<AssumptionCache>, std::unique_ptr<LazyValueInfo>> &entry = all[&function];
    if (!entry.second) {
      entry.first = std::make_unique<AssumptionCache>(function);
      entry.second = std::make_unique<LazyValueInfo>(entry.first.get(), &function.getDataLayout());
    }
    return *entry.second;
  }

private:
  DenseMap<Function *, std::pair<std::unique_ptr<AssumptionCache>, std::unique_ptr<LazyValueInfo>>> all;
};
} // namespace

/// Returns the value of the argument, which Fortran passes by address. Null if unknown.
static Value *getPassed(Value *argument) {
  auto *variable = dyn_cast<GlobalVariable>(argument);
  if (!variable)
    return argument;
  bool isFixed = variable->isConstant() && variable->hasDefinitiveInitializer();
  return isFixed ? variable->getInitializer() : nullptr;
}

const User *comm::findAnySourceReceive(Module &module, bool variablesAreKnown) {
  Ranges ranges;
  Objects objects(module);
  for (Function &function : module) {
    const mpi::Function *known = function.isDeclaration() ? mpi::lookupLinkerName(function.getName()) : nullptr;
    int source = known ? known->findSource() : -1;
    if (source < 0)
      continue;
    SmallVector<int64_t, 2> anySources = getAnySources(function);
    for (const Use &use : function.uses()) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      if (!call || !call->isCallee(&use) || call->arg_size() <= static_cast<unsigned>(source))
        return use.getUser();
      Value *passed = getPassed(call->getArgOperand(source));
      if (!passed || (passed->getType()->isPointerTy() && !variablesAreKnown))
        return call;
      if (passed->getType()->isPointerTy())
        continue;
      // One prover per call: assumptions for one call must not affect others.
      auto getRanges = [&](Function &of) -> LazyValueInfo & { return ranges(of); };
      SourceProver prover(anySources, objects, getRanges, variablesAreKnown);
      if (!prover.isKnown(passed, call))
        return call;
    }
  }
  return nullptr;
}

const User *comm::findObserver(Module &module) {
  for (Function &function : module) {
    const mpi::Function *known = function.isDeclaration() ? mpi::lookupLinkerName(function.getName()) : nullptr;
    if (known && known->observesStarts() && !function.use_empty())
      return *function.user_begin();
  }
  return nullptr;
}
