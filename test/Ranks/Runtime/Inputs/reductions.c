// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions in their three forms (MPI-4, 6.9 to 6.11): in place, with counts per rank, with operators of MPI and of
// the program, of which the order matters, and between the two sides of an intercommunicator.
#include "affine.h"
#include "forms.h"
#include <stdlib.h>
#include <string.h>

/// Map i of a rank; and the composition of those of ranks 0 to `last`.
static void map(int rank, int i, long *out) {
  out[0] = rank + 2;
  out[1] = rank + i;
}
static void composition(int last, int i, long *out) {
  int one = 1;
  out[0] = 1, out[1] = 0;
  for (int r = last; r >= 0; --r) {
    long in[2];
    map(r, i, in);
    compose(in, out, &one, NULL);
  }
}

static int isComposition(const long *got, int last, int i) {
  long wanted[2];
  composition(last, i, wanted);
  return got[0] == wanted[0] && got[1] == wanted[1];
}

enum { N = 24 };

static void fill(long *data, int rank) {
  for (int i = 0; i < N; ++i)
    map(rank, i, data + 2 * i);
}

/// The second start of a persistent one would reduce what the first one has left in place.
static void ordered(int form, MPI_Comm comm, MPI_Datatype pair, MPI_Op op) {
  int rank, size, counts[16], begin = 0, total = 0;
  long in[2 * N], out[2 * N];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  // From nothing to three maps per rank.
  for (int r = 0; r < size; ++r) {
    counts[r] = (r + 1) % 4;
    if (r < rank)
      begin += counts[r];
    total += counts[r];
  }
  EXPECT(total <= N && size <= 16);
  for (int inPlace = 0; inPlace < (form == Persistent ? 1 : 2); ++inPlace) {
    const void *from = inPlace ? MPI_IN_PLACE : in;
    long *to = inPlace ? in : out;
    fill(in, rank);
    memset(out, -1, sizeof(out));
    RUN(form, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, from, to, N, pair, op, comm);
    for (int i = 0; i < N; ++i)
      EXPECT(isComposition(to + 2 * i, size - 1, i));
    for (int root = 0; root < size; ++root) {
      fill(in, rank);
      RUN(form, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, rank == root ? from : in, rank == root ? to : NULL, N, pair,
          op, root, comm);
      for (int i = 0; rank == root && i < N; ++i)
        EXPECT(isComposition(to + 2 * i, size - 1, i));
    }
    fill(in, rank);
    RUN(form, MPI_Scan, MPI_Iscan, MPI_Scan_init, from, to, N, pair, op, comm);
    for (int i = 0; i < N; ++i)
      EXPECT(isComposition(to + 2 * i, rank, i));
    fill(in, rank);
    RUN(form, MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, from, to, N, pair, op, comm);
    for (int i = 0; rank && i < N; ++i)
      EXPECT(isComposition(to + 2 * i, rank - 1, i));
    fill(in, rank);
    memset(out, -1, sizeof(out));
    RUN(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, from, to, counts, pair, op, comm);
    for (int i = 0; i < counts[rank]; ++i)
      EXPECT(isComposition(to + 2 * i, size - 1, begin + i));
    if (!inPlace)
      EXPECT(out[2 * counts[rank]] == -1);
    fill(in, rank);
    memset(out, -1, sizeof(out));
    RUN(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, from, to, 2, pair, op,
        comm);
    for (int i = 0; i < 2; ++i)
      EXPECT(isComposition(to + 2 * i, size - 1, 2 * rank + i));
    if (!inPlace)
      EXPECT(out[4] == -1);
  }
  // Of nothing.
  RUN(form, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, NULL, NULL, 0, pair, op, comm);
  RUN(form, MPI_Scan, MPI_Iscan, MPI_Scan_init, NULL, NULL, 0, pair, op, comm);
}

