/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Determines whether all processes of a communicator belong to this MPI_COMM_WORLD. Processes from another start
 * (spawn, connect, accept, join) may run another program. All members get the same answer: either all are in the same
 * MPI_COMM_WORLD, or each member finds some process outside of its own. All calls are local.
 */
#include "Keyval.h"

#include <stdlib.h>

/* The PMPI names, which bypass tools between the program and MPI (MPI-4, 15.2). */
int PMPI_Comm_create_keyval(CommCopyFunction *, CommDeleteFunction *, int *, void *);
int PMPI_Comm_free_keyval(int *);
int PMPI_Comm_get_attr(MPI_Comm, int, void *, int *);
int PMPI_Comm_set_attr(MPI_Comm, int, void *);
int PMPI_Comm_group(MPI_Comm, MPI_Group *);
int PMPI_Comm_remote_group(MPI_Comm, MPI_Group *);
int PMPI_Comm_size(MPI_Comm, int *);
int PMPI_Comm_test_inter(MPI_Comm, int *);
int PMPI_Group_free(MPI_Group *);
int PMPI_Group_size(MPI_Group, int *);
int PMPI_Group_translate_ranks(MPI_Group, int, const int *, MPI_Group, int *);

_Atomic int comm_world_size;
_Atomic int64_t comm_keyval;

/* Creates the key of the attribute that caches the answer; returns 0 if that fails. */
static int getKeyval(int *keyval) {
  return comm_get_keyval(&comm_keyval, PMPI_Comm_create_keyval, PMPI_Comm_free_keyval, COMM_NULL_COPY, COMM_NULL_DELETE,
                         keyval);
}

/* Returns whether all processes of the group, which this frees, are in the other one. */
COMM_RARE static int isWithin(MPI_Group group, MPI_Group world) {
  int size = 0, isInside = 0;
  if (PMPI_Group_size(group, &size) == 0 && size > 0) {
    int *ranks = malloc(2 * sizeof(int) * size), *others = ranks + size;
    for (int i = 0; ranks && i < size; ++i)
      ranks[i] = i;
    if (ranks && PMPI_Group_translate_ranks(group, size, ranks, world, others) == 0) {
      isInside = 1;
      for (int i = 0; i < size; ++i)
        isInside &= others[i] >= 0; /* MPI_UNDEFINED is negative in all implementations */
    }
    free(ranks);
  }
  PMPI_Group_free(&group);
  return isInside;
}

COMM_RARE static int findSize(MPI_Comm comm) {
  int isBetween = 0, size = 0;
  MPI_Group world, group;
  if (PMPI_Comm_test_inter(comm, &isBetween) != 0 || PMPI_Comm_size(comm, &size) != 0 ||
      PMPI_Comm_group(comm_get_world(), &world) != 0)
    return 0;
  int isInside = PMPI_Comm_group(comm, &group) == 0 && isWithin(group, world);
  if (isInside && isBetween)
    isInside = PMPI_Comm_remote_group(comm, &group) == 0 && isWithin(group, world);
  PMPI_Group_free(&world);
  return !isInside ? 0 : isBetween ? -size : size;
}

int comm_size_within_world(MPI_Comm comm) {
  if (comm_is_world(comm)) {
    int size = atomic_load_explicit(&comm_world_size, memory_order_relaxed);
    if (!size && PMPI_Comm_size(comm, &size) == 0)
      atomic_store_explicit(&comm_world_size, size, memory_order_relaxed);
    return size;
  }
  if (comm_is_null(comm))
    return 0;
  if (comm_is_self(comm))
    return 1;
  int keyval, isKnown = 0;
  void *value;
  if (!getKeyval(&keyval) || PMPI_Comm_get_attr(comm, keyval, &value, &isKnown) != 0)
    return 0;
  if (isKnown)
    return (int)(intptr_t)value;
  int size = findSize(comm);
  PMPI_Comm_set_attr(comm, keyval, (void *)(intptr_t)size);
  return size;
}
