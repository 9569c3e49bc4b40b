// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intercommunicators (MPI-4, 7.6): making, asking, duplicating, splitting and merging them, messages across, and
// collectives with a count or a datatype per rank.
#include "forms.h"
#include <stdlib.h>
#include <string.h>

/// The two sides are ranks 0 to first - 1, and the others.
typedef struct {
  int rank, size, side, first, mine, theirs, me, local, remote; ///< of the world; then my side, its ranks, the other
} Sides;

static int localOf(const Sides *s) { return s->side ? s->size - s->first : s->first; }
static int worldOf(const Sides *s, int side, int rank) { return side ? s->first + rank : rank; }

static void check(MPI_Comm comm, const Sides *s) {
  int flag, me, local, remote;
  MPI_Group group, world;
  MPI_Comm_test_inter(comm, &flag);
  EXPECT(flag);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &local);
  MPI_Comm_remote_size(comm, &remote);
  EXPECT(local == localOf(s) && remote == s->size - local && worldOf(s, s->side, me) == s->rank);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int side = 0; side < 2; ++side) {
    if (side == s->side)
      MPI_Comm_group(comm, &group);
    else
      MPI_Comm_remote_group(comm, &group);
    int count, in, out;
    MPI_Group_size(group, &count);
    EXPECT(count == (side ? s->size - s->first : s->first));
    for (in = 0; in < count; ++in) {
      MPI_Group_translate_ranks(group, 1, &in, world, &out);
      EXPECT(out == worldOf(s, side, in));
    }
    MPI_Group_free(&group);
  }
  MPI_Group_free(&world);
  // Ranks of a message are those of the other side.
  MPI_Request *requests = malloc(local * sizeof(*requests) + remote * sizeof(*requests));
  int *got = malloc(remote * sizeof(int)), *out = malloc(remote * sizeof(int));
  for (int i = 0; i < remote; ++i) {
    out[i] = s->rank * 100 + i;
    MPI_Irecv(&got[i], 1, MPI_INT, i, 4, comm, &requests[i]);
  }
  for (int i = 0; i < remote; ++i)
    MPI_Send(&out[i], 1, MPI_INT, i, 4, comm);
  MPI_Waitall(remote, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < remote; ++i)
    EXPECT(got[i] == worldOf(s, !s->side, i) * 100 + me);
  free(requests);
  free(got);
  free(out);
}

static void merged(MPI_Comm comm, const Sides *s) {
  MPI_Comm all;
  int rank, size, flag;
  for (int high = 0; high < 2; ++high) {
    EXPECT(MPI_Intercomm_merge(comm, s->side == high, &all) == MPI_SUCCESS);
    MPI_Comm_test_inter(all, &flag);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    EXPECT(!flag && size == s->size);
    // The side that is not high comes first.
    int before = s->side == high ? s->size - localOf(s) : 0;
    EXPECT(rank == before + (s->side ? s->rank - s->first : s->rank));
    MPI_Comm_free(&all);
  }
  // If both say the same, one of the sides comes first, as a whole.
  MPI_Intercomm_merge(comm, 1, &all);
  MPI_Comm_rank(all, &rank);
  int local = s->side ? s->rank - s->first : s->rank, offset = rank - local, least, most;
  MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, all);
  MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, all);
  EXPECT(least == 0 && most == s->size - 1 && (offset == 0 || offset == s->size - localOf(s)));
  MPI_Comm_free(&all);
}

/// From all of one side to a root of the other, and back.
static void rooted(int form, MPI_Comm comm, const Sides *s) {
  int me, local = localOf(s), remote = s->size - local;
  MPI_Comm_rank(comm, &me);
  for (int side = 0; side < 2; ++side) {
    // The last rank of `side` is the root.
    int receives = s->side == side, root = (side ? s->size - s->first : s->first) - 1;
    int argument = !receives ? root : me == root ? MPI_ROOT : MPI_PROC_NULL;
    int counts[16], places[16], data[128], mine[4], length = me % 3;
    memset(data, -1, sizeof(data));
    for (int i = 0; i < remote; ++i) {
      counts[i] = i % 3;
      places[i] = 4 * (remote - i);
    }
    for (int j = 0; j < 4; ++j)
      mine[j] = s->rank * 10 + j;
    RUN(form, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, mine, length, MPI_INT, data, counts, places, MPI_INT,
        argument, comm);
    if (argument == MPI_ROOT)
      for (int i = 0; i < remote; ++i)
        for (int j = 0; j < 4; ++j)
          EXPECT(data[places[i] + j] == (j < counts[i] ? worldOf(s, !s->side, i) * 10 + j : -1));
    memset(mine, -1, sizeof(mine));
    RUN(form, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, data, counts, places, MPI_INT, mine, length, MPI_INT,
        argument, comm);
    if (!receives)
      for (int j = 0; j < 4; ++j)
        EXPECT(mine[j] == (j < length ? s->rank * 10 + j : -1));
  }
}

