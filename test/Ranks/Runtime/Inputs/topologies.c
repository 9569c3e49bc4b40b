// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual topologies (MPI-4, 8): grids, graphs, distributed graphs, and what they answer about any rank.
#include "expect.h"
#include <stdlib.h>

static void factors(void) {
  struct {
    int nodes, ndims, given[4], wanted[4];
  } const cases[] = {{6, 2, {0, 0}, {3, 2}},
                     {7, 2, {0, 0}, {7, 1}},
                     {6, 3, {0, 3, 0}, {2, 3, 1}}, // these three are MPI's examples
                     {12, 3, {0, 0, 0}, {3, 2, 2}},
                     {1, 2, {0, 0}, {1, 1}},
                     {24, 2, {0, 4}, {6, 4}},
                     {16, 4, {0, 0, 0, 0}, {2, 2, 2, 2}},
                     {30, 3, {0, 0, 0}, {5, 3, 2}},
                     {8, 1, {0}, {8}},
                     {6, 2, {2, 3}, {2, 3}},
                     {36, 2, {0, 0}, {6, 6}},
                     {1000003, 2, {0, 0}, {1000003, 1}}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
    int dims[4];
    for (int d = 0; d < 4; ++d)
      dims[d] = cases[i].given[d];
    EXPECT(MPI_Dims_create(cases[i].nodes, cases[i].ndims, dims) == MPI_SUCCESS);
    for (int d = 0; d < cases[i].ndims; ++d)
      EXPECT(dims[d] == cases[i].wanted[d]);
  }
  int three[3] = {0, 3, 0};
  EXPECT(MPI_Dims_create(7, 3, three) == MPI_ERR_DIMS);
}

/// Two rows, of which none follows the last; columns are a ring.
static void grid(int rank, int size) {
  int columns = size / 2, dims[2] = {2, columns}, periods[2] = {0, 1}, wanted, kind;
  MPI_Comm cart;
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &wanted);
  EXPECT(rank < 2 * columns ? wanted >= 0 && wanted < 2 * columns : wanted == MPI_UNDEFINED);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  EXPECT((cart == MPI_COMM_NULL) == (rank >= 2 * columns));
  if (cart == MPI_COMM_NULL)
    return;
  int me, ndims, gotDims[2], gotPeriods[2], here[2], there[2], found;
  MPI_Comm_rank(cart, &me);
  EXPECT(me == rank); // no reordering was asked for
  MPI_Topo_test(cart, &kind);
  EXPECT(kind == MPI_CART);
  MPI_Cartdim_get(cart, &ndims);
  EXPECT(ndims == 2);
  MPI_Cart_get(cart, 2, gotDims, gotPeriods, here);
  EXPECT(gotDims[0] == 2 && gotDims[1] == columns && !gotPeriods[0] && gotPeriods[1]);
  EXPECT(here[0] == me / columns && here[1] == me % columns);
  for (int r = 0; r < 2 * columns; ++r) {
    MPI_Cart_coords(cart, r, 2, there);
    EXPECT(there[0] == r / columns && there[1] == r % columns);
    MPI_Cart_rank(cart, there, &found);
    EXPECT(found == r);
    // Coordinates of a periodic dimension are taken modulo its size, also negative ones.
    there[1] -= 2 * columns;
    MPI_Cart_rank(cart, there, &found);
    EXPECT(found == r);
    there[1] += 5 * columns;
    MPI_Cart_rank(cart, there, &found);
    EXPECT(found == r);
  }
  int from, to;
  for (int step = -3; step <= 3; ++step) {
    MPI_Cart_shift(cart, 1, step, &from, &to);
    EXPECT(to == here[0] * columns + ((here[1] + step) % columns + columns) % columns);
    EXPECT(from == here[0] * columns + ((here[1] - step) % columns + columns) % columns);
    MPI_Cart_shift(cart, 0, step, &from, &to);
    int down = here[0] + step, up = here[0] - step;
    EXPECT(to == (down < 0 || down > 1 ? MPI_PROC_NULL : down * columns + here[1]));
    EXPECT(from == (up < 0 || up > 1 ? MPI_PROC_NULL : up * columns + here[1]));
  }
  // Rows, columns, and single ranks, whose grids have no dimension.
  for (int kept = 0; kept < 4; ++kept) {
    int remain[2] = {kept & 1, kept >> 1}, part, parts;
    MPI_Comm sub;
    MPI_Cart_sub(cart, remain, &sub);
    MPI_Comm_rank(sub, &part);
    MPI_Comm_size(sub, &parts);
    MPI_Cartdim_get(sub, &ndims);
    EXPECT(ndims == remain[0] + remain[1]);
    EXPECT(parts == (remain[0] ? 2 : 1) * (remain[1] ? columns : 1));
    EXPECT(part == (kept == 3 ? me : kept == 2 ? here[1] : kept == 1 ? here[0] : 0));
    MPI_Cart_get(sub, 2, gotDims, gotPeriods, there);
    if (kept == 1)
      EXPECT(gotDims[0] == 2 && !gotPeriods[0] && there[0] == here[0]);
    if (kept == 2)
      EXPECT(gotDims[0] == columns && gotPeriods[0] && there[0] == here[1]);
    if (kept == 0) {
      MPI_Cart_rank(sub, NULL, &found);
      EXPECT(found == 0);
    }
    MPI_Comm_free(&sub);
  }
  // A duplicate has the topology, and so has one made in the background; a part has none.
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_dup(cart, &copy);
  MPI_Cart_coords(copy, me, 2, there);
  EXPECT(there[0] == here[0] && there[1] == here[1]);
  MPI_Comm_free(&copy);
  MPI_Comm_idup(cart, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Cart_coords(copy, me, 2, there);
  EXPECT(there[0] == here[0] && there[1] == here[1]);
  MPI_Comm_free(&copy);
  MPI_Comm_split(cart, 0, 0, &copy);
  MPI_Topo_test(copy, &kind);
  EXPECT(kind == MPI_UNDEFINED);
  EXPECT(MPI_Cartdim_get(copy, &ndims) == MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&cart);
}

