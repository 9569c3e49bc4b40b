// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer target: any input is either an error or a graph whose schedule
// computes the same result as the graph. Built with -DCOMM_FUZZERS=ON; run with
//   comm-cdag-fuzz -dict=tools/comm-cdag/fuzz.dict CORPUS test/CDag/Tool/Inputs

#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Interpret.h"
#include "Draw.h"
#include "GraphText.h"

#include <cstdio>
#include <cstdlib>

using namespace comm::cdag;

namespace {

[[noreturn]] void wrong(const char *what, const Error &error) {
  std::fprintf(stderr, "%s: %s\n", what, error.text);
  std::abort();
}

/// Compares the results of the interpreter, which are valid only if it can hold the memory.
void compare(Graph &graph, const Schedule &schedule, uint64_t seed) {
  Image expected, actual;
  Matching matching;
  if (expected.create(graph, seed) || actual.create(graph, seed))
    return;
  if (Error error = matchMessages(graph, matching))
    wrong("compiled, but cannot be matched", error);
  runGraph(graph, matching, seed, expected);
  if (Error error = runSchedule(graph, schedule, seed, actual))
    wrong("the schedule cannot run", error);
  if (Error error = compareLive(graph, expected, actual))
    wrong("the schedule computes something else", error);
}

uint64_t bytesOf(const Graph &graph) {
  uint64_t bytes = 0;
  for (OpId op = 0; op < graph.numOps(); ++op)
    bytes += graph.size(op) < (1u << 20) ? graph.size(op) : 1u << 20;
  return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  ReadOptions options;
  options.maxRanks = 256;
  options.memory = size % 2 ? AutoMemory::Forward : AutoMemory::Distinct;
  Graph graph;
  std::vector<Place> places;
  if (readGraph(text, options, graph, places))
    return 0;
  graph.freeze();
  CompileOptions compileOptions;
  compileOptions.sync = size % 4 < 2 ? SyncPolicy::Keep : SyncPolicy::Data;
  Schedule schedule;
  if (compile(graph, compileOptions, schedule))
    return 0;
  drawGraph(graph, schedule);
  if (bytesOf(graph) < (1u << 18))
    compare(graph, schedule, size);
  return 0;
}
