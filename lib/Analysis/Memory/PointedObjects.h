//===- PointedObjects.h - Objects of pointers ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_POINTEDOBJECTS_H
#define COMM_LIB_ANALYSIS_MEMORY_POINTEDOBJECTS_H

#include "Comm/Analysis/Memory/LLVMModel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace comm {

/// Tells which objects pointers of a model lead to, for cases in which LLVM's alias analysis, which it also uses, gives
/// up.
class PointedObjects {
public:
  PointedObjects(LLVMModel &model) : model(model), functionAnalyses(model.getAnalyses()) {}

  llvm::BatchAAResults &getAliases(llvm::Function &function, bool acrossIterations);
  /// Whether one of the two points to a variable that is accessed only by its name, and the other elsewhere.
  bool areApart(const llvm::Value *a, const llvm::Value *b) const;
  /// Whether the two pointers cannot point into the same object. LLVM's alias analysis gives up on pointers that a loop
  /// swaps or rotates (`tmp = old; old = new; new = tmp`), whatever they are compared with, and does not know which
  /// pointers existed before an allocation. A value of an earlier iteration may reach either pointer, so objects are
  /// compared across iterations. Two such pointers that select among the same objects are left to LLVM.
  bool haveOtherObjects(llvm::Function &function, const llvm::Value *a, const llvm::Value *b);
  /// Whether the instruction touches only objects other than the one that is pointed to.
  bool touchesOtherObjects(llvm::Instruction &instruction, const llvm::Value *pointer);
  /// Whether the pointers lead to different objects at their uses because a loop rotates them. Control must pass both
  /// uses in sequence, not in two iterations of a loop around both.
  bool areRotated(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                  const llvm::BasicBlock *useOfB);
  /// Whether one pointer leads to memory that is allocated after the other one is known, in the same iteration of all
  /// loops. The uses must be as for `areRotated`: a vector that the next iteration reads would be both.
  bool isAllocatedSince(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                        const llvm::BasicBlock *useOfB);
  /// Whether the instruction touches only memory that it allocates, or that is allocated after the pointer is known.
  bool touchesWhatIsAllocatedSince(llvm::Instruction &instruction, const llvm::Value *pointer,
                                   const llvm::BasicBlock *use);
  /// Whether the call frees memory that the other instruction does not access. An instruction that runs after the call
  /// (`isLater`) does not. LLVM knows that free touches nothing else, but not operator delete: a replacement may keep
  /// counters in variables of the program.
  bool isApartFromFreed(llvm::BatchAAResults &aliases, llvm::Instruction &deallocation, llvm::Instruction &other,
                        bool isLater);
  /// Whether one allocates and the other frees memory. The order of allocator calls is not observable. The freed
  /// pointer was there before, or is loaded or computed from the allocated one. Excludes strdup and the like, which
  /// read memory that is freed afterwards.
  bool areAllocatorCalls(llvm::Instruction &a, llvm::Instruction &b);

private:
  struct FunctionAliases {
    FunctionAliases(llvm::AAResults &results, llvm::DominatorTree &dominance, const llvm::LoopInfo &loops)
        : escapes(dominance, &loops), here(results, &escapes), acrossIterations(results, &escapes) {
      acrossIterations.enableCrossIterationMode();
    }
    /// The earliest point at which a pointer may escape. The end of a container's lifetime counts as an escape (sized
    /// operator delete computes with pointers), so one answer for the whole function would be of little use.
    llvm::EarliestEscapeAnalysis escapes;
    llvm::BatchAAResults here, acrossIterations;
    /// Whether control enters a cycle of the function at several points. Computed on demand.
    std::optional<bool> isIrreducible;
  };

  FunctionAliases &getFunctionAliases(llvm::Function &function);
  bool isReducible(llvm::Function &function);
  bool knowsNone(const llvm::CallBase &call, const llvm::Value *pointer);
  bool isOutOfReach(const llvm::CallBase &call, const llvm::Value *pointer) const;

  LLVMModel &model;
  llvm::FunctionAnalysisManager &functionAnalyses;
  llvm::DenseMap<llvm::Function *, std::unique_ptr<FunctionAliases>> aliases;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_POINTEDOBJECTS_H
