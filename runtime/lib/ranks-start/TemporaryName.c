/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tmpnam without a buffer from the caller: one name per rank. In a separate file, because the linker warns about this
 * function.
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <stdio.h>

COMM_RANK_DATA static char name[L_tmpnam];

char *comm_ranks_tmpnam(char *text) { return tmpnam_r(text ? text : COMM_RANK(name)); }