static void across(int form, MPI_Comm comm, const Sides *s) {
  int me, remote = s->size - localOf(s), counts[16], places[16], outCounts[16], outPlaces[16], data[128], out[128];
  MPI_Datatype types[16];
  MPI_Comm_rank(comm, &me);
  memset(data, -1, sizeof(data));
  for (int j = 0; j < 4; ++j)
    out[j] = s->rank * 10 + j;
  for (int i = 0; i < remote; ++i) {
    counts[i] = (i + 1) % 3;
    places[i] = 4 * (remote - i);
  }
  RUN(form, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, out, (me + 1) % 3, MPI_INT, data, counts, places,
      MPI_INT, comm);
  for (int i = 0; i < remote; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT(data[places[i] + j] == (j < counts[i] ? worldOf(s, !s->side, i) * 10 + j : -1));
  memset(data, -1, sizeof(data));
  for (int i = 0; i < remote; ++i) {
    int other = worldOf(s, !s->side, i);
    counts[i] = (other + 2 * s->rank) % 4;
    outCounts[i] = (s->rank + 2 * other) % 4;
    outPlaces[i] = 5 * i + 1;
    for (int j = 0; j < outCounts[i]; ++j)
      out[outPlaces[i] + j] = s->rank * 100 + other * 10 + j;
  }
  RUN(form, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, out, outCounts, outPlaces, MPI_INT, data, counts, places,
      MPI_INT, comm);
  for (int i = 0; i < remote; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT(data[places[i] + j] == (j < counts[i] ? worldOf(s, !s->side, i) * 100 + s->rank * 10 + j : -1));
  memset(data, -1, sizeof(data));
  for (int i = 0; i < remote; ++i) {
    types[i] = MPI_INT;
    places[i] *= sizeof(int);
    outPlaces[i] *= sizeof(int);
  }
  RUN(form, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, out, outCounts, outPlaces, types, data, counts, places,
      types, comm);
  for (int i = 0; i < remote; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT(data[places[i] / sizeof(int) + j] ==
             (j < counts[i] ? worldOf(s, !s->side, i) * 100 + s->rank * 10 + j : -1));
  // Each side has the other one's sum.
  int sum, wanted = 0;
  for (int i = 0; i < remote; ++i)
    wanted += worldOf(s, !s->side, i);
  RUN(form, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, &s->rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  EXPECT(sum == wanted);
}

static void all(MPI_Comm comm, const Sides *s) {
  MPI_Comm copy, part;
  MPI_Request request;
  int result, size;
  check(comm, s);
  merged(comm, s);
  for (int form = 0; form < Forms; ++form) {
    rooted(form, comm, s);
    across(form, comm, s);
  }
  MPI_Comm_dup(comm, &copy);
  check(copy, s);
  MPI_Comm_compare(comm, copy, &result);
  EXPECT(result == MPI_CONGRUENT);
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  EXPECT(result == MPI_UNEQUAL);
  MPI_Comm_free(&copy);
  MPI_Comm_idup(comm, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(copy, s);
  MPI_Comm_disconnect(&copy);
  EXPECT(copy == MPI_COMM_NULL);
  // The first rank of each side remains.
  int me;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_split(comm, me == 0 ? 0 : MPI_UNDEFINED, 0, &part);
  EXPECT((part == MPI_COMM_NULL) == (me != 0));
  if (part != MPI_COMM_NULL) {
    MPI_Comm_remote_size(part, &size);
    EXPECT(size == 1);
    MPI_Comm_free(&part);
  }
  MPI_Group group, some;
  MPI_Comm_group(comm, &group);
  MPI_Group_incl(group, 1, (int[]){0}, &some);
  MPI_Comm_create(comm, some, &part);
  EXPECT((part == MPI_COMM_NULL) == (me != 0));
  if (part != MPI_COMM_NULL) {
    MPI_Comm_remote_size(part, &size);
    EXPECT(size == 1);
    MPI_Comm_free(&part);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&group);
}

int main(int argc, char **argv) {
  Sides s = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.size);
  EXPECT(s.size >= 2 && s.size <= 10);
  returnErrors();
  MPI_Comm half, comm;
  int flag, size;
  MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
  EXPECT(!flag && MPI_Comm_remote_size(MPI_COMM_WORLD, &size) == MPI_ERR_COMM);
  // One rank and the others; then, halves, which may be the ranks of two processes.
  for (s.first = 1; s.first <= s.size / 2; s.first += s.size / 2 > 1 ? s.size / 2 - 1 : 1) {
    s.side = s.rank >= s.first;
    MPI_Comm_split(MPI_COMM_WORLD, s.side, s.rank, &half);
    // The last ranks lead.
    int leaders[2] = {s.first - 1, s.size - s.first - 1};
    MPI_Intercomm_create(half, leaders[s.side], MPI_COMM_WORLD, worldOf(&s, !s.side, leaders[!s.side]), 12, &comm);
    all(comm, &s);
    MPI_Comm_free(&comm);
    MPI_Group ours, theirs, world;
    MPI_Comm_group(half, &ours);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_difference(world, ours, &theirs);
    EXPECT(MPI_Intercomm_create_from_groups(ours, s.side ? 0 : leaders[0], theirs, s.side ? leaders[0] : 0, "two sides",
                                            MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
    all(comm, &s);
    MPI_Comm_free(&comm);
    MPI_Group_free(&ours);
    MPI_Group_free(&theirs);
    MPI_Group_free(&world);
    MPI_Comm_free(&half);
  }
  return asExpected("intercommunicators");
}
