// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// comm-cdag: reads or generates a communication graph, detects collectives in
// it, and shows the result. See docs/cdag.md.

#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Interpret.h"
#include "Comm/CDag/Patterns.h"
#include "Draw.h"
#include "GraphText.h"
#include "Options.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

using namespace comm::cdag;

namespace {

/// The state of one run of the tool.
struct Session {
  Options options;
  Graph graph;
  std::vector<Place> places; ///< of operations, if read from a file
  Schedule schedule;
  CompileStats stats;
  double seconds = 0, cpuSeconds = 0;
  size_t peakBytes = 0;

  int fail(const std::string &text) const {
    std::fprintf(stderr, "comm-cdag: error: %s\n", text.c_str());
    return 1;
  }
  int fail(Place place, const std::string &text) const {
    std::fprintf(stderr, "%s:%u:%u: error: %s\n", options.file.c_str(), place.line, place.column, text.c_str());
    return 1;
  }
  int fail(const Error &error) const {
    if (error.op < places.size())
      return fail(places[error.op], error.text);
    return fail(error.text);
  }
};

bool readFile(const std::string &path, std::string &text) {
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return !std::cin.bad();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return false;
  text.assign(std::istreambuf_iterator<char>(file), {});
  return !file.bad();
}

int makeGraph(Session &s) {
  if (!s.options.pattern.empty()) {
    PatternOptions pattern;
    pattern.bytes = s.options.bytes;
    pattern.root = s.options.root;
    if (Error error = generatePattern(s.options.pattern.c_str(), s.options.ranks, pattern, s.graph))
      return s.fail(error);
    return 0;
  }
  std::string text;
  if (!readFile(s.options.file, text))
    return s.fail("cannot read '" + s.options.file + "'");
  ReadOptions read;
  read.memory = s.options.forward ? AutoMemory::Forward : AutoMemory::Distinct;
  read.maxRanks = s.options.maxRanks;
  if (ReadError error = readGraph(text, read, s.graph, s.places))
    return s.fail(error.place, error.text);
  return 0;
}

int compileGraph(Session &s) {
  auto begin = std::chrono::steady_clock::now();
  double cpuBegin = double(std::clock()) / CLOCKS_PER_SEC;
  s.graph.freeze();
  if (Error error = compile(s.graph, s.options.compile, s.schedule, &s.stats))
    return s.fail(error);
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  s.cpuSeconds = double(std::clock()) / CLOCKS_PER_SEC - cpuBegin;
  s.peakBytes = memoryMeter().peak;
  return 0;
}

std::string describe(const Session &s, const Collective &c) {
  uint32_t members = s.schedule.numMembers(c, s.graph);
  std::string text = name(c.kind);
  text += " on ";
  if (members == s.graph.numRanks()) {
    text += "all " + std::to_string(members) + " processes";
  } else {
    text += std::to_string(members) + " processes (";
    for (uint32_t m = 0; m < members && m < 16; ++m)
      text += (m ? " " : "") + std::to_string(s.schedule.member(c, m));
    text += members > 16 ? " ...)" : ")";
  }
  bool rooted = isRooted(c.kind);
  if (rooted)
    text += ", root " + std::to_string(c.root);
  if (c.numInputs)
    text += std::string(", ") + name(Operator(c.op)) + " of " + name(c.type);
  if (c.kind != CollectiveKind::Barrier) {
    uint64_t bytes = 0;
    uint32_t end = c.numInputs ? c.begin + c.numInputs : c.end;
    for (uint32_t t = c.begin; t < end; ++t)
      bytes += s.schedule.transfers[t].size;
    text += ", " + std::to_string(bytes) + " bytes " + (c.numInputs ? "contributed" : "moved");
  }
  return text;
}

void printResult(const Session &s) {
  std::printf("%u processes, %u operations, %u messages, %u dependencies\n", s.graph.numRanks(), s.graph.numOps(),
              s.stats.messages, s.graph.numDependencies());
  for (const Collective &c : s.schedule.collectives)
    std::printf("detected: %s\n", describe(s, c).c_str());
  if (s.schedule.collectives.empty())
    std::printf("detected: nothing\n");
  std::printf("kept: %u messages with data, %u only for synchronization\n", s.stats.keptMessages, s.stats.syncMessages);
}

void printStats(const Session &s) {
  std::map<std::string, unsigned> kinds;
  for (const Collective &c : s.schedule.collectives)
    ++kinds[name(c.kind)];
  std::string detected;
  for (const auto &[kind, count] : kinds)
    for (unsigned i = 0; i < count; ++i)
      detected += (detected.empty() ? "\"" : ", \"") + kind + "\"";
  std::printf("{\"ranks\": %u, \"messages\": %u, \"operations\": %u, "
              "\"dependencies\": %u, \"seconds\": %.6f, \"cpu_seconds\": %.6f, "
              "\"bytes_per_rank\": %.1f, "
              "\"detected\": [%s], \"kept_messages\": %u, \"sync_messages\": %u, "
              "\"transfers\": %u, \"match_seconds\": %.6f, \"race_seconds\": %.6f, "
              "\"dataflow_seconds\": %.6f, \"detect_seconds\": %.6f, "
              "\"schedule_seconds\": %.6f}\n",
              s.graph.numRanks(), s.stats.messages, s.graph.numOps(), s.graph.numDependencies(), s.seconds,
              s.cpuSeconds, double(s.peakBytes) / s.graph.numRanks(), detected.c_str(), s.stats.keptMessages,
              s.stats.syncMessages, s.stats.transfers, s.stats.matchSeconds, s.stats.raceSeconds,
              s.stats.dataflowSeconds, s.stats.detectSeconds, s.stats.scheduleSeconds);
}

int verify(Session &s) {
  Matching matching;
  if (Error error = matchMessages(s.graph, matching))
    return s.fail(error);
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Image expected, actual;
    if (Error error = expected.create(s.graph, seed))
      return s.fail(error);
    if (Error error = actual.create(s.graph, seed))
      return s.fail(error);
    runGraph(s.graph, matching, seed, expected);
    if (Error error = runSchedule(s.graph, s.schedule, seed, actual))
      return s.fail(error);
    if (Error error = compareLive(s.graph, expected, actual))
      return s.fail(std::string("the schedule computes something else: ") + error.text);
  }
  if (!s.options.stats)
    std::printf("verified: the schedule leaves the memory that the graph "
                "leaves\n");
  return 0;
}

