//===- AnySourceReceives.cpp - Receives from any source --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Sources/AnySourceReceives.h"

#include "SourceProver.h"

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

/// The parameter by which the function is told from whom to receive, or -1. The profiling interface has the same
/// functions under other names.
static int findSource(StringRef name) {
  if (name.starts_with("PMPI_"))
    name = name.drop_front();
  const mpi::Function *function = mpi::lookupFunction(name);
  int source = function ? function->findParam("source") : -1;
  return source >= 0 && function->params()[source].direction == mpi::Direction::In ? source : -1;
}

/// The numbers that may be MPI_ANY_SOURCE in a program that passes such communicators.
static SmallVector<int64_t, 2> getAnySources(const Function &receive) {
  const mpi::Function *function =
      mpi::lookupFunction(receive.getName().drop_while([](char letter) { return letter == 'P'; }));
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
/// LLVM's ranges of values, by function. They are dropped before the module changes.
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

const User *comm::findAnySourceReceive(Module &module, bool variablesAreKnown) {
  Ranges ranges;
  for (Function &function : module) {
    int source = function.isDeclaration() ? findSource(function.getName()) : -1;
    if (source < 0)
      continue;
    SmallVector<int64_t, 2> anySources = getAnySources(function);
    for (const Use &use : function.uses()) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      if (!call || !call->isCallee(&use) || call->arg_size() <= static_cast<unsigned>(source))
        return use.getUser();
      // One for each call: what is assumed of one must not count for another.
      SourceProver prover(anySources, [&](Function &of) -> LazyValueInfo & { return ranges(of); }, variablesAreKnown);
      if (!prover.isKnown(call->getArgOperand(source), call))
        return call;
    }
  }
  return nullptr;
}
