//===- Accesses.h - Accesses in graph loops ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_ACCESSES_H
#define COMM_ANALYSIS_GRAPH_ACCESSES_H

#include "Comm/Dialect/Graph/IR/Graph.h"

#include <optional>

namespace comm::graph {

/// The vertex or edge of an access, relative to the iterations of a forall.
enum class Place {
  Own,    // the iteration's element: its vertex, or an edge from it
  OwnIn,  // an edge to the iteration's vertex
  Child,  // an out-neighbor on the next level, in a loop over levels
  Center, // the vertex whose children the loop visits
  Other,  // any
};

/// An access in the body or filter of a loop, including the functions that it calls.
struct PlacedAccess {
  Access access;
  Place place;
  /// The operation, or the call if the access is in a called function.
  mlir::Operation *op;
};

/// Strips conversions between a vertex and its number.
mlir::Value stripConversions(mlir::Value value);

/// Returns the forall that iterates over this element or edge, or null.
ForallOp getLoopOf(mlir::Value element);

/// Returns the accesses of the loop's iterations to objects defined outside of the loop.
llvm::SmallVector<PlacedAccess> getAccesses(ForallOp loop);

/// Whether two accesses of different iterations may be of the same vertex or edge.
bool mayMeet(Place a, Place b);

/// Two accesses of different iterations of a forall that do not commute.
struct Race {
  PlacedAccess first, second;
};

/// Returns the first race of a loop, in the order of its operations. Ordered loops have none.
std::optional<Race> findRace(ForallOp loop);

/// Finds two accesses of an iteration to the in-edges of its vertex, which belong to other processes. Changes to these
/// edges only take effect after the loop, so that an iteration cannot change them in two ways, or change and read them.
/// Returns none for ordered loops.
std::optional<Race> findMixedEdges(ForallOp loop);

/// Returns the properties that iterations of a forall read and reduce, and not only at their own element. These reads
/// see the values from the beginning of the forall (or of the level).
llvm::SmallVector<mlir::Value> getSnapshots(ForallOp loop);

/// Returns the boolean property by which a loop over all vertices is filtered, or null if the filter is anything else.
mlir::Value getFilterProperty(ForallOp loop);

/// Returns the loops whose iterations are distributed over processes: outermost, unordered ones.
llvm::SmallVector<ForallOp> getSharedLoops(mlir::Operation *root);

/// Whether the vertex is a neighbor of one that the iteration's process owns, so that the process owns it or has a
/// copy.
bool isAtBorder(ForallOp loop, mlir::Value vertex);

/// Returns the name of a property or variable in the program, or "".
llvm::StringRef getObjectName(mlir::Value object);

/// Whether the parameter begins with the graph's weights unless it is given: a property of edges with their name.
bool areWeights(mlir::Value parameter);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_ACCESSES_H
