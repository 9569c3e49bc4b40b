/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dlopen in ranks: libraries built for ranks are copied and constructed in each rank that opens them.
 */
#define _GNU_SOURCE
#include "DynamicLink.h"

#include "comm/ranks.h"

#include <dlfcn.h>

HIDDEN void *comm_ranks_dlopen(const char *file, int mode) {
  void *handle;
  comm_ranks_begin_open();
  handle = dlopen(file, mode);
  if (!handle)
    comm_ranks_keep_dlerror();
  comm_ranks_end_open(handle);
  return handle;
}

HIDDEN void *comm_ranks_dlmopen(Lmid_t space, const char *file, int mode) {
  void *handle;
  comm_ranks_begin_open();
  handle = dlmopen(space, file, mode);
  if (!handle)
    comm_ranks_keep_dlerror();
  comm_ranks_end_open(handle);
  return handle;
}
