//===- GraphData.h - A graph in one memory ----------------------*- C++ -*-===//
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

/// A directed graph without parallel edges. Edges are numbered by source, then by target.
struct GraphData {
  int64_t numVertices = 0;
  /// For each vertex, its first out-edge; the number of edges at the end.
  std::vector<int64_t> outBegin;
  std::vector<int64_t> sources, targets;
  std::vector<double> weights;
  /// For each vertex, its first entry in `inEdges`, which lists edge numbers by source.
  std::vector<int64_t> inBegin, inEdges;

  bool hasVertex(int64_t vertex) const { return vertex >= 0 && vertex < numVertices; }
  int64_t getNumEdges() const { return int64_t(targets.size()); }
  bool hasEdge(int64_t edge) const { return edge >= 0 && edge < getNumEdges(); }
  /// Returns the number of the edge, or -1.
  int64_t findEdge(int64_t source, int64_t target) const;
};

struct LoadOptions {
  /// Edges go in both directions.
  bool undirected = false;
  /// Minimum number of vertices, including isolated ones.
  int64_t numVertices = 0;
};

/// Reads a list of edges with a line for each, `source target` or `source target weight`, numbered from 0. Lines that
/// begin with # or % are comments. Of parallel edges, the lightest stays; the default weight is 1. If the text is
/// invalid, returns false and an error with file and line.
bool readEdgeList(llvm::StringRef text, llvm::StringRef name, const LoadOptions &options, GraphData &graph,
                  std::string &error);

} // namespace comm::interpreter

#endif // COMM_INTERPRETER_GRAPHDATA_H
