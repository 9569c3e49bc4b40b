//===- UniformCollectives.cpp - Collectives that match --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Collectives/UniformCollectives.h"

#include "Worth.h"

#include "Comm/MPI/Markers.h"
#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Sums.h"
#include "Comm/Plugin/Utils/Markers.h"
#include "Comm/Plugin/Utils/OverlapCode.h"
#include "Comm/Plugin/Utils/OverlapNames.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

// Prefixes from runtime/lib/overlap/generate_collectives.py, besides kStartPrefix and mpi::kCallPrefix.
static constexpr StringLiteral kPromisedPrefix = "promised_";
static constexpr StringLiteral kCannotAskPrefix = "comm_blocks_";
static constexpr StringLiteral kWait = "comm.call_MPI_Wait";

namespace {
/// Inserts the calls to the runtime's decision into a module.
class DecisionLinker {
public:
  DecisionLinker(Module &module, OverlapCode &code) : module(module), code(code) {}

  /// Makes blocking calls ask.
  void redirectCalls();
  /// Makes the starts that Comm inserted rely on the promise.
  void promise();
  /// Makes waits check for a null request, which a start that executed the blocking call leaves.
  void redirectWaits();
  void noteSessions();
  void addNote(StringRef name);
  bool hasStarts() const {
    return any_of(module, [](const Function &function) { return isStart(function); });
  }
  bool hasChanged() const { return changed; }

private:
  static bool isStart(const Function &function) {
    return function.isDeclaration() && function.getName().starts_with(mpi::kStartPrefix) && !function.use_empty();
  }
  bool isOurs(const Use &use) const;

  Module &module;
  OverlapCode &code;
  bool changed = false;
};
} // namespace

/// Returns the base name of a collective for any name that compilers use: MPI_Bcast_c, PMPI_Bcast, mpi_bcast_,
/// pmpi_bcast_f08_. Returns "" for other functions.
static StringRef findCollective(StringRef name) {
  const mpi::Function *function = mpi::lookupLinkerName(name);
  bool isCollective =
      function && function->hasNonblocking() && function->findRole(mpi::Role::Comm, mpi::Direction::In) >= 0;
  return isCollective ? function->name : "";
}

/// Returns whether the use is part of the decision code, which at link time may be in the module already.
bool DecisionLinker::isOurs(const Use &use) const {
  auto *instruction = dyn_cast<Instruction>(use.getUser());
  return instruction && overlap::isName(instruction->getFunction()->getName());
}

void DecisionLinker::addNote(StringRef name) {
  if (code.hasNote((mpi::kNotePrefix + name).str()))
    changed |= defineMarker(module, name);
}

void DecisionLinker::redirectCalls() {
  SmallVector<Function *> collectives;
  for (Function &function : module)
    if (function.isDeclaration() && !function.use_empty() && !findCollective(function.getName()).empty())
      collectives.push_back(&function);
  for (Function *function : collectives) {
    std::string name = (mpi::kCallPrefix + function->getName()).str();
    Function *known = code.getFunction(name);
    // The declaration differs from the standard's, as in Fortran or K&R C.
    if (!known || known->getFunctionType() != function->getFunctionType()) {
      addNote((kCannotAskPrefix + findCollective(function->getName())).str());
      continue;
    }
    Function *asking = module.getFunction(name);
    if (!asking)
      asking = Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, name, module);
    function->replaceUsesWithIf(asking, [&](const Use &use) { return !isOurs(use); });
    changed = true;
  }
}

void DecisionLinker::promise() {
  for (Function &function : module) {
    StringRef name = function.getName();
    if (isStart(function) && name.consume_front(mpi::kStartPrefix) && !name.starts_with(kPromisedPrefix))
      function.setName(mpi::kStartPrefix + kPromisedPrefix + name);
  }
}

void DecisionLinker::redirectWaits() {
  Function *wait = hasStarts() ? module.getFunction("MPI_Wait") : nullptr;
  Function *known = wait ? code.getFunction(kWait) : nullptr;
  if (!known || !wait->isDeclaration() || known->getFunctionType() != wait->getFunctionType())
    return;
  FunctionCallee quick = module.getOrInsertFunction(kWait, wait->getFunctionType());
  wait->replaceUsesWithIf(quick.getCallee(), [&](const Use &use) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    return call && call->isCallee(&use) && !isOurs(use);
  });
}

void DecisionLinker::noteSessions() {
  // Under any of its names, PMPI's and Fortran's included.
  bool mayMake = any_of(module, [](const Function &function) {
    const mpi::Function *known =
        function.isDeclaration() && !function.use_empty() ? mpi::lookupLinkerName(function.getName()) : nullptr;
    return known && StringRef(known->name) == "MPI_Session_init";
  });
  if (mayMake)
    addNote(mpi::kSessionsMarker);
}

bool comm::makeCollectivesUniform(Module &module, OverlapCode &code, const UniformOptions &options) {
  DecisionLinker linker(module, code);
  // A promise does not change calls that overlap nothing.
  if (!options.isPromised && !options.ignoresCosts)
    for (const UselessStarts &useless : findUselessStarts(module, options.profile, options.abi)) {
      if (options.tell)
        options.tell(*useless.start, useless.isMeasured);
      linker.addNote((kCannotAskPrefix + useless.collective).str());
    }
  if (options.isPromised)
    linker.promise();
  else
    linker.redirectCalls();
  linker.redirectWaits();
  linker.noteSessions();
  if (options.ignoresCosts)
    linker.addNote(mpi::kIgnoredCostsMarker);
  return linker.hasChanged();
}

/// Returns the constant answer to a question where no runtime is asked; nullopt for other functions.
static std::optional<int64_t> getAnswerOfRanks(StringRef name) {
  // It is unknown here what the ranks of other processes run, where they are, and which threads call MPI in them.
  if (is_contained({mpi::kAskMeetsOthers, mpi::kAskWorldMeetsOthers, mpi::kAskSpansNodes, mpi::kAskTalkingThreads},
                   name))
    return 1;
  // Nothing is measured.
  if (is_contained({mpi::kAskInspects, mpi::kAskInspectsTiles, mpi::kAskGoesOn}, name))
    return 0;
  if (name == mpi::kAskInspected || name == mpi::kAskWaited)
    return 1;
  // The bytes of a datatype are unknown, too.
  for (const mpi::AnywhereNumber &anywhere : mpi::kAnywhere)
    if (name == anywhere.question)
      return anywhere.number;
  return std::nullopt;
}

bool comm::startAllCollectives(Module &module) {
  bool changed = false;
  for (Function &function : make_early_inc_range(module)) {
    StringRef name = function.getName();
    if (std::optional<int64_t> answer = getAnswerOfRanks(name)) {
      for (User *user : make_early_inc_range(function.users())) {
        Type *type = user->getType();
        user->replaceAllUsesWith(type->isPointerTy() ? Constant::getNullValue(type) : ConstantInt::get(type, *answer));
        cast<CallInst>(user)->eraseFromParent();
      }
      function.eraseFromParent();
      changed = true;
      continue;
    }
    if (!function.isDeclaration() || !name.consume_front(mpi::kStartPrefix))
      continue;
    const mpi::Function *blocking = mpi::lookupFunction(name.substr(name.find("MPI_")));
    FunctionCallee start = module.getOrInsertFunction(blocking->nonblocking, function.getFunctionType());
    function.replaceAllUsesWith(start.getCallee());
    function.eraseFromParent();
    changed = true;
  }
  return changed;
}
