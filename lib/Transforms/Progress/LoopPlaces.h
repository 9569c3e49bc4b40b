//===- LoopPlaces.h - Where loops can let MPI progress ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_PROGRESS_LOOPPLACES_H
#define COMM_LIB_TRANSFORMS_PROGRESS_LOOPPLACES_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// A loop that is turned into a loop over blocks of iterations, between which MPI may progress.
struct StripMine {
  mlir::Block *header;
  /// The branch of its only latch.
  mlir::LLVM::CondBrOp latch;
  /// Iterations per block. For innermost loops this is a power of two: the loop in a block is vectorized as before, and
  /// vectors begin where they did. 0: as many as the runtime says each time.
  int64_t blockSize;
};

/// A loop that could let MPI progress but does not.
struct Refusal {
  mlir::Operation *loop;
  llvm::StringRef why;
};

/// What to do in the loops of one unit.
struct LoopPlaces {
  /// Headers of other loops, each of whose iterations checks whether MPI should progress.
  llvm::SmallVector<mlir::Block *> ticks;
  llvm::SmallVector<StripMine> strips;
  llvm::SmallVector<Refusal, 1> refusals;

  bool isEmpty() const { return ticks.empty() && strips.empty(); }
  /// Returns a branch of one of the loops, for its source line.
  mlir::Operation *getLoop();
};

/// Finds places in the outermost loops of the unit that do not communicate themselves. Loops that are known to take
/// less than `leastCycles` need none.
LoopPlaces findPlaces(const Unit &unit, const mlir::CFGLoopInfo &loops, MemoryOracle &oracle, uint64_t leastCycles);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_PROGRESS_LOOPPLACES_H
