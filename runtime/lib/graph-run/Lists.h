// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of values, or of lists, that are equal on all processes.
#ifndef COMM_RUNTIME_GRAPH_RUN_LISTS_H
#define COMM_RUNTIME_GRAPH_RUN_LISTS_H

#include "Run.h"

struct comm_graph_list {
  comm_graph_run *run;
  int type, depth;
  // The values, or the lists.
  std::vector<char> bytes;
  std::vector<std::unique_ptr<comm_graph_list>> lists;
  // A loop's updates of elements. Allocated on demand.
  std::unique_ptr<comm::graphrun::Values> element;
  std::unique_ptr<comm::graphrun::Updates> updates;

  comm_graph_list(comm_graph_run *run, int type, int depth) : run(run), type(type), depth(depth) {}
  comm_graph_list(const comm_graph_list &) = delete;

  size_t width() const { return comm::graphrun::sizeOf(type); }
  int64_t size() const { return static_cast<int64_t>(depth > 1 ? lists.size() : bytes.size() / width()); }
  char *at(int64_t index) { return bytes.data() + static_cast<size_t>(index) * width(); }
  void push(const int64_t *slot) {
    const char *from = reinterpret_cast<const char *>(slot);
    bytes.insert(bytes.end(), from, from + width());
  }
};

#endif
