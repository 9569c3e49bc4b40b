// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Directory.h"

#include <algorithm>

using namespace comm::graphrun;

/* Maximum number of cached answers to questions that all processes ask together. */
static constexpr size_t MostRecent = 16;

struct Directory::Question {
  int64_t index, number;
};
struct Directory::Answer {
  Range range;
  int64_t number;
};

Directory::~Directory() {
  for (comm_reduce_lists **lists : {&questions, &answers})
    if (*lists)
      comm_reduce_lists_free(lists);
}

int Directory::create(comm_reduce *given, MPI_Comm communicator, const Range &own, int64_t total) {
  reduce = given;
  comm = communicator;
  int processes;
  MPI_Comm_size(comm, &processes);
  MPI_Comm_rank(comm, &rank);
  comm_reduce_info info;
  comm_reduce_get_info(reduce, &info);
  // The sparse transport is used if there are many processes.
  isSpread = info.transport == COMM_REDUCE_SPARSE;
  block = total / processes + 1;
  if (isSpread)
    return tell(own);
  static_assert(sizeof(Range) == 3 * sizeof(int64_t));
  std::vector<Range> all(static_cast<size_t>(processes));
  MPI_Allgather(&own, 3, MPI_INT64_T, all.data(), 3, MPI_INT64_T, comm);
  for (const Range &each : all)
    if (each.first < each.end)
      known.push_back(each);
  return COMM_REDUCE_SUCCESS;
}

void Directory::hearRanges(void *context, int, const void *records, size_t count) {
  const auto *from = static_cast<const Range *>(records);
  auto &known = static_cast<Directory *>(context)->known;
  known.insert(known.end(), from, from + count);
}

/* Sends each range to the processes whose parts of the numbers it overlaps. */
int Directory::tell(const Range &own) {
  comm_reduce_lists *ranges;
  if (int error = comm_reduce_lists_create(reduce, sizeof(Range), &ranges))
    return error;
  if (own.first < own.end)
    for (int home = homeOf(own.first); home <= homeOf(own.end - 1); ++home)
      *static_cast<Range *>(comm_reduce_append(ranges, home)) = own;
  int error = comm_reduce_deliver(ranges, hearRanges, this, nullptr);
  comm_reduce_lists_free(&ranges);
  std::sort(known.begin(), known.end(), [](const Range &a, const Range &b) { return a.first < b.first; });
  known.shrink_to_fit();
  if (!error)
    error = comm_reduce_lists_create(reduce, sizeof(Question), &questions);
  return error ? error : comm_reduce_lists_create(reduce, sizeof(Answer), &answers);
}

const Range &Directory::look(int64_t index) const {
  auto after = std::upper_bound(known.begin(), known.end(), index,
                                [](int64_t number, const Range &range) { return number < range.first; });
  return *(after - 1);
}

Range Directory::findShared(int64_t index) {
  if (!isSpread)
    return look(index);
  for (const Range &each : recent)
    if (each.has(index))
      return each;
  int home = homeOf(index);
  Range range = home == rank ? look(index) : Range();
  MPI_Bcast(&range, 3, MPI_INT64_T, home, comm);
  if (recent.size() < MostRecent)
    recent.push_back(range);
  else
    recent[next++ % MostRecent] = range;
  return range;
}

void Directory::hearQuestions(void *context, int source, const void *records, size_t count) {
  auto &directory = *static_cast<Directory *>(context);
  const auto *from = static_cast<const Question *>(records);
  for (size_t i = 0; i < count; ++i)
    *static_cast<Answer *>(comm_reduce_append(directory.answers, source)) = {directory.look(from[i].index),
                                                                             from[i].number};
}

void Directory::hearAnswers(void *context, int, const void *records, size_t count) {
  auto &directory = *static_cast<Directory *>(context);
  const auto *from = static_cast<const Answer *>(records);
  for (size_t i = 0; i < count; ++i)
    (*directory.found)[static_cast<size_t>(from[i].number)] = from[i].range;
}

int Directory::find(const std::vector<int64_t> &indices, std::vector<Range> &result) {
  result.assign(indices.size(), Range());
  for (size_t i = 0; i < indices.size(); ++i)
    if (isSpread)
      *static_cast<Question *>(comm_reduce_append(questions, homeOf(indices[i]))) = {indices[i],
                                                                                     static_cast<int64_t>(i)};
    else
      result[i] = look(indices[i]);
  if (!isSpread)
    return COMM_REDUCE_SUCCESS;
  found = &result;
  int error = comm_reduce_deliver(questions, hearQuestions, this, nullptr);
  return error ? error : comm_reduce_deliver(answers, hearAnswers, this, nullptr);
}
