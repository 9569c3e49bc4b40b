//===- CDag.cpp - C API: communication graphs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CDagSession.h"

#include "Comm/CDag/Interpret.h"
#include "Comm/CDag/Match.h"
#include "Comm/CDag/Patterns.h"
#include "Draw.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace comm::cdag;

static MlirStringRef asString(const std::string &text) { return mlirStringRefCreate(text.data(), text.size()); }

static void tell(const std::string &text, MlirStringCallback callback, void *userData) {
  callback(asString(text), userData);
}

std::string comm::cdag::describe(const Session &session, const Error &error) {
  if (error.op >= session.places.size())
    return error.text;
  Place place = session.places[error.op];
  return std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + error.text;
}

CommCDag commCDagCreate(uint32_t ranks) { return {new Session(ranks)}; }

CommCDag commCDagParse(MlirStringRef text, uint32_t maxRanks, MlirStringCallback error, void *userData) {
  auto session = std::make_unique<Session>(0);
  ReadOptions options;
  options.maxRanks = maxRanks;
  if (ReadError wrong = readGraph(std::string(text.data, text.length), options, session->graph, session->places)) {
    tell(std::to_string(wrong.place.line) + ":" + std::to_string(wrong.place.column) + ": " + wrong.text, error,
         userData);
    return {nullptr};
  }
  return {session.release()};
}

CommCDag commCDagCreatePattern(MlirStringRef name, uint32_t ranks, uint64_t bytes, uint32_t root,
                               MlirStringCallback error, void *userData) {
  auto session = std::make_unique<Session>(0);
  PatternOptions options;
  options.bytes = bytes;
  options.root = root;
  std::string pattern(name.data, name.length);
  if (Error wrong = generatePattern(pattern.c_str(), ranks, options, session->graph)) {
    tell(wrong.text, error, userData);
    return {nullptr};
  }
  return {session.release()};
}

void commCDagForEachPattern(MlirStringCallback callback, void *userData) {
  for (const Pattern *pattern = patternsBegin(); pattern != patternsEnd(); ++pattern)
    callback(mlirStringRefCreateFromCString(pattern->name), userData);
}

void commCDagDestroy(CommCDag graph) { delete &sessionOf(graph); }

/// Returns the graph for modification, which invalidates what was detected.
static Graph &change(CommCDag graph) {
  Session &session = sessionOf(graph);
  session.isDetected = false;
  return session.graph;
}

uint32_t commCDagAddSend(CommCDag graph, uint32_t rank, uint64_t address, uint64_t size, uint32_t peer, int32_t tag) {
  return change(graph).addSend(rank, address, size, peer, tag);
}

uint32_t commCDagAddRecv(CommCDag graph, uint32_t rank, uint64_t address, uint64_t size, uint32_t peer, int32_t tag) {
  return change(graph).addRecv(rank, address, size, peer, tag);
}

uint32_t commCDagAddCopy(CommCDag graph, uint32_t rank, uint64_t to, uint64_t from, uint64_t size) {
  return change(graph).addCopy(rank, to, from, size);
}

void commCDagAddDependency(CommCDag graph, uint32_t op, uint32_t on) { change(graph).addDependency(op, on); }

void commCDagGetError(CommCDag graph, MlirStringCallback callback, void *userData) {
  if (const Error &error = sessionOf(graph).graph.error())
    tell(describe(sessionOf(graph), error), callback, userData);
}

uint32_t commCDagGetNumRanks(CommCDag graph) { return sessionOf(graph).graph.numRanks(); }
uint32_t commCDagGetNumOperations(CommCDag graph) { return sessionOf(graph).graph.numOps(); }
uint32_t commCDagGetNumDependencies(CommCDag graph) { return sessionOf(graph).graph.numDependencies(); }

CommCDagOptions commCDagGetDefaultOptions() {
  CompileOptions options;
  CommCDagOptions result;
  result.tau = options.detect.tau;
  result.subsets = options.detect.subsets;
  result.reductions = options.detect.reductions;
  result.barriers = options.detect.barriers;
  result.reorderFloatingPoint = options.detect.reorderFloatingPoint;
  result.keepWaitSets = options.sync == SyncPolicy::Keep;
  return result;
}

