// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Virtual topologies (MPI-4, 8).
#include "objects/Topology.h"
#include "collective/Create.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace comm::ranks;

namespace comm::ranks {

/// Finds the most balanced `count` factors of `left` among `divisors` (descending), in descending order and at most
/// `most`: those with the least difference between the first and the last (MPI-4, 8.5.2). Extends `factors`.
static void balance(const std::vector<int> &divisors, int left, size_t count, int most, std::vector<int> &factors,
                    std::vector<int> &best) {
  auto spread = [](const std::vector<int> &f) { return f.empty() ? 0 : f.front() - f.back(); };
  if (count == 0) {
    // Ties: prefer the largest last factor, then the least sum.
    auto rank = [&](const std::vector<int> &f) {
      return std::make_tuple(spread(f), f.empty() ? 0 : -f.back(), std::accumulate(f.begin(), f.end(), 0));
    };
    if (left == 1 && (best.empty() || rank(factors) < rank(best)))
      best = factors;
    return;
  }
  double root = std::pow(left, 1.0 / count) + 1e-9;
  // The last factor is at most the root of the remaining number.
  if (!factors.empty() && !best.empty() && factors.front() - root > spread(best))
    return;
  for (int factor : divisors) {
    // Descending: the first of the remaining factors is at least the root.
    if (factor + 1e-6 < root)
      return;
    if (factor > most || left % factor)
      continue;
    factors.push_back(factor);
    balance(divisors, left / factor, count - 1, factor, factors, best);
    factors.pop_back();
  }
}

static Topology *topologyOf(Comm *c, int kind) {
  return c->topology && c->topology->kind == kind ? c->topology.get() : nullptr;
}

/// Creates a communicator of the first `count` ranks, with a topology.
static Comm *withTopology(Comm *c, int count, std::shared_ptr<Topology> topology) {
  Comm *made = split(c, c->rank < count ? 0 : ABI_UNDEFINED, c->rank);
  if (made)
    made->topology = std::move(topology);
  return made;
}

} // namespace comm::ranks

#define TOPOLOGY_OR_FAIL(variable, kind, text)                                                                         \
  Topology *variable = topologyOf(c, kind);                                                                            \
  if (!variable)                                                                                                       \
  return fail(c, ABI_ERR_TOPOLOGY, "the communicator has no " text " topology")

