// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search, level by level.
#include "Run.h"

#include <algorithm>

using namespace comm::graphrun;

namespace {
struct Search {
  int32_t *levels;
  int32_t level;
  std::vector<uint32_t> next;

  void reach(uint32_t local) {
    if (levels[local] >= 0)
      return;
    levels[local] = level;
    next.push_back(local);
  }
};
} // namespace

static void hear(void *context, int, const void *records, size_t count) {
  auto &search = *static_cast<Search *>(context);
  const auto *places = static_cast<const uint32_t *>(records);
  for (size_t i = 0; i < count; ++i)
    search.reach(places[i]);
}

const comm_graph_levels *comm_graph_run_levels(comm_graph_run *run, int64_t site, int64_t root, const char *place) {
  checkIndex(run, /*isEdge=*/false, root, place);
  std::unique_ptr<Levels> &result = run->levels[site];
  if (!result)
    result = std::make_unique<Levels>();
  Values *values = makeValues(run, -3, site, /*isEdges=*/false, COMM_GRAPH_INT32, "");
  result->of = values;
  result->order.clear();
  result->starts.assign(1, 0);
  const comm_graph_topology &graph = run->topology;
  const comm_graph_view &view = run->view;
  Search search = {static_cast<int32_t *>(values->data), 0, {}};
  std::fill_n(search.levels, values->size, -1);
  comm_reduce_lists *lists;
  check(run, comm_reduce_lists_create(view.reduce, 4, &lists), "comm_reduce_lists_create");
  if (run->owns(root))
    search.reach(static_cast<uint32_t>(root - graph.first));
  std::vector<uint32_t> frontier;
  comm_reduce_votes votes = {};
  do {
    frontier.swap(search.next);
    search.next.clear();
    std::sort(frontier.begin(), frontier.end());
    result->order.insert(result->order.end(), frontier.begin(), frontier.end());
    result->starts.push_back(static_cast<int64_t>(result->order.size()));
    ++search.level;
    for (uint32_t v : frontier)
      for (int64_t e = graph.out_offsets[v]; e < graph.out_offsets[v + 1]; ++e) {
        uint32_t to = graph.out_neighbors[e];
        if (search.levels[to] >= 0)
          continue;
        if (to < graph.owned) {
          search.reach(to);
          continue;
        }
        // Assume this level until the owner's level arrives: a ghost is reached only once.
        search.levels[to] = search.level;
        uint32_t index = view.ghost_index[to - view.owned];
        memcpy(comm_reduce_append(lists, comm_graph_owner(&view, to)), &index, 4);
      }
    check(run, comm_reduce_deliver(lists, hear, &search, nullptr), "comm_reduce_deliver");
    votes = {};
    votes.sum[0] = static_cast<int64_t>(search.next.size());
    check(run, comm_reduce_vote(view.reduce, &votes), "comm_reduce_vote");
  } while (votes.sum[0]);
  comm_reduce_lists_free(&lists);
  values->ghosts = Ghosts::Stale;
  comm_graph_run_refresh(values);
  result->count = static_cast<int64_t>(result->starts.size()) - 1;
  result->vertices = result->order.data();
  result->offsets = result->starts.data();
  return result.get();
}

const comm_graph_row *comm_graph_run_shared_level(comm_graph_run *run, int64_t site, const comm_graph_levels *levels,
                                                  int64_t level) {
  Row &row = run->shared[site];
  int64_t begin = levels->offsets[level], end = levels->offsets[level + 1];
  std::vector<int64_t> mine;
  for (int64_t i = begin; i < end; ++i)
    mine.push_back(run->topology.first + levels->vertices[i]);
  int processes;
  MPI_Comm_size(run->comm, &processes);
  std::vector<int> counts(static_cast<size_t>(processes)), places(counts.size());
  auto count = static_cast<int>(mine.size());
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, run->comm);
  int total = 0;
  for (size_t p = 0; p < counts.size(); ++p) {
    places[p] = total;
    total += counts[p];
  }
  // Owners have ranges of numbers in the order of their ranks, and so do their parts of the level.
  row.memory.resize(static_cast<size_t>(total));
  MPI_Allgatherv(mine.data(), count, MPI_INT64_T, row.memory.data(), counts.data(), places.data(), MPI_INT64_T,
                 run->comm);
  row.count = total;
  row.first_edge = 0;
  row.neighbors = row.memory.data();
  return &row;
}
