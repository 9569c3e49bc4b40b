// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where edges come from: files of several formats, and generators. Each
// process has its part of a source.
#ifndef COMM_RUNTIME_GRAPH_SOURCE_H
#define COMM_RUNTIME_GRAPH_SOURCE_H

#include "comm/graph.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>

namespace comm::graph {

/// An error of this process; empty if there is none.
struct Failure {
  int code = COMM_GRAPH_SUCCESS;
  std::string message;
  explicit operator bool() const { return code; }
  void set(int newCode, std::string text) {
    if (code)
      return;
    code = newCode;
    message = std::move(text);
  }
};

struct Edge {
  uint32_t from, to;
  uint32_t weight; ///< the bits of an int32_t or a float
};

constexpr int64_t MaxVertices = UINT32_MAX;

/// What a source is asked for and where it is.
struct Request {
  std::string name;
  comm_graph_options options;
  int rank, size;
  bool hasWeights() const { return options.flags & (COMM_GRAPH_WEIGHTS | COMM_GRAPH_REAL_WEIGHTS); }
  bool isReal() const { return options.flags & COMM_GRAPH_REAL_WEIGHTS; }
  bool drawsWeights() const { return options.weight_max > 0; }
};

/// A file that has the arrays of offsets and neighbors as they are needed.
class Arrays {
public:
  virtual ~Arrays() = default;
  /// Offsets of vertices `first` to `first + count`, exclusively. False, with a failure, if they cannot be read.
  virtual bool readOffsets(bool isIn, int64_t first, int64_t count, int64_t *offsets) = 0;
  /// Neighbors, and weights if these are not null.
  virtual bool readNeighbors(bool isIn, int64_t first, int64_t count, uint32_t *neighbors, uint32_t *weights) = 0;
  int64_t edges = 0;
};

/// A source is read once, or again after rewind(), in pieces.
class Source {
public:
  explicit Source(const Request &request) : request(request) {}
  virtual ~Source() = default;
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  /// Up to `capacity` edges; 0 at the end or after a failure.
  virtual size_t read(Edge *edges, size_t capacity) = 0;
  virtual void rewind() = 0;
  /// Before each read: what one process has for others. Collective.
  virtual void share(MPI_Comm) {}
  /// This process has more for others, though it has read nothing itself.
  virtual bool hasMore() const { return false; }
  /// This process may have something left of what it got: nothing is shared until nobody has.
  virtual bool isBehind() const { return false; }
  /// Between 0 and 1.
  virtual double progress() const = 0;

  /// Null unless the file has them.
  virtual Arrays *arrays() { return nullptr; }

  int64_t vertices = -1;     ///< -1: the largest id + 1
  int64_t promised = -1;     ///< edges of all processes, if the file says so
  bool isCounted = false;    ///< `promised` is known, and not only what a header says
  bool isSymmetric = false;  ///< each edge is there in both directions
  bool needsReverse = false; ///< each edge stands for both directions
  Failure failure;

protected:
  const Request &request;
};

std::unique_ptr<Source> makeGenerator(const Request &request, Failure &failure);
std::unique_ptr<Source> makeText(const Request &request, int format, Failure &failure);
std::unique_ptr<Source> makeBinary(const Request &request, bool isWeighted, Failure &failure);

/// The same for both directions of an edge.
uint32_t drawWeight(const comm_graph_options &options, bool isReal, uint32_t a, uint32_t b);

/// A hash with good bits (splitmix64's finalizer).
inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

} // namespace comm::graph

#endif
