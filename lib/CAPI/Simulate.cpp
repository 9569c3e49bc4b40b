//===- Simulate.cpp - C API: duration of communication graphs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LogGP model (Alexandrov et al., SPAA 1995): a message costs its sender and its receiver `overhead` each, travels
// for `latency`, and occupies the sender's output for `perByte` per byte. Sends do not wait for receives.
//
//===----------------------------------------------------------------------===//

#include "CDagSession.h"

#include "Comm/CDag/Match.h"

#include <algorithm>
#include <cmath>
#include <queue>

using namespace comm::cdag;

namespace {
/// An operation and the earliest time at which it can start.
struct Candidate {
  double time;
  OpId op;
  /// Orders by earliest time, then by position in the graph.
  bool operator<(const Candidate &other) const { return time != other.time ? time > other.time : op > other.op; }
};

class Simulator {
public:
  Simulator(Graph &graph, const Matching &matching, const CommCDagModel &model);
  void run(CommCDagTimeCallback callback, void *userData);

private:
  void release(OpId op, double time);
  double execute(OpId op, double start);

  const Graph &graph;
  const CommCDagModel &model;
  /// For each operation: the number of unfinished predecessors, and the time when the last of them finishes.
  std::vector<uint32_t> missing;
  std::vector<double> ready;
  std::vector<std::vector<OpId>> successors;
  /// When the processor and the output of each process become free.
  std::vector<double> processor, wire;
  std::vector<double> arrival;
  std::vector<OpId> receiver;
  std::priority_queue<Candidate> queue;
};
} // namespace

Simulator::Simulator(Graph &graph, const Matching &matching, const CommCDagModel &model)
    : graph(graph), model(model), missing(graph.numOps()), ready(graph.numOps()), successors(graph.numOps()),
      processor(graph.numRanks()), wire(graph.numRanks()), arrival(graph.numOps()),
      receiver(graph.numOps(), OpId(kNone)) {
  for (const Dependency &dependency : graph.dependencies()) {
    ++missing[dependency.op];
    successors[dependency.on].push_back(dependency.op);
  }
  for (OpId op = 0; op < graph.numOps(); ++op)
    if (graph.isRecv(op)) {
      ++missing[op];
      receiver[matching.partner[op]] = op;
    }
  for (OpId op = 0; op < graph.numOps(); ++op)
    if (missing[op] == 0)
      queue.push({0, op});
}

void Simulator::release(OpId op, double time) {
  ready[op] = std::max(ready[op], time);
  if (--missing[op] == 0)
    queue.push({ready[op], op});
}

/// Executes the operation and returns when the process is done with it.
double Simulator::execute(OpId op, double start) {
  if (graph.isSend(op)) {
    double end = start + model.overhead;
    double begin = std::max(end, wire[graph.rank(op)]);
    wire[graph.rank(op)] = begin + graph.size(op) * model.perByte;
    release(receiver[op], wire[graph.rank(op)] + model.latency);
    return end;
  }
  if (graph.isRecv(op))
    return start + model.overhead;
  return graph.isLocal(op) ? start + graph.size(op) * model.perByteLocal : start;
}

void Simulator::run(CommCDagTimeCallback callback, void *userData) {
  static const char *const kinds[] = {"send", "recv", "copy", "reduce", "nop"};
  while (!queue.empty()) {
    auto [time, op] = queue.top();
    queue.pop();
    double &free = processor[graph.rank(op)];
    if (time < free) {
      queue.push({free, op});
      continue;
    }
    free = execute(op, time);
    CommCDagTime result{op, graph.rank(op),
                        mlirStringRefCreateFromCString(kinds[static_cast<unsigned>(graph.kind(op))]), time, free};
    for (OpId next : successors[op])
      release(next, free);
    callback(&result, userData);
  }
}

MlirLogicalResult commCDagSimulate(CommCDag handle, CommCDagModel model, CommCDagTimeCallback callback,
                                   MlirStringCallback error, void *userData) {
  Session &session = sessionOf(handle);
  auto fail = [&](const std::string &text) {
    error(mlirStringRefCreate(text.data(), text.size()), userData);
    return mlirLogicalResultFailure();
  };
  for (double number : {model.latency, model.overhead, model.perByte, model.perByteLocal})
    if (!(number >= 0) || !std::isfinite(number))
      return fail("the times of a model are finite numbers of seconds from 0 on");
  Matching matching;
  if (Error wrong = matchMessages(session.graph, matching))
    return fail(describe(session, wrong));
  session.graph.freeze();
  Simulator(session.graph, matching, model).run(callback, userData);
  return mlirLogicalResultSuccess();
}
