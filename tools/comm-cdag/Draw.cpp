// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Draw.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

namespace comm::cdag {

namespace {

struct Arrow {
  uint64_t messages = 0, bytes = 0;
};
using Arrows = std::map<std::tuple<Rank, Rank, bool>, Arrow>;

std::string number(uint64_t value) { return std::to_string(value); }

void drawArrows(std::string &out, const char *prefix, const Arrows &arrows) {
  for (const auto &[key, arrow] : arrows) {
    auto [from, to, sync] = key;
    std::string label = arrow.bytes ? number(arrow.bytes) + " B" : "";
    if (arrow.messages > 1)
      label += (label.empty() ? "" : "\\n") + number(arrow.messages) + "x";
    out += std::string("    ") + prefix + number(from) + " -> " + prefix + number(to) + " [label=\"" + label + "\"" +
           (sync ? ", style=dashed" : "") + "];\n";
  }
}

void drawProcesses(std::string &out, const char *prefix, const Graph &graph) {
  for (Rank r = 0; r < graph.numRanks(); ++r)
    out += std::string("    ") + prefix + number(r) + " [label=\"" + number(r) + "\"];\n";
}

uint64_t bytesOf(const Collective &c, const Schedule &schedule) {
  uint64_t bytes = 0;
  uint32_t end = c.numInputs ? c.begin + c.numInputs : c.end;
  for (uint32_t t = c.begin; t < end; ++t)
    bytes += schedule.transfers[t].size;
  return bytes;
}

void drawCollective(std::string &out, uint32_t index, const Graph &graph, const Schedule &schedule) {
  const Collective &c = schedule.collectives[index];
  std::string node = "c" + number(index);
  out += "    " + node +
         " [shape=box, style=filled, fillcolor=\"#cfe3f5\", "
         "label=\"" +
         std::string(name(c.kind)) + "\\n" + number(schedule.numMembers(c, graph)) + " processes\\n" +
         number(bytesOf(c, schedule)) + " B\"];\n";
  bool fromRoot =
      c.kind == CollectiveKind::Bcast || c.kind == CollectiveKind::Scatter || c.kind == CollectiveKind::Scatterv;
  bool toRoot =
      c.kind == CollectiveKind::Gather || c.kind == CollectiveKind::Gatherv || c.kind == CollectiveKind::Reduce;
  for (uint32_t m = 0; m < schedule.numMembers(c, graph); ++m) {
    Rank r = schedule.member(c, m);
    std::string process = "b" + number(r);
    bool isRoot = r == c.root;
    if ((fromRoot && isRoot) || (toRoot && !isRoot))
      out += "    " + process + " -> " + node + ";\n";
    else if (fromRoot || toRoot)
      out += "    " + node + " -> " + process + ";\n";
    else
      out += "    " + process + " -> " + node + " [dir=both];\n";
  }
}

} // namespace

std::string drawGraph(const Graph &graph, const Schedule &schedule) {
  Arrows before, after;
  for (OpId op = 0; op < graph.numOps(); ++op) {
    if (!graph.isSend(op))
      continue;
    Arrow &arrow = before[{graph.rank(op), graph.peer(op), false}];
    ++arrow.messages;
    arrow.bytes += graph.size(op);
    Action action = schedule.action(op);
    if (action == Action::Drop)
      continue;
    bool sync = action == Action::SyncOnly;
    Arrow &kept = after[{graph.rank(op), graph.peer(op), sync}];
    ++kept.messages;
    kept.bytes += sync ? 0 : graph.size(op);
  }
  std::string out = "digraph cdag {\n  rankdir=LR;\n  node [shape=circle, "
                    "fontsize=11];\n  edge [fontsize=9];\n";
  out += "  subgraph cluster_before {\n    label=\"before\";\n";
  drawProcesses(out, "a", graph);
  drawArrows(out, "a", before);
  out += "  }\n  subgraph cluster_after {\n    label=\"after\";\n";
  drawProcesses(out, "b", graph);
  drawArrows(out, "b", after);
  for (uint32_t c = 0; c < schedule.collectives.size(); ++c)
    drawCollective(out, c, graph, schedule);
  out += "  }\n}\n";
  return out;
}

bool writeSvg(const std::string &dot, const std::string &path, std::string &error) {
  int ends[2];
  if (pipe(ends) != 0) {
    error = std::strerror(errno);
    return false;
  }
  pid_t child = fork();
  if (child < 0) {
    error = std::strerror(errno);
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (child == 0) {
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    execlp("dot", "dot", "-Tsvg", "-o", path.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  close(ends[0]);
  size_t done = 0;
  while (done < dot.size()) {
    ssize_t wrote = write(ends[1], dot.data() + done, dot.size() - done);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      break; // dot has exited; its exit code tells why
    done += size_t(wrote);
  }
  close(ends[1]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  error =
      WIFEXITED(status) && WEXITSTATUS(status) == 127 ? "Graphviz's 'dot' is not installed" : "Graphviz's 'dot' failed";
  return false;
}

} // namespace comm::cdag
