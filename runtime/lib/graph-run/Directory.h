// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directory of the owners of vertices and edges. With few processes, each knows all ranges. With many, each knows
// the ranges that overlap its part of all numbers and answers for that part. So no process stores something for every
// other one.
#ifndef COMM_RUNTIME_GRAPH_RUN_DIRECTORY_H
#define COMM_RUNTIME_GRAPH_RUN_DIRECTORY_H

#include "comm/reduce.h"

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace comm::graphrun {

/* Numbers [first, end) belong to one process. */
struct Range {
  int64_t first = 0, end = 0, rank = -1;
  bool has(int64_t index) const { return index >= first && index < end; }
};

class Directory {
public:
  Directory() = default;
  Directory(const Directory &) = delete;
  ~Directory();

  /* `own` is the range of this process, `total` the size of all ranges. Collective. Returns an error code of
   * comm/reduce.h. */
  int create(comm_reduce *reduce, MPI_Comm comm, const Range &own, int64_t total);

  /* Finds the ranges of some numbers, all less than `total`. Collective. */
  int find(const std::vector<int64_t> &indices, std::vector<Range> &found);
  /* Finds the range of one number, which is the same on all processes. Collective. */
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
  // Ascending: all ranges, or those that this process answers for.
  std::vector<Range> known;
  // Answers to questions that all processes asked together, for later questions.
  std::vector<Range> recent;
  size_t next = 0;
  comm_reduce_lists *questions = nullptr, *answers = nullptr;
  std::vector<Range> *found = nullptr;
};

} // namespace comm::graphrun

#endif
