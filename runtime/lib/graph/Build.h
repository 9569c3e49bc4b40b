// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the arrays of each process from the edges of a source.
#ifndef COMM_RUNTIME_GRAPH_BUILD_H
#define COMM_RUNTIME_GRAPH_BUILD_H

#include "LargePages.h"
#include "Source.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace comm::graph {

/// Bytes of the large arrays.
struct Meter {
  int64_t bytes = 0, peak = 0;
  void add(int64_t count) {
    bytes += count;
    peak = bytes > peak ? bytes : peak;
  }
};

/// A large zeroed array whose memory is counted. Allocation may fail.
template <typename T> class Array {
public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { release(); }
  bool allocate(Meter &meter, size_t count) {
    release();
    meter_ = &meter;
    data_ = static_cast<T *>(takeLargePages((count + 1) * sizeof(T)));
    if (!data_)
      return false;
    memset(data_, 0, (count + 1) * sizeof(T));
    meter.add(static_cast<int64_t>((count_ = count) * sizeof(T)));
    return true;
  }
  /// Keeps the first `count` elements.
  void shrink(size_t count) {
    meter_->add(-static_cast<int64_t>((count_ - count) * sizeof(T)));
    count_ = count;
    if (void *smaller = realloc(data_, (count + 1) * sizeof(T)))
      data_ = static_cast<T *>(smaller);
  }
  void release() {
    if (data_)
      meter_->add(-static_cast<int64_t>(count_ * sizeof(T)));
    free(data_);
    data_ = nullptr;
    count_ = 0;
  }
  T *data() const { return data_; }
  size_t size() const { return count_; }
  T &operator[](size_t i) const { return data_[i]; }

private:
  T *data_ = nullptr;
  size_t count_ = 0;
  Meter *meter_ = nullptr;
};

/// Edges by vertex. Neighbors are global ids during loading and local ids afterwards.
struct Adjacency {
  Array<int64_t> offsets;
  Array<uint32_t> neighbors, weights;
  int64_t edges() const { return offsets.data() ? offsets[offsets.size() - 1] : 0; }
};

/// The state that all phases of loading share.
struct Loading {
  Loading(comm_reduce *reduce, Meter &meter) : reduce(reduce), meter(meter) {}
  comm_reduce *reduce;
  Request request = {};
  Source *source = nullptr;
  Meter &meter;
  Failure failure;
  double begun = 0, told = 0;

  /// Allocates a zeroed array. Without memory, sets a failure of this process, with `what` in its message.
  template <typename T> bool take(Array<T> &array, size_t count, const char *what) {
    return array.allocate(meter, count) || lacks(static_cast<int64_t>((count + 1) * sizeof(T)), what);
  }
  /// Returns whether each process can allocate `bytes`, the same number on all, or sets a failure of all. Called before
  /// work that takes long. Collective.
  bool hasMemory(int64_t bytes);
  /// Sets the failure for an error code of comm/reduce.h.
  void failExchange(int code, const char *what);

  /// Returns the code of the first process that failed, and has its message on all. Collective.
  int agree();
  /// Prints progress occasionally.
  void tell(const char *phase, double share);

private:
  bool lacks(int64_t bytes, const char *what);
};

/// Builds from the edges of a source, which are sent to the owners of their ends. Returns false on all processes after
/// a failure.
bool buildFromEdges(Loading &loading, bool isReversed, bool wantsIn, std::vector<int64_t> &bounds, Adjacency &out,
                    Adjacency &in);
/// Builds from the arrays of a file.
bool buildFromArrays(Loading &loading, bool wantsIn, std::vector<int64_t> &bounds, Adjacency &out, Adjacency &in);

/// Sorts each vertex's neighbors. Drops duplicates and loops if requested.
void tidy(Adjacency &adjacency, int64_t first, bool dropsDuplicates, bool dropsLoops, bool isReal);

/// Finds the ghosts, in ascending order, and replaces global ids by local ones. May fail in a single process.
void localize(Loading &loading, int64_t first, uint32_t owned, bool keepsOrder, Adjacency &out, Adjacency &in,
              Array<uint32_t> &ghosts);

} // namespace comm::graph

struct comm_graph {
  comm::graph::Meter meter; // must be first: the arrays below use it
  comm::graph::Adjacency out, in;
  comm::graph::Array<uint32_t> ghostIndex;
  std::vector<int32_t> partnerRanks;
  std::vector<uint32_t> partnerGhosts;
  std::vector<int64_t> partnerFirst;
  comm_copies *copies = nullptr;
  comm_graph_view view = {};
  comm_graph_info info = {};
  ~comm_graph() { comm_copies_free(&copies); }
};

#endif
