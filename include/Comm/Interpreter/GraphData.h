//===- GraphData.h - A graph in one memory ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERPRETER_GRAPHDATA_H
#define COMM_INTERPRETER_GRAPHDATA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace comm::interpreter {

/// A directed graph without parallel edges. Edges are numbered by source, and for one source by target.
struct GraphData {
  int64_t numVertices = 0;
  /// Of each vertex the first of its out-edges, and the number of edges at the end.
  std::vector<int64_t> outBegin;
  std::vector<int64_t> sources, targets;
  std::vector<double> weights;
  /// Of each vertex the first of its entries in `inEdges`, which are numbers of edges, by source.
  std::vector<int64_t> inBegin, inEdges;

  bool hasVertex(int64_t vertex) const { return vertex >= 0 && vertex < numVertices; }
  int64_t getNumEdges() const { return int64_t(targets.size()); }
  bool hasEdge(int64_t edge) const { return edge >= 0 && edge < getNumEdges(); }
  /// The number of the edge, or -1.
  int64_t findEdge(int64_t source, int64_t target) const;
};

struct LoadOptions {
  /// Each edge leads both ways.
  bool undirected = false;
  /// At least so many vertices, with or without edges.
  int64_t numVertices = 0;
};

/// Reads a list of edges: a line for each, `source target` or `source target weight`, numbers from 0; lines that begin
/// with # or % are comments. Of parallel edges the lightest stays; an edge without a weight has 1. Returns false and
/// an error with file and line if the text is none.
bool readEdgeList(llvm::StringRef text, llvm::StringRef name, const LoadOptions &options, GraphData &graph,
                  std::string &error);

} // namespace comm::interpreter

#endif // COMM_INTERPRETER_GRAPHDATA_H
