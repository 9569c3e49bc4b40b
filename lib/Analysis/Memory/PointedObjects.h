//===- PointedObjects.h - Which objects pointers lead to --------*- C++ -*-===//
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

/// Which objects pointers of a model lead to, where LLVM's alias analysis gives up. Asks it, too.
class PointedObjects {
public:
  PointedObjects(LLVMModel &model) : model(model), functionAnalyses(model.getAnalyses()) {}

  llvm::BatchAAResults &getAliases(llvm::Function &function, bool acrossIterations);
  /// One of the two points to a variable that only its name reaches, the other elsewhere.
  bool areApart(const llvm::Value *a, const llvm::Value *b) const;
  /// The objects that one pointer may point into are others than those of the other pointer. LLVM's alias analysis
  /// gives up on pointers that a loop swaps or rotates (`tmp = old; old = new; new = tmp`), whatever it compares them
  /// with, and does not know what was there before an allocation. A value of an earlier iteration may reach either
  /// pointer, so that objects are compared across iterations; two such pointers that choose among the same objects are
  /// left to LLVM.
  bool haveOtherObjects(llvm::Function &function, const llvm::Value *a, const llvm::Value *b);
  /// Whether all that the instruction touches is in other objects than the one that is pointed to.
  bool touchesOtherObjects(llvm::Instruction &instruction, const llvm::Value *pointer);
  /// Whether the pointers lead to different objects because a loop rotates them, where both are used: asked of two
  /// places that control passes one after the other, and not of two iterations of a loop that both are in.
  bool areRotated(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                  const llvm::BasicBlock *useOfB);
  /// Whether one pointer leads to what is allocated after the other one is known, in the same iteration of all loops;
  /// asked as `areRotated` is. A vector that becomes the one that a loop reads in its next turn is both.
  bool isAllocatedSince(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                        const llvm::BasicBlock *useOfB);
  /// Whether all that the instruction touches is what it allocates, or is allocated since the pointer is known.
  bool touchesWhatIsAllocatedSince(llvm::Instruction &instruction, const llvm::Value *pointer,
                                   const llvm::BasicBlock *use);
  /// Whether the call gives back memory in which the other instruction loads or stores nothing; one that is `isLater`
  /// than the call does not. LLVM says of free that it touches nothing else, and not of operator delete: a replaced one
  /// may count in variables of the program.
  bool isApartFromFreed(llvm::BatchAAResults &aliases, llvm::Instruction &deallocation, llvm::Instruction &other,
                        bool isLater);
  /// Whether one allocates and the other gives memory back. In which order an allocator is called nobody sees; what is
  /// given back is a value that was there before, or is loaded or computed from the one that is allocated. Not strdup
  /// and the like, which read what is given back afterwards.
  bool areAllocatorCalls(llvm::Instruction &a, llvm::Instruction &b);

private:
  struct FunctionAliases {
    FunctionAliases(llvm::AAResults &results, llvm::DominatorTree &dominance, const llvm::LoopInfo &loops)
        : escapes(dominance, &loops), here(results, &escapes), acrossIterations(results, &escapes) {
      acrossIterations.enableCrossIterationMode();
    }
    /// Where a pointer may first become known to others. The end of a container's life counts as such a place (sized
    /// operator delete computes with pointers), so that one answer for the whole function would be worth little.
    llvm::EarliestEscapeAnalysis escapes;
    llvm::BatchAAResults here, acrossIterations;
    /// Whether control enters a cycle of the function at several places; none before that is asked.
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
