// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives with a count or a datatype per rank, in their three forms (MPI-4, 6.5 to 6.8), also in place, with short
// and with long blocks, on the world and on a part of it.
#include "forms.h"
#include <stdlib.h>
#include <string.h>

static int value(int from, int to, int i) { return (from * 1009 + to * 31 + i) ^ 0x5a5a; }
/// From nothing to three times `unit` ints.
static int length(int from, int to, int unit) { return (from + 2 * to) % 4 * unit; }

/// Counts of what `rank` receives (or sends) and places with gaps, the last block first.
static int *lay(int rank, int size, int unit, int receives, int **places) {
  int *counts = malloc(size * sizeof(int)), total = 1;
  *places = malloc(size * sizeof(int));
  for (int i = size - 1; i >= 0; --i) {
    counts[i] = receives ? length(i, rank, unit) : length(rank, i, unit);
    (*places)[i] = total;
    total += counts[i] + 2;
  }
  return counts;
}

static int *blank(int size, int unit) {
  size_t bytes = (size_t)size * (3 * unit + 2) * sizeof(int) + 64;
  int *memory = malloc(bytes);
  memset(memory, -1, bytes);
  return memory;
}

/// Whether the blocks, and nothing around them, have been received.
static void check(const int *in, const int *counts, const int *places, int size, int to) {
  EXPECT(in[0] == -1);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < counts[i]; ++j)
      EXPECT(in[places[i] + j] == value(i, to, j));
    EXPECT(in[places[i] + counts[i]] == -1);
  }
}

static void rooted(int form, MPI_Comm comm, int unit) {
  int rank, size, *places;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int root = 0; root < size; root += size > 1 ? size - 1 : 1) {
    int *counts = lay(root, size, unit, 1, &places), *in = blank(size, unit), *mine = blank(1, unit);
    int count = length(rank, root, unit);
    for (int j = 0; j < count; ++j)
      mine[j] = value(rank, root, j);
    // What is not significant away from the root may be anything.
    RUN(form, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, mine, count, MPI_INT, rank == root ? in : NULL,
        rank == root ? counts : NULL, rank == root ? places : NULL, rank == root ? MPI_INT : MPI_DATATYPE_NULL, root,
        comm);
    if (rank == root)
      check(in, counts, places, size, root);
    // And back.
    memset(mine, -1, (3 * unit + 2) * sizeof(int));
    RUN(form, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, rank == root ? in : NULL, rank == root ? counts : NULL,
        rank == root ? places : NULL, rank == root ? MPI_INT : MPI_DATATYPE_NULL, mine, count, MPI_INT, root, comm);
    for (int j = 0; j < count; ++j)
      EXPECT(mine[j] == value(rank, root, j));
    EXPECT(mine[count] == -1);
    // In place: the root's block is there already, and stays there.
    if (rank == root) {
      for (int i = 0; i < size; ++i)
        if (i != root)
          memset(in + places[i], -1, counts[i] * sizeof(int));
      RUN(form, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places,
          MPI_INT, root, comm);
      check(in, counts, places, size, root);
      RUN(form, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, in, counts, places, MPI_INT, MPI_IN_PLACE, 0,
          MPI_DATATYPE_NULL, root, comm);
      check(in, counts, places, size, root);
    } else {
      RUN(form, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, mine, count, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL,
          root, comm);
      memset(mine, -1, (3 * unit + 2) * sizeof(int));
      RUN(form, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, NULL, NULL, NULL, MPI_DATATYPE_NULL, mine, count,
          MPI_INT, root, comm);
      for (int j = 0; j < count; ++j)
        EXPECT(mine[j] == value(rank, root, j));
    }
    free(counts);
    free(places);
    free(in);
    free(mine);
  }
}

static void toAll(int form, MPI_Comm comm, int unit) {
  int rank, size, *places, *outPlaces;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  // All have the same counts: those of blocks that are sent to rank 1, say.
  int *counts = lay(1, size, unit, 1, &places), *in = blank(size, unit), *mine = blank(1, unit);
  for (int j = 0; j < counts[rank]; ++j)
    mine[j] = value(rank, 1, j);
  RUN(form, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, mine, counts[rank], MPI_INT, in, counts, places,
      MPI_INT, comm);
  check(in, counts, places, size, 1);
  for (int i = 0; i < size; ++i)
    if (i != rank)
      memset(in + places[i], -1, counts[i] * sizeof(int));
  RUN(form, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts,
      places, MPI_INT, comm);
  check(in, counts, places, size, 1);
  free(counts);
  free(places);
  counts = lay(rank, size, unit, 1, &places);
  int *outCounts = lay(rank, size, unit, 0, &outPlaces), *out = blank(size, unit);
  memset(in, -1, size * (3 * unit + 2) * sizeof(int));
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < outCounts[i]; ++j)
      out[outPlaces[i] + j] = value(rank, i, j);
  RUN(form, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, out, outCounts, outPlaces, MPI_INT, in, counts, places,
      MPI_INT, comm);
  check(in, counts, places, size, rank);
  free(counts);
  free(places);
  free(outCounts);
  free(outPlaces);
  free(in);
  free(out);
  free(mine);
}

