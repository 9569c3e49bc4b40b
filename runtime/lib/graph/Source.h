// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources of edges: files of several formats, and generators. Each process reads its part of a source.
#ifndef COMM_RUNTIME_GRAPH_SOURCE_H
#define COMM_RUNTIME_GRAPH_SOURCE_H

#include "comm/graph.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>

namespace comm::graph {

/// An error of this process, or no error.
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
  uint32_t weight; ///< bits of an int32_t or a float
};

constexpr int64_t MaxVertices = UINT32_MAX;

/// The requested graph, and the position of this process.
struct Request {
  std::string name;
  comm_graph_options options;
  int rank, size;
  bool hasWeights() const { return options.flags & (COMM_GRAPH_WEIGHTS | COMM_GRAPH_REAL_WEIGHTS); }
  bool isReal() const { return options.flags & COMM_GRAPH_REAL_WEIGHTS; }
  bool drawsWeights() const { return options.weight_max > 0; }
};

/// A file that contains the arrays of offsets and neighbors in the required form.
class Arrays {
public:
  virtual ~Arrays() = default;
  /// Reads the offsets of vertices [first, first + count). Sets a failure and returns false if that is impossible.
  virtual bool readOffsets(bool isIn, int64_t first, int64_t count, int64_t *offsets) = 0;
  /// Reads neighbors, and weights if `weights` is not null.
  virtual bool readNeighbors(bool isIn, int64_t first, int64_t count, uint32_t *neighbors, uint32_t *weights) = 0;
  int64_t edges = 0;
};

/// A source is read in pieces. It can be read again after rewind().
class Source {
public:
  explicit Source(const Request &request) : request(request) {}
  virtual ~Source() = default;
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  /// Reads up to `capacity` edges. Returns 0 at the end or after a failure.
  virtual size_t read(Edge *edges, size_t capacity) = 0;
  virtual void rewind() = 0;
  /// Called before each read: distributes what one process has for others. Collective.
  virtual void share(MPI_Comm) {}
  /// Returns true if this process has more for others, although it has read no edges itself.
  virtual bool hasMore() const { return false; }
  /// Returns true if this process may have unread data. Nothing is shared until all processes have read theirs.
  virtual bool isBehind() const { return false; }
  /// Returns a number between 0 and 1.
  virtual double progress() const = 0;

  /// Returns null unless the file contains the arrays.
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

/// Returns the same weight for both directions of an edge.
uint32_t drawWeight(const comm_graph_options &options, bool isReal, uint32_t a, uint32_t b);

/// Returns a well-mixed hash (splitmix64's finalizer).
inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

} // namespace comm::graph

#endif
