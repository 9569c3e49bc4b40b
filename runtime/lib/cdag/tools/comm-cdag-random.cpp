// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares random graphs with their schedules: comm-cdag-random COUNT [SEED]. Prints how much was replaced, so that a
// vacuous comparison is noticed.
#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Interpret.h"

#include <cstdio>
#include <cstdlib>

using namespace comm::cdag;

namespace {

/// Prints a graph and its schedule (with COMM_CDAG_DUMP in the environment).
void dump(const Graph &graph, const Schedule &schedule) {
  for (Rank r = 0; r < graph.numRanks(); ++r)
    for (uint32_t i = 0; i < graph.numOpsOf(r); ++i) {
      OpId op = graph.opOf(r, i);
      char text[200];
      graph.describe(op, text, sizeof(text));
      std::printf("%u: #%u %s", r, op, text);
      if (graph.isLocal(op))
        std::printf(" from 0x%llx", (unsigned long long)graph.source(op));
      std::printf(" [%s] after", schedule.action(op) == Action::Keep   ? "keep"
                                 : schedule.action(op) == Action::Drop ? "drop"
                                                                       : "sync");
      for (auto *d = graph.depsBegin(op); d != graph.depsEnd(op); ++d)
        std::printf(" #%u", d->on);
      std::printf("\n");
    }
  for (const Buffer &b : graph.buffers())
    std::printf("buffer %s rank %d 0x%llx size %llu%s\n", graph.bufferName(b), int(b.rank), (unsigned long long)b.start,
                (unsigned long long)b.size, b.temporary ? " temporary" : "");
  for (uint32_t c = 0; c < schedule.collectives.size(); ++c) {
    const Collective &coll = schedule.collectives[c];
    std::printf("C%u %s root %d self %d inplace %d members", c, name(coll.kind), int(coll.root), coll.selfCopies,
                coll.inPlace);
    for (uint32_t i = 0; i < schedule.numMembers(coll, graph); ++i)
      std::printf(" %u", schedule.member(coll, i));
    std::printf("\n");
    for (uint32_t i = coll.begin; i < coll.end; ++i) {
      const Transfer &t = schedule.transfers[i];
      std::printf("  %d:0x%llx -> %u:0x%llx %llu%s\n", int(t.src), (unsigned long long)t.srcAddr, t.dst,
                  (unsigned long long)t.dstAddr, (unsigned long long)t.size,
                  i - coll.begin < coll.numInputs ? " in" : "");
    }
  }
  for (const ScheduleDependency &d : schedule.dependencies)
    std::printf("rank %u: %s%u after %s%u\n", d.rank, d.op.collective ? "C" : "#", d.op.index,
                d.on.collective ? "C" : "#", d.on.index);
  for (const Stage &s : schedule.stages)
    std::printf("stage %u 0x%llx %llu at %llu\n", s.rank, (unsigned long long)s.addr, (unsigned long long)s.size,
                (unsigned long long)s.scratch);
}

} // namespace

int main(int argc, char **argv) {
  unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  unsigned long first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  RandomTotals totals;
  unsigned long failures = 0;
  bool dumps = std::getenv("COMM_CDAG_DUMP") != nullptr;
  for (unsigned long i = 0; i < count; ++i)
    if (Error error = compareRandomGraph(first + i, totals, dumps ? dump : nullptr)) {
      std::printf("seed %lu: %s: %s\n", first + i, name(error.code), error.text);
      if (++failures == 20)
        break;
    }
  std::printf("%lu graphs, %lu with collectives (%lu of them), %lu with staged "
              "memory; %lu messages, %lu kept, %lu empty\n",
              count, totals.changed, totals.collectives, totals.staged, totals.messages, totals.kept, totals.sync);
  for (unsigned k = 0; k <= unsigned(CollectiveKind::Barrier); ++k)
    std::printf("  %s %lu\n", name(CollectiveKind(k)), totals.kinds[k]);
  std::printf("%lu differences\n", failures);
  return failures != 0;
}
