// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_RANKS_CREATE_H
#define COMM_RANKS_CREATE_H

#include "collective/Collective.h"

namespace comm::ranks {

// Intercommunicators.
Comm *duplicateInter(Comm *c, uint32_t n);
Comm *splitInter(Comm *c, int color, int key);
Comm *createInter(Comm *c, const Group &group);
/// Like MPI_Intercomm_create; only the local leaders use \p peer. Returns null if both groups contain the rank \p
/// shared.
Comm *connectInter(Comm *local, int localLeader, Comm *peer, int remoteLeader, int tag, int &shared);
/// Like MPI_Intercomm_merge.
Comm *mergeInter(Comm *c, bool high);

// Intracommunicators, or both.

/// Like MPI_Comm_dup.
int duplicate(Comm *c, Comm *&copy, bool withAttributes);
/// Duplicates an intracommunicator without attributes and the like.
Comm *duplicateBare(Comm *c, uint32_t n);
/// Like MPI_Comm_split of an intracommunicator; takes collectives n and m.
Comm *split(Comm *c, uint32_t n, uint32_t m, int color, int key);
inline Comm *split(Comm *c, int color, int key) {
  uint32_t n = c->nextCollective();
  return split(c, n, c->nextCollective(), color, key);
}

/// Creates a communicator of the group's members; only these call it. The first member sends the context to the others,
/// in messages that no other receive matches.
Comm *fromGroup(Comm *c, const Group &group, int tag);

} // namespace comm::ranks

#endif
