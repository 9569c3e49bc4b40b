//===- ScratchMemory.h - Objects that iterations fill first -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scratch memory is an object that each iteration of a loop fills before it reads it: an array of fluxes that is
// declared before the loop over rows. docs/footprints.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_SCRATCHMEMORY_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_SCRATCHMEMORY_H

#include "LLVMValueMap.h"
#include "ScalarTranslation.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace comm {

/// Decides whether an object is scratch memory of the iterations of one loop of a unit.
class ScratchReader {
public:
  /// Computes the footprint of one iteration of these loops, outermost first.
  using Compute = llvm::function_ref<Footprint(llvm::ArrayRef<const llvm::Loop *>)>;

  ScratchReader(const Scope &scope, const LLVMValueMap &values, const llvm::DominatorTree &dominance,
                const llvm::Loop &loop, Compute compute)
      : scope(scope), values(values), dominance(dominance), loop(loop), compute(compute) {}

  FootprintAnalysis::Scratch find(const Base &base);

private:
  /// An access of the object: the number of its piece, which is the same in all footprints.
  struct Access {
    size_t number;
    mlir::Operation *op;
    const llvm::BasicBlock *block;
    bool reads, writes;
  };
  /// Bytes that have been written, if `holds`.
  struct Filled {
    Piece piece;
    Predicate holds;
  };
  using FilledList = llvm::SmallVector<Filled, 4>;

  bool collect(const Base &base);
  const Footprint *getFootprint(const llvm::Loop &kept);
  const Piece *getPiece(const Access &access, const llvm::Loop &kept);
  const llvm::BasicBlock *getTop(const llvm::BasicBlock *block, const llvm::Loop &in) const;
  void forEachGuard(const llvm::BasicBlock *block, const llvm::Loop &in,
                    llvm::function_ref<void(llvm::BranchInst &branch, unsigned taken)> fn) const;
  Predicate isAlwaysTaken(llvm::BranchInst &branch, unsigned successor) const;
  Predicate isNeverReached(const llvm::BasicBlock *block) const;
  Predicate isPassed(const llvm::Loop &in, const llvm::BasicBlock *target, const llvm::BasicBlock *via);
  bool mayAvoid(const llvm::Loop &in, const llvm::BasicBlock *target, const llvm::BasicBlock *via,
                llvm::ArrayRef<llvm::BasicBlockEdge> never) const;
  Predicate runsInEach(const Access &write, const llvm::Loop &from);
  Predicate precedes(const Access &write, const Access &read, const llvm::Loop &in);
  std::optional<Filled> findEarlier(const Access &write, const llvm::Loop &in);
  Predicate isFilled(const Access &read);
  Predicate isWrittenByAll(const Access &write);
  Predicate covers(const FilledList &filled, const Piece &piece, const llvm::BasicBlock *place);

  const Scope &scope;
  const LLVMValueMap &values;
  const llvm::DominatorTree &dominance;
  const llvm::Loop &loop;
  Compute compute;
  llvm::SmallVector<Access> accesses;
  llvm::MapVector<const llvm::Loop *, Footprint> footprints;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_SCRATCHMEMORY_H
