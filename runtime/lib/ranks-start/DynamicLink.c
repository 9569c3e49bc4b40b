/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dlerror of each rank: the C library keeps its text for each kernel thread, so
 * it is taken over at once where one of these fails (POSIX dlerror).
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

COMM_RANK_DATA static char *text; /* what the last call that failed said */
COMM_RANK_DATA static int is_new; /* since the last dlerror */

static void take_error(void) {
  char *said = dlerror();
  if (!said)
    return;
  free(COMM_RANK(text));
  COMM_RANK(text) = strdup(said);
  COMM_RANK(is_new) = COMM_RANK(text) != NULL;
}

void *comm_ranks_dlopen(const char *file, int mode) {
  void *handle = dlopen(file, mode);
  if (!handle)
    take_error();
  return handle;
}

void *comm_ranks_dlmopen(Lmid_t space, const char *file, int mode) {
  void *handle = dlmopen(space, file, mode);
  if (!handle)
    take_error();
  return handle;
}

/* A symbol may be null without an error. */

void *comm_ranks_dlsym(void *handle, const char *name) {
  void *address;
  dlerror();
  address = dlsym(handle, name);
  if (!address)
    take_error();
  return address;
}

void *comm_ranks_dlvsym(void *handle, const char *name, const char *version) {
  void *address;
  dlerror();
  address = dlvsym(handle, name, version);
  if (!address)
    take_error();
  return address;
}

int comm_ranks_dlclose(void *handle) {
  int error = dlclose(handle);
  if (error)
    take_error();
  return error;
}

int comm_ranks_dlinfo(void *handle, int request, void *info) {
  int error = dlinfo(handle, request, info);
  if (error)
    take_error();
  return error;
}

char *comm_ranks_dlerror(void) {
  char *said = COMM_RANK(is_new) ? COMM_RANK(text) : NULL;
  COMM_RANK(is_new) = 0;
  return said;
}
