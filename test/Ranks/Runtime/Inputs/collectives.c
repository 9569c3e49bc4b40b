// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each collective in its blocking, nonblocking and persistent form, on the
// world, on halves of it with ranks reversed, and on a cart; results are
// computed from the ranks.
#include "affine.h"
#include "expect.h"
#include <stdio.h>
#include <stdlib.h>

enum { Blocking, Nonblocking, Persistent, Forms };

// Runs one form of a collective to its end.
#define RUN(form, NAME, INAME, ...)                                            \
  do {                                                                         \
    MPI_Request request;                                                       \
    if (form == Blocking)                                                      \
      MPI_##NAME(__VA_ARGS__);                                                 \
    if (form == Nonblocking)                                                   \
      MPI_##INAME(__VA_ARGS__, &request);                                      \
    if (form == Persistent) {                                                  \
      MPI_##NAME##_init(__VA_ARGS__, MPI_INFO_NULL, &request);                 \
      MPI_Start(&request);                                                     \
    }                                                                          \
    if (form != Blocking)                                                      \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                                   \
    if (form == Persistent)                                                    \
      MPI_Request_free(&request);                                              \
  } while (0)

static void moves(int form, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int root = size - 1;
  int *all = malloc(size * 3 * sizeof(int)),
      *out = malloc(size * 3 * sizeof(int));
  int *counts = malloc(size * sizeof(int)),
      *places = malloc(size * sizeof(int));
  RUN(form, Barrier, Ibarrier, comm);
  int few[2] = {rank == root ? 42 : 0, rank == root ? 43 : 0};
  RUN(form, Bcast, Ibcast, few, 2, MPI_INT, root, comm);
  EXPECT(few[0] == 42 && few[1] == 43);
  int mine[2] = {rank, -rank};
  RUN(form, Gather, Igather, mine, 2, MPI_INT, all, 2, MPI_INT, root, comm);
  for (int i = 0; rank == root && i < size; ++i)
    EXPECT(all[2 * i] == i && all[2 * i + 1] == -i);
  RUN(form, Scatter, Iscatter, all, 2, MPI_INT, few, 2, MPI_INT, root, comm);
  EXPECT(few[0] == rank && few[1] == -rank);
  RUN(form, Allgather, Iallgather, mine, 2, MPI_INT, all, 2, MPI_INT, comm);
  for (int i = 0; i < size; ++i)
    EXPECT(all[2 * i] == i && all[2 * i + 1] == -i);
  // Each contributes rank % 3 elements.
  int total = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = i % 3;
    places[i] = total;
    total += counts[i];
  }
  RUN(form, Allgatherv, Iallgatherv, mine, rank % 3, MPI_INT, all, counts,
      places, MPI_INT, comm);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < counts[i]; ++j)
      EXPECT(all[places[i] + j] == (j ? -i : i));
  for (int i = 0; i < size; ++i)
    out[i] = rank * 1000 + i;
  RUN(form, Alltoall, Ialltoall, out, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i)
    EXPECT(all[i] == i * 1000 + rank);
  RUN(form, Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1,
      MPI_INT, comm);
  for (int i = 0; i < size; ++i)
    EXPECT(all[i] == rank * 1000 + i);
  free(all);
  free(out);
  free(counts);
  free(places);
}

static void reductions(int form, MPI_Comm comm, int count) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  long *in = malloc(2 * count * size * sizeof(long)),
       *out = malloc(2 * count * size * sizeof(long)),
       *wanted = malloc(2 * count * sizeof(long));
  for (int i = 0; i < count; ++i)
    in[i] = rank + i;
  long sum = (long)size * (size - 1) / 2;
  RUN(form, Allreduce, Iallreduce, in, out, count, MPI_LONG, MPI_SUM, comm);
  for (int i = 0; i < count; ++i)
    EXPECT(out[i] == sum + (long)size * i);
  RUN(form, Reduce, Ireduce, in, out, count, MPI_LONG, MPI_MAX, size / 2, comm);
  for (int i = 0; rank == size / 2 && i < count; ++i)
    EXPECT(out[i] == size - 1 + i);
  RUN(form, Scan, Iscan, in, out, count, MPI_LONG, MPI_SUM, comm);
  for (int i = 0; i < count; ++i)
    EXPECT(out[i] == (long)rank * (rank + 1) / 2 + (long)(rank + 1) * i);
  RUN(form, Exscan, Iexscan, in, out, count, MPI_LONG, MPI_SUM, comm);
  for (int i = 0; rank && i < count; ++i)
    EXPECT(out[i] == (long)rank * (rank - 1) / 2 + (long)rank * i);
  for (int i = 0; i < count * size; ++i)
    in[i] = rank + i;
  RUN(form, Reduce_scatter_block, Ireduce_scatter_block, in, out, count,
      MPI_LONG, MPI_SUM, comm);
  for (int i = 0; i < count; ++i)
    EXPECT(out[i] == sum + (long)size * (rank * count + i));
  // Order matters: by rank, whatever the layout.
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Op_create(compose, 0, &op);
  MPI_Type_contiguous(2, MPI_LONG, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < count; ++i) {
    wanted[2 * i] = 1;
    wanted[2 * i + 1] = 0;
    for (int r = size - 1; r >= 0; --r) {
      long map[2] = {r + 2, r + i % 5};
      int one = 1;
      compose(map, wanted + 2 * i, &one, &pair);
    }
    in[2 * i] = rank + 2;
    in[2 * i + 1] = rank + i % 5;
  }
  RUN(form, Allreduce, Iallreduce, in, out, count, pair, op, comm);
  for (int i = 0; i < 2 * count; ++i)
    EXPECT(out[i] == wanted[i]);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  free(in);
  free(out);
  free(wanted);
}

