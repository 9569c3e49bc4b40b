// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Intercomm_create and MPI_Intercomm_merge (MPI-4, 7.6.2).
#include "collective/Create.h"

using namespace comm::ranks;

extern "C" {

int comm_ranks_MPI_Intercomm_create(ABI_Comm local_comm, int local_leader, ABI_Comm peer_comm, int remote_leader,
                                    int tag, ABI_Comm *newintercomm) {
  COMM_OR_FAIL(l, local_comm);
  if (local_leader < 0 || local_leader >= l->size)
    return fail(l, ABI_ERR_RANK, "the local leader %d is not a rank of it", local_leader);
  Comm *peer = nullptr;
  if (l->rank == local_leader) {
    COMM_OR_FAIL(p, peer_comm);
    peer = p;
  }
  InCollective named("MPI_Intercomm_create");
  int shared = 0;
  Comm *made = connectInter(l, local_leader, peer, remote_leader, tag, shared);
  *newintercomm = handleOf(made);
  if (!made)
    return fail(l, ABI_ERR_COMM, "rank %d of MPI_COMM_WORLD is in both groups: they must have no rank in common",
                shared);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Intercomm_merge(ABI_Comm intercomm, int high, ABI_Comm *newintracomm) {
  COMM_OR_FAIL(c, intercomm);
  CHECK_INTER(c);
  InCollective named("MPI_Intercomm_merge");
  *newintracomm = handleOf(mergeInter(c, high != 0));
  return ABI_SUCCESS;
}

} // extern "C"
