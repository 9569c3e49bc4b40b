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

/// Prints a graph and its schedule, if the environment asks for it.
void dump(Graph &graph, const Schedule &schedule) {
  graph.freeze();
  for (Rank r = 0; r < graph.numRanks(); ++r)
    for (uint32_t i = 0; i < graph.numOpsOf(r); ++i) {
      OpId op = graph.opOf(r, i);
      char text[200];
      graph.describe(op, text, sizeof(text));
      std::printf("%u: #%u %s", r, op, text);
      if (graph.isLocal(op))
        std::printf(" from 0x%llx", (unsigned long long)graph.local(op).source);
      std::printf(" [%s] after",
                  schedule.action(op) == Action::Keep   ? "keep"
                  : schedule.action(op) == Action::Drop ? "drop"
                                                        : "sync");
      for (auto *d = graph.depsBegin(op); d != graph.depsEnd(op); ++d)
        std::printf(" #%u", d->on);
      std::printf("\n");
    }
  for (const Buffer &b : graph.buffers())
    std::printf("buffer %s rank %d 0x%llx size %llu%s\n", graph.bufferName(b),
                int(b.rank), (unsigned long long)b.start,
                (unsigned long long)b.size, b.temporary ? " temporary" : "");
  for (uint32_t c = 0; c < schedule.collectives.size(); ++c) {
    const Collective &coll = schedule.collectives[c];
    std::printf("C%u %s root %d self %d inplace %d members", c, name(coll.kind),
                int(coll.root), coll.selfCopies, coll.inPlace);
    for (uint32_t i = 0; i < schedule.numMembers(coll, graph); ++i)
      std::printf(" %u", schedule.member(coll, i));
    std::printf("\n");
    for (uint32_t i = coll.begin; i < coll.end; ++i) {
      const Transfer &t = schedule.transfers[i];
      std::printf("  %d:0x%llx -> %u:0x%llx %llu%s\n", int(t.src),
                  (unsigned long long)t.srcAddr, t.dst,
                  (unsigned long long)t.dstAddr, (unsigned long long)t.size,
                  i - coll.begin < coll.numInputs ? " in" : "");
    }
  }
  for (const ScheduleDependency &d : schedule.dependencies)
    std::printf("rank %u: %s%u after %s%u\n", d.rank,
                d.op.collective ? "C" : "#", d.op.index,
                d.on.collective ? "C" : "#", d.on.index);
  for (const Stage &s : schedule.stages)
    std::printf("stage %u 0x%llx %llu at %llu\n", s.rank,
                (unsigned long long)s.addr, (unsigned long long)s.size,
                (unsigned long long)s.scratch);
}

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
  if (std::getenv("COMM_CDAG_DUMP"))
    dump(graph, schedule);
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
