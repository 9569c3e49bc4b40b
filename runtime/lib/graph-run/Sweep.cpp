// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations request data of other processes: run, note what is missing, undo, fetch for all of them
// together, run again.
#include "Fetch.h"

#include <algorithm>
#include <climits>

using namespace comm::graphrun;

/* Maximum number of requests before a fetch, which bounds the memory. */
static constexpr size_t MostRequests = size_t(1) << 20;
/* Maximum size of other processes' rows that are kept between loops. */
static constexpr int64_t MostRowBytes = int64_t(1) << 28;

void comm_graph_run_log(comm_graph_run *run, void *bytes, int64_t count) {
  auto *from = static_cast<char *>(bytes);
  for (int64_t done = 0; done < count; done += 8) {
    LogEntry entry = {from + done, std::min<int64_t>(8, count - done), {}};
    memcpy(entry.old, entry.bytes, static_cast<size_t>(entry.count));
    run->log.push_back(entry);
  }
}

static void undo(comm_graph_run *run) {
  for (size_t i = run->log.size(); i-- > 0;) {
    const LogEntry &entry = run->log[i];
    if (entry.count == LogEntry::Listed)
      reinterpret_cast<std::vector<uint32_t> *>(entry.bytes)->pop_back();
    else
      memcpy(entry.bytes, entry.old, static_cast<size_t>(entry.count));
  }
}

/* Returns true if the iteration ran to its end with all the data it requested. */
static bool iterate(comm_graph_run *run, comm_graph_body *body, void *frame, int64_t local) {
  run->missed = false;
  run->current = local;
  run->log.clear();
  run->deferred.clear();
  run->deferredSlots.clear();
  if (!setjmp(run->leave))
    body(run, frame, local);
  if (run->missed) {
    undo(run);
    return false;
  }
  // The data was fetched for this iteration only.
  auto first = run->own.lower_bound({INT_MIN, INT64_MIN, local}), last = first;
  while (last != run->own.end() && last->first.iteration == local)
    ++last;
  run->own.erase(first, last);
  for (const Deferred &each : run->deferred) {
    run->sweeping = false; // apply immediately: the update is not undone
    apply(*each.updates, each.index, run->deferredSlots.data() + each.slots, each.place);
    run->sweeping = true;
  }
  return true;
}

void comm_graph_run_sweep(comm_graph_run *run, comm_graph_body *body, void *frame, const uint32_t *vertices,
                          int64_t count, int flags) {
  // Iterations that lacked data. Those from `next` on have not run yet.
  std::vector<int64_t> again, retry;
  int64_t next = 0;
  run->probes = flags & COMM_GRAPH_SWEEP_PROBES;
  run->caches = flags & COMM_GRAPH_SWEEP_CACHES;
  while (true) {
    run->sweeping = true;
    retry.swap(again);
    again.clear();
    for (int64_t local : retry)
      if (run->requests.size() >= MostRequests || !iterate(run, body, frame, local))
        again.push_back(local);
    for (; next < count && run->requests.size() < MostRequests; ++next) {
      int64_t local = vertices ? vertices[next] : next;
      if (!iterate(run, body, frame, local))
        again.push_back(local);
    }
    run->sweeping = false;
    run->missed = false;
    if (!exchange(run, static_cast<int64_t>(again.size()) + count - next))
      break;
  }
  for (Values *values : run->byNumber)
    values->cache.clear();
  const bool isForgotten = run->rowBytes > MostRowBytes || !run->caches;
  for (int isIn : {0, 1}) {
    run->endpointTable[isIn].clear();
    if (isForgotten) {
      run->rowTable[isIn].clear();
      run->rows[isIn].clear();
    }
  }
  if (isForgotten)
    run->rowBytes = 0;
}
