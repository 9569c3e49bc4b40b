/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Per-rank hash table of hcreate (POSIX hcreate).
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <search.h>

COMM_RANK_DATA static struct hsearch_data table;

int comm_ranks_hcreate(size_t count) { return hcreate_r(count, &COMM_RANK(table)); }

void comm_ranks_hdestroy(void) { hdestroy_r(&COMM_RANK(table)); }

ENTRY *comm_ranks_hsearch(ENTRY entry, ACTION action) {
  ENTRY *found = NULL;
  hsearch_r(entry, action, &found, &COMM_RANK(table));
  return found;
}
