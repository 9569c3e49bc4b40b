//===- CollectivePatterns.h - Proved collectives ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes a graph for any number of processes as a sequence of collectives, each proved from what the processes send
// and receive in terms of rank and size. docs/detect.md has the rules and their justification.
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
  /// How the process's own block is handled.
  enum class Own {
    /// Delivered like the others.
    Delivered,
    /// Already in place (MPI_IN_PLACE); for a gather or scatter, at the root.
    InPlace,
    /// Must stay unchanged.
    Kept
  };
  Kind kind;
  Own own = Own::Delivered;
  /// The data sent, or its first block; and where the block, or the first one, is received. For rooted collectives,
  /// these are those of the other processes, and the root's own block, if it has the same role, is `rootOwn`.
  SymbolicAddress send, receive, rootOwn;
  Poly count;
  llvm::StringRef datatype;
  int64_t extent = 1;
  /// For rooted collectives.
  Poly root;
  /// The count is the same in all processes, but may be 0, in which case the messages still synchronized processes.
  bool mayBeEmpty = false;
  /// `own` is Delivered, and the program copies the block itself.
  bool ownIsCopied = false;
  /// The operations that it replaces.
  llvm::SmallVector<mlir::Operation *, 4> messages;

  bool isRooted() const { return cdag::isRooted(kind); }
};

/// Returns true if memory that one operation of the graph touches may overlap memory that another one writes.
using MayOverlap = std::function<bool(mlir::Operation *, mlir::Operation *)>;

/// Returns the collectives that the graph consists of, in order. Returns none and fills in the obstacle if that is not
/// proved for every number of processes.
std::optional<std::vector<CollectivePlan>> matchCollectives(SymbolicGraph &graph, const MayOverlap &mayOverlap,
                                                            Obstacle &obstacle);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_COLLECTIVEPATTERNS_H
