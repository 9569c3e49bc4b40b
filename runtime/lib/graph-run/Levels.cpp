// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search, level by level, in either direction.
#include "Run.h"

#include <algorithm>

using namespace comm::graphrun;

namespace {
/* A level is found by a push, which looks at the edges of the level before, or by a pull, in which vertices without a
 * level look for a neighbor in the level before and stop at the first one. */
class Search {
public:
  Search(comm_graph_run *run, int32_t *levels) : run(run), view(run->view), graph(run->topology), levels(levels) {
    check(run, comm_reduce_lists_create(view.reduce, 4, &lists), "comm_reduce_lists_create");
  }
  ~Search() { comm_reduce_lists_free(&lists); }

  void reach(uint32_t local) {
    if (levels[local] >= 0)
      return;
    levels[local] = level;
    next.push_back(local);
    edges += graph.out_offsets[local + 1] - graph.out_offsets[local];
  }

  /* Finds the level after `frontier`. */
  void advance(const std::vector<uint32_t> &frontier, bool pulls) {
    ++level;
    edges = 0;
    next.clear();
    pulls ? pull(frontier) : push(frontier);
  }

  int32_t level = 0;
  std::vector<uint32_t> next;
  int64_t edges = 0; // of the vertices in `next`

private:
  static void hear(void *context, int, const void *records, size_t count) {
    auto &search = *static_cast<Search *>(context);
    const auto *places = static_cast<const uint32_t *>(records);
    for (size_t i = 0; i < count; ++i)
      search.reach(places[i]);
  }

  void push(const std::vector<uint32_t> &frontier) {
    for (uint32_t v : frontier)
      for (int64_t e = graph.out_offsets[v]; e < graph.out_offsets[v + 1]; ++e) {
        uint32_t to = graph.out_neighbors[e];
        if (levels[to] >= 0)
          continue;
        if (to < graph.owned) {
          reach(to);
          continue;
        }
        // Assume this level until the owner's level arrives: a ghost is reached only once.
        levels[to] = level;
        uint32_t index = view.ghost_index[to - view.owned];
        memcpy(comm_reduce_append(lists, comm_graph_owner(&view, to)), &index, 4);
      }
    check(run, comm_reduce_deliver(lists, hear, this, nullptr), "comm_reduce_deliver");
  }

  void pull(const std::vector<uint32_t> &frontier) {
    ++run->pulledLevels;
    bits.assign((static_cast<size_t>(view.owned) + view.ghosts) / 64 + 1, 0);
    for (uint32_t v : frontier)
      bits[v / 64] |= uint64_t(1) << (v % 64);
    check(run, comm_copies_refresh_bits(view.copies, bits.data(), nullptr), "comm_copies_refresh_bits");
    auto isInFrontier = [&](uint32_t v) { return bits[v / 64] >> (v % 64) & 1; };
    for (uint32_t v = 0; v < graph.owned; ++v) {
      if (levels[v] >= 0)
        continue;
      const uint32_t *end = graph.in_neighbors + graph.in_offsets[v + 1];
      if (std::find_if(graph.in_neighbors + graph.in_offsets[v], end, isInFrontier) != end)
        reach(v);
    }
    // So that no later push sends to them.
    for (uint32_t ghost = view.owned; ghost < view.owned + view.ghosts; ++ghost)
      if (levels[ghost] < 0 && isInFrontier(ghost))
        levels[ghost] = level - 1;
  }

  comm_graph_run *run;
  const comm_graph_view &view;
  const comm_graph_topology &graph;
  int32_t *levels;
  comm_reduce_lists *lists = nullptr;
  std::vector<uint64_t> bits; // owned vertices and ghosts in the frontier
};
} // namespace

const comm_graph_levels *comm_graph_run_levels(comm_graph_run *run, int64_t site, int64_t root, int mayPull,
                                               const char *place) {
  checkIndex(run, /*isEdge=*/false, root, place);
  std::unique_ptr<Levels> &result = run->levels[site];
  if (!result)
    result = std::make_unique<Levels>();
  Values *values = makeValues(run, -3, site, /*isEdges=*/false, COMM_GRAPH_INT32, "");
  result->of = values;
  result->order.clear();
  result->order.reserve(static_cast<size_t>(run->topology.owned)); // only pages that are written to take memory
  result->starts.assign(1, 0);
  const comm_graph_topology &graph = run->topology;
  std::fill_n(static_cast<int32_t *>(values->data), values->size, -1);
  Search search(run, static_cast<int32_t *>(values->data));
  if (run->owns(root))
    search.reach(static_cast<uint32_t>(root - graph.first));
  const bool hasInEdges = mayPull && graph.in_offsets;
  std::vector<uint32_t> frontier;
  int64_t unexplored = graph.edges;
  for (;;) {
    comm_reduce_votes votes = {};
    votes.sum[0] = static_cast<int64_t>(search.next.size());
    votes.sum[1] = search.edges;
    check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
    if (!votes.sum[0])
      break;
    frontier.swap(search.next);
    std::sort(frontier.begin(), frontier.end());
    result->order.insert(result->order.end(), frontier.begin(), frontier.end());
    result->starts.push_back(static_cast<int64_t>(result->order.size()));
    // A pull looks at all vertices, so few edges do not justify it even if they are the last ones.
    search.advance(frontier, hasInEdges && votes.sum[1] > std::max(unexplored / Alpha, graph.vertices / Beta));
    unexplored -= votes.sum[1];
  }
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
