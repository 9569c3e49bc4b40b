//===- Phases.h - Where a program only communicates --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase is a run of units of one chain whose sends and receives can be collected and executed together at its end, as
// one graph: what else happens in it neither touches their buffers after them nor can be noticed by anyone. Or two
// fences of a window, and between them gets and puts of which the same holds.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_PHASES_PHASES_H
#define COMM_ANALYSIS_PHASES_PHASES_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include <functional>
#include <vector>

namespace comm {

/// `inout[i] = inout[i] op in[i]` for all i below a count: one element, or a loop of one block that does nothing else.
struct LocalReduction {
  mlir::Value in, inout;
  /// An i32, or none: then it is constant.
  mlir::Value count;
  std::optional<int32_t> constantCount;
  mlir::Type element;
  /// Names of MPI: MPI_SUM, MPI_DOUBLE.
  llvm::StringRef operatorName, datatype;
  /// Two loads and the store.
  llvm::SmallVector<mlir::Operation *, 3> memoryOps;
  /// The loop, or null.
  mlir::Block *loop = nullptr;
  /// Nothing reads `in` after the phase.
  bool inIsTemporary = false;
};

struct Phase {
  Chain *chain = nullptr;
  /// Units [begin, end) of the chain.
  unsigned begin = 0, end = 0;
  /// The communicator of the sends and receives.
  mlir::Value communicator;
  /// The window of the gets and puts; the fences are its first and last unit.
  mlir::Value window;
  MPIOpInterface firstFence, lastFence;
  /// Operations elsewhere may rely on the epochs that the fences begin and end.
  bool needsEpochs = true;
  /// Sends, receives and both in one, blocking or async, in program order; or gets and puts.
  llvm::SmallVector<MPIOpInterface> messages;
  /// Reductions of received data.
  llvm::SmallVector<LocalReduction> reductions;
  /// The operations that complete the async ones.
  llvm::SmallVector<CompletionOpInterface> completions;
};

/// Told of each run of messages to different peers that is no phase, and why.
using RejectPhase = std::function<void(MPIOpInterface, const llvm::Twine &reason)>;

/// The phases of a region that loop over peers, outermost first and never nested: a loop around a phase is one that
/// repeats it. Messages that no loop surrounds, or that all go to one peer, are left alone, unless the loop ends by the
/// number of processes (a ring).
///
/// A phase has both ends of its messages, sends and receives, and is not in a branch that looks at the rank. That
/// guards against codes whose processes are not alike (a master and its workers); it is no proof that all processes of
/// the communicator come to the phase together, which nobody can see in one file.
std::vector<Phase> findPhases(mlir::ModuleOp module, ScopeTree &tree, MemoryOracle &oracle, const RejectPhase &reject);

} // namespace comm

#endif // COMM_ANALYSIS_PHASES_PHASES_H
