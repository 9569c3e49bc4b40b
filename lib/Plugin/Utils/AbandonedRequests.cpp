//===- AbandonedRequests.cpp - Messages never waited for ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/AbandonedRequests.h"

#include "Comm/Dialect/Comm/Utils/BlockWalks.h"
#include "Comm/MPI/Standard.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

namespace {
enum class RequestUse { Begin, Make, Start, Complete, Free, Other };

/// An MPI call with a request argument.
struct RequestCall {
  const CallBase *call;
  const Value *object;
  RequestUse use;
};
} // namespace

static RequestUse classify(const mpi::Function &function) {
  StringRef name = function.name;
  int in = function.findRole(mpi::Role::Request, mpi::Direction::InOut);
  if (name == "MPI_Request_free")
    return RequestUse::Free;
  if (name == "MPI_Start" || name == "MPI_Startall")
    return RequestUse::Start;
  if (in >= 0)
    return function.findRole(mpi::Role::Status, mpi::Direction::Out) >= 0 ? RequestUse::Complete : RequestUse::Other;
  if (function.findRole(mpi::Role::Request, mpi::Direction::Out) < 0)
    return RequestUse::Other;
  return name.ends_with("_init") || name.ends_with("_init_c") ? RequestUse::Make : RequestUse::Begin;
}

static SmallVector<RequestCall> findRequestCalls(const Module &module) {
  SmallVector<RequestCall> calls;
  for (const Function &function : module) {
    const mpi::Function *known = function.isDeclaration() ? mpi::lookupLinkerName(function.getName()) : nullptr;
    if (!known)
      continue;
    for (const User *user : function.users()) {
      const auto *call = dyn_cast<CallBase>(user);
      if (!call || call->getCalledFunction() != &function || call->arg_size() < known->numParams)
        continue;
      for (auto [i, param] : enumerate(known->params()))
        if (param.role == mpi::Role::Request && param.isAddress())
          calls.push_back({call, getUnderlyingObject(call->getArgOperand(i), /*MaxLookup=*/0), classify(*known)});
    }
  }
  return calls;
}

/// Adds calls to functions that complete requests with one of these calls, directly or indirectly.
static void addCallsOfCompleters(SmallVectorImpl<const CallBase *> &completions) {
  SmallSetVector<const Function *, 8> completers;
  for (const CallBase *completion : completions)
    completers.insert(completion->getFunction());
  for (size_t i = 0; i < completers.size(); ++i)
    for (const User *user : completers[i]->users())
      if (const auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == completers[i]) {
        completions.push_back(call);
        completers.insert(call->getFunction());
      }
}

static bool mayBeActive(const RequestCall &free, ArrayRef<RequestCall> calls) {
  // A pointer of unknown origin may point to any memory that is not known either.
  auto isAllocation = [](const Value *object) {
    return isa<AllocaInst, GlobalVariable>(object) || isNoAliasCall(object);
  };
  bool isKnown = isAllocation(free.object);
  auto mayMeet = [&](const RequestCall &other) {
    bool isOtherKnown = isAllocation(other.object);
    return isKnown && isOtherKnown ? other.object == free.object : isKnown == isOtherKnown;
  };
  SmallVector<const CallBase *> completions;
  for (const RequestCall &other : calls)
    if (other.use == RequestUse::Complete && mayMeet(other))
      completions.push_back(other.call);
  addCallsOfCompleters(completions);
  auto completes = [&](const Instruction &inst) { return is_contained(completions, &inst); };
  return completions.empty() || any_of(calls, [&](const RequestCall &other) {
           bool isHere = other.call->getFunction() == free.call->getFunction();
           if ((other.use != RequestUse::Begin && other.use != RequestUse::Start) || !mayMeet(other))
             return false;
           return isHere ? mayReachFromReturn(other.call, free.call, completes) : other.use == RequestUse::Begin;
         });
}

const CallBase *comm::findAbandonedRequest(const Module &module) {
  SmallVector<RequestCall> calls = findRequestCalls(module);
  const auto *found =
      find_if(calls, [&](const RequestCall &call) { return call.use == RequestUse::Free && mayBeActive(call, calls); });
  return found == calls.end() ? nullptr : found->call;
}