/// Each side has the other one's result.
static void across(int form, MPI_Datatype pair, MPI_Op op) {
  int rank, size, me, local, remote;
  MPI_Comm half, comm;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int first = size / 2, side = rank >= first;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? 0 : first, 3, &comm);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &local);
  MPI_Comm_remote_size(comm, &remote);
  long in[2 * N], out[2 * N];
  fill(in, me);
  RUN(form, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, in, out, N, pair, op, comm);
  for (int i = 0; i < N; ++i)
    EXPECT(isComposition(out + 2 * i, remote - 1, i));
  for (int to = 0; to < 2; ++to) {
    memset(out, -1, sizeof(out));
    int root = side != to ? (to ? size - first : first) - 1 : me == local - 1 ? MPI_ROOT : MPI_PROC_NULL;
    RUN(form, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, in, out, N, pair, op, root, comm);
    for (int i = 0; i < N; ++i)
      EXPECT(root == MPI_ROOT ? isComposition(out + 2 * i, remote - 1, i) : out[2 * i] == -1);
  }
  // Both sides have counts of the same sum, which need not be the same counts.
  int counts[16], begin = 0;
  for (int i = 0; i < local; ++i) {
    counts[i] = i ? 2 : 8 - 2 * (local - 1);
    if (i < me)
      begin += counts[i];
  }
  memset(out, -1, sizeof(out));
  RUN(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, in, out, counts, pair, op, comm);
  for (int i = 0; i < counts[me]; ++i)
    EXPECT(isComposition(out + 2 * i, remote - 1, begin + i));
  EXPECT(out[2 * counts[me]] == -1);
  // Blocks whose product with the number of ranks is the same on both sides.
  memset(out, -1, sizeof(out));
  RUN(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, in, out, 12 / local,
      pair, op, comm);
  for (int i = 0; i < 12 / local; ++i)
    EXPECT(isComposition(out + 2 * i, remote - 1, me * (12 / local) + i));
  MPI_Comm_free(&comm);
  MPI_Comm_free(&half);
}

/// MPI's operators, of which some are on pairs, and its complex numbers.
static void predefined(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
  for (int o = 0; o < 10; ++o) {
    long wanted[4], in[4], out[4];
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < 4; ++i) {
        long x = i == 3 ? r == 1 : (r * 37 + i * 11) % 16 - (o < 4 ? 5 : 0), *y = &wanted[i];
        if (r == rank)
          in[i] = x;
        *y = r == 0   ? (o < 7 ? x : !!x)
             : o == 0 ? *y + x
             : o == 1 ? *y * x
             : o == 2 ? (x > *y ? x : *y)
             : o == 3 ? (x < *y ? x : *y)
             : o == 4 ? (*y & x)
             : o == 5 ? (*y | x)
             : o == 6 ? (*y ^ x)
             : o == 7 ? (*y && x)
             : o == 8 ? (*y || x)
                      : (!*y != !x);
      }
    MPI_Allreduce(in, out, 4, MPI_LONG, ops[o], MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i)
      EXPECT(out[i] == wanted[i]);
  }
  struct {
    double value;
    int place;
  } in[2] = {{rank % 2 ? 5 : 7, rank}, {-rank, rank}}, out[2];
  // Of equal values, the least place.
  MPI_Allreduce(in, out, 2, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  EXPECT(out[0].value == 7 && out[0].place == 0 && out[1].value == 0 && out[1].place == 0);
  MPI_Allreduce(in, out, 2, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  EXPECT(out[0].value == 5 && out[0].place == 1 && out[1].value == -(size - 1) && out[1].place == size - 1);
  double number[2] = {1, rank}, product[2];
  MPI_Allreduce(number, product, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(product[0] == size && product[1] == size * (size - 1) / 2);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size > 1 && size <= 8);
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Comm reversed;
  MPI_Op_create(compose, 0, &op);
  MPI_Type_contiguous(2, MPI_LONG, &pair);
  MPI_Type_commit(&pair);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  for (int form = 0; form < Forms; ++form) {
    ordered(form, MPI_COMM_WORLD, pair, op);
    ordered(form, reversed, pair, op);
    ordered(form, MPI_COMM_SELF, pair, op);
    across(form, pair, op);
  }
  predefined();
  MPI_Comm_free(&reversed);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  return asExpected("reductions");
}
