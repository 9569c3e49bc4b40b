//===- MergeLoads.cpp - Loads that messages leave as they were ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM loads variables at file scope and members of structures once more after each call of MPI, since an error handler
// might have changed them. In an extract no handler runs (Splice.cpp), and a message changes what it brings and nothing
// else, so that sizes, neighbors and pointers are values in all of an exchange, whatever branches it has.
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
/// The numbers of a function's instructions, which GVN does not know to be numbers.
class Numbers {
public:
  explicit Numbers(Function &function);
  void restore(Function &function) const;

private:
  struct Entry {
    WeakVH instruction;
    DebugLoc number;
    /// Of a load.
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
    // A load that stands for others no longer has what only it was known to have: the range of a bool.
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
