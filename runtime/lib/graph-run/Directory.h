// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which process has a vertex or an edge. Few processes know all ranges. Of
// many, each knows those that begin in, or reach into, its part of all numbers,
// and is asked: so that no process keeps something of each other one.
#ifndef COMM_RUNTIME_GRAPH_RUN_DIRECTORY_H
#define COMM_RUNTIME_GRAPH_RUN_DIRECTORY_H

#include "comm/reduce.h"

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace comm::graphrun {

/* Numbers first to end - 1 are those of a process. */
struct Range {
  int64_t first = 0, end = 0, rank = -1;
  bool has(int64_t index) const { return index >= first && index < end; }
};

class Directory {
public:
  Directory() = default;
  Directory(const Directory &) = delete;
  ~Directory();

  /* `own`: what this process has; `total`: how many there are. Collective. Returns an error of comm/reduce.h. */
  int create(comm_reduce *reduce, MPI_Comm comm, const Range &own, int64_t total);

  /* The ranges of some numbers, which are all less than `total`. Collective. */
  int find(const std::vector<int64_t> &indices, std::vector<Range> &found);
  /* That of one number, which is the same on all processes. Collective. */
  Range findShared(int64_t index);

  int64_t bytes() const { return static_cast<int64_t>((known.size() + recent.size()) * sizeof(Range)); }

private:
  struct Question;
  struct Answer;
  int tell(const Range &own);
  int homeOf(int64_t index) const { return static_cast<int>(index / block); }
  const Range &look(int64_t index) const;
  static void hearRanges(void *context, int source, const void *records, size_t count);
  static void hearQuestions(void *context, int source, const void *records, size_t count);
  static void hearAnswers(void *context, int source, const void *records, size_t count);

  comm_reduce *reduce = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
  bool isSpread = false;
  int rank = 0;
  int64_t block = 1;
  // Ascending: all, or those that this process is asked for.
  std::vector<Range> known;
  // What all processes have asked for together, for the next time.
  std::vector<Range> recent;
  size_t next = 0;
  comm_reduce_lists *questions = nullptr, *answers = nullptr;
  std::vector<Range> *found = nullptr;
};

} // namespace comm::graphrun

#endif
