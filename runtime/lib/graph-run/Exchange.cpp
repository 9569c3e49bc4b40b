// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers that overlap the exchange of ghosts: the program exchanges them by one MPI operation and gathers from its own
// vertices in the meantime.
#include "Run.h"

#include <algorithm>
#include <climits>

using namespace comm::graphrun;

const comm_graph_exchange *comm_graph_run_exchange(comm_graph_run *run) {
  Exchange &exchange = run->exchange;
  if (!exchange.send_counts) {
    const comm_graph_view &view = run->view;
    auto processes = static_cast<size_t>(view.processes);
    for (std::vector<int> *each :
         {&exchange.sendCounts, &exchange.sendPlaces, &exchange.recvCounts, &exchange.recvPlaces})
      each->assign(processes, 0);
    int64_t lent = 0;
    forEachLent(view, [&](int p, const uint32_t *, int64_t count) {
      // Counts are 32-bit numbers; comm_graph_run_travels has checked that.
      exchange.sendCounts[static_cast<size_t>(p)] = static_cast<int>(count);
      exchange.sendPlaces[static_cast<size_t>(p)] = static_cast<int>(lent);
      lent += count;
    });
    for (int i = 0; i < view.partners; ++i) {
      auto p = static_cast<size_t>(view.partner_ranks[i]);
      exchange.recvCounts[p] = static_cast<int>(view.partner_ghosts[i + 1] - view.partner_ghosts[i]);
      exchange.recvPlaces[p] = static_cast<int>(view.partner_ghosts[i] - view.owned);
    }
    exchange.send_counts = exchange.sendCounts.data();
    exchange.send_places = exchange.sendPlaces.data();
    exchange.recv_counts = exchange.recvCounts.data();
    exchange.recv_places = exchange.recvPlaces.data();
  }
  return &exchange;
}

int comm_graph_run_travels(comm_graph_run *run, const comm_graph_values *handle) {
  const Values &values = *static_cast<const Values *>(handle);
  if (values.isEdges || values.ghosts == Ghosts::Fresh || run->view.processes == 1)
    return 0;
  if (run->window.isWanted)
    return run->window.isOpen;
  if (run->exchange.decision < 0) {
    comm_reduce_info info;
    comm_reduce_get_info(run->view.reduce, &info);
    // Within a node receivers read the data in place, so there is no time to hide.
    int64_t most = run->view.ghosts, lent = 0;
    forEachLent(run->view, [&](int, const uint32_t *, int64_t count) { lent += count; });
    comm_reduce_votes votes = {};
    votes.max[0] = std::max(most, lent) > INT_MAX || info.transport == COMM_REDUCE_SHARED;
    check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
    run->exchange.decision = !votes.max[0];
  }
  return run->exchange.decision;
}

void *comm_graph_run_pack(comm_graph_run *run, int64_t site, const comm_graph_values *handle) {
  const Values &values = *static_cast<const Values *>(handle);
  // Each site has its own buffer, because another exchange may be in progress.
  Array<int64_t> &packed = run->gathers[site].packed;
  size_t size = sizeOf(values.type), lent = 0;
  forEachLent(run->view, [&](int, const uint32_t *, int64_t count) { lent += static_cast<size_t>(count); });
  packed.resize(lent * size / 8 + 1);
  char *to = reinterpret_cast<char *>(packed.data());
  forEachLent(run->view, [&](int, const uint32_t *places, int64_t count) {
    auto take = [&](auto *target, const auto *from) {
      for (int64_t i = 0; i < count; ++i)
        target[i] = from[places[i]];
    };
    if (size == 8)
      take(reinterpret_cast<int64_t *>(to), static_cast<const int64_t *>(values.data));
    else
      take(reinterpret_cast<int32_t *>(to), static_cast<const int32_t *>(values.data));
    to += static_cast<size_t>(count) * size;
    ++run->travels.messages;
  });
  ++run->travels.pulses;
  run->travels.bytes += static_cast<int64_t>(lent * size);
  return packed.data();
}

void *comm_graph_run_arrivals(comm_graph_run *run, int64_t site, const comm_graph_values *handle) {
  const Values &values = *static_cast<const Values *>(handle);
  Array<int64_t> &arrived = run->gathers[site].arrived;
  arrived.resize(static_cast<size_t>(values.size - values.owned) * sizeOf(values.type) / 8 + 1);
  return arrived.data();
}

void comm_graph_run_arrive(comm_graph_values *handle, const void *arrivals) {
  auto &values = *static_cast<Values *>(handle);
  comm_graph_run_waited(values.run);
  memcpy(values.at(values.owned), arrivals, static_cast<size_t>(values.size - values.owned) * sizeOf(values.type));
  values.ghosts = Ghosts::Fresh;
  values.isIntact = true;
  values.sent.isThere = false;
}

//===----------------------------------------------------------------------===//
// Gathers in two parts
//===----------------------------------------------------------------------===//

/* Selects the edges to owned vertices, or those to ghosts. */
static void select(const comm_graph_edges &all, uint32_t owned, bool wantsGhosts, Part &part) {
  part.offsets.assign(1, 0);
  part.neighbors.clear();
  for (uint32_t v = 0; v < owned; ++v) {
    for (int64_t e = all.offsets[v]; e < all.offsets[v + 1]; ++e)
      if (uint32_t to = all.neighbors[e]; (to >= owned) == wantsGhosts)
        part.neighbors.push_back(wantsGhosts ? to - owned : to);
    part.offsets.push_back(static_cast<int64_t>(part.neighbors.size()));
  }
  part.edges = {part.offsets.data(), part.neighbors.data(), nullptr, nullptr};
}

void *comm_graph_run_gather_begin(comm_graph_run *run, int64_t site, int isIn, int kind,
                                  const comm_graph_values *handle) {
  const Values &values = *static_cast<const Values *>(handle);
  const comm_graph_view &view = run->view;
  Gathered &gathered = run->gathers[site];
  size_t bytes = sizeOf(values.type);
  if (!gathered.parts[0].gather) {
    const comm_graph_edges &edges = isIn && !view.is_symmetric ? view.in : view.out;
    for (int ghosts : {0, 1}) {
      Part &part = gathered.parts[ghosts];
      select(edges, view.owned, ghosts != 0, part);
      check(run,
            comm_gather_create(&part.edges, view.owned, ghosts ? view.ghosts : view.owned, bytes, COMM_GATHER_AUTO,
                               &part.gather),
            "comm_gather_create");
    }
  }
  gathered.kind = kind;
  gathered.type = values.type;
  fillIdentity(gathered, view.owned, bytes);
  return gathered.memory.data();
}

static void gatherPart(const comm_graph_run *run, int64_t site, int ghosts, const void *from, void *to, int part,
                       int parts) {
  const Gathered &gathered = run->gathers.at(site);
  comm_gather_run_part(gathered.parts[ghosts].gather, reductionType(gathered.type), reductionOp(gathered.kind), from,
                       to, part, parts);
}

void comm_graph_run_gather_own(const comm_graph_run *run, int64_t site, const void *owned, void *result, int64_t part) {
  gatherPart(run, site, 0, owned, result, static_cast<int>(part), COMM_GRAPH_GATHER_PARTS);
}
void comm_graph_run_gather_rest(const comm_graph_run *run, int64_t site, const void *arrivals, void *result) {
  gatherPart(run, site, 1, arrivals, result, 0, 1);
}