int draw(const Session &s) {
  if (s.options.dot.empty() && s.options.svg.empty())
    return 0;
  constexpr uint32_t kMost = 20000;
  if (s.graph.numRanks() > kMost || s.graph.numOps() > 4 * kMost)
    return s.fail("the graph is too large to be drawn (at most " + std::to_string(kMost) + " processes)");
  std::string text = drawGraph(s.graph, s.schedule);
  if (!s.options.dot.empty()) {
    std::ofstream file(s.options.dot, std::ios::binary);
    file << text;
    if (!file.flush())
      return s.fail("cannot write '" + s.options.dot + "'");
  }
  std::string error;
  if (!s.options.svg.empty() && !writeSvg(text, s.options.svg, error))
    return s.fail("cannot write '" + s.options.svg + "': " + error);
  return 0;
}

void listPatterns() {
  for (const Pattern *p = patternsBegin(); p != patternsEnd(); ++p)
    std::printf("%s%s\n", p->name, p->powerOfTwo ? " (powers of two)" : "");
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN);
  Session s;
  std::string error;
  switch (parseOptions(argc, argv, s.options, error)) {
  case OptionsResult::Run:
    break;
  case OptionsResult::Help:
    std::fputs(helpText(), stdout);
    return 0;
  case OptionsResult::Wrong:
    return s.fail(error + " (see --help)");
  }
  if (s.options.listPatterns) {
    listPatterns();
    return 0;
  }
  memoryMeter().resetPeak();
  if (int code = makeGraph(s))
    return code;
  if (int code = compileGraph(s))
    return code;
  if (s.options.stats)
    printStats(s);
  else
    printResult(s);
  if (s.options.verify)
    if (int code = verify(s))
      return code;
  return draw(s);
}
