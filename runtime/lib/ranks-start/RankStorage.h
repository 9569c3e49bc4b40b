/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Per-rank variables by hand: does for the few variables of this archive what comm-privatize-globals does for programs.
 */
#ifndef COMM_RANKS_START_RANKSTORAGE_H
#define COMM_RANKS_START_RANKSTORAGE_H

#include "comm/ranks.h"

#define COMM_RANK_DATA __attribute__((section("comm_rank_data")))

/* Accesses the running rank's copy. */
#define COMM_RANK(variable) (*(__typeof__(variable) *)((char *)&(variable) + comm_ranks_displacement))

#endif