MlirLogicalResult commCDagDetect(CommCDag graph, CommCDagOptions options, CommCDagResult *result,
                                 MlirStringCallback error, void *userData) {
  Session &session = sessionOf(graph);
  session.isDetected = false;
  session.schedule = Schedule();
  CompileOptions given;
  given.detect.tau = options.tau;
  given.detect.subsets = options.subsets;
  given.detect.reductions = options.reductions;
  given.detect.barriers = options.barriers;
  given.detect.reorderFloatingPoint = options.reorderFloatingPoint;
  given.sync = options.keepWaitSets ? SyncPolicy::Keep : SyncPolicy::Data;
  if (!(options.tau >= 0) || std::isinf(options.tau)) {
    tell("the density of vector collectives must be a number from 0", error, userData);
    return mlirLogicalResultFailure();
  }
  Error wrong = session.graph.error();
  CompileStats stats;
  if (!wrong) {
    session.graph.freeze();
    wrong = compile(session.graph, given, session.schedule, &stats);
  }
  if (wrong) {
    tell(describe(session, wrong), error, userData);
    return mlirLogicalResultFailure();
  }
  session.isDetected = true;
  if (result)
    *result = {stats.messages, stats.keptMessages, stats.syncMessages, stats.transfers, stats.analyzed};
  return mlirLogicalResultSuccess();
}

void commCDagForEachCollective(CommCDag graph, CommCDagCollectiveCallback callback, void *userData) {
  Session &session = sessionOf(graph);
  if (!session.isDetected)
    return;
  const Schedule &schedule = session.schedule;
  for (const Collective &collective : schedule.collectives) {
    std::vector<uint32_t> members(schedule.numMembers(collective, session.graph));
    for (uint32_t i = 0; i < members.size(); ++i)
      members[i] = schedule.member(collective, i);
    bool reduces = collective.numInputs != 0;
    CommCDagCollective result;
    result.kind = mlirStringRefCreateFromCString(name(collective.kind));
    result.op = mlirStringRefCreateFromCString(!reduces                        ? ""
                                               : collective.op < kUserOperator ? name(Operator(collective.op))
                                                                               : "user");
    result.root = isRooted(collective.kind) ? collective.root : COMM_CDAG_NONE;
    result.bytes = 0;
    if (collective.kind != CollectiveKind::Barrier)
      for (uint32_t t = collective.begin; t < (reduces ? collective.begin + collective.numInputs : collective.end); ++t)
        result.bytes += schedule.transfers[t].size;
    result.numMembers = members.size();
    result.members = members.data();
    callback(&result, userData);
  }
}

static Error compareOnce(Session &session, const Matching &matching, uint64_t seed) {
  Image expected, actual;
  if (Error error = expected.create(session.graph, seed))
    return error;
  if (Error error = actual.create(session.graph, seed))
    return error;
  runGraph(session.graph, matching, seed, expected);
  if (Error error = runSchedule(session.graph, session.schedule, seed, actual))
    return error;
  return compareLive(session.graph, expected, actual);
}

MlirLogicalResult commCDagVerify(CommCDag graph, uint32_t runs, uint64_t seed, MlirStringCallback error,
                                 void *userData) {
  Session &session = sessionOf(graph);
  if (!session.isDetected) {
    tell("the graph has no schedule yet: look for collectives first", error, userData);
    return mlirLogicalResultFailure();
  }
  Matching matching;
  Error wrong = matchMessages(session.graph, matching);
  for (uint32_t run = 0; !wrong && run < runs; ++run)
    wrong = compareOnce(session, matching, seed + run);
  if (!wrong)
    return mlirLogicalResultSuccess();
  tell(describe(session, wrong), error, userData);
  return mlirLogicalResultFailure();
}

void commCDagDraw(CommCDag graph, MlirStringCallback callback, void *userData) {
  Session &session = sessionOf(graph);
  if (session.isDetected)
    tell(drawGraph(session.graph, session.schedule), callback, userData);
}
