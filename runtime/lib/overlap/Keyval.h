/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attributes in which objects of MPI keep what was found out about them
 * (MPI-4, 7.7).
 */
#ifndef COMM_RUNTIME_KEYVAL_H
#define COMM_RUNTIME_KEYVAL_H

#include "Overlap.h"

#include <stdatomic.h>

typedef int CommCopyFunction(CommHandle, int, void *, void *, void *, int *);
typedef int CommDeleteFunction(CommHandle, int, void *, void *);

#define COMM_HAS_KEYVAL ((int64_t)1 << 32)

/* The key of an attribute, which is made once for all threads and kept in `known`, 0 at first. 0 if there is none to be
 * had. `create` and `free` are those of MPI for the kind of object, `copy` and `delete` its functions that do nothing,
 * not our own: a library that is closed leaves its attributes. They are null but in Open MPI. */
static inline int comm_get_keyval(_Atomic int64_t *known,
                                  int create(CommCopyFunction *, CommDeleteFunction *, int *, void *), int free(int *),
                                  CommCopyFunction *copy, CommDeleteFunction *delete, int *keyval) {
  int64_t found = atomic_load_explicit(known, memory_order_relaxed);
  if (!found) {
    if (create(copy, delete, keyval, NULL) != 0)
      return 0;
    if (atomic_compare_exchange_strong(known, &found, COMM_HAS_KEYVAL | (uint32_t)*keyval))
      return 1;
    free(keyval); /* another thread was first */
  }
  *keyval = (int)(uint32_t)found;
  return 1;
}

#endif /* COMM_RUNTIME_KEYVAL_H */