extern "C" {

int comm_ranks_MPI_Topo_test(ABI_Comm comm, int *status) {
  COMM_OR_FAIL(c, comm);
  *status = c->topology ? c->topology->kind : ABI_UNDEFINED;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Dims_create(int nnodes, int ndims, int dims[]) {
  int64_t left = nnodes;
  std::vector<int> open;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 0)
      return fail(nullptr, ABI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
    if (dims[i] == 0)
      open.push_back(i);
    else if (left % dims[i])
      return fail(nullptr, ABI_ERR_DIMS, "%d nodes cannot be divided into the given dimensions", nnodes);
    else
      left /= dims[i];
  }
  if (nnodes <= 0 || (open.empty() && left != 1))
    return fail(nullptr, ABI_ERR_DIMS, "%d nodes cannot be divided into the given dimensions", nnodes);
  std::vector<int> divisors, factors, best;
  for (int i = 1; int64_t(i) * i <= left; ++i)
    if (left % i == 0) {
      divisors.push_back(i);
      if (i != left / i)
        divisors.push_back(left / i);
    }
  std::sort(divisors.rbegin(), divisors.rend());
  balance(divisors, left, open.size(), left, factors, best);
  for (size_t i = 0; i < open.size(); ++i)
    dims[open[i]] = best[i];
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cart_create(ABI_Comm comm_old, int ndims, const int dims[], const int periods[], int,
                               ABI_Comm *comm_cart) {
  COMM_OR_FAIL(c, comm_old);
  if (c->isInter())
    return fail(c, ABI_ERR_COMM, "an intercommunicator has no topology");
  if (ndims < 0)
    return fail(c, ABI_ERR_DIMS, "%d dimensions", ndims);
  auto topology = std::make_shared<Topology>();
  topology->kind = ABI_CART;
  int64_t count = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0)
      return fail(c, ABI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
    count *= dims[i];
    topology->dims.push_back(dims[i]);
    topology->periods.push_back(periods[i] != 0);
  }
  if (count > c->size)
    return fail(c, ABI_ERR_DIMS, "a grid of %ld ranks in a communicator of %d", static_cast<long>(count), c->size);
  *comm_cart = handleOf(withTopology(c, count, topology));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cartdim_get(ABI_Comm comm, int *ndims) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_CART, "Cartesian");
  *ndims = t->dims.size();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cart_get(ABI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_CART, "Cartesian");
  std::vector<int> here = t->coordinatesOf(c->rank);
  for (int i = 0; i < maxdims && i < static_cast<int>(here.size()); ++i) {
    dims[i] = t->dims[i];
    periods[i] = t->periods[i];
    coords[i] = here[i];
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cart_rank(ABI_Comm comm, const int coords[], int *rank) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_CART, "Cartesian");
  *rank = t->rankOf(std::vector<int>(coords, coords + t->dims.size()));
  if (*rank == ABI_PROC_NULL)
    return fail(c, ABI_ERR_ARG, "a coordinate is outside of a dimension that is not periodic");
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cart_coords(ABI_Comm comm, int rank, int maxdims, int coords[]) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_CART, "Cartesian");
  if (rank < 0 || rank >= c->size)
    return fail(c, ABI_ERR_RANK, "no rank %d in it", rank);
  std::vector<int> there = t->coordinatesOf(rank);
  for (int i = 0; i < maxdims && i < static_cast<int>(there.size()); ++i)
    coords[i] = there[i];
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cart_shift(ABI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_CART, "Cartesian");
  if (direction < 0 || direction >= static_cast<int>(t->dims.size()))
    return fail(c, ABI_ERR_DIMS, "no dimension %d", direction);
  std::vector<int> there = t->coordinatesOf(c->rank);
  there[direction] += disp;
  *rank_dest = t->rankOf(there);
  there[direction] -= 2 * disp;
  *rank_source = t->rankOf(there);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cart_sub(ABI_Comm comm, const int remain_dims[], ABI_Comm *newcomm) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_CART, "Cartesian");
  auto topology = std::make_shared<Topology>();
  topology->kind = ABI_CART;
  std::vector<int> here = t->coordinatesOf(c->rank);
  int color = 0, key = 0;
  for (size_t i = 0; i < here.size(); ++i) {
    if (remain_dims[i]) {
      topology->dims.push_back(t->dims[i]);
      topology->periods.push_back(t->periods[i]);
      key = key * t->dims[i] + here[i];
    } else {
      color = color * t->dims[i] + here[i];
    }
  }
  Comm *made = split(c, color, key);
  made->topology = topology;
  *newcomm = handleOf(made);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Cart_map(ABI_Comm comm, int ndims, const int dims[], const int[], int *newrank) {
  COMM_OR_FAIL(c, comm);
  int64_t count = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0)
      return fail(c, ABI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
    count *= dims[i];
  }
  if (count > c->size)
    return fail(c, ABI_ERR_DIMS, "the grid is larger than the communicator");
  *newrank = c->rank < count ? c->rank : ABI_UNDEFINED;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Graph_create(ABI_Comm comm_old, int nnodes, const int index[], const int edges[], int,
                                ABI_Comm *comm_graph) {
  COMM_OR_FAIL(c, comm_old);
  if (nnodes < 0 || nnodes > c->size)
    return fail(c, ABI_ERR_ARG, "a graph of %d nodes in a communicator of %d", nnodes, c->size);
  auto topology = std::make_shared<Topology>();
  topology->kind = ABI_GRAPH;
  topology->index.assign(index, index + nnodes);
  topology->edges.assign(edges, edges + (nnodes ? index[nnodes - 1] : 0));
  for (int edge : topology->edges)
    if (edge < 0 || edge >= nnodes)
      return fail(c, ABI_ERR_ARG, "no node %d in the graph", edge);
  *comm_graph = handleOf(withTopology(c, nnodes, topology));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Graphdims_get(ABI_Comm comm, int *nnodes, int *nedges) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_GRAPH, "graph");
  *nnodes = t->index.size();
  *nedges = t->edges.size();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Graph_get(ABI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_GRAPH, "graph");
  std::copy_n(t->index.begin(), std::min<int>(maxindex, t->index.size()), index);
  std::copy_n(t->edges.begin(), std::min<int>(maxedges, t->edges.size()), edges);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Graph_neighbors_count(ABI_Comm comm, int rank, int *nneighbors) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_GRAPH, "graph");
  if (rank < 0 || rank >= c->size)
    return fail(c, ABI_ERR_RANK, "no rank %d in it", rank);
  *nneighbors = t->index[rank] - (rank ? t->index[rank - 1] : 0);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Graph_neighbors(ABI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_GRAPH, "graph");
  if (rank < 0 || rank >= c->size)
    return fail(c, ABI_ERR_RANK, "no rank %d in it", rank);
  std::vector<int> from, to;
  t->neighborsOf(rank, from, to);
  std::copy_n(to.begin(), std::min<int>(maxneighbors, to.size()), neighbors);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Graph_map(ABI_Comm comm, int nnodes, const int[], const int[], int *newrank) {
  COMM_OR_FAIL(c, comm);
  if (nnodes > c->size)
    return fail(c, ABI_ERR_ARG, "the graph is larger than the communicator");
  *newrank = c->rank < nnodes ? c->rank : ABI_UNDEFINED;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Dist_graph_create_adjacent(ABI_Comm comm_old, int indegree, const int sources[],
                                              const int sourceweights[], int outdegree, const int destinations[],
                                              const int destweights[], ABI_Info, int, ABI_Comm *comm_dist_graph) {
  COMM_OR_FAIL(c, comm_old);
  auto topology = std::make_shared<Topology>();
  topology->kind = ABI_DIST_GRAPH;
  topology->sources.assign(sources, sources + indegree);
  topology->destinations.assign(destinations, destinations + outdegree);
  topology->weighted = sourceweights != ABI_UNWEIGHTED;
  // A rank without edges in one direction passes MPI_WEIGHTS_EMPTY for it, and has weights in the other.
  auto weightsOf = [](const int *weights, int degree) {
    bool given = weights != ABI_UNWEIGHTED && weights != ABI_WEIGHTS_EMPTY;
    return given ? std::vector<int>(weights, weights + degree) : std::vector<int>(degree, 1);
  };
  topology->sourceWeights = weightsOf(sourceweights, indegree);
  topology->destinationWeights = weightsOf(destweights, outdegree);
  Comm *made;
  duplicate(c, made, false);
  made->topology = topology;
  *comm_dist_graph = handleOf(made);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Dist_graph_create(ABI_Comm comm_old, int n, const int sources[], const int degrees[],
                                     const int destinations[], const int weights[], ABI_Info, int,
                                     ABI_Comm *comm_dist_graph) {
  COMM_OR_FAIL(c, comm_old);
  // Every rank receives all edges and keeps its own.
  bool weighted = weights != ABI_UNWEIGHTED;
  std::vector<int> mine; // source, destination, weight of each edge
  for (int i = 0, edge = 0; i < n; ++i)
    for (int j = 0; j < degrees[i]; ++j, ++edge) {
      mine.push_back(sources[i]);
      mine.push_back(destinations[edge]);
      mine.push_back(weighted && weights != ABI_WEIGHTS_EMPTY ? weights[edge] : 1);
    }
  int length = mine.size();
  std::vector<int> lengths(c->size), places(c->size);
  allgather(c, c->nextCollective(), &length, lengths.data(), sizeof(int));
  int total = 0;
  for (int i = 0; i < c->size; ++i) {
    places[i] = total;
    total += lengths[i];
  }
  std::vector<int> all(total + 1);
  Blocks in, out;
  in.base = reinterpret_cast<char *>(mine.data());
  in.count = length;
  out.base = reinterpret_cast<char *>(all.data());
  out.counts = lengths.data();
  out.displacements = places.data();
  in.type = out.type = typeOf(ABI_INT);
  allgather(c, c->nextCollective(), in, out);
  auto topology = std::make_shared<Topology>();
  topology->kind = ABI_DIST_GRAPH;
  topology->weighted = weighted;
  for (int i = 0; i + 2 < total; i += 3) {
    if (all[i + 1] == c->rank) {
      topology->sources.push_back(all[i]);
      topology->sourceWeights.push_back(all[i + 2]);
    }
    if (all[i] == c->rank) {
      topology->destinations.push_back(all[i + 1]);
      topology->destinationWeights.push_back(all[i + 2]);
    }
  }
  Comm *made;
  duplicate(c, made, false);
  made->topology = topology;
  *comm_dist_graph = handleOf(made);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Dist_graph_neighbors_count(ABI_Comm comm, int *indegree, int *outdegree, int *weighted) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_DIST_GRAPH, "distributed graph");
  *indegree = t->sources.size();
  *outdegree = t->destinations.size();
  *weighted = t->weighted;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Dist_graph_neighbors(ABI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                                        int maxoutdegree, int destinations[], int destweights[]) {
  COMM_OR_FAIL(c, comm);
  TOPOLOGY_OR_FAIL(t, ABI_DIST_GRAPH, "distributed graph");
  int in = std::min<int>(maxindegree, t->sources.size());
  int out = std::min<int>(maxoutdegree, t->destinations.size());
  std::copy_n(t->sources.begin(), in, sources);
  std::copy_n(t->destinations.begin(), out, destinations);
  if (t->weighted && sourceweights && sourceweights != ABI_UNWEIGHTED)
    std::copy_n(t->sourceWeights.begin(), in, sourceweights);
  if (t->weighted && destweights && destweights != ABI_UNWEIGHTED)
    std::copy_n(t->destinationWeights.begin(), out, destweights);
  return ABI_SUCCESS;
}

} // extern "C"
