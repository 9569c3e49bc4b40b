// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighborhood collectives in their three forms (MPI-4, 8.6 to 8.8), on a grid with and without neighbors at its sides,
// on a graph, on a distributed graph with several edges between two ranks, and without edges.
#include "forms.h"
#include <stdlib.h>
#include <string.h>

enum { Most = 6, Room = 64 };

/// A rank's neighbors: whom it receives from, and as which block the sender has the data; how many it sends to.
typedef struct {
  int in, out, from[Most], block[Most];
} Around;

static int value(int sender, int block, int i) { return sender * 1000 + block * 10 + i; }
/// How many elements a sender has in a block, where that varies.
static int length(int sender, int block) { return (sender + 2 * block) % 3; }

static void gathers(int form, MPI_Comm comm, const Around *a) {
  int rank, in[Room], counts[Most], places[Most];
  MPI_Comm_rank(comm, &rank);
  int mine[2] = {value(rank, 0, 0), value(rank, 0, 1)};
  memset(in, -1, sizeof(in));
  RUN(form, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, mine, 2, MPI_INT, in, 2,
      MPI_INT, comm);
  for (int i = 0; i < a->in; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT(in[2 * i + j] == (a->from[i] == MPI_PROC_NULL ? -1 : value(a->from[i], 0, j)));
  EXPECT(in[2 * a->in] == -1);
  // Blocks of different lengths, the last one first.
  for (int i = 0; i < a->in; ++i) {
    counts[i] = a->from[i] == MPI_PROC_NULL ? 1 : length(a->from[i], 0);
    places[i] = 3 * (a->in - i);
  }
  memset(in, -1, sizeof(in));
  RUN(form, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, mine, length(rank, 0),
      MPI_INT, in, counts, places, MPI_INT, comm);
  for (int i = 0; i < a->in; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT(in[places[i] + j] == (a->from[i] == MPI_PROC_NULL || j >= counts[i] ? -1 : value(a->from[i], 0, j)));
}

static void exchanges(int form, MPI_Comm comm, const Around *a) {
  int rank, in[Room], out[Room], counts[Most], places[Most], outCounts[Most], outPlaces[Most];
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < a->out; ++i)
    for (int j = 0; j < 2; ++j)
      out[2 * i + j] = value(rank, i, j);
  memset(in, -1, sizeof(in));
  RUN(form, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, out, 2, MPI_INT, in, 2, MPI_INT,
      comm);
  for (int i = 0; i < a->in; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT(in[2 * i + j] == (a->from[i] == MPI_PROC_NULL ? -1 : value(a->from[i], a->block[i], j)));
  for (int i = 0; i < a->in; ++i) {
    counts[i] = a->from[i] == MPI_PROC_NULL ? 2 : length(a->from[i], a->block[i]);
    places[i] = 3 * (a->in - i);
  }
  for (int i = 0; i < a->out; ++i) {
    outCounts[i] = length(rank, i);
    outPlaces[i] = 4 * i + 1;
    for (int j = 0; j < 2; ++j)
      out[outPlaces[i] + j] = value(rank, i, j);
  }
  memset(in, -1, sizeof(in));
  RUN(form, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, out, outCounts, outPlaces,
      MPI_INT, in, counts, places, MPI_INT, comm);
  for (int i = 0; i < a->in; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT(in[places[i] + j] ==
             (a->from[i] == MPI_PROC_NULL || j >= counts[i] ? -1 : value(a->from[i], a->block[i], j)));
}

/// Every second int of the sender's memory becomes a sequence at an address of the receiver's.
static void typed(int form, MPI_Comm comm, const Around *a) {
  int rank, in[Room], out[Room], one[Most], two[Most];
  MPI_Aint places[Most], outPlaces[Most];
  MPI_Datatype spread, outTypes[Most], types[Most];
  MPI_Comm_rank(comm, &rank);
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  memset(in, -1, sizeof(in));
  memset(out, -1, sizeof(out));
  for (int i = 0; i < Most; ++i) {
    outTypes[i] = spread;
    types[i] = MPI_INT;
    one[i] = 1;
    two[i] = 2;
    outPlaces[i] = 4 * i * sizeof(int);
    MPI_Get_address(&in[3 * i], &places[i]);
    out[4 * i] = value(rank, i, 0);
    out[4 * i + 2] = value(rank, i, 1);
  }
  RUN(form, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, out, one, outPlaces, outTypes,
      MPI_BOTTOM, two, places, types, comm);
  for (int i = 0; i < a->in; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT(in[3 * i + j] == (a->from[i] == MPI_PROC_NULL || j == 2 ? -1 : value(a->from[i], a->block[i], j)));
  EXPECT(in[3 * a->in] == -1);
  MPI_Type_free(&spread);
}

static void all(MPI_Comm comm, const Around *a) {
  for (int form = 0; form < Forms; ++form) {
    gathers(form, comm, a);
    exchanges(form, comm, a);
    typed(form, comm, a);
  }
}

/// The first dimension has ends, the second one is a ring, maybe of two; in the third one a rank is its own neighbor.
static void grid(int size) {
  int dims[3] = {size / 2, 2, 1}, periods[3] = {0, 1, 1};
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &comm);
  if (comm == MPI_COMM_NULL)
    return;
  Around a = {6, 6, {0}, {0}};
  for (int i = 0; i < 6; ++i) {
    // What is sent to one side arrives from the other one.
    a.block[i] = i ^ 1;
    int other;
    MPI_Cart_shift(comm, i / 2, i % 2 ? -1 : 1, &a.from[i], &other);
  }
  all(comm, &a);
  MPI_Comm_free(&comm);
}

static void graph(int rank, int size) {
  int *index = malloc(size * sizeof(int)), *edges = malloc(2 * size * sizeof(int));
  for (int i = 0; i < size; ++i) {
    index[i] = 2 * i + 2;
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  Around a = {2, 2, {edges[2 * rank], edges[2 * rank + 1]}, {1, 0}};
  all(comm, &a);
  MPI_Comm_free(&comm);
  free(index);
  free(edges);
}

/// The first and the last edge of a rank lead to the same neighbor, which receives their data in this order.
static void distributed(int rank, int size) {
  int next = (rank + 1) % size, second = (rank + 2) % size;
  int before = (rank + size - 1) % size, one = (rank + size - 2) % size;
  int sources[3] = {before, one, before}, destinations[3] = {next, second, next};
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  Around a = {3, 3, {before, one, before}, {0, 1, 2}};
  all(comm, &a);
  MPI_Comm_free(&comm);
  // Rank 0 sends to all others, which send nothing.
  int center = 0, others[Most] = {0};
  for (int i = 1; i < size; ++i)
    others[i - 1] = i;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank ? 1 : 0, &center, MPI_UNWEIGHTED, rank ? 0 : size - 1, others,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  Around star = {rank ? 1 : 0, rank ? 0 : size - 1, {0}, {rank - 1}};
  all(comm, &star);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  Around none = {0, 0, {0}, {0}};
  all(comm, &none);
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size >= 3 && size <= Most);
  grid(size);
  graph(rank, size);
  distributed(rank, size);
  return asExpected("neighbors");
}
