/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Per-rank dlerror: the C library keeps the text per kernel thread, so it is saved immediately after a failure (POSIX
 * dlerror).
 */
#define _GNU_SOURCE
#include "DynamicLink.h"
#include "RankStorage.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

COMM_RANK_DATA static char *text; /* of the last call that failed */
COMM_RANK_DATA static int is_new; /* since the last dlerror */

void comm_ranks_keep_dlerror(void) {
  char *said = dlerror();
  if (!said)
    return;
  free(COMM_RANK(text));
  COMM_RANK(text) = strdup(said);
  COMM_RANK(is_new) = COMM_RANK(text) != NULL;
}

int comm_ranks_dlclose(void *handle) {
  int error = dlclose(handle);
  if (error)
    comm_ranks_keep_dlerror();
  return error;
}

int comm_ranks_dlinfo(void *handle, int request, void *info) {
  int error = dlinfo(handle, request, info);
  if (error)
    comm_ranks_keep_dlerror();
  return error;
}

char *comm_ranks_dlerror(void) {
  char *said = COMM_RANK(is_new) ? COMM_RANK(text) : NULL;
  COMM_RANK(is_new) = 0;
  return said;
}
