// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that the program exchanges by MPI operations during iterations that update only this process's own vertices.
// A process gets either the values of all its vertices that this one has copies of, or the places and values of the
// changed ones, whichever is smaller. The number of bytes distinguishes the two.
#include "Run.h"

#include <algorithm>
#include <climits>
#include <utility>

using namespace comm::graphrun;

static Updates &of(comm_graph_updates *updates) { return *static_cast<Updates *>(updates); }

constexpr size_t PlaceBytes = 4;
/* Bytes of a value and its companions. */
static size_t valueBytes(const Updates &updates) { return updates.recordBytes - PlaceBytes; }

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
    votes.max[0] = !isSlow || std::max(most, lent) > INT_MAX / MostUpdateBytes;
    check(run, comm_reduce_vote(view.reduce, &votes), "comm_reduce_vote");
    run->updatesTravel = !votes.max[0];
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

void comm::graphrun::countBytes(const Updates &updates, std::vector<int> &bytes) {
  const comm_graph_view &view = updates.run->view;
  bytes.assign(static_cast<size_t>(view.partners), 0);
  for (uint32_t local : updates.list)
    if (local >= updates.values->owned)
      ++bytes[static_cast<size_t>(comm_graph_partner(&view, local))];
  for (int i = 0; i < view.partners; ++i) {
    int &count = bytes[static_cast<size_t>(i)];
    auto all = static_cast<size_t>(view.partner_ghosts[i + 1] - view.partner_ghosts[i]) * valueBytes(updates);
    count = static_cast<int>(std::min(static_cast<size_t>(count) * updates.recordBytes, all));
  }
}

void comm::graphrun::writeUpdates(Updates &updates, const std::vector<int> &bytes, const std::vector<char *> &to) {
  const Values &values = *updates.values;
  const comm_graph_view &view = updates.run->view;
  std::vector<char *> next(to);
  for (int i = 0; i < view.partners; ++i) {
    auto p = static_cast<size_t>(i);
    int64_t first = view.partner_ghosts[i], end = view.partner_ghosts[i + 1];
    if (static_cast<size_t>(bytes[p]) < static_cast<size_t>(end - first) * valueBytes(updates))
      continue;
    // Unchanged values have no effect at the owner: they are identities or bounds.
    char *place = std::exchange(next[p], nullptr);
    for (int64_t local = first; local < end; ++local)
      place = writeValues(updates, local, place);
  }
  for (uint32_t local : updates.list) {
    if (local < values.owned)
      continue;
    char *&place = next[static_cast<size_t>(comm_graph_partner(&view, local))];
    if (!place)
      continue;
    memcpy(place, &view.ghost_index[local - values.owned], PlaceBytes);
    place = writeValues(updates, local, place + PlaceBytes);
  }
  releaseGhosts(updates);
}

void *comm_graph_run_updates_pack(comm_graph_updates *handle) {
  Updates &updates = of(handle);
  const comm_graph_view &view = updates.run->view;
  Traveling &traveling = updates.traveling;
  for (std::vector<int> &each : traveling.counts)
    each.assign(static_cast<size_t>(view.processes), 0);
  std::vector<int> &counts = traveling.counts[COMM_GRAPH_SEND_COUNTS],
                   &places = traveling.counts[COMM_GRAPH_SEND_PLACES], bytes;
  countBytes(updates, bytes);
  size_t total = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto p = static_cast<size_t>(view.partner_ranks[i]);
    counts[p] = bytes[i];
    places[p] = static_cast<int>(total);
    total += static_cast<size_t>(bytes[i]);
  }
  traveling.packed.resize(total / 8 + 1);
  char *packed = reinterpret_cast<char *>(traveling.packed.data());
  std::vector<char *> to;
  for (int i = 0; i < view.partners; ++i)
    to.push_back(packed + places[static_cast<size_t>(view.partner_ranks[i])]);
  writeUpdates(updates, bytes, to);
  // Counts go to all processes, data only to those that get some.
  Travels &travels = updates.run->travels;
  const int others = view.processes - 1;
  ++travels.pulses;
  travels.messages += others + std::count_if(bytes.begin(), bytes.end(), [](int each) { return each > 0; });
  travels.bytes += others * static_cast<int64_t>(sizeof(int)) + static_cast<int64_t>(total);
  return packed;
}

void *comm_graph_run_updates_arrivals(comm_graph_updates *handle, const int *recv_counts) {
  Updates &updates = of(handle);
  comm_graph_run_waited(updates.run);
  Traveling &traveling = updates.traveling;
  size_t total = 0;
  std::vector<int> &places = traveling.counts[COMM_GRAPH_RECV_PLACES];
  for (size_t p = 0; p < places.size(); ++p) {
    places[p] = static_cast<int>(total);
    total += static_cast<size_t>(recv_counts[p]);
  }
  traveling.arrived.resize(total / 8 + 1);
  return traveling.arrived.data();
}

void comm::graphrun::applyArrived(Updates &updates, const uint32_t *places, int64_t count, const char *from,
                                  int64_t bytes) {
  const char *end = from + bytes;
  if (bytes == count * static_cast<int64_t>(valueBytes(updates))) {
    for (int64_t i = 0; i < count; ++i)
      applySent(updates, places[i], from);
    return;
  }
  while (from < end) {
    uint32_t place;
    memcpy(&place, from, PlaceBytes);
    from += PlaceBytes;
    applySent(updates, place, from);
  }
}

void comm_graph_run_updates_arrive(comm_graph_updates *handle, const void *arrivals, const int *recv_counts,
                                   const int *recv_places) {
  Updates &updates = of(handle);
  comm_graph_run_waited(updates.run);
  updates.values->changes = nullptr;
  // Apply in the order of ranks, so that sums are added in the same order in each run.
  forEachLent(updates.run->view, [&](int p, const uint32_t *places, int64_t count) {
    applyArrived(updates, places, count, static_cast<const char *>(arrivals) + recv_places[p], recv_counts[p]);
  });
  endUpdates(updates);
}
