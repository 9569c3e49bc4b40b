// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the whole compilation, and termination for large graphs. Times are printed but not checked: see
// benchmarks/cdag. COMM_CDAG_SCALE=1 continues up to a million messages.
#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Patterns.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <ctime>

using namespace comm::cdag;

namespace {

struct Figures {
  double seconds;
  double bytesPerRank;
  CompileStats stats;
};

Figures measure(const char *pattern, uint32_t ranks, SyncPolicy sync) {
  memoryMeter().resetPeak();
  size_t before = memoryMeter().current;
  std::clock_t start = std::clock();
  Graph graph;
  PatternOptions options;
  Error error = generatePattern(pattern, ranks, options, graph);
  EXPECT_FALSE(error) << error.text;
  CompileOptions co;
  co.sync = sync;
  Schedule schedule;
  Figures figures;
  error = compile(graph, co, schedule, &figures.stats);
  figures.seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_FALSE(error) << error.text;
  EXPECT_EQ(schedule.collectives.size(), 1u);
  if (!schedule.collectives.empty()) {
    EXPECT_EQ(schedule.collectives[0].kind, findPattern(pattern)->kind);
  }
  figures.bytesPerRank = double(memoryMeter().peak - before) / ranks;
  return figures;
}

} // namespace

TEST(Scale, BinomialBcastOf300000Processes) {
  Figures best = {1e9, 0, {}};
  for (int i = 0; i < 3; ++i) {
    Figures f = measure("bcast-binomial", 300000, SyncPolicy::Keep);
    if (f.seconds < best.seconds)
      best = f;
  }
  std::printf("300000 processes: %.3f s, %.1f bytes a process (match %.3f, "
              "races %.3f, dataflow %.3f, detect %.3f, schedule %.3f)\n",
              best.seconds, best.bytesPerRank, best.stats.matchSeconds, best.stats.raceSeconds,
              best.stats.dataflowSeconds, best.stats.detectSeconds, best.stats.scheduleSeconds);
  EXPECT_LE(best.bytesPerRank, 283);
}

TEST(Scale, MemoryGrowsWithMessages) {
  for (const char *pattern : {"bcast-binomial", "gather-linear", "alltoall-linear", "allgather-ring",
                              "allreduce-butterfly", "barrier-linear"}) {
    for (double messages : {1e4, 1e5, 1e6}) {
      if (messages > 1e5 && !std::getenv("COMM_CDAG_SCALE"))
        break;
      uint32_t ranks = uint32_t(messages);
      if (std::string(pattern) == "alltoall-linear" || std::string(pattern) == "allgather-ring")
        ranks = uint32_t(std::sqrt(messages) + 1);
      if (std::string(pattern) == "barrier-linear")
        ranks /= 2;
      if (std::string(pattern) == "allreduce-butterfly") {
        ranks = 2;
        while (double(ranks) * std::log2(ranks) < messages)
          ranks *= 2;
      }
      Figures f = measure(pattern, ranks, SyncPolicy::Keep);
      double n = f.stats.messages;
      double scaled = f.seconds / (n * std::log2(n));
      std::printf("%s: %u processes, %u messages, %.4f s, %.2f ns per n log n, "
                  "%.0f bytes a message\n",
                  pattern, ranks, f.stats.messages, f.seconds, 1e9 * scaled, f.bytesPerRank * ranks / n);
      EXPECT_LT(f.bytesPerRank * ranks / n, 400) << pattern;
    }
  }
}
