// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups (MPI-4, 7.3), and communicators made from them by their members alone (MPI-4, 7.4.2).
#include "expect.h"
#include <stdlib.h>

/// Whether the group has these ranks of MPI_COMM_WORLD, in this order.
static int is(MPI_Group group, int count, const int *wanted) {
  MPI_Group world;
  int size, all[64], found[64];
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(group, &size);
  for (int i = 0; i < size; ++i)
    all[i] = i;
  MPI_Group_translate_ranks(group, size, all, world, found);
  MPI_Group_free(&world);
  if (size != count)
    return 0;
  for (int i = 0; i < count; ++i)
    if (found[i] != wanted[i])
      return 0;
  return 1;
}
#define IS(group, ...) is(group, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

static void parts(int rank) {
  MPI_Group world, some, other, made;
  int result, me, from[3] = {2, MPI_PROC_NULL, 0}, to[3];
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, (int[]){3, 0, 2}, &some);
  EXPECT(IS(some, 3, 0, 2));
  MPI_Group_rank(some, &me);
  EXPECT(me == (rank == 3 ? 0 : rank == 0 ? 1 : rank == 2 ? 2 : MPI_UNDEFINED));
  MPI_Group_excl(world, 2, (int[]){2, 0}, &other);
  MPI_Group_translate_ranks(some, 3, from, other, to);
  EXPECT(to[0] == MPI_UNDEFINED && to[1] == MPI_PROC_NULL && to[2] == 1);
  MPI_Group_size(other, &result);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(result == size - 2);
  MPI_Group_free(&other);
  MPI_Group_excl(some, 2, (int[]){2, 0}, &other);
  EXPECT(IS(other, 0));
  MPI_Group_free(&other);
  MPI_Group_excl(some, 0, NULL, &other);
  MPI_Group_compare(some, other, &result);
  EXPECT(result == MPI_IDENT);
  MPI_Group_free(&other);
  MPI_Group_incl(world, 3, (int[]){0, 2, 3}, &other);
  MPI_Group_compare(some, other, &result);
  EXPECT(result == MPI_SIMILAR);
  MPI_Group_free(&other);
  // Without ranks it is the empty group.
  MPI_Group_incl(world, 0, NULL, &other);
  EXPECT(other == MPI_GROUP_EMPTY);
  MPI_Group_compare(some, other, &result);
  EXPECT(result == MPI_UNEQUAL);
  MPI_Group_incl(world, 2, (int[]){1, 3}, &other);
  MPI_Group_union(some, other, &made);
  EXPECT(IS(made, 3, 0, 2, 1));
  MPI_Group_free(&made);
  MPI_Group_intersection(some, other, &made);
  EXPECT(IS(made, 3));
  MPI_Group_free(&made);
  MPI_Group_difference(some, other, &made);
  EXPECT(IS(made, 0, 2));
  MPI_Group_free(&made);
  MPI_Group_free(&some);
  MPI_Group_free(&other);
  MPI_Group_free(&world);
  EXPECT(world == MPI_GROUP_NULL);
}

static void ranges(void) {
  MPI_Group world, made;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int some[3][3] = {{3, 1, -2}, {0, 2, 2}, {0, 0, 5}}, single[1][3] = {{1, 3, 5}}, none[1][3] = {{2, 1, 1}};
  MPI_Group_range_incl(world, 2, some, &made);
  EXPECT(IS(made, 3, 1, 0, 2));
  MPI_Group_free(&made);
  MPI_Group_range_incl(world, 1, single, &made);
  EXPECT(IS(made, 1));
  MPI_Group_free(&made);
  MPI_Group_range_incl(world, 0, NULL, &made);
  EXPECT(made == MPI_GROUP_EMPTY);
  int all[1][3] = {{0, 3, 1}};
  MPI_Group four;
  MPI_Group_range_incl(world, 1, all, &four);
  EXPECT(IS(four, 0, 1, 2, 3));
  MPI_Group_range_excl(four, 1, some, &made);
  EXPECT(IS(made, 0, 2));
  MPI_Group_free(&made);
  MPI_Group_range_excl(four, 0, NULL, &made);
  EXPECT(IS(made, 0, 1, 2, 3));
  MPI_Group_free(&made);
  MPI_Group_range_excl(four, 1, all, &made);
  EXPECT(made == MPI_GROUP_EMPTY);
  // The last rank of a range need not be one of its ranks; a range of no rank is possible.
  MPI_Group_range_excl(four, 1, single, &made);
  EXPECT(IS(made, 0, 2, 3));
  MPI_Group_free(&made);
  MPI_Group_range_incl(four, 1, none, &made);
  EXPECT(made == MPI_GROUP_EMPTY);
  int zero[1][3] = {{0, 3, 0}}, outside[1][3] = {{2, 4, 1}};
  EXPECT(MPI_Group_range_incl(four, 1, zero, &made) == MPI_ERR_ARG);
  EXPECT(MPI_Group_range_excl(four, 1, outside, &made) == MPI_ERR_RANK);
  MPI_Group_free(&four);
  MPI_Group_free(&world);
}

static void check(MPI_Comm comm, int count, const int *wanted, int rank) {
  MPI_Group group;
  int me, sum;
  MPI_Comm_group(comm, &group);
  EXPECT(is(group, count, wanted));
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &me);
  EXPECT(wanted[me] == rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < count; ++i)
    sum -= wanted[i];
  EXPECT(sum == 0);
}

/// Only the members call; the others do something else meanwhile.
static void members(int rank, int size) {
  MPI_Group world, group;
  MPI_Comm comm;
  MPI_Errhandler handler;
  const int odd[2] = {3, 1}, even[2] = {2, 0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int round = 0; round < 3; ++round) {
    const int *mine = rank % 2 ? odd : even;
    if (rank < 4) {
      MPI_Group_incl(world, 2, mine, &group);
      EXPECT(MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm) == MPI_SUCCESS);
      check(comm, 2, mine, rank);
      // From a communicator that has other ranks.
      MPI_Group alone;
      MPI_Comm single;
      MPI_Comm_group(MPI_COMM_SELF, &alone);
      EXPECT(MPI_Comm_create_group(comm, alone, 7, &single) == MPI_SUCCESS);
      check(single, 1, &rank, rank);
      MPI_Comm_free(&single);
      EXPECT(MPI_Comm_create_group(comm, group, 0, &single) == MPI_SUCCESS);
      check(single, 2, mine, rank);
      MPI_Comm_free(&single);
      MPI_Group_free(&alone);
      MPI_Comm_free(&comm);
      // Without a parent, by a name: the two parts use different ones, or the same.
      EXPECT(MPI_Comm_create_from_group(group, round && rank % 2 ? "odd" : "name", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                        &comm) == MPI_SUCCESS);
      check(comm, 2, mine, rank);
      MPI_Comm_get_errhandler(comm, &handler);
      EXPECT(handler == MPI_ERRORS_RETURN);
      EXPECT(MPI_Bcast(&rank, 1, MPI_INT, 9, comm) == MPI_ERR_ROOT);
      MPI_Comm_free(&comm);
      MPI_Group_free(&group);
    }
    // All ranks, in the opposite order.
    int *reversed = malloc(size * sizeof(int));
    for (int i = 0; i < size; ++i)
      reversed[i] = size - 1 - i;
    MPI_Group_incl(world, size, reversed, &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    check(comm, size, reversed, rank);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    free(reversed);
  }
  MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  EXPECT(comm == MPI_COMM_NULL);
  MPI_Group_free(&world);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size >= 4);
  returnErrors();
  parts(rank);
  ranges();
  members(rank, size);
  return asExpected("groups");
}
