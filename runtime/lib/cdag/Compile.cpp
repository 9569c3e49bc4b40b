// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Compile.h"
#include "Planner.h"

#include <ctime>

namespace comm::cdag {

namespace {

/// Graphs with more pieces in single-transfer form are left as they are.
constexpr size_t kMaxPieces = size_t(1) << 24;

class Stopwatch {
public:
  double lap() {
    double now = read();
    double passed = now - last_;
    last_ = now;
    return passed;
  }

private:
  static double read() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  }
  double last_ = read();
};

void countMessages(const Graph &graph, const Schedule &schedule, CompileStats &s) {
  for (OpId op = 0; op < graph.numOps(); ++op) {
    if (!graph.isSend(op))
      continue;
    ++s.messages;
    s.keptMessages += schedule.action(op) == Action::Keep;
    s.syncMessages += schedule.action(op) == Action::SyncOnly;
  }
}

} // namespace

Error compile(Graph &graph, const CompileOptions &options, Schedule &schedule, CompileStats *stats) {
  CompileStats local;
  CompileStats &s = stats ? *stats : local;
  s = CompileStats();
  schedule = Schedule();
  Stopwatch watch;
  Matching matching;
  if (Error error = matchMessages(graph, matching))
    return error;
  s.matchSeconds = watch.lap();
  if (Error error = checkRaces(graph, matching, &s.analyzed))
    return error;
  s.raceSeconds = watch.lap();
  schedule.match = matching.partner;
  if (!s.analyzed) {
    countMessages(graph, schedule, s);
    return Error();
  }
  for (bool localValues : {true, false}) {
    SingleTransfers sst;
    propagate(graph, matching, kMaxPieces, sst, localValues);
    s.analyzed = sst.complete;
    s.transfers = static_cast<uint32_t>(sst.transfers.size() + sst.combined.size());
    s.dataflowSeconds += watch.lap();
    if (!sst.complete)
      break;
    Detection detection;
    detectCollectives(graph, sst, options.detect, detection);
    s.detectSeconds += watch.lap();
    bool done = Planner(graph, matching, options, sst, schedule).run(detection);
    s.scheduleSeconds += watch.lap();
    if (done)
      break;
  }
  countMessages(graph, schedule, s);
  s.scheduleSeconds += watch.lap();
  return Error();
}

} // namespace comm::cdag
