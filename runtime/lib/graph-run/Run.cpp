// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays of the graph, its owners, and how programs stop.
#include "Relax.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace comm::graphrun;

static std::string text(int64_t number) { return std::to_string(number); }

std::unique_ptr<comm_graph_run> comm::graphrun::makeRun(const comm_graph *graph) {
  auto run = std::make_unique<comm_graph_run>();
  comm_graph_get_view(graph, &run->view);
  const comm_graph_view &view = run->view;
  comm_reduce_get_comm(view.reduce, &run->comm);
  size_t size = static_cast<size_t>(view.owned) + view.ghosts;
  run->globals.resize(size);
  for (uint32_t local = 0; local < view.owned; ++local)
    run->globals[local] = static_cast<uint32_t>(view.first + local);
  for (int i = 0; i < view.partners; ++i)
    for (uint32_t local = view.partner_ghosts[i]; local < view.partner_ghosts[i + 1]; ++local)
      run->globals[local] = static_cast<uint32_t>(view.partner_first[i]) + view.ghost_index[local - view.owned];
  int64_t edges = view.out.offsets[view.owned], firstEdge = 0, allEdges = 0;
  MPI_Exscan(&edges, &firstEdge, 1, MPI_INT64_T, MPI_SUM, run->comm);
  MPI_Allreduce(&edges, &allEdges, 1, MPI_INT64_T, MPI_SUM, run->comm);
  if (!view.rank)
    firstEdge = 0; // MPI leaves it undefined
  check(
      run.get(),
      run->vertexOwners.create(view.reduce, run->comm, {view.first, view.first + view.owned, view.rank}, view.vertices),
      "the directory of vertices");
  check(run.get(), run->edgeOwners.create(view.reduce, run->comm, {firstEdge, firstEdge + edges, view.rank}, allEdges),
        "the directory of edges");
  const comm_graph_edges &in = view.is_symmetric ? view.out : view.in;
  run->topology = {view.vertices,    allEdges,           view.first, view.owned,   view.ghosts,        firstEdge,
                   view.out.offsets, view.out.neighbors, in.offsets, in.neighbors, run->globals.data()};
  return run;
}

comm_graph_run::comm_graph_run() = default;

comm_graph_run::~comm_graph_run() {
  for (auto &[site, each] : updates)
    comm_reduce_lists_free(&each->lists);
  for (auto &[site, each] : gathers)
    for (comm_gather **gather : {&each.gather, &each.parts[0].gather, &each.parts[1].gather})
      comm_gather_free(gather);
  for (auto &[site, each] : relaxations)
    comm_reduce_lists_free(&each->lists);
  for (comm_reduce_lists **lists : {&requestLists, &replyLists, &rowLists})
    if (*lists)
      comm_reduce_lists_free(lists);
}

int64_t comm_graph_run::toLocal(int64_t vertex) const {
  if (owns(vertex))
    return vertex - topology.first;
  // Ghosts ascend by global id.
  const uint32_t *begin = globals.data() + view.owned, *end = begin + view.ghosts;
  const uint32_t *found = std::lower_bound(begin, end, vertex);
  return found != end && *found == vertex ? view.owned + (found - begin) : -1;
}

std::vector<Range> comm::graphrun::findOwners(comm_graph_run *run, bool isEdges, const std::vector<int64_t> &indices) {
  std::vector<Range> found;
  check(run, (isEdges ? run->edgeOwners : run->vertexOwners).find(indices, found), "the directory");
  return found;
}

const comm_graph_topology *comm_graph_run_topology(const comm_graph_run *run) { return &run->topology; }

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

const char *comm::graphrun::nameOf(int type) {
  static const char *const names[] = {"i1", "i32", "i64", "f32", "f64", "!graph.vertex", "!graph.edge"};
  return names[type];
}

