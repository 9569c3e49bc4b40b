// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Collectives that move blocks between ranks: gather, scatter, allgather and alltoall.
#ifndef COMM_RANKS_BLOCKS_H
#define COMM_RANKS_BLOCKS_H

#include "collective/Collective.h"

namespace comm::ranks {

enum class Shape { Gather, Scatter, Allgather, Alltoall };

/// Moves the blocks of \p in to the ranks that \p shape and \p root select, into their blocks of \p out: by copying
/// within a process; between two processes as one message with all their small blocks, or as messages between ranks for
/// large ones. A rank without a type on one side (MPI_IN_PLACE) moves nothing to itself.
int moveBlocks(Comm *c, uint32_t n, Shape shape, const Blocks &in, const Blocks &out, int root = 0);

/// Copies block \p i of \p from to block \p j of \p to.
int copyBlock(const Blocks &from, int i, const Blocks &to, int j);

inline size_t bytesOfBlock(const Blocks &blocks, int i) { return blocks.countOf(i) * blocks.typeOfBlock(i)->size; }

} // namespace comm::ranks

#endif
