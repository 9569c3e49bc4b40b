//===- Phases.h - Communication phases --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase is a run of units of one chain whose sends and receives can be collected and executed together at its end, as
// one graph: nothing else in it touches their buffers after them or can be observed. Alternatively, two fences of a
// window with gets and puts between them, under the same condition.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_PHASES_PHASES_H
#define COMM_ANALYSIS_PHASES_PHASES_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include <functional>
#include <vector>

namespace comm {

/// `inout[i] = inout[i] op in[i]` for all i less than a count: one element, or a loop of one block that does nothing
/// else.
struct LocalReduction {
  mlir::Value in, inout;
  /// An i32, or null if the count is constant.
  mlir::Value count;
  std::optional<int32_t> constantCount;
  mlir::Type element;
  /// MPI's names: MPI_SUM, MPI_DOUBLE.
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
  /// The window of the gets and puts. The fences are the first and the last unit.
  mlir::Value window;
  MPIOpInterface firstFence, lastFence;
  /// Whether operations elsewhere may rely on the epochs that the fences begin and end.
  bool needsEpochs = true;
  /// Sends, receives and operations that do both, blocking or async, in program order; or gets and puts.
  llvm::SmallVector<MPIOpInterface> messages;
  /// Reductions of received data.
  llvm::SmallVector<LocalReduction> reductions;
  /// The operations that complete the async ones.
  llvm::SmallVector<CompletionOpInterface> completions;
};

/// Called for each run of messages to different peers that is not a phase, with the reason.
using RejectPhase = std::function<void(MPIOpInterface, const llvm::Twine &reason)>;

/// Returns the phases of a region that loop over peers, outermost first and never nested: a loop around a phase repeats
/// it. Ignores messages that are not in a loop, or that all go to one peer, unless the loop's end depends on the number
/// of processes (a ring).
///
/// A phase has both ends of its messages, sends and receives, and is not in a branch that depends on the rank. This
/// guards against programs whose processes have different roles (a master and its workers). It does not prove that all
/// processes of the communicator reach the phase together, which cannot be seen in one file.
std::vector<Phase> findPhases(mlir::ModuleOp module, ScopeTree &tree, MemoryOracle &oracle, const RejectPhase &reject);

} // namespace comm

#endif // COMM_ANALYSIS_PHASES_PHASES_H