void comm::graphrun::stop(comm_graph_run *run, const char *place, const std::string &message) {
  // An iteration that lacks data computes with arbitrary values, so ignore its errors: it will run again.
  if (run->sweeping && run->missed)
    longjmp(run->leave, 1);
  fflush(stdout);
  fprintf(stderr, "%s: error: %s\n", place, message.c_str());
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

void comm::graphrun::stopWithoutMemory(size_t bytes) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fflush(stdout);
  // Formatting this message takes no memory from the heap.
  char lacks[60] = "has none left";
  if (bytes)
    snprintf(lacks, sizeof lacks, "got none for %zu bytes", bytes);
  fprintf(stderr, "graph program: error: not enough memory: process %d %s: run on more nodes, or raise the limit\n",
          rank, lacks);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

void comm::graphrun::check(comm_graph_run *run, int result, const char *what) {
  // COMM_GRAPH_ERR_MEMORY has the number of the transport error of comm/reduce.h, which no checked call returns.
  if (result == COMM_REDUCE_ERR_MEMORY || result == COMM_GRAPH_ERR_MEMORY)
    stop(run, "graph program",
         std::string("not enough memory for ") + what + ": run on more nodes, or raise the limit");
  if (result)
    stop(run, "graph program", std::string(what) + " failed with code " + std::to_string(result));
}

void comm_graph_run_stop(comm_graph_run *run, int reason, int64_t a, int64_t b, const char *what, const char *type,
                         const char *place) {
  std::string outside = std::string(" is outside of the range of '") + type + "'";
  switch (reason) {
  case COMM_GRAPH_STOP_ZERO:
    stop(run, place, "a division of " + text(a) + " by zero");
  case COMM_GRAPH_STOP_RESULT:
    stop(run, place, std::string("the result of ") + what + " " + text(a) + ", " + text(b) + outside);
  case COMM_GRAPH_STOP_RANGE:
    stop(run, place, "the number " + text(a) + outside);
  default:
    stop(run, place, std::string("the ") + what + " of " + text(a) + " and " + text(b) + outside);
  }
}

void comm_graph_run_stop_number(comm_graph_run *run, double number, const char *type, const char *place) {
  char digits[40];
  snprintf(digits, sizeof digits, "%g", number);
  stop(run, place, std::string("the number ") + digits + " is outside of the range of '" + type + "'");
}

void comm::graphrun::checkIndex(comm_graph_run *run, bool isEdge, int64_t index, const char *place) {
  int64_t size = isEdge ? run->topology.edges : run->topology.vertices;
  if (index >= 0 && index < size)
    return;
  // The result of an unsuccessful search for an edge.
  if (isEdge && index == -1)
    stop(run, place, "this is not an edge: the search found none, or none was given");
  const char *one = isEdge ? "edge " : "vertex ", *many = isEdge ? " edges" : " vertices";
  stop(run, place, std::string("there is no ") + one + text(index) + ": the graph has " + text(size) + many);
}

int comm_graph_run_owner(comm_graph_run *run, int isEdge, int64_t index, const char *place) {
  checkIndex(run, isEdge != 0, index, place);
  return static_cast<int>((isEdge ? run->edgeOwners : run->vertexOwners).findShared(index).rank);
}

void comm_graph_run_check(comm_graph_run *run, int isEdge, int64_t index, const char *place) {
  checkIndex(run, isEdge != 0, index, place);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

int64_t comm_graph_run_own_degree(const comm_graph_run *run, int isIn, int64_t vertex) {
  if (!run->owns(vertex))
    return 0;
  const int64_t *offsets = isIn ? run->topology.in_offsets : run->topology.out_offsets;
  int64_t local = vertex - run->topology.first;
  return offsets[local + 1] - offsets[local];
}

int64_t comm_graph_run_own_endpoint(const comm_graph_run *run, int isIn, int64_t edge) {
  if (!run->ownsEdge(edge))
    return 0;
  const comm_graph_topology &graph = run->topology;
  int64_t local = edge - graph.first_edge;
  if (isIn)
    return graph.globals[graph.out_neighbors[local]];
  return graph.first +
         (std::upper_bound(graph.out_offsets, graph.out_offsets + graph.owned + 1, local) - graph.out_offsets - 1);
}

int64_t comm::graphrun::findOwnEdge(const comm_graph_run *run, int64_t source, int64_t target) {
  const comm_graph_topology &graph = run->topology;
  int64_t place = run->toLocal(target);
  if (place < 0)
    return -1;
  const uint32_t *begin = graph.out_neighbors + graph.out_offsets[source - graph.first];
  const uint32_t *end = graph.out_neighbors + graph.out_offsets[source - graph.first + 1];
  // Neighbors ascend by global id.
  const uint32_t *found = std::lower_bound(
      begin, end, target, [&](uint32_t local, int64_t wanted) { return graph.globals[local] < wanted; });
  return found != end && *found == place ? graph.first_edge + (found - graph.out_neighbors) : -1;
}

int64_t comm_graph_run_own_find_edge(comm_graph_run *run, int64_t source, int64_t target) {
  return run->owns(source) ? findOwnEdge(run, source, target) : 0;
}

const comm_graph_row *comm_graph_run_shared_row(comm_graph_run *run, int64_t site, int isIn, int64_t vertex,
                                                const char *place) {
  int root = comm_graph_run_owner(run, 0, vertex, place);
  const comm_graph_topology &graph = run->topology;
  Row &row = run->shared[site];
  int64_t head[2] = {0, 0};
  if (run->owns(vertex)) {
    const int64_t *offsets = isIn ? graph.in_offsets : graph.out_offsets;
    const uint32_t *neighbors = isIn ? graph.in_neighbors : graph.out_neighbors;
    int64_t local = vertex - graph.first;
    row.memory.clear();
    for (int64_t e = offsets[local]; e < offsets[local + 1]; ++e)
      row.memory.push_back(graph.globals[neighbors[e]]);
    head[0] = static_cast<int64_t>(row.memory.size());
    head[1] = graph.first_edge + offsets[local];
  }
  MPI_Bcast(head, 2, MPI_INT64_T, root, run->comm);
  row.memory.resize(static_cast<size_t>(head[0]));
  MPI_Bcast(row.memory.data(), static_cast<int>(head[0]), MPI_INT64_T, root, run->comm);
  row.count = head[0];
  row.first_edge = head[1];
  row.neighbors = row.memory.data();
  return &row;
}
