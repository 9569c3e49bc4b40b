// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive functions.
#include "Run.h"

#include <algorithm>
#include <sys/resource.h>

using namespace comm::graphrun;

/* The stack reserved for calls at the end, and the maximum to use of a stack without a limit. */
static constexpr size_t ReservedBytes = size_t(1) << 18, MostStackBytes = size_t(1) << 30;

void comm_graph_run_enter(comm_graph_run *run, const char *name, const char *place) {
  const char *here = static_cast<const char *>(__builtin_frame_address(0));
  if (!run->stackBegin) {
    rlimit limit = {};
    bool isLimited = !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY;
    run->stackBytes = isLimited ? std::min(size_t(limit.rlim_cur), MostStackBytes) : MostStackBytes;
    // Part of the stack was in use before.
    run->stackBytes -= std::min(run->stackBytes / 2, ReservedBytes);
    run->stackBegin = here;
  }
  size_t used = run->stackBegin > here ? size_t(run->stackBegin - here) : size_t(here - run->stackBegin);
  if (used > run->stackBytes)
    stop(run, place,
         std::string("'") + name + "' calls itself too often: " + std::to_string(used >> 10) +
             " KB of the stack are in use; more are there with 'ulimit -s'");
}

const comm_graph_row *comm_graph_run_keep_row(comm_graph_run *run, const comm_graph_row *row) {
  auto copy = std::make_unique<Row>();
  copy->memory.assign(row->neighbors, row->neighbors + row->count);
  copy->count = row->count;
  copy->first_edge = row->first_edge;
  copy->neighbors = copy->memory.data();
  run->kept.push_back(std::move(copy));
  return run->kept.back().get();
}

void comm_graph_run_drop_row(comm_graph_run *run) { run->kept.pop_back(); }
