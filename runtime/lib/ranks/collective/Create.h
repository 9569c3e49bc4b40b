// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_RANKS_CREATE_H
#define COMM_RANKS_CREATE_H

#include "collective/Collective.h"

namespace comm::ranks {

// Intercommunicators.
Comm *duplicateInter(Comm *c, uint32_t n);
Comm *splitInter(Comm *c, int color, int key);
Comm *createInter(Comm *c, const Group &group);
/// As MPI_Intercomm_create; \p peer is of the local leaders alone. Null if both groups have a rank, which \p shared is.
Comm *connectInter(Comm *local, int localLeader, Comm *peer, int remoteLeader, int tag, int &shared);
/// As MPI_Intercomm_merge.
Comm *mergeInter(Comm *c, bool high);

// Intracommunicators, or both.

/// As MPI_Comm_dup.
int duplicate(Comm *c, Comm *&copy, bool withAttributes);
/// The members and nothing else, of an intracommunicator.
Comm *duplicateBare(Comm *c, uint32_t n);
/// As MPI_Comm_split of an intracommunicator: collectives n and m.
Comm *split(Comm *c, uint32_t n, uint32_t m, int color, int key);
inline Comm *split(Comm *c, int color, int key) {
  uint32_t n = c->nextCollective();
  return split(c, n, c->nextCollective(), color, key);
}

/// A communicator of the group's members, of whom all call and nobody else: the
/// first tells the others the context, in messages that no others match.
Comm *fromGroup(Comm *c, const Group &group, int tag);

} // namespace comm::ranks

#endif
