// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PageRank: each iteration pulls from neighbors, with a gather that is blocked for the cache if that pays off. Its
// preparation is part of the measured run.
#include "prototype.h"

#include <cstdio>

Values<float> pagerank(const comm_graph_view &graph, int iterations) {
  const uint32_t owned = graph.owned, all = owned + graph.ghosts;
  const float damping = 0.85f, base = (1 - damping) / static_cast<float>(graph.vertices);
  Values<float> score(owned), share(all), factor(owned), sum(owned);
  for (uint32_t v = 0; v < owned; ++v) {
    int64_t degree = graph.out.offsets[v + 1] - graph.out.offsets[v];
    score[v] = 1 / static_cast<float>(graph.vertices);
    factor[v] = degree ? 1 / static_cast<float>(degree) : 0;
    share[v] = score[v] * factor[v];
    sum[v] = 0;
  }
  comm_gather *gather;
  CHECK(comm_gather_create(&graph.in, owned, all, sizeof(float), COMM_GATHER_AUTO, &gather));
  for (int iteration = 0; iteration < iterations; ++iteration) {
    CHECK(comm_copies_refresh(graph.copies, share.data, sizeof(float), nullptr));
    CHECK(comm_gather_run(gather, COMM_REDUCE_FLOAT, COMM_REDUCE_SUM, share.data, sum.data));
    for (uint32_t v = 0; v < owned; ++v) {
      score[v] = base + damping * sum[v];
      share[v] = score[v] * factor[v];
      sum[v] = 0;
    }
  }
  comm_gather_free(&gather);
  return score;
}
