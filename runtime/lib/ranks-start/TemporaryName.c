/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tmpnam without memory of the caller's: a name of each rank. Apart from other
 * functions, for the linker warns of what this one uses.
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <stdio.h>

COMM_RANK_DATA static char name[L_tmpnam];

char *comm_ranks_tmpnam(char *text) { return tmpnam_r(text ? text : COMM_RANK(name)); }
