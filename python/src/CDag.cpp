//===- CDag.cpp - Communication graphs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "comm-c/CDag.h"

#include <algorithm>

using namespace comm::python;

namespace {
struct PyGraph {
  explicit PyGraph(CommCDag graph) : graph(graph) {}
  PyGraph(const PyGraph &) = delete;
  ~PyGraph() { commCDagDestroy(graph); }
  CommCDag graph;
  bool isDetected = false;
};
} // namespace

static uint32_t toRank(int64_t rank, const char *what, bool orAny = false) {
  if (orAny && rank == -1)
    return COMM_CDAG_ANY_SOURCE;
  if (rank < 0 || rank >= 0xfffffff0LL)
    throw py::value_error(std::string(what) + " must be a number from 0");
  return static_cast<uint32_t>(rank);
}

static uint64_t toBytes(int64_t bytes, const char *what) {
  if (bytes < 0)
    throw py::value_error(std::string(what) + " must not be negative");
  return static_cast<uint64_t>(bytes);
}

static uint32_t added(PyGraph &self, uint32_t op) {
  self.isDetected = false;
  if (op != COMM_CDAG_NONE)
    return op;
  std::string error;
  commCDagGetError(self.graph, appendTo, &error);
  throw py::value_error(error);
}

static py::list collectives(const PyGraph &self) {
  if (!self.isDetected)
    throw py::value_error("call detect() first");
  py::list result;
  commCDagForEachCollective(
      self.graph,
      [](CommCDagCollective const *collective, void *list) {
        py::dict entry;
        entry["kind"] = toString(collective->kind);
        entry["op"] = toString(collective->op);
        entry["root"] = collective->root == COMM_CDAG_NONE ? py::object(py::none()) : py::int_(collective->root);
        entry["bytes"] = collective->bytes;
        py::list members;
        for (intptr_t i = 0; i < collective->numMembers; ++i)
          members.append(collective->members[i]);
        entry["members"] = members;
        static_cast<py::list *>(list)->append(entry);
      },
      &result);
  return result;
}

static std::vector<std::string> patternNames() {
  std::vector<std::string> names;
  commCDagForEachPattern(
      [](MlirStringRef name, void *list) { static_cast<std::vector<std::string> *>(list)->push_back(toString(name)); },
      &names);
  return names;
}

/// Returns a hint for an unknown pattern: the patterns of that collective, or where to look.
static std::string suggestPatterns(const std::string &wanted) {
  std::vector<std::string> names = patternNames();
  if (std::find(names.begin(), names.end(), wanted) != names.end())
    return "";
  std::string kind = wanted.substr(0, wanted.find('-')), similar;
  for (const std::string &name : names)
    if (name.substr(0, name.find('-')) == kind)
      similar += (similar.empty() ? ": there is " : ", ") + name;
  return similar.empty() ? ": Graph.patterns() has the names" : similar;
}

static py::dict simulate(const PyGraph &self, double latency, double overhead, double perByte, double perByteLocal) {
  struct Result {
    std::string error;
    std::vector<CommCDagTime> times;
  } result;
  CommCDagModel model{latency, overhead, perByte, perByteLocal};
  auto keep = [](CommCDagTime const *time, void *data) { static_cast<Result *>(data)->times.push_back(*time); };
  auto fail = [](MlirStringRef text, void *data) { static_cast<Result *>(data)->error += toString(text); };
  if (mlirLogicalResultIsFailure(commCDagSimulate(self.graph, model, keep, fail, &result)))
    throw py::value_error(result.error);
  double seconds = 0;
  py::list operations;
  for (const CommCDagTime &time : result.times) {
    seconds = std::max(seconds, time.end);
    py::dict operation;
    operation["op"] = time.op;
    operation["rank"] = time.rank;
    operation["kind"] = toString(time.kind);
    operation["start"] = time.start;
    operation["end"] = time.end;
    operations.append(operation);
  }
  py::dict found;
  found["seconds"] = seconds;
  found["operations"] = operations;
  return found;
}

