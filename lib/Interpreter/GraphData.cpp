//===- GraphData.cpp - A graph in one memory -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Interpreter/GraphData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace llvm;
using namespace comm::interpreter;

/// With more vertices, the interpreter's arrays would not fit into memory.
static constexpr int64_t maxVertices = int64_t(1) << 32;

int64_t GraphData::findEdge(int64_t source, int64_t target) const {
  auto begin = targets.begin() + outBegin[source], end = targets.begin() + outBegin[source + 1];
  auto found = std::lower_bound(begin, end, target);
  return found != end && *found == target ? found - targets.begin() : -1;
}

using Edge = std::tuple<int64_t, int64_t, double>;

static void build(std::vector<Edge> &edges, GraphData &graph) {
  llvm::sort(edges);
  auto isParallel = [](const Edge &a, const Edge &b) {
    return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
  };
  edges.erase(std::unique(edges.begin(), edges.end(), isParallel), edges.end());
  graph.outBegin.assign(graph.numVertices + 1, 0);
  graph.inBegin.assign(graph.numVertices + 1, 0);
  for (auto [source, target, weight] : edges) {
    ++graph.outBegin[source + 1];
    ++graph.inBegin[target + 1];
    graph.sources.push_back(source);
    graph.targets.push_back(target);
    graph.weights.push_back(weight);
  }
  for (int64_t vertex = 0; vertex < graph.numVertices; ++vertex) {
    graph.outBegin[vertex + 1] += graph.outBegin[vertex];
    graph.inBegin[vertex + 1] += graph.inBegin[vertex];
  }
  graph.inEdges.resize(edges.size());
  std::vector<int64_t> next(graph.inBegin.begin(), graph.inBegin.end() - 1);
  for (int64_t edge = 0; edge < graph.getNumEdges(); ++edge)
    graph.inEdges[next[graph.targets[edge]]++] = edge;
}

bool comm::interpreter::readEdgeList(StringRef text, StringRef name, const LoadOptions &options, GraphData &graph,
                                     std::string &error) {
  std::vector<Edge> edges;
  graph = GraphData();
  graph.numVertices = options.numVertices;
  unsigned number = 0;
  auto fail = [&](const Twine &what) {
    error = (name + ":" + Twine(number) + ": " + what).str();
    return false;
  };
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    ++number;
    line = line.trim();
    if (line.empty() || line.starts_with("#") || line.starts_with("%"))
      continue;
    SmallVector<StringRef, 3> words;
    for (StringRef rest = line; !rest.empty();) {
      StringRef word = rest.take_until([](char c) { return c == ' ' || c == '\t' || c == ','; });
      words.push_back(word);
      rest = rest.drop_front(word.size()).ltrim(" \t,");
    }
    if (words.size() < 2 || words.size() > 3)
      return fail("a line has a source, a target and maybe a weight, and this one has " + Twine(words.size()) +
                  " words");
    int64_t ends[2];
    for (unsigned i = 0; i < 2; ++i)
      if (words[i].getAsInteger(10, ends[i]) || ends[i] < 0 || ends[i] >= maxVertices)
        return fail("'" + words[i] + "' is not a vertex: vertices are numbers from 0 to " + Twine(maxVertices - 1));
    double weight = 1;
    if (words.size() == 3 && (words[2].getAsDouble(weight) || std::isnan(weight)))
      return fail("'" + words[2] + "' is not a weight: weights are numbers");
    graph.numVertices = std::max({graph.numVertices, ends[0] + 1, ends[1] + 1});
    edges.emplace_back(ends[0], ends[1], weight);
    if (options.undirected)
      edges.emplace_back(ends[1], ends[0], weight);
  }
  build(edges, graph);
  return true;
}
