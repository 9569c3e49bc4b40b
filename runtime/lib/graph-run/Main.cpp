// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of compiled graph programs.
#include "Program.h"
#include "Resident.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>

using namespace comm::graphrun;

/* Tells all processes whether process 0 has an error. Returns its message in process 0, and some message in the others.
 * Collective. */
static std::string ofFirst(const std::string &error) {
  int isWrong = !error.empty();
  MPI_Bcast(&isWrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return isWrong && error.empty() ? "process 0 has failed" : isWrong ? error : "";
}

static std::string cannotWrite(const std::string &file) {
  return "cannot write " + (file == "-" ? "standard output" : "'" + file + "'") + ": " + strerror(errno);
}

static int fail(const Signature &signature, int rank, const std::string &message) {
  // The error is the same on all processes: one prints it, and all exit.
  if (!rank && !message.empty())
    fprintf(stderr, "%s: error: %s\n", signature.name.c_str(), message.c_str());
  MPI_Finalize();
  return 1;
}

/* Returns the option that helps against an error of comm_graph_load, or "". */
static const char *adviceFor(int code) {
  switch (code) {
  case COMM_GRAPH_ERR_NO_WEIGHTS:
    return ": the program needs weights: --weights MIN:MAX draws some, --unit-weights makes them 1";
  case COMM_GRAPH_ERR_REAL:
    return ": the weights of this program are integers: declare them as propEdge<double>, or draw some with --weights "
           "MIN:MAX";
  case COMM_GRAPH_ERR_NAME:
    return ": give a file that ends in .el .wel .txt .edges .csv .tsv .mtx .metis .graph .sg .wsg or .gr, also .gz";
  case COMM_GRAPH_ERR_SPARSE:
    return ", or confirm their number with --vertices N";
  default:
    return "";
  }
}

static comm_graph_options makeOptions(const Signature &signature, const Options &options) {
  comm_graph_options load = {};
  load.flags = COMM_GRAPH_DEDUPLICATE | COMM_GRAPH_GLOBAL_ORDER;
  if (signature.needsWeights)
    load.flags |= COMM_GRAPH_WEIGHTS;
  else if (signature.needsRealWeights)
    load.flags |= COMM_GRAPH_REAL_WEIGHTS;
  if (signature.needsIn)
    load.flags |= COMM_GRAPH_IN_EDGES;
  if (!signature.balancesEdges)
    load.flags |= COMM_GRAPH_EQUAL_VERTICES;
  if (options.undirected)
    load.flags |= COMM_GRAPH_SYMMETRIZE;
  if (options.quiet)
    load.flags |= COMM_GRAPH_QUIET;
  load.vertices = options.vertices;
  load.seed = static_cast<uint64_t>(options.seed);
  if (signature.needsWeights || signature.needsRealWeights) {
    load.weight_min = options.unitWeights ? 1 : options.weightMin;
    load.weight_max = options.unitWeights ? 1 : options.weightMax;
  }
  return load;
}

/* The time of process 0 outside of the run: reading arguments and writing output. */
struct Phases {
  double arguments = 0, output = 0;
};

/* Says how loops exchange that are compiled with --overlap. */
static const char *nameExchange(const comm_graph_run &run) {
  if (run.window.bytes)
    return "window";
  return run.travels.pulses ? "messages" : "library";
}

static void writeStats(const comm_graph_run &run, const comm_graph *graph, const std::vector<double> &seconds,
                       const comm_reduce_info &before, const Resident &resident, const Phases &phases, FILE *file) {
  comm_graph_info info;
  comm_graph_get_info(graph, &info);
  comm_reduce_info after;
  comm_reduce_get_info(run.view.reduce, &after);
  auto trials = static_cast<int64_t>(seconds.size());
  auto number = [&](const char *name, int64_t value, const char *end = ", ") {
    fprintf(file, "\"%s\": %lld%s", name, static_cast<long long>(value), end);
  };
  int64_t memory = 0;
  for (const Values *values : run.byNumber)
    memory += static_cast<int64_t>(values->memory.size()) * 8;
  fprintf(file, "{");
  number("processes", run.view.processes);
  number("vertices", info.vertices);
  number("edges", info.edges);
  number("cut_edges", info.cut_edges);
  number("ghosts", info.ghosts);
  number("edges_min", info.edges_min);
  number("edges_max", info.edges_max);
  number("graph_bytes", info.memory);
  number("graph_bytes_peak", info.memory_peak);
  number("property_bytes", memory);
  number("resident_start", resident.start);
  number("resident_load", resident.load);
  number("resident_run", resident.run);
  number("exchange_bytes_peak", static_cast<int64_t>(after.memory_peak));
  number("window_bytes", run.window.bytes);
  number("pulses", (after.pulses - before.pulses + run.travels.pulses) / trials);
  number("messages", (after.messages - before.messages + run.travels.messages) / trials);
  number("bytes", (after.bytes - before.bytes + run.travels.bytes) / trials);
  number("fetch_rounds", run.sweepRounds / trials);
  number("fetched", run.fetched / trials);
  number("pulled_levels", run.pulledLevels / trials);
  double wait = (after.wait_seconds - before.wait_seconds + run.travels.seconds) / static_cast<double>(trials), all = 0;
  for (double one : seconds)
    all += one;
  fprintf(file, "\"exchange\": \"%s\", ", nameExchange(run));
  if (!run.window.whyNot.empty())
    fprintf(file, "\"no_window\": \"%s\", ", run.window.whyNot.c_str());
  fprintf(file, "\"transport\": \"%s\", \"load_seconds\": %.6f, \"wait_seconds\": %.6f, ",
          comm_reduce_transport_name(after.transport), info.load_seconds, wait);
  fprintf(
      file,
      "\"phases\": {\"load\": %.6f, \"arguments\": %.6f, \"compute\": %.6f, \"exchange\": %.6f, \"output\": %.6f}, ",
      info.load_seconds, phases.arguments / static_cast<double>(trials),
      std::max(0.0, all / static_cast<double>(trials) - wait), wait, phases.output);
  fprintf(file, "\"seconds\": [");
  for (size_t i = 0; i < seconds.size(); ++i)
    fprintf(file, "%s%.6f", i ? ", " : "", seconds[i]);
  fprintf(file, "]}\n");
}

static std::string writeAll(comm_graph_run *run, const Signature &signature, const Options &options, int64_t result) {
  auto find = [&](const std::string &name) -> const Values * {
    const Values *found = nullptr;
    for (const Values *values : run->byNumber)
      if (values->name == name)
        found = values;
    return found;
  };
  for (const auto &[name, file] : options.outputs) {
    const Values *values = find(name);
    if (!values)
      return "the program has no property '" + name + "'";
    std::string error = writeProperty(run, *values, name, file);
    if (!error.empty())
      return error;
  }
  if (signature.result >= 0 && !run->view.rank)
    printf("result %s\n", formatValue(signature.result, &result).c_str());
  if (!options.prints)
    return "";
  std::vector<std::string> names = options.printed;
  if (names.empty())
    for (const Parameter &each : signature.parameters)
      if (each.kind >= Parameter::VertexProperty && !each.areWeights())
        names.push_back(each.name);
  for (const std::string &name : names) {
    const Values *values = find(name);
    if (!values)
      return "the program has no property '" + name + "'";
    if (!run->view.rank)
      printf("property %s\n", name.c_str());
    std::string error = writeProperty(run, *values, name, "-");
    if (!error.empty())
      return error;
  }
  return "";
}

/* Checks on process 0 that files can be written: an error before a long run is better than one after it. */
static std::string checkFiles(const Options &options, int rank) {
  std::vector<std::string> files;
  for (const auto &[name, file] : options.outputs)
    files.push_back(file);
  if (!options.stats.empty())
    files.push_back(options.stats);
  std::string error;
  for (size_t i = 0; i < files.size() && !rank && error.empty(); ++i) {
    FILE *opened = files[i] == "-" ? stdout : fopen(files[i].c_str(), "ab");
    if (!opened || (opened != stdout && fclose(opened)))
      error = cannotWrite(files[i]);
  }
  return ofFirst(error);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Signature signature = parseSignature(comm_graph_program_signature);
  Options options;
  std::string error = parseOptions(argc, argv, signature, options);
  if (!error.empty())
    return fail(signature, rank, error + " (--help lists all options)");
  if (options.help) {
    if (!rank)
      printf("%s", describeOptions(argv[0], signature).c_str());
    MPI_Finalize();
    return 0;
  }
  // For allocations that cannot return an error, among them all large arrays of a run.
  std::set_new_handler([] { stopWithoutMemory(0); });
  error = checkFiles(options, rank);
  if (!error.empty())
    return fail(signature, rank, error);
  comm_reduce *reduce;
  if (comm_reduce_create(MPI_COMM_WORLD, nullptr, &reduce))
    return fail(signature, rank, "the processes cannot exchange data");
  Resident resident = {residentBytes("VmRSS"), 0, 0};
  comm_graph *graph;
  comm_graph_options load = makeOptions(signature, options);
  if (int code = comm_graph_load(reduce, options.graph.c_str(), &load, &graph)) {
    if (!rank)
      fprintf(stderr, "%s%s\n", comm_graph_message(), adviceFor(code));
    comm_reduce_free(&reduce);
    return fail(signature, rank, "");
  }
  std::unique_ptr<comm_graph_run> run = makeRun(graph);
  resident.load = residentBytes("VmHWM");
  std::vector<double> seconds;
  Phases phases;
  int64_t result = 0;
  comm_reduce_info before;
  comm_reduce_get_info(reduce, &before);
  for (int trial = 0; trial < options.trials && error.empty(); ++trial) {
    Arguments arguments;
    double begin = MPI_Wtime();
    error = makeArguments(run.get(), signature, options, arguments);
    // A file may exist for one process and not for another.
    int isWrong = !error.empty(), anyWrong;
    MPI_Allreduce(&isWrong, &anyWrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (anyWrong) {
      error = isWrong || rank ? error : "an argument could not be read by another process";
      break;
    }
    phases.arguments += MPI_Wtime() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    comm_graph_program(run.get(), arguments.slots.data(), &result);
    double mine = MPI_Wtime() - start, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    seconds.push_back(slowest);
    if (options.trials > 1 && !rank)
      printf("Trial Time: %.6f\n", slowest);
  }
  resident.run = residentBytes("VmHWM");
  phases.output = -MPI_Wtime();
  if (error.empty())
    error = writeAll(run.get(), signature, options, result);
  phases.output += MPI_Wtime();
  if (error.empty() && !rank) {
    const std::string name = options.stats.empty() ? "-" : options.stats;
    FILE *file = name == "-" ? stdout : fopen(name.c_str(), "w");
    if (file && !options.stats.empty())
      writeStats(*run, graph, seconds, before, resident, phases, file);
    // Errors of writing may appear only when the file is flushed.
    if (!file || fflush(file) || (file != stdout && fclose(file)))
      error = cannotWrite(name);
    else if (fflush(stdout) || ferror(stdout))
      error = cannotWrite("-");
  }
  error = ofFirst(error);
  if (!error.empty())
    return fail(signature, rank, error);
  run.reset();
  comm_graph_free(&graph);
  comm_reduce_free(&reduce);
  MPI_Finalize();
  return 0;
}