/// A grid without dimensions has one rank.
static void point(int rank) {
  MPI_Comm cart;
  int ndims, size;
  MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &cart);
  EXPECT((cart == MPI_COMM_NULL) == (rank != 0));
  if (rank)
    return;
  MPI_Cartdim_get(cart, &ndims);
  MPI_Comm_size(cart, &size);
  EXPECT(ndims == 0 && size == 1);
  MPI_Cart_coords(cart, 0, 0, NULL);
  MPI_Comm_free(&cart);
}

/// MPI's example of four nodes.
static void graph(int rank) {
  const int index[4] = {2, 3, 4, 6}, edges[6] = {1, 3, 0, 3, 0, 2};
  MPI_Comm comm;
  int wanted, nodes, count, gotIndex[4], gotEdges[6], neighbors[2], kind;
  MPI_Graph_map(MPI_COMM_WORLD, 4, index, edges, &wanted);
  EXPECT(rank < 4 ? wanted >= 0 && wanted < 4 : wanted == MPI_UNDEFINED);
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
  EXPECT((comm == MPI_COMM_NULL) == (rank >= 4));
  if (rank >= 4)
    return;
  MPI_Topo_test(comm, &kind);
  EXPECT(kind == MPI_GRAPH);
  MPI_Graphdims_get(comm, &nodes, &count);
  EXPECT(nodes == 4 && count == 6);
  MPI_Graph_get(comm, 4, 6, gotIndex, gotEdges);
  for (int i = 0; i < 4; ++i)
    EXPECT(gotIndex[i] == index[i]);
  for (int i = 0; i < 6; ++i)
    EXPECT(gotEdges[i] == edges[i]);
  for (int r = 0; r < 4; ++r) {
    int first = r ? index[r - 1] : 0;
    MPI_Graph_neighbors_count(comm, r, &count);
    EXPECT(count == index[r] - first);
    MPI_Graph_neighbors(comm, r, 2, neighbors);
    for (int i = 0; i < count; ++i)
      EXPECT(neighbors[i] == edges[first + i]);
  }
  // No more than there is room for.
  neighbors[1] = -7;
  MPI_Graph_neighbors(comm, 0, 1, neighbors);
  EXPECT(neighbors[0] == 1 && neighbors[1] == -7);
  MPI_Comm_free(&comm);
  MPI_Graph_create(MPI_COMM_SELF, 0, NULL, NULL, 0, &comm);
  EXPECT(comm == MPI_COMM_NULL);
}

