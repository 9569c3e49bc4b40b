// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a graph and checks the schedule against it: memory by running both, synchronization by wait sets.
#ifndef COMM_UNITTESTS_CDAG_TESTUTIL_H
#define COMM_UNITTESTS_CDAG_TESTUTIL_H

#include "Comm/CDag/Builder.h"
#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Interpret.h"
#include "Comm/CDag/Patterns.h"
#include "Comm/CDag/WaitSets.h"
#include "gtest/gtest.h"

#include <string>

namespace comm::cdag {

inline void compileAndCheck(Graph &graph, Schedule &schedule, const CompileOptions &options = CompileOptions(),
                            Fill fill = Fill::Random, CompileStats *stats = nullptr) {
  Error error = compile(graph, options, schedule, stats);
  ASSERT_FALSE(error) << error.text;
  Matching matching;
  ASSERT_FALSE(matchMessages(graph, matching));
  Image before;
  error = before.create(graph, 42, fill);
  ASSERT_FALSE(error) << error.text;
  Image original = before;
  runGraph(graph, matching, 1, original);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Image result = before;
    error = runSchedule(graph, schedule, seed, result);
    ASSERT_FALSE(error) << error.text;
    error = compareLive(graph, original, result);
    ASSERT_FALSE(error) << error.text;
  }
  if (options.sync != SyncPolicy::Keep)
    return;
  for (Rank first = 0; first < graph.numRanks(); first += 64) {
    Vec<uint64_t> waits, waitsNow;
    waitSetsOf(graph, matching, first, false, waits);
    waitSetsOf(graph, matching, schedule, first, waitsNow);
    for (Rank r = 0; r < graph.numRanks(); ++r)
      ASSERT_EQ(waits[r] & ~waitsNow[r], 0u) << "process " << r;
  }
}

/// Returns, for example, "bcast allgather", in the schedule's order.
inline std::string kindsOf(const Schedule &schedule) {
  std::string text;
  for (const Collective &c : schedule.collectives)
    text += (text.empty() ? "" : " ") + std::string(name(c.kind));
  return text;
}

inline uint32_t countKept(const Graph &graph, const Schedule &schedule) {
  uint32_t n = 0;
  for (OpId op = 0; op < graph.numOps(); ++op)
    n += graph.isSend(op) && schedule.action(op) == Action::Keep;
  return n;
}

inline Vec<Rank> ranks(std::initializer_list<Rank> list) {
  Vec<Rank> v;
  for (Rank r : list)
    v.push_back(r);
  return v;
}

} // namespace comm::cdag

#endif
