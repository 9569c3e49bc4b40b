//===- Accesses.h - Who touches what in a loop over a graph --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_ACCESSES_H
#define COMM_ANALYSIS_GRAPH_ACCESSES_H

#include "Comm/Dialect/Graph/IR/Graph.h"

#include <optional>

namespace comm::graph {

/// Which vertex or edge an access is of, as seen from the iterations of a forall.
enum class Place {
  Own,    // of the iteration's element: its vertex, or an edge from it
  OwnIn,  // of an edge to the iteration's vertex
  Child,  // of an out-neighbor on the next level, in a loop over levels
  Center, // of the vertex whose children the loop visits
  Other,  // any
};

/// An access in the body or filter of a loop, functions that it calls included.
struct PlacedAccess {
  Access access;
  Place place;
  /// The operation; of an access in a function the call.
  mlir::Operation *op;
};

/// The number of a vertex, made a vertex again, is that vertex.
mlir::Value stripConversions(mlir::Value value);

/// The forall whose iterations the value is different in, as its element or edge; null if there is none.
ForallOp getLoopOf(mlir::Value element);

/// What iterations of the loop touch that they do not make themselves.
llvm::SmallVector<PlacedAccess> getAccesses(ForallOp loop);

/// Whether two accesses of different iterations may be of the same vertex or edge.
bool mayMeet(Place a, Place b);

/// Two accesses of different iterations of a forall whose order matters.
struct Race {
  PlacedAccess first, second;
};

/// The first race of a loop, in the order of its operations. Loops that are ordered have none.
std::optional<Race> findRace(ForallOp loop);

/// Two accesses of an iteration to edges to its vertex, which belong to other processes: what happens to one of them
/// reaches it after the loop, so that an iteration cannot change it in two ways, or change and read it. Loops that are
/// ordered have none.
std::optional<Race> findMixedEdges(ForallOp loop);

/// The properties that iterations of a forall read and reduce where others read them, too. Such reads see what was
/// there at the beginning of the forall (or of the level).
llvm::SmallVector<mlir::Value> getSnapshots(ForallOp loop);

/// The property of truth values that a loop over all vertices is filtered by, if its filter asks nothing else; null for
/// others.
mlir::Value getFilterProperty(ForallOp loop);

/// The loops whose iterations are shared among processes: outermost ones that are not in order.
llvm::SmallVector<ForallOp> getSharedLoops(mlir::Operation *root);

/// Whether the vertex is a neighbor of one that the process of the iteration has: it has that one or a copy of it.
bool isAtBorder(ForallOp loop, mlir::Value vertex);

/// The name that the program has for a property or variable, or "".
llvm::StringRef getObjectName(mlir::Value object);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_ACCESSES_H
