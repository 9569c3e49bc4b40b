/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Four handwritten graph programs, in the form that a compiler would generate:
 * loops over the arrays of comm_graph_view, and calls of comm/reduce.h for
 * communication. Each takes its graph as loaded and allocates its results.
 */
#ifndef COMM_BENCHMARKS_GRAPH_PROTOTYPE_H
#define COMM_BENCHMARKS_GRAPH_PROTOTYPE_H

#include "comm/graph.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/* An array whose memory is not touched before it is used. */
template <typename T> struct Values {
  T *data = nullptr;
  size_t count = 0;
  explicit Values(size_t count) : data(static_cast<T *>(malloc((count + 16) * sizeof(T)))), count(count) {
    if (!data)
      abort();
  }
  Values(Values &&other) noexcept : data(other.data), count(other.count) { other.data = nullptr; }
  Values(const Values &) = delete;
  ~Values() { free(data); }
  T &operator[](size_t i) { return data[i]; }
  const T &operator[](size_t i) const { return data[i]; }
};

/* Owned vertices come first in each result. */
Values<uint32_t> bfs(const comm_graph_view &graph, int64_t source); /* the global id of a parent, or UINT32_MAX */
Values<int32_t> sssp(const comm_graph_view &graph, int64_t source, int32_t delta); /* a distance, or INT32_MAX */
Values<uint32_t> components(const comm_graph_view &graph); /* the smallest global id of the component */
Values<float> pagerank(const comm_graph_view &graph, int iterations);

inline void check(int code, const char *what) {
  if (!code)
    return;
  fprintf(stderr, "graph prototype: error: %s failed with code %d\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(call) check(call, #call)

struct Lists {
  comm_reduce_lists *lists = nullptr;
  Lists(comm_reduce *reduce, size_t bytes) { CHECK(comm_reduce_lists_create(reduce, bytes, &lists)); }
  Lists(const Lists &) = delete;
  ~Lists() { comm_reduce_lists_free(&lists); }
};

#endif