static void adjacent(int rank, int size) {
  int in, out, weighted, from[2], to[2], inWeights[2], outWeights[2];
  int sources[2] = {(rank + size - 1) % size, rank}, destinations[2] = {(rank + 1) % size, rank};
  int sourceWeights[2] = {10 + rank, 5}, destinationWeights[2] = {20 + rank, 0};
  MPI_Comm comm;
  int kind;
  for (int round = 0; round < 2; ++round) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, round ? sourceWeights : MPI_UNWEIGHTED, 2, destinations,
                                   round ? destinationWeights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Topo_test(comm, &kind);
    EXPECT(kind == MPI_DIST_GRAPH);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    EXPECT(in == 2 && out == 2 && !!weighted == round);
    MPI_Dist_graph_neighbors(comm, 2, from, round ? inWeights : MPI_UNWEIGHTED, 2, to,
                             round ? outWeights : MPI_UNWEIGHTED);
    for (int i = 0; i < 2; ++i) {
      EXPECT(from[i] == sources[i] && to[i] == destinations[i]);
      if (round)
        EXPECT(inWeights[i] == sourceWeights[i] && outWeights[i] == destinationWeights[i]);
    }
    from[1] = to[0] = -7;
    MPI_Dist_graph_neighbors(comm, 1, from, MPI_UNWEIGHTED, 0, to, MPI_UNWEIGHTED);
    EXPECT(from[0] == sources[0] && from[1] == -7 && to[0] == -7);
    MPI_Comm_free(&comm);
  }
  // A star: ranks without edges in one direction have weights in the other.
  int *others = malloc(size * sizeof(int)), *weights = malloc(size * sizeof(int)), *got = malloc(size * sizeof(int));
  for (int i = 1; i < size; ++i) {
    others[i - 1] = i;
    weights[i - 1] = 100 + i;
  }
  int center = 0, mine = 100 + rank;
  if (rank == 0)
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, size - 1, others, weights, MPI_INFO_NULL,
                                   0, &comm);
  else
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &center, &mine, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                   &comm);
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  EXPECT(weighted && in == (rank ? 1 : 0) && out == (rank ? 0 : size - 1));
  MPI_Dist_graph_neighbors(comm, in, from, inWeights, out, others, got);
  if (rank)
    EXPECT(from[0] == 0 && inWeights[0] == 100 + rank);
  for (int i = 0; i < out; ++i)
    EXPECT(others[i] == i + 1 && got[i] == 101 + i);
  MPI_Comm_free(&comm);
  free(others);
  free(weights);
  free(got);
}

/// Edges that other ranks, or rank 0 alone, describe. Their order is not specified.
static void distributed(int rank, int size) {
  for (int round = 0; round < 3; ++round) {
    MPI_Comm comm;
    int *sources = malloc(size * sizeof(int)), *degrees = malloc(size * sizeof(int));
    int *destinations = malloc(2 * size * sizeof(int)), *weights = malloc(2 * size * sizeof(int)), n = 0;
    // Rank r has edges to r + 1, of weight r, and to 0, of weight 50 + r.
    for (int r = 0; r < size; ++r)
      if (round == 0 ? r == (rank + 1) % size : rank == 0) {
        sources[n] = r;
        degrees[n] = 2;
        destinations[2 * n] = (r + 1) % size;
        weights[2 * n] = r;
        destinations[2 * n + 1] = 0;
        weights[2 * n + 1] = 50 + r;
        ++n;
      }
    MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations,
                          round == 2 ? MPI_UNWEIGHTED
                          : n        ? weights
                                     : MPI_WEIGHTS_EMPTY,
                          MPI_INFO_NULL, 0, &comm);
    int in, out, weighted, to[2], toWeights[2];
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    EXPECT(out == 2 && in == (rank ? 1 : 1 + size) && !!weighted == (round < 2));
    int *from = malloc(in * sizeof(int)), *fromWeights = malloc(in * sizeof(int));
    if (weighted)
      MPI_Dist_graph_neighbors(comm, in, from, fromWeights, 2, to, toWeights);
    else
      MPI_Dist_graph_neighbors(comm, in, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED);
    int before = (rank + size - 1) % size, next = (rank + 1) % size, sum = 0, weight = 0;
    EXPECT((to[0] == next && to[1] == 0) || (to[1] == next && to[0] == 0));
    for (int i = 0; i < in; ++i) {
      sum += from[i];
      if (weighted)
        weight += fromWeights[i];
    }
    EXPECT(sum == before + (rank ? 0 : size * (size - 1) / 2));
    if (weighted) {
      EXPECT(weight == before + (rank ? 0 : 50 * size + size * (size - 1) / 2));
      EXPECT(toWeights[0] + toWeights[1] == 50 + 2 * rank);
      if (next)
        EXPECT(toWeights[0] == (to[0] == next ? rank : 50 + rank));
    }
    free(sources);
    free(degrees);
    free(destinations);
    free(weights);
    free(from);
    free(fromWeights);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char **argv) {
  int rank, size;
  begin(&argc, &argv, &rank, &size);
  factors();
  grid(rank, size);
  point(rank);
  graph(rank);
  adjacent(rank, size);
  distributed(rank, size);
  return asExpected("topologies");
}