void comm::python::bindCDag(py::module_ &m) {
  py::class_<PyGraph>(m, "Graph", "Sends, receives and local operations of all processes.")
      .def(py::init([](int64_t ranks) { return std::make_unique<PyGraph>(commCDagCreate(toRank(ranks, "ranks"))); }),
           py::arg("ranks"))
      .def_static(
          "parse",
          [](const std::string &text, int64_t maxRanks) {
            std::string error;
            CommCDag graph = commCDagParse(toRef(text), toRank(maxRanks, "max_ranks"), appendTo, &error);
            if (!graph.ptr)
              throw py::value_error(error);
            return std::make_unique<PyGraph>(graph);
          },
          py::arg("text"), py::arg("max_ranks") = 1 << 22, "The graph of that text (docs/cdag.md).")
      .def_static(
          "pattern",
          [](const std::string &name, int64_t ranks, int64_t bytes, int64_t root) {
            std::string error;
            CommCDag graph = commCDagCreatePattern(toRef(name), toRank(ranks, "ranks"), toBytes(bytes, "bytes"),
                                                   toRank(root, "root"), appendTo, &error);
            if (!graph.ptr)
              throw py::value_error(error + suggestPatterns(name));
            return std::make_unique<PyGraph>(graph);
          },
          py::arg("name"), py::arg("ranks"), py::arg("nbytes") = 8, py::arg("root") = 0,
          "A collective spelled out as messages; blocks of `nbytes` bytes.")
      .def_static("patterns", patternNames, "The names that pattern() knows.")
      .def(
          "send",
          [](PyGraph &self, int64_t rank, int64_t address, int64_t size, int64_t peer, int32_t tag) {
            return added(self, commCDagAddSend(self.graph, toRank(rank, "rank"), toBytes(address, "address"),
                                               toBytes(size, "size"), toRank(peer, "peer"), tag));
          },
          py::arg("rank"), py::arg("address"), py::arg("size"), py::arg("peer"), py::arg("tag") = 0,
          "Adds a send; returns its number.")
      .def(
          "recv",
          [](PyGraph &self, int64_t rank, int64_t address, int64_t size, int64_t peer, int32_t tag) {
            return added(self, commCDagAddRecv(self.graph, toRank(rank, "rank"), toBytes(address, "address"),
                                               toBytes(size, "size"), toRank(peer, "peer", /*orAny=*/true), tag));
          },
          py::arg("rank"), py::arg("address"), py::arg("size"), py::arg("peer"), py::arg("tag") = 0,
          "Adds a receive; peer -1 and tag -1 are any. Returns its number.")
      .def(
          "copy",
          [](PyGraph &self, int64_t rank, int64_t to, int64_t from, int64_t size) {
            return added(self, commCDagAddCopy(self.graph, toRank(rank, "rank"), toBytes(to, "to"),
                                               toBytes(from, "from_"), toBytes(size, "size")));
          },
          py::arg("rank"), py::arg("to"), py::arg("from_"), py::arg("size"), "Adds a copy; returns its number.")
      .def(
          "after",
          [](PyGraph &self, int64_t op, int64_t on) {
            commCDagAddDependency(self.graph, toRank(op, "op"), toRank(on, "on"));
            self.isDetected = false;
            std::string error;
            commCDagGetError(self.graph, appendTo, &error);
            if (!error.empty())
              throw py::value_error(error);
          },
          py::arg("op"), py::arg("on"), "`op` waits for `on`.")
      .def_property_readonly("num_ranks", [](const PyGraph &self) { return commCDagGetNumRanks(self.graph); })
      .def_property_readonly("num_operations", [](const PyGraph &self) { return commCDagGetNumOperations(self.graph); })
      .def_property_readonly("num_dependencies",
                             [](const PyGraph &self) { return commCDagGetNumDependencies(self.graph); })
      .def(
          "detect",
          [](PyGraph &self, std::optional<double> tau, bool subsets, bool reductions, bool barriers,
             bool reorderFloatingPoint, bool keepWaitSets) {
            CommCDagOptions options = commCDagGetDefaultOptions();
            options.tau = tau.value_or(options.tau);
            options.subsets = subsets;
            options.reductions = reductions;
            options.barriers = barriers;
            options.reorderFloatingPoint = reorderFloatingPoint;
            options.keepWaitSets = keepWaitSets;
            CommCDagResult result;
            std::string error;
            self.isDetected = false;
            if (mlirLogicalResultIsFailure(commCDagDetect(self.graph, options, &result, appendTo, &error)))
              throw py::value_error(error);
            self.isDetected = true;
            py::dict stats;
            stats["messages"] = result.messages;
            stats["kept_messages"] = result.keptMessages;
            stats["sync_messages"] = result.syncMessages;
            stats["transfers"] = result.transfers;
            stats["analyzed"] = result.analyzed;
            return stats;
          },
          py::arg("tau") = py::none(), py::arg("subsets") = true, py::arg("reductions") = true,
          py::arg("barriers") = true, py::arg("reorder_floating_point") = false, py::arg("keep_wait_sets") = true,
          "Checks the graph and looks for collectives; returns counts. ValueError if the graph is wrong.")
      .def("collectives", collectives, "What detect() found: dicts of kind, op, root, bytes, members.")
      .def(
          "verify",
          [](const PyGraph &self, int64_t runs, uint64_t seed) {
            std::string error;
            if (mlirLogicalResultIsFailure(commCDagVerify(self.graph, toRank(runs, "runs"), seed, appendTo, &error)))
              throw py::value_error(error);
          },
          py::arg("runs") = 4, py::arg("seed") = 1, "Runs graph and result on random bytes; ValueError if they differ.")
      .def("simulate", simulate, py::arg("latency") = 1e-6, py::arg("overhead") = 3e-7,
           py::arg("seconds_per_byte") = 1e-10, py::arg("seconds_per_local_byte") = 5e-11,
           "Runs the graph by the LogGP model, where sends do not wait for receives. A dict: `seconds` that it takes, "
           "and "
           "`operations`,\ndicts of op, rank, kind, start and end, in the order of their starts. ValueError if the "
           "graph is "
           "wrong.")
      .def("__repr__",
           [](const PyGraph &self) {
             return "<Graph of " + std::to_string(commCDagGetNumRanks(self.graph)) + " processes, " +
                    std::to_string(commCDagGetNumOperations(self.graph)) + " operations>";
           })
      .def(
          "dot",
          [](const PyGraph &self) {
            if (!self.isDetected)
              throw py::value_error("call detect() first");
            if (commCDagGetNumRanks(self.graph) > 20000)
              throw py::value_error("the graph is too large to be drawn");
            std::string text;
            commCDagDraw(self.graph, appendTo, &text);
            return text;
          },
          "Before and after, for Graphviz.");
}
