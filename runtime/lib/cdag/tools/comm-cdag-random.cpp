// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares random graphs with their schedules: comm-cdag-random COUNT [SEED].
// Prints how much was replaced, so that an empty comparison shows.
#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Interpret.h"
#include "Comm/CDag/WaitSets.h"

#include <cstdio>
#include <cstdlib>

using namespace comm::cdag;

namespace {

struct Totals {
  unsigned long collectives = 0, changed = 0, messages = 0, kept = 0, sync = 0;
  unsigned long kinds[16] = {};
  unsigned long staged = 0;
};

Error check(uint64_t seed, Totals &totals) {
  RandomGraphOptions options;
  options.maxRanks = 2 + seed % 8;
  Graph graph;
  if (Error error = randomGraph(seed, options, graph))
    return error;
  Matching matching;
  if (Error error = matchMessages(graph, matching))
    return error;
  CompileOptions co;
  co.sync = seed % 3 ? SyncPolicy::Keep : SyncPolicy::Data;
  co.detect.vectorMinRanks = seed % 2 ? 2 : 8;
  co.detect.tau = seed % 5 ? 1.0 : 0.5;
  co.detect.subsetMinRanks = seed % 4 ? 3 : 4;
  Schedule schedule;
  CompileStats stats;
  if (Error error = compile(graph, co, schedule, &stats))
    return error;
  totals.messages += stats.messages;
  totals.kept += stats.keptMessages;
  totals.sync += stats.syncMessages;
  totals.changed += !schedule.collectives.empty();
  totals.collectives += schedule.collectives.size();
  totals.staged += !schedule.stages.empty();
  for (const Collective &c : schedule.collectives)
    ++totals.kinds[unsigned(c.kind)];
  Image before, after;
  if (Error error = before.create(graph, seed))
    return error;
  after = before;
  runGraph(graph, matching, seed + 1, before);
  for (uint64_t order = 0; order < 2; ++order) {
    Image result = after;
    if (Error error = runSchedule(graph, schedule, seed + order, result))
      return error;
    if (Error error = compareLive(graph, before, result))
      return error;
  }
  if (co.sync == SyncPolicy::Keep) {
    Vec<uint64_t> original, optimised;
    waitSetsOf(graph, matching, 0, false, original);
    waitSetsOf(graph, matching, schedule, 0, optimised);
    for (Rank r = 0; r < graph.numRanks(); ++r)
      if (original[r] & ~optimised[r])
        return makeError(ErrorCode::Deadlock, r, kNone,
                         "process %u does not wait for all it waited for", r);
  }
  return Error();
}

} // namespace

int main(int argc, char **argv) {
  unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  unsigned long first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  Totals totals;
  unsigned long failures = 0;
  for (unsigned long i = 0; i < count; ++i)
    if (Error error = check(first + i, totals)) {
      std::printf("seed %lu: %s: %s\n", first + i, name(error.code),
                  error.text);
      if (++failures == 20)
        break;
    }
  std::printf("%lu graphs, %lu with collectives (%lu of them), %lu with staged "
              "memory; %lu messages, %lu kept, %lu empty\n",
              count, totals.changed, totals.collectives, totals.staged,
              totals.messages, totals.kept, totals.sync);
  for (unsigned k = 0; k <= unsigned(CollectiveKind::Barrier); ++k)
    std::printf("  %s %lu\n", name(CollectiveKind(k)), totals.kinds[k]);
  std::printf("%lu differences\n", failures);
  return failures != 0;
}
