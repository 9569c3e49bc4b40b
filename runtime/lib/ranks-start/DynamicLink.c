/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dlsym in ranks, with the rank's dlerror (LinkError.c). A symbol may be null without an error.
 */
#define _GNU_SOURCE
#include "DynamicLink.h"

#include <dlfcn.h>
#include <stddef.h>

HIDDEN void *comm_ranks_dlsym(void *handle, const char *name) {
  void *address;
  dlerror();
  address = dlsym(handle, name);
  if (!address)
    comm_ranks_keep_dlerror();
  return address;
}

HIDDEN void *comm_ranks_dlvsym(void *handle, const char *name, const char *version) {
  void *address;
  dlerror();
  address = dlvsym(handle, name, version);
  if (!address)
    comm_ranks_keep_dlerror();
  return address;
}
