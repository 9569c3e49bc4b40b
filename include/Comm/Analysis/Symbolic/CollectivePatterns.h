//===- CollectivePatterns.h - Collectives that are proved ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a graph is for any number of processes: a sequence of collectives, each proved from what the processes send and
// receive in terms of rank and size. docs/detect.md has the rules and why they suffice.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_COLLECTIVEPATTERNS_H
#define COMM_ANALYSIS_SYMBOLIC_COLLECTIVEPATTERNS_H

#include "Comm/Analysis/Symbolic/MessageSets.h"

#include "Comm/CDag/Types.h"

#include <functional>

namespace comm {

/// One collective on all processes of the communicator, as blocks of `count` elements without gaps.
struct CollectivePlan {
  /// Bcast, Gather, Scatter, Allgather, or Alltoall.
  using Kind = cdag::CollectiveKind;
  /// The block that a process has for itself.
  enum class Own {
    /// It is delivered like the others.
    Delivered,
    /// It is where it belongs already (MPI_IN_PLACE): of a gather or scatter, at the root.
    InPlace,
    /// It must stay as it is.
    Kept
  };
  Kind kind;
  Own own = Own::Delivered;
  /// What is sent, or the first block of what is sent; where the block, or the first one, is received. Of a rooted
  /// collective: of the other processes, and where the root has the same role, `rootOwn`.
  SymbolicAddress send, receive, rootOwn;
  Poly count;
  llvm::StringRef datatype;
  int64_t extent = 1;
  /// Rooted collectives.
  Poly root;
  /// The count is the same in all processes, but it may be 0: then the messages made processes wait for each other.
  bool mayBeEmpty = false;
  /// Delivered, and the program copies it itself.
  bool ownIsCopied = false;
  /// The operations that it stands for.
  llvm::SmallVector<mlir::Operation *, 4> messages;

  bool isRooted() const { return cdag::isRooted(kind); }
};

/// True if memory that one operation of the graph touches may be memory that another one writes.
using MayOverlap = std::function<bool(mlir::Operation *, mlir::Operation *)>;

/// The collectives that the graph is, in order. None, with the obstacle filled in, if that is not proved for every
/// number of processes.
std::optional<std::vector<CollectivePlan>> matchCollectives(SymbolicGraph &graph, const MayOverlap &mayOverlap,
                                                            Obstacle &obstacle);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_COLLECTIVEPATTERNS_H
