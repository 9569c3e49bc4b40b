// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the graphs of a list with one line each: name flags format vertices seed weight_min weight_max. Checks the
// invariants of each view, and prints a line with sizes or the error for each, and then, if the flag below is set, its
// edges: "from to weight", one line each, out-edges first and then in-edges.
#include "comm/graph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

static int rank, size;
constexpr unsigned Prints = 1u << 20;

static void expect(bool condition, const char *what) {
  if (condition)
    return;
  printf("wrong on process %d: %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static std::string listOf(const comm_graph_view &view,
                          const comm_graph_edges &edges) {
  std::ostringstream text;
  for (uint32_t v = 0; v < view.owned; ++v)
    for (int64_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
      text << view.first + v << ' '
           << comm_graph_global(&view, edges.neighbors[e]) << ' ';
      if (edges.weights)
        text << edges.weights[e];
      else if (edges.real_weights)
        text << edges.real_weights[e];
      else
        text << 0;
      text << '\n';
    }
  return text.str();
}

static void print(const std::string &mine) {
  int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<size_t>(size)),
      starts(static_cast<size_t>(size) + 1);
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0,
             MPI_COMM_WORLD);
  for (int p = 0; p < size; ++p)
    starts[static_cast<size_t>(p) + 1] =
        starts[static_cast<size_t>(p)] + lengths[static_cast<size_t>(p)];
  std::string all(static_cast<size_t>(starts.back()), ' ');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, &all[0], lengths.data(),
              starts.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (!rank)
    fputs(all.c_str(), stdout);
}

static void checkEdges(const comm_graph_view &view,
                       const comm_graph_edges &edges) {
  expect(edges.offsets[0] == 0, "the first offset is not 0");
  for (uint32_t v = 0; v < view.owned; ++v) {
    expect(edges.offsets[v] <= edges.offsets[v + 1], "offsets descend");
    for (int64_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
      expect(edges.neighbors[e] < view.owned + view.ghosts,
             "a neighbor out of range");
      expect(e == edges.offsets[v] ||
                 edges.neighbors[e - 1] <= edges.neighbors[e],
             "neighbors descend");
    }
  }
}

static void checkView(const comm_graph_view &view,
                      const comm_graph_info &info) {
  expect(view.rank == rank && view.processes == size,
         "rank or number of processes");
  std::vector<int64_t> bounds(static_cast<size_t>(size) + 1, view.vertices);
  MPI_Allgather(&view.first, 1, MPI_INT64_T, bounds.data(), 1, MPI_INT64_T,
                MPI_COMM_WORLD);
  expect(bounds[0] == 0 && bounds[static_cast<size_t>(rank) + 1] - view.first ==
                               view.owned,
         "the owned range");
  expect(view.partners < size &&
             view.partner_ghosts[view.partners] == view.owned + view.ghosts &&
             (!view.partners || view.partner_ghosts[0] == view.owned),
         "ghost ranges");
  for (uint32_t g = view.owned; g < view.owned + view.ghosts; ++g) {
    int owner = comm_graph_owner(&view, g);
    int partner = comm_graph_find_partner(&view, owner);
    int64_t id = comm_graph_global(&view, g);
    expect(owner != rank && partner == comm_graph_partner(&view, g) &&
               g >= view.partner_ghosts[partner] &&
               g < view.partner_ghosts[partner + 1],
           "a ghost's owner");
    expect(id >= bounds[static_cast<size_t>(owner)] &&
               id < bounds[static_cast<size_t>(owner) + 1] &&
               view.partner_first[partner] == bounds[static_cast<size_t>(owner)],
           "a ghost's id");
    expect(g == view.owned || comm_graph_global(&view, g - 1) < id,
           "ghosts ascend");
  }
  checkEdges(view, view.out);
  if (view.in.offsets)
    checkEdges(view, view.in);
  // Ids of all, brought to the ghosts by the copies.
  std::vector<int64_t> ids(view.owned + view.ghosts, -1);
  for (uint32_t v = 0; v < view.owned; ++v)
    ids[v] = view.first + v;
  expect(
      !comm_copies_refresh(view.copies, ids.data(), sizeof(int64_t), nullptr),
      "copies");
  for (uint32_t v = 0; v < view.owned + view.ghosts; ++v)
    expect(ids[v] == comm_graph_global(&view, v), "what copies have");
  // Each vertex's edges and itself count one: no process has more than its share and one vertex.
  int64_t heaviest = 0;
  for (uint32_t v = 0; v < view.owned; ++v)
    heaviest =
        std::max(heaviest, view.out.offsets[v + 1] - view.out.offsets[v] + 1);
  MPI_Allreduce(MPI_IN_PLACE, &heaviest, 1, MPI_INT64_T, MPI_MAX,
                MPI_COMM_WORLD);
  int64_t mine = view.out.offsets[view.owned] + view.owned;
  expect(!view.is_symmetric ||
             mine <= (view.edges + view.vertices) / size + heaviest + 1,
         "the balance");
  expect(info.edges == view.edges && info.vertices == view.vertices &&
             info.memory_peak >= info.memory,
         "the report");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comm_reduce *reduce;
  expect(argc == 2 && !comm_reduce_create(MPI_COMM_WORLD, nullptr, &reduce),
         "start");
  std::ifstream list(argv[1]);
  std::string name;
  comm_graph_options options = {};
  while (list >> name >> options.flags >> options.format >> options.vertices >>
         options.seed >> options.weight_min >> options.weight_max) {
    bool prints = options.flags & Prints;
    options.flags = (options.flags & ~Prints) | COMM_GRAPH_QUIET;
    comm_graph *graph = nullptr;
    int code = comm_graph_load(reduce, name.c_str(), &options, &graph);
    if (code) {
      char first[600] = "", mine[600];
      snprintf(mine, sizeof mine, "%d %s", code, comm_graph_message());
      memcpy(first, mine, sizeof first);
      MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
      expect(!strcmp(first, mine) && !graph,
             "the error differs between processes");
      if (!rank)
        printf("== %s\n", mine);
      continue;
    }
    comm_graph_view view;
    comm_graph_info info;
    expect(!comm_graph_get_view(graph, &view) &&
               !comm_graph_get_info(graph, &info),
           "view and info");
    checkView(view, info);
    if (!rank)
      printf("== 0 %lld %lld %d\n", static_cast<long long>(view.vertices),
             static_cast<long long>(view.edges), view.is_symmetric);
    if (prints) {
      print(listOf(view, view.out));
      if (view.in.offsets) {
        if (!rank)
          printf("in\n");
        print(listOf(view, view.in));
      }
    }
    if (!rank)
      fflush(stdout);
    expect(!comm_graph_free(&graph) && !graph, "free");
  }
  comm_reduce_info info;
  comm_reduce_get_info(reduce, &info);
  comm_reduce_free(&reduce);
  if (!rank)
    printf("end\n");
  MPI_Finalize();
  return 0;
}
