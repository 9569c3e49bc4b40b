// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: a random global sequence of patterns, messages and local operations. The dependencies follow from the
// buffers, so deadlock is impossible.
#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Interpret.h"
#include "Comm/CDag/Patterns.h"
#include "Comm/CDag/WaitSets.h"

namespace comm::cdag {

Error randomGraph(uint64_t seed, const RandomGraphOptions &options, Graph &graph) {
  Random random(seed);
  uint32_t p = 1 + uint32_t(random.below(options.maxRanks));
  graph = Graph(p);
  Builder builder(graph);
  // Use few addresses, so that buffers are reused.
  uint64_t span = 8 << random.below(6);
  auto word = [&] { return 8 * random.below(span); };
  auto size = [&]() -> uint64_t {
    if (random.chance(15))
      return 1 + random.below(40); // parts of elements
    return 8 * (1 + random.below(random.chance(20) ? span / 2 : 3));
  };
  auto rank = [&] { return Rank(random.below(p)); };
  Operator op = random.chance(70) ? Operator::Sum : Operator(random.below(10));
  ElementType type = random.chance(80) ? ElementType::Int64 : ElementType(random.below(8));
  int32_t tag = 0;
  auto anything = [&] {
    uint64_t bytes = size();
    Addr a = word(), b = word();
    switch (random.below(8)) {
    case 0: {
      Rank r = rank();
      if (a + bytes <= b || b + bytes <= a)
        builder.copy(r, b, a, bytes);
      break;
    }
    case 1: {
      Rank r = rank();
      bytes = 8 * (1 + random.below(3));
      if (a + bytes <= b || b + bytes <= a)
        builder.reduce(r, b, a, bytes, op, type, random.chance(50));
      break;
    }
    case 2:
      builder.signal(rank(), rank(), ++tag);
      break;
    case 3:
      builder.joint(rank());
      break;
    default: {
      Rank from = rank(), to = rank();
      if (from != to)
        builder.message(from, a, to, b, bytes, ++tag);
      break;
    }
    }
  };
  uint32_t phases = 1 + uint32_t(random.below(options.maxPhases));
  for (uint32_t phase = 0; phase < phases; ++phase) {
    if (options.patterns && random.chance(60)) {
      Vec<Rank> members;
      bool all = random.chance(60);
      for (Rank r = 0; r < p; ++r)
        if (all || random.chance(70))
          members.push_back(r);
      if (members.empty())
        continue;
      size_t count = static_cast<size_t>(patternsEnd() - patternsBegin());
      const Pattern &pattern = patternsBegin()[random.below(count)];
      if (pattern.powerOfTwo && (members.size() & (members.size() - 1)))
        continue;
      PatternOptions po;
      po.bytes = 8 * (1 + random.below(4));
      po.root = uint32_t(random.below(members.size()));
      po.sendAt = word();
      po.selfCopies = random.chance(70);
      po.tag = tag + 1;
      tag += 10000;
      po.op = op;
      po.type = type;
      uint64_t region = po.bytes * members.size();
      // Sometimes results overwrite other contributions.
      if (random.chance(50)) {
        po.recvAt = 8 + word();
        if (po.recvAt + region > po.sendAt && po.recvAt < po.sendAt + region)
          po.recvAt = po.sendAt + region;
      }
      po.tempAt = 16 * span + 8 * 64 * (1 + random.below(2));
      if (Error error = emitPattern(graph, builder, pattern, members, po))
        return error;
    } else {
      for (uint64_t i = 1 + random.below(6); i > 0; --i)
        anything();
    }
  }
  if (random.chance(30))
    graph.addBuffer(random.chance(50) ? kNone : rank(), word(), 8 * span / 4, "scratch", /*temporary=*/true);
  return graph.error();
}

Error compareRandomGraph(uint64_t seed, RandomTotals &totals, void (*show)(const Graph &, const Schedule &)) {
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
  if (show)
    show(graph, schedule);
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
    Vec<uint64_t> original, optimized;
    waitSetsOf(graph, matching, 0, false, original);
    waitSetsOf(graph, matching, schedule, 0, optimized);
    for (Rank r = 0; r < graph.numRanks(); ++r)
      if (original[r] & ~optimized[r])
        return makeError(ErrorCode::Deadlock, r, kNone, "process %u does not wait for all it waited for", r);
  }
  return Error();
}

} // namespace comm::cdag
