// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that the program exchanges by MPI operations during iterations that update only this process's own vertices.
// A process gets a part (comm/reduce.h): a value is that of a vertex, with those of companions, and its position is
// among the vertices of that process that this one has copies of.
#include "Run.h"

#include <algorithm>
#include <climits>

using namespace comm::graphrun;

static Updates &of(comm_graph_updates *updates) { return *static_cast<Updates *>(updates); }

/* Bytes of a value and its companions. */
static size_t valueBytes(const Updates &updates) {
  size_t bytes = 0;
  for (size_t i = 0; i < updates.slotCount(); ++i)
    bytes += sizeOf((i ? updates.companions[i - 1] : updates.values)->type);
  return bytes;
}

int comm_graph_run_updates_travel(comm_graph_run *run) {
  const comm_graph_view &view = run->view;
  if (view.processes == 1 || run->window.isWanted)
    return run->window.isOpen;
  if (run->updatesTravel < 0) {
    comm_reduce_info info;
    comm_reduce_get_info(view.reduce, &info);
    int64_t most = view.ghosts, lent = 0;
    forEachLent(view, [&](int, const uint32_t *, int64_t count) { lent += count; });
    // Within a node receivers read the data in place. In the sparse transport each process has few partners.
    bool isSlow = info.transport == COMM_REDUCE_MESSAGES || info.transport == COMM_REDUCE_WINDOW;
    comm_reduce_votes votes = {};
    votes.max[0] = isSlow ? std::max(most, lent) : INT64_MAX;
    check(run, comm_reduce_vote(view.reduce, &votes), "comm_reduce_vote");
    run->mostBorder = votes.max[0];
    run->updatesTravel = run->mostBorder <= INT_MAX / MostUpdateBytes;
  }
  return run->updatesTravel;
}

void comm_graph_run_waits(comm_graph_run *run) { run->travels.since = MPI_Wtime(); }

void comm_graph_run_waited(comm_graph_run *run) {
  Travels &travels = run->travels;
  if (travels.since > 0)
    travels.seconds += MPI_Wtime() - travels.since;
  travels.since = 0;
}

const comm_graph_border *comm_graph_run_border(comm_graph_run *run) {
  const comm_graph_topology &graph = run->topology;
  Border &border = run->border;
  if (border.marks)
    return &border;
  border.marked.assign(static_cast<size_t>(graph.owned) + 1, 0);
  auto add = [&](const int64_t *offsets, const uint32_t *neighbors) {
    for (int64_t v = 0; offsets && v < graph.owned; ++v)
      for (int64_t e = offsets[v]; e < offsets[v + 1] && !border.marked[static_cast<size_t>(v)]; ++e)
        border.marked[static_cast<size_t>(v)] = neighbors[e] >= graph.owned;
  };
  add(graph.out_offsets, graph.out_neighbors);
  add(graph.in_offsets, graph.in_neighbors);
  for (int64_t v = 0; v < graph.owned; ++v)
    if (border.marked[static_cast<size_t>(v)])
      border.list.push_back(static_cast<uint32_t>(v));
  border.marks = border.marked.data();
  border.count = static_cast<int64_t>(border.list.size());
  border.vertices = border.list.data();
  return &border;
}

int *comm_graph_run_updates_counts(comm_graph_updates *handle, int which) {
  return of(handle).traveling.counts[which].data();
}

static char *writeValues(const Updates &updates, int64_t local, char *to) {
  for (size_t i = 0; i < updates.slotCount(); ++i) {
    const Values &values = *(i ? updates.companions[i - 1] : updates.values);
    memcpy(to, values.at(local), sizeOf(values.type));
    to += sizeOf(values.type);
  }
  return to;
}

void comm::graphrun::sortUpdates(Updates &updates) {
  const int64_t owned = updates.values->owned, size = updates.values->size;
  std::vector<uint32_t> &ghosts = updates.traveling.ghosts;
  ghosts.clear();
  for (uint32_t local : updates.list)
    if (local >= owned)
      ghosts.push_back(local);
  constexpr int64_t few = 16; // one ghost in this many: looking at all costs less than sorting more
  if (static_cast<int64_t>(ghosts.size()) <= (size - owned) / few) {
    std::sort(ghosts.begin(), ghosts.end());
    return;
  }
  ghosts.clear();
  for (int64_t local = owned; local < size; ++local)
    if (updates.marks[local])
      ghosts.push_back(static_cast<uint32_t>(local));
}

size_t comm::graphrun::mostBytes(const Updates &updates, int partner) {
  const uint32_t *ghosts = updates.run->view.partner_ghosts;
  return comm_part_most(static_cast<size_t>(ghosts[partner + 1] - ghosts[partner]), valueBytes(updates));
}

