// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines the values of neighbors for all vertices at once.
#include "Run.h"

#include <algorithm>

using namespace comm::graphrun;

int comm::graphrun::reductionType(int type) {
  switch (type) {
  case COMM_GRAPH_INT32:
    return COMM_REDUCE_INT32;
  case COMM_GRAPH_FLOAT:
    return COMM_REDUCE_FLOAT;
  case COMM_GRAPH_DOUBLE:
    return COMM_REDUCE_DOUBLE;
  default:
    return COMM_REDUCE_INT64;
  }
}

int comm::graphrun::reductionOp(int kind) {
  return kind == COMM_GRAPH_SUM ? COMM_REDUCE_SUM : kind == COMM_GRAPH_MIN ? COMM_REDUCE_MIN : COMM_REDUCE_MAX;
}

void comm::graphrun::fillIdentity(Gathered &gathered, int64_t owned, size_t bytes) {
  gathered.memory.resize(static_cast<size_t>(owned) * bytes / 8 + 1);
  int64_t identity = identityOf(gathered.kind, gathered.type);
  if (bytes == 4) {
    uint32_t narrow;
    memcpy(&narrow, &identity, 4);
    identity = static_cast<int64_t>(static_cast<uint64_t>(narrow) << 32 | narrow);
  }
  std::fill(gathered.memory.begin(), gathered.memory.end(), identity);
}

const void *comm_graph_run_gather(comm_graph_run *run, int64_t site, int isIn, int kind,
                                  const comm_graph_values *handle) {
  const Values &values = *static_cast<const Values *>(handle);
  const comm_graph_view &view = run->view;
  Gathered &gathered = run->gathers[site];
  size_t bytes = sizeOf(values.type);
  if (!gathered.gather) {
    const comm_graph_edges &edges = isIn && !view.is_symmetric ? view.in : view.out;
    check(run,
          comm_gather_create(&edges, view.owned, view.owned + view.ghosts, bytes, COMM_GATHER_AUTO, &gathered.gather),
          "comm_gather_create");
  }
  gathered.kind = kind;
  gathered.type = values.type;
  fillIdentity(gathered, view.owned, bytes);
  check(run,
        comm_gather_run(gathered.gather, reductionType(values.type), reductionOp(kind), values.data,
                        gathered.memory.data()),
        "comm_gather_run");
  return gathered.memory.data();
}