/// In place, two ranks exchange blocks of the same length. Started twice, everything returns.
static void inPlace(int form, MPI_Comm comm, int unit) {
  int rank, size, *places;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int *counts = lay(rank, size, unit, 1, &places), *data = blank(size, unit), total = 1;
  MPI_Datatype *types = malloc(size * sizeof(*types));
  for (int i = 0; i < size; ++i) {
    counts[i] = (i + rank) % 3 * unit;
    places[i] = total;
    total += counts[i] + 2;
    types[i] = MPI_INT;
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < counts[i]; ++j)
      data[places[i] + j] = form == Persistent ? value(i, rank, j) : value(rank, i, j);
  RUN(form, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, data,
      counts, places, MPI_INT, comm);
  check(data, counts, places, size, rank);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < counts[i]; ++j)
      data[places[i] + j] = form == Persistent ? value(i, rank, j) : value(rank, i, j);
    places[i] *= sizeof(int);
  }
  RUN(form, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, MPI_IN_PLACE, NULL, NULL, NULL, data, counts, places,
      types, comm);
  for (int i = 0; i < size; ++i)
    places[i] /= sizeof(int);
  check(data, counts, places, size, rank);
  free(counts);
  free(places);
  free(data);
  free(types);
}

/// The transpose of a matrix that is distributed by rows: columns of one rank become rows of another.
static void transpose(int form, MPI_Comm comm, int rows) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int n = size * rows;
  int *out = malloc(n * rows * sizeof(int)), *in = malloc(n * rows * sizeof(int));
  int *ones = malloc(size * sizeof(int)), *counts = malloc(size * sizeof(int));
  int *outPlaces = malloc(size * sizeof(int)), *places = malloc(size * sizeof(int));
  MPI_Datatype *outTypes = malloc(size * sizeof(*outTypes)), *types = malloc(size * sizeof(*types));
  MPI_Datatype block, column, spread;
  // A block by rows; and by columns of the matrix that receives it.
  MPI_Type_vector(rows, rows, n, MPI_INT, &block);
  MPI_Type_commit(&block);
  MPI_Type_vector(rows, 1, n, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &spread);
  MPI_Type_commit(&spread);
  for (int i = 0; i < size; ++i) {
    ones[i] = 1;
    counts[i] = rows;
    outPlaces[i] = places[i] = i * rows * sizeof(int);
    outTypes[i] = block;
    types[i] = spread;
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j)
      out[i * n + j] = (rank * rows + i) * n + j;
  memset(in, -1, n * rows * sizeof(int));
  RUN(form, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, out, ones, outPlaces, outTypes, in, counts, places,
      types, comm);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j)
      EXPECT(in[i * n + j] == j * n + rank * rows + i);
  MPI_Type_free(&block);
  MPI_Type_free(&column);
  MPI_Type_free(&spread);
  free(in);
  free(out);
  free(ones);
  free(counts);
  free(outPlaces);
  free(places);
  free(outTypes);
  free(types);
}

/// A datatype may be freed while a collective uses it (MPI-4, 5.1.9).
static void freed(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int *out = malloc(size * sizeof(int)), *in = malloc(size * sizeof(int));
  int *ones = malloc(size * sizeof(int)), *places = malloc(size * sizeof(int));
  MPI_Datatype *types = malloc(size * sizeof(*types));
  for (int form = Nonblocking; form <= Persistent; ++form) {
    MPI_Datatype single;
    MPI_Request request;
    MPI_Type_contiguous(1, MPI_INT, &single);
    MPI_Type_commit(&single);
    for (int i = 0; i < size; ++i) {
      out[i] = value(rank, i, 0);
      in[i] = -1;
      ones[i] = 1;
      places[i] = i * sizeof(int);
      types[i] = single;
    }
    if (form == Nonblocking)
      MPI_Ialltoallw(out, ones, places, types, in, ones, places, types, comm, &request);
    else
      MPI_Alltoallw_init(out, ones, places, types, in, ones, places, types, comm, MPI_INFO_NULL, &request);
    MPI_Type_free(&single);
    if (form == Persistent)
      MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; ++i)
      EXPECT(in[i] == value(i, rank, 0));
    if (form == Persistent)
      MPI_Request_free(&request);
  }
  free(in);
  free(out);
  free(ones);
  free(places);
  free(types);
}

/// The two buffers may begin at the same address, if none of their blocks overlap.
static void sameBase(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int *data = malloc(2 * size * sizeof(int)), *ones = malloc(size * sizeof(int));
  int *places = malloc(size * sizeof(int)), *outPlaces = malloc(size * sizeof(int));
  for (int i = 0; i < size; ++i) {
    ones[i] = 1;
    outPlaces[i] = i;
    places[i] = size + i;
    data[i] = value(rank, i, 0);
    data[size + i] = -1;
  }
  EXPECT(MPI_Alltoallv(data, ones, outPlaces, MPI_INT, data, ones, places, MPI_INT, comm) == MPI_SUCCESS);
  for (int i = 0; i < size; ++i)
    EXPECT(data[i] == value(rank, i, 0) && data[size + i] == value(i, rank, 0));
  data[0] = value(rank, 0, 5);
  EXPECT(MPI_Allgatherv(data, 1, MPI_INT, data, ones, places, MPI_INT, comm) == MPI_SUCCESS);
  for (int i = 0; i < size; ++i)
    EXPECT(data[size + i] == value(i, 0, 5));
  free(data);
  free(ones);
  free(places);
  free(outPlaces);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &some);
  for (int form = 0; form < Forms; ++form)
    for (int unit = 1; unit <= 10000; unit *= 10000) {
      rooted(form, MPI_COMM_WORLD, unit);
      rooted(form, some, unit);
      toAll(form, MPI_COMM_WORLD, unit);
      toAll(form, some, unit);
      inPlace(form, MPI_COMM_WORLD, unit);
      inPlace(form, some, unit);
      transpose(form, MPI_COMM_WORLD, unit == 1 ? 2 : 100);
      transpose(form, some, unit == 1 ? 1 : 33);
    }
  freed(MPI_COMM_WORLD);
  returnErrors();
  sameBase(MPI_COMM_WORLD);
  MPI_Comm_free(&some);
  return asExpected("vectors");
}
