/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Variables of each rank, by hand: what comm-privatize-globals does with those
 * of programs, for the few that this archive has.
 */
#ifndef COMM_RANKS_START_RANKSTORAGE_H
#define COMM_RANKS_START_RANKSTORAGE_H

#include "comm/ranks.h"

#define COMM_RANK_DATA __attribute__((section("comm_rank_data")))

/* The running rank's copy. */
#define COMM_RANK(variable) (*(__typeof__(variable) *)((char *)&(variable) + comm_ranks_displacement))

#endif