/// A ring of two may meet the same neighbor on both sides.
/// Blocks of `length` ints, from and to all, at every root and in place: small
/// ones travel together, large ones rank to rank.
static void blocks(MPI_Comm comm, int length) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  size_t all = (size_t)size * length;
  int *in = malloc(all * sizeof(int)), *out = malloc(all * sizeof(int));
#define VALUE(from, to, i) (((from) * 1009 + (to) * 31 + (i)) ^ 0x5a5a)
#define FILL(array, from, to)                                                  \
  for (int j = 0; j < size; ++j)                                               \
    for (int i = 0; i < length; ++i)                                           \
  (array)[(size_t)j * length + i] = VALUE(from, to, i)
#define SAME(array, from, to)                                                  \
  for (int j = 0; j < size; ++j)                                               \
    for (int i = 0; i < length; ++i)                                           \
  EXPECT((array)[(size_t)j * length + i] == VALUE(from, to, i))
  for (int root = 0; root < size; ++root) {
    FILL(in, rank, 7);
    FILL(out, -1, -1);
    MPI_Gather(in, length, MPI_INT, out, length, MPI_INT, root, comm);
    if (rank == root) {
      SAME(out, j, 7);
      MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, length, MPI_INT, root, comm);
      SAME(out, j, 7);
      FILL(in, root, j);
      MPI_Scatter(in, length, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, comm);
    } else {
      MPI_Gather(in, length, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, comm);
      MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, out, length, MPI_INT, root, comm);
      for (int i = 0; i < length; ++i)
        EXPECT(out[i] == VALUE(root, rank, i));
    }
  }
  FILL(in, rank, 9);
  MPI_Allgather(in, length, MPI_INT, out, length, MPI_INT, comm);
  SAME(out, j, 9);
  FILL(out, j == rank ? rank : -1, 4);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, length, MPI_INT, comm);
  SAME(out, j, 4);
  FILL(in, rank, j);
  MPI_Alltoall(in, length, MPI_INT, out, length, MPI_INT, comm);
  SAME(out, j, rank);
  FILL(out, rank, j);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, length, MPI_INT, comm);
  SAME(out, j, rank);
  // From nothing to everything, depending on sender and receiver; the root uses every second
  // int.
  int *counts = malloc(size * sizeof(int)), *others = malloc(size * sizeof(int)), *places = malloc(size * sizeof(int));
  for (int j = 0; j < size; ++j) {
    counts[j] = (rank + 2 * j) % 4 * (length / 3);
    others[j] = (j + 2 * rank) % 4 * (length / 3);
    places[j] = j * length;
  }
  FILL(in, rank, j);
  MPI_Alltoallv(in, counts, places, MPI_INT, out, others, places, MPI_INT, comm);
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < others[j]; ++i)
      EXPECT(out[(size_t)j * length + i] == VALUE(j, rank, i));
  int root = size / 2, mine = rank % 3 * (length / 6);
  MPI_Datatype second;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &second);
  MPI_Type_commit(&second);
  for (int j = 0; j < size; ++j) {
    counts[j] = j % 3 * (length / 6);
    places[j] = j * (length / 2);
  }
  FILL(out, -1, -1);
  MPI_Gatherv(in, mine, MPI_INT, out, counts, places, second, root, comm);
  if (rank == root)
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < counts[j]; ++i)
        EXPECT(out[(size_t)2 * (places[j] + i)] == VALUE(j, 0, i));
  MPI_Type_free(&second);
  free(counts);
  free(others);
  free(places);
  free(in);
  free(out);
}

static void neighbors(int form) {
  int rank, size, periodic = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  int out[2] = {10 * rank, 10 * rank + 1}, in[2];
  RUN(form, Neighbor_alltoall, Ineighbor_alltoall, out, 1, MPI_INT, in, 1,
      MPI_INT, ring);
  EXPECT(in[0] == 10 * ((rank + size - 1) % size) + 1);
  EXPECT(in[1] == 10 * ((rank + 1) % size));
  MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  for (int form = 0; form < Forms; ++form) {
    moves(form, MPI_COMM_WORLD);
    moves(form, half);
    reductions(form, MPI_COMM_WORLD, 1);
    reductions(form, half, 3);
    reductions(form, MPI_COMM_WORLD, 9000);
    if (size > 1)
      neighbors(form);
  }
  for (int length = 6; length <= 12000; length *= length < 100 ? 50 : 40) {
    blocks(MPI_COMM_WORLD, length);
    blocks(half, length);
  }
  // Sums of bytes wrap around.
  unsigned char bytes[300], wrapped[300];
  for (int i = 0; i < 300; ++i)
    bytes[i] = 200;
  MPI_Allreduce(bytes, wrapped, 300, MPI_UNSIGNED_CHAR, MPI_SUM,
                MPI_COMM_WORLD);
  for (int i = 0; i < 300; ++i)
    EXPECT(wrapped[i] == (unsigned char)(200 * size));
  // Many at once, waited for out of order.
  enum { many = 20 };
  MPI_Request requests[many];
  int in[many], out[many];
  for (int i = 0; i < many; ++i) {
    in[i] = rank * i;
    MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM,
                   i % 2 ? half : MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = many - 1; i >= 0; --i)
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < many; i += 2)
    EXPECT(out[i] == size * (size - 1) / 2 * i);
  MPI_Comm_free(&half);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("collectives: %d ranks: as expected\n", size);
  MPI_Finalize();
  return 0;
}
