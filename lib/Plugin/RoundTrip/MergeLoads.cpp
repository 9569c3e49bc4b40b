//===- MergeLoads.cpp - Loads that messages leave unchanged ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM reloads file-scope variables and members of structures after each MPI call, since an error handler might have
// changed them. In an extract no handler runs (Splice.cpp), and a message changes only what it receives. Sizes,
// neighbors and pointers can therefore be SSA values throughout an exchange, regardless of its branches.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/RoundTrip/Extract.h"

#include "Comm/Analysis/Memory/LLVMAnalysisManagers.h"
#include "Comm/Plugin/Utils/MessageWrites.h"

#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Transforms/Scalar/GVN.h"

using namespace llvm;

namespace {
/// The numbers of a function's instructions, which to GVN are ordinary debug locations.
class Numbers {
public:
  explicit Numbers(Function &function);
  void restore(Function &function) const;

private:
  struct Entry {
    WeakVH instruction;
    DebugLoc number;
    /// Only for loads.
    SmallVector<const User *, 4> users;
  };
  std::vector<Entry> entries;
};
} // namespace

static SmallVector<const User *, 4> getUsers(const Instruction &instruction) {
  if (!isa<LoadInst>(instruction))
    return {};
  SmallVector<const User *, 4> users(instruction.users());
  llvm::sort(users);
  return users;
}

Numbers::Numbers(Function &function) {
  for (Instruction &instruction : instructions(function))
    entries.push_back({WeakVH(&instruction), instruction.getDebugLoc(), getUsers(instruction)});
}

void Numbers::restore(Function &function) const {
  for (Instruction &instruction : instructions(function))
    instruction.setDebugLoc({});
  for (const Entry &entry : entries) {
    Value *value = entry.instruction;
    auto *instruction = cast_or_null<Instruction>(value);
    // If a load replaced others, its original's metadata, such as the range of a bool, no longer applies.
    if (instruction && (!isa<LoadInst>(instruction) || getUsers(*instruction) == entry.users))
      instruction->setDebugLoc(entry.number);
  }
}

void comm::mergeLoads(Extract &extract) {
  TimeTraceScope scope("CommMergeLoads");
  PassBuilder builder;
  LLVMAnalysisManagers managers;
  FunctionAnalysisManager &functions = managers.functions;
  functions.registerPass([&]() { return MessageAliasAnalysis(extract.privateVariables); });
  functions.registerPass([&]() {
    AAManager manager;
    manager.registerFunctionAnalysis<BasicAA>();
    manager.registerFunctionAnalysis<ScopedNoAliasAA>();
    manager.registerFunctionAnalysis<TypeBasedAA>();
    manager.registerFunctionAnalysis<MessageAliasAnalysis>();
    return manager;
  });
  managers.registerAll(builder);
  for (Function &function : *extract.module) {
    if (function.isDeclaration())
      continue;
    Numbers numbers(function);
    FunctionPassManager passes;
    passes.addPass(GVNPass(GVNOptions().setPRE(false).setLoadPRE(false)));
    passes.run(function, functions);
    numbers.restore(function);
  }
}
