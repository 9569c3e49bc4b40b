// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one of the four programs on a graph, a number of times:
//
//   prototype bfs|sssp|cc|pr GRAPH [--trials N] [--source V] [--delta D] [--iterations N] [--output FILE]
//             [--symmetrize 1]
//
// --symmetrize is for generated graphs, whose weights are 1 to 255.
// Prints a line "Trial Time: SECONDS" per trial, from a common start to the end of the last process, and finally one
// line of JSON with the cost of the graph and the exchange. FILE gets the values of all vertices, 4 bytes each.
#include "prototype.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <malloc.h>
#include <string>
#include <sys/resource.h>

namespace {

struct Options {
  std::string program, graph, output;
  int trials = 1, iterations = 20, symmetrize = 0;
  int64_t source = 0;
  int32_t delta = 0;
};

bool parse(int argc, char **argv, Options &options) {
  if (argc < 3)
    return false;
  options.program = argv[1];
  options.graph = argv[2];
  for (int i = 3; i + 1 < argc; i += 2) {
    std::string name = argv[i];
    const char *value = argv[i + 1];
    if (name == "--trials")
      options.trials = atoi(value);
    else if (name == "--source")
      options.source = atoll(value);
    else if (name == "--delta")
      options.delta = atoi(value);
    else if (name == "--iterations")
      options.iterations = atoi(value);
    else if (name == "--symmetrize")
      options.symmetrize = atoi(value);
    else if (name == "--output")
      options.output = value;
    else
      return false;
  }
  return argc % 2 == 1 &&
         (options.program == "bfs" || options.program == "sssp" || options.program == "cc" || options.program == "pr");
}

/* The range of weights divided by the number of edges per vertex: the edges of a vertex reach about one bucket. */
int32_t chooseDelta(const comm_graph_view &graph) {
  comm_reduce_votes votes = {};
  for (int64_t e = 0; e < graph.out.offsets[graph.owned]; ++e)
    votes.max[0] = std::max<int64_t>(votes.max[0], graph.out.weights[e]);
  CHECK(comm_reduce_vote(graph.reduce, &votes));
  int64_t degree = std::max<int64_t>(1, graph.edges / std::max<int64_t>(1, graph.vertices));
  return static_cast<int32_t>(std::max<int64_t>(1, votes.max[0] / degree));
}

void write(const comm_graph_view &graph, const std::string &name, const void *values) {
  MPI_File file;
  MPI_Comm comm;
  comm_reduce_get_comm(graph.reduce, &comm);
  CHECK(MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  MPI_File_write_at_all(file, 4 * graph.first, values, static_cast<int>(graph.owned), MPI_INT32_T, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Returns the peak memory of this process. */
double residentPeak() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

double cpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  MPI_Init(&argc, &argv);
  // Memory of one run serves the next, as in a long-running program.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT32_MAX);
  if (!parse(argc, argv, options)) {
    fprintf(stderr, "usage: prototype bfs|sssp|cc|pr GRAPH [--trials N] [--source V] [--delta D] [--iterations N] "
                    "[--output FILE]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  comm_reduce *reduce;
  CHECK(comm_reduce_create(MPI_COMM_WORLD, nullptr, &reduce));
  comm_graph_options load = {};
  load.flags = options.program == "sssp" ? COMM_GRAPH_WEIGHTS : options.program == "cc" ? 0 : COMM_GRAPH_IN_EDGES;
  if (options.symmetrize) {
    load.flags |= COMM_GRAPH_SYMMETRIZE | COMM_GRAPH_DROP_LOOPS;
    load.weight_min = 1;
    load.weight_max = options.program == "sssp" ? 255 : 0;
  }
  double resident[3] = {residentPeak()};
  comm_graph *graph;
  if (comm_graph_load(reduce, options.graph.c_str(), &load, &graph)) {
    comm_graph_view none = {};
    MPI_Comm_rank(MPI_COMM_WORLD, &none.rank);
    if (!none.rank)
      fprintf(stderr, "%s\n", comm_graph_message());
    MPI_Finalize();
    return 1;
  }
  resident[1] = residentPeak() - resident[0];
  comm_graph_view view;
  comm_graph_get_view(graph, &view);
  if (options.program == "cc" && !view.is_symmetric) {
    fprintf(stderr, "prototype: error: components of a graph whose edges have directions\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (options.program == "sssp" && !options.delta)
    options.delta = chooseDelta(view);
  comm_reduce_info before, after;
  comm_reduce_get_info(reduce, &before);
  double cpu = cpuSeconds(), all = 0;
  for (int trial = 0; trial < options.trials; ++trial) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    auto finish = [&](const auto &values) {
      double seconds = MPI_Wtime() - start, slowest;
      MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      all += slowest;
      if (!view.rank)
        printf("Trial Time: %.6f\n", slowest);
      if (trial + 1 == options.trials && !options.output.empty())
        write(view, options.output, values.data);
    };
    if (options.program == "bfs")
      finish(bfs(view, options.source));
    else if (options.program == "sssp")
      finish(sssp(view, options.source, options.delta));
    else if (options.program == "cc")
      finish(components(view));
    else
      finish(pagerank(view, options.iterations));
  }
  comm_reduce_get_info(reduce, &after);
  double mine[2] = {cpuSeconds() - cpu, after.wait_seconds - before.wait_seconds}, most[2];
  MPI_Reduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  resident[2] = residentPeak() - resident[0];
  double residents[3];
  MPI_Reduce(resident, residents, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  comm_graph_info info;
  comm_graph_get_info(graph, &info);
  if (!view.rank) {
    double trials = options.trials, edges = static_cast<double>(info.edges);
    printf(
        "{\"transport\": \"%s\", \"load_seconds\": %.3f, \"edges_min\": %lld, \"edges_max\": %lld, \"ghosts\": %lld, "
        "\"load_bytes_per_edge\": %.2f, \"run_bytes_per_edge\": %.2f, \"resident_load_per_edge\": %.2f, "
        "\"resident_run_per_edge\": %.2f, \"edges\": %lld, \"delta\": %d, \"pulses\": %.1f, "
        "\"messages\": %.1f, \"bytes\": %.0f, \"wait_seconds\": %.6f, \"cpu_seconds\": %.6f}\n",
        comm_reduce_transport_name(after.transport), info.load_seconds, static_cast<long long>(info.edges_min),
        static_cast<long long>(info.edges_max), static_cast<long long>(info.ghosts),
        static_cast<double>(info.memory_peak) / edges, static_cast<double>(info.memory) / edges, residents[1] / edges,
        residents[2] / edges, static_cast<long long>(info.edges), options.delta,
        static_cast<double>(after.pulses - before.pulses) / trials,
        static_cast<double>(after.messages - before.messages) / trials,
        static_cast<double>(after.bytes - before.bytes) / trials, most[1] / trials, most[0] / trials);
  }
  comm_graph_free(&graph);
  comm_reduce_free(&reduce);
  MPI_Finalize();
  return 0;
}
