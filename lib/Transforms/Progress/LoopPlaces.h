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

/// A loop that becomes a loop over blocks of iterations, between two of which MPI may progress.
struct StripMine {
  mlir::Block *header;
  /// Its only latch's branch.
  mlir::LLVM::CondBrOp latch;
  /// Iterations of a block. Of an innermost loop a power of two: what is in a block is vectorized as the loop was, and
  /// vectors begin where they did. 0: as many as the runtime says each time.
  int64_t blockSize;
};

/// A loop that could let MPI progress, and does not.
struct Refusal {
  mlir::Operation *loop;
  llvm::StringRef why;
};

/// What is to be done in the loops of one unit.
struct LoopPlaces {
  /// Headers of other loops, each of whose iterations looks whether MPI is to progress.
  llvm::SmallVector<mlir::Block *> ticks;
  llvm::SmallVector<StripMine> strips;
  llvm::SmallVector<Refusal, 1> refusals;

  bool isEmpty() const { return ticks.empty() && strips.empty(); }
  /// A branch of one of the loops, for its line.
  mlir::Operation *getLoop();
};

/// Finds them in the outermost loops of the unit that communicate nothing themselves. Loops that are known to take less
/// than `leastCycles` need none.
LoopPlaces findPlaces(const Unit &unit, const mlir::CFGLoopInfo &loops, MemoryOracle &oracle, uint64_t leastCycles);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_PROGRESS_LOOPPLACES_H