size_t comm::graphrun::writeUpdates(Updates &updates, int partner, char *to) {
  const uint32_t *all = updates.run->view.partner_ghosts;
  const std::vector<uint32_t> &ghosts = updates.traveling.ghosts;
  const uint32_t first = all[partner];
  const auto of = static_cast<size_t>(all[partner + 1] - all[partner]);
  auto begin = std::lower_bound(ghosts.begin(), ghosts.end(), first);
  std::vector<uint32_t> &positions = updates.traveling.positions;
  positions.clear();
  for (; begin != ghosts.end() && *begin - first < of; ++begin)
    positions.push_back(*begin - first);
  if (positions.empty())
    return 0;
  // Unchanged values have no effect at the owner: they are identities or bounds.
  const bool isAll = comm_part_is_all(positions.size(), of, valueBytes(updates));
  comm_part part;
  comm_part_write(to, SIZE_MAX, 0, isAll ? nullptr : positions.data(), isAll ? of : positions.size(),
                  valueBytes(updates), &part);
  char *value = part.values;
  for (size_t i = 0; i < part.count; ++i)
    value = writeValues(updates, first + (isAll ? i : positions[i]), value);
  return part.bytes;
}

void *comm_graph_run_updates_pack(comm_graph_updates *handle) {
  Updates &updates = of(handle);
  const comm_graph_view &view = updates.run->view;
  Traveling &traveling = updates.traveling;
  for (std::vector<int> &each : traveling.counts)
    each.assign(static_cast<size_t>(view.processes), 0);
  std::vector<int> &counts = traveling.counts[COMM_GRAPH_SEND_COUNTS],
                   &places = traveling.counts[COMM_GRAPH_SEND_PLACES];
  sortUpdates(updates);
  size_t most = 0, total = 0;
  for (int i = 0; i < view.partners; ++i)
    most += mostBytes(updates, i);
  traveling.packed.resize(most / 8 + 1);
  char *packed = reinterpret_cast<char *>(traveling.packed.data());
  for (int i = 0; i < view.partners; ++i) {
    auto p = static_cast<size_t>(view.partner_ranks[i]);
    size_t bytes = writeUpdates(updates, i, packed + total);
    counts[p] = static_cast<int>(bytes);
    places[p] = static_cast<int>(total);
    total += bytes;
  }
  releaseGhosts(updates);
  // Counts go to all processes, data only to those that get some.
  Travels &travels = updates.run->travels;
  const int others = view.processes - 1;
  ++travels.pulses;
  travels.messages += others + std::count_if(counts.begin(), counts.end(), [](int each) { return each > 0; });
  travels.bytes += others * static_cast<int64_t>(sizeof(int)) + static_cast<int64_t>(total);
  return packed;
}

void *comm::graphrun::placeArrivals(Traveling &traveling, const int *recvCounts) {
  size_t total = 0;
  std::vector<int> &places = traveling.counts[COMM_GRAPH_RECV_PLACES];
  for (size_t p = 0; p < places.size(); ++p) {
    places[p] = static_cast<int>(total);
    total += static_cast<size_t>(recvCounts[p]);
  }
  traveling.arrived.resize(total / 8 + 1);
  return traveling.arrived.data();
}

void *comm_graph_run_updates_arrivals(comm_graph_updates *handle, const int *recv_counts) {
  Updates &updates = of(handle);
  comm_graph_run_waited(updates.run);
  return placeArrivals(updates.traveling, recv_counts);
}

void comm::graphrun::applyArrived(Updates &updates, const uint32_t *places, int64_t count, const char *from) {
  std::vector<uint32_t> &positions = updates.traveling.positions;
  positions.resize(std::max(positions.size(), static_cast<size_t>(count)));
  comm_part part;
  comm_part_read(from, valueBytes(updates), positions.data(), &part);
  const char *value = part.values;
  for (size_t i = 0; i < part.count; ++i)
    applySent(updates, places[part.positions ? part.positions[i] : part.first + i], value);
}

void comm_graph_run_updates_arrive(comm_graph_updates *handle, const void *arrivals, const int *recv_counts,
                                   const int *recv_places) {
  Updates &updates = of(handle);
  comm_graph_run_waited(updates.run);
  updates.values->changes = nullptr;
  // Apply in the order of ranks, so that sums are added in the same order in each run.
  forEachLent(updates.run->view, [&](int p, const uint32_t *places, int64_t count) {
    if (recv_counts[p])
      applyArrived(updates, places, count, static_cast<const char *>(arrivals) + recv_places[p]);
  });
  endUpdates(updates);
}
